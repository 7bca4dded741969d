# Tests of src/cluster, with four processes of MPI on however many processors there are. Under a sanitizer they are left
# out, because it reports what MPI keeps until the process ends.
if(NOT TRIGON_CLUSTER_PROGRAMS)
  return()
endif()
get_filename_component(scalapack_file ${TRIGON_SCALAPACK} REALPATH)
set(cluster_sources ${CMAKE_CURRENT_LIST_DIR}/distributed_matrix.c)

# cluster_program(NAME): NAME.c of the room as a program of MPI.
function(cluster_program name)
  test_program(${name} ${CMAKE_CURRENT_LIST_DIR}/${name}.c ${cluster_sources})
  target_compile_definitions(${name} PRIVATE SCALAPACK_LIBRARY="${scalapack_file}")
  cluster_libraries(${name})
endfunction()

# The messages go through shared memory and sockets of this machine alone. ssh is not looked for. A process that waits
# gives its processor away.
set(cluster_environment TRIGON_BACKEND_PATH=$<TARGET_FILE_DIR:trigon-cluster> OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=self,vader OMPI_MCA_plm_rsh_agent=sh
  OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_orte_tmpdir_base=/tmp
  OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none)

# cluster_test(NAME PROGRAM ARGUMENTS...): a test of four processes.
function(cluster_test name program)
  add_test(NAME ${name} COMMAND ${TRIGON_MPIRUN} -np 4 $<TARGET_FILE:${program}> ${ARGN})
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "${cluster_environment}" TIMEOUT 600 PROCESSORS 2)
endfunction()

cluster_program(test_cluster)
cluster_program(time_cluster)
target_sources(time_cluster PRIVATE ${CMAKE_CURRENT_LIST_DIR}/count_messages.c)
cluster_test(time_cluster time_cluster 100 8 2 2 2)
cluster_test(test_cluster test_cluster)
# LAUUM of 450 blocks, with a stack that would not hold as many calls within each other.
add_test(NAME test_cluster_stack
  COMMAND sh -c "ulimit -s 700 && exec \"$@\"" sh ${TRIGON_MPIRUN} -np 4 $<TARGET_FILE:time_cluster> 450 1 2 2 1 lauum)
set_tests_properties(test_cluster_stack PROPERTIES ENVIRONMENT "${cluster_environment}" TIMEOUT 200 PROCESSORS 2)
cluster_test(test_cluster_passes test_cluster --passes 3 --seed 2)
cluster_test(test_cluster_native test_cluster --options "?native=1" --seed 3)
foreach(name test_cluster_mistakes test_cluster_failures)
  cluster_program(${name})
  cluster_test(${name} ${name})
endforeach()
cluster_program(test_cluster_killed)
script_test(test_cluster_killed ${TRIGON_MPIRUN} $<TARGET_FILE:test_cluster_killed>)
set_tests_properties(test_cluster_killed PROPERTIES ENVIRONMENT "${cluster_environment}" TIMEOUT 100 PROCESSORS 2)
if(TARGET kriging_cluster)
  script_test(test_kriging_cluster ${TRIGON_MPIRUN} $<TARGET_FILE:kriging_cluster> ${scalapack_file})
  set_tests_properties(test_kriging_cluster PROPERTIES ENVIRONMENT "${cluster_environment}" TIMEOUT 200 PROCESSORS 2)
endif()
# The sweep over MPICH. Its processes wait actively, so there are only two.
if(TRIGON_MPICH_RUN AND TRIGON_MPICH_HEADER AND TRIGON_MPICH AND TRIGON_MPICH_SCALAPACK)
  test_program(test_cluster_mpich ${CMAKE_CURRENT_LIST_DIR}/test_cluster.c ${cluster_sources})
  get_filename_component(mpich_file ${TRIGON_MPICH_SCALAPACK} REALPATH)
  target_compile_definitions(test_cluster_mpich PRIVATE SCALAPACK_LIBRARY="${mpich_file}")
  target_include_directories(test_cluster_mpich SYSTEM PRIVATE ${TRIGON_MPICH_HEADER})
  target_link_libraries(test_cluster_mpich PRIVATE ${TRIGON_MPICH_SCALAPACK} ${TRIGON_MPICH})
  add_dependencies(test_cluster_mpich trigon-cluster)
  add_test(NAME test_cluster_mpich COMMAND ${TRIGON_MPICH_RUN} -np 2 $<TARGET_FILE:test_cluster_mpich>)
  set_tests_properties(test_cluster_mpich PROPERTIES ENVIRONMENT "${cluster_environment}" TIMEOUT 600 PROCESSORS 2)
else()
  message(STATUS "skipped: no MPICH with ScaLAPACK found; the sweep of distributed matrices over it is left out")
endif()
# The Python module, by the system's Python, for which Debian's mpi4py is built.
execute_process(COMMAND /usr/bin/python3 -c "import numpy, mpi4py" RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
if(failed EQUAL 0)
  add_test(NAME test_distributed_python
    COMMAND ${TRIGON_MPIRUN} -np 4 /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/distributed_python.py)
  set(python_environment ${cluster_environment} TRIGON_LIBRARY=$<TARGET_FILE:trigon> PYTHONDONTWRITEBYTECODE=1
    PYTHONPATH=${PROJECT_SOURCE_DIR}/python)
  set_tests_properties(test_distributed_python PROPERTIES ENVIRONMENT "${python_environment}" TIMEOUT 200 PROCESSORS 2)
else()
  message(STATUS "skipped: no Python with numpy and mpi4py; the test of distributed matrices in Python is left out")
endif()

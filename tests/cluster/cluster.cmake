# Tests of src/cluster, with four processes of MPI on however many processors there are. They need Open MPI and its
# ScaLAPACK (Debian: libscalapack-openmpi-dev, libopenmpi-dev, openmpi-bin). CMake's own search for MPI fails with an
# error if the compiler wrapper is there and the headers are not. Under a sanitizer they are left out, because the sanitizer
# reports what MPI keeps until the process ends.
if(TRIGON_SANITIZE OR NOT TARGET trigon-cluster)
  return()
endif()
find_program(TRIGON_MPIRUN NAMES mpirun.openmpi mpirun)
find_path(TRIGON_MPI_HEADER mpi.h PATH_SUFFIXES openmpi lib/${CMAKE_LIBRARY_ARCHITECTURE}/openmpi/include
  PATHS /usr /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openmpi/include)
find_library(TRIGON_MPI NAMES mpi PATH_SUFFIXES openmpi/lib)
find_library(TRIGON_SCALAPACK NAMES scalapack-openmpi)
if(NOT TRIGON_MPIRUN OR NOT TRIGON_MPI_HEADER OR NOT TRIGON_MPI OR NOT TRIGON_SCALAPACK)
  message(STATUS "skipped: no Open MPI with ScaLAPACK found; the tests of distributed matrices are left out")
  return()
endif()
get_filename_component(scalapack_file ${TRIGON_SCALAPACK} REALPATH)
set(cluster_sources ${CMAKE_CURRENT_LIST_DIR}/distributed_matrix.c)

# cluster_program(NAME): NAME.c of the room as a program of MPI.
function(cluster_program name)
  test_program(${name} ${CMAKE_CURRENT_LIST_DIR}/${name}.c ${cluster_sources})
  target_compile_definitions(${name} PRIVATE SCALAPACK_LIBRARY="${scalapack_file}")
  target_include_directories(${name} SYSTEM PRIVATE ${TRIGON_MPI_HEADER})
  target_link_libraries(${name} PRIVATE ${TRIGON_SCALAPACK} ${TRIGON_MPI})
  add_dependencies(${name} trigon-cluster)
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
cluster_test(test_cluster test_cluster)
cluster_test(test_cluster_passes test_cluster --passes 3 --seed 2)
cluster_test(test_cluster_native test_cluster --options "?native=1" --seed 3)
foreach(name test_cluster_mistakes test_cluster_failures)
  cluster_program(${name})
  cluster_test(${name} ${name})
endforeach()

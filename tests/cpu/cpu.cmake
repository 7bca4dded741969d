# Tests of the CPU: its register kernels, its team of threads, small calls, and libraries loaded by name.
trigon_test(test_blocking)
trigon_test(test_team)
trigon_test(test_refused_workers)
target_link_options(test_refused_workers PRIVATE LINKER:--wrap=pthread_create)
trigon_test(test_crowd)
target_link_options(test_crowd PRIVATE LINKER:--wrap=team_processors)
if(NOT TRIGON_SANITIZERS STREQUAL thread) # it refuses threads in a child of a process with threads
  trigon_test(test_forked)
  target_link_options(test_forked PRIVATE LINKER:--wrap=team_processors)
endif()
if(NOT TRIGON_SANITIZE) # a sanitizer's own malloc tells other sizes
  trigon_test(test_cpu_memory)
  target_link_options(test_cpu_memory PRIVATE LINKER:--wrap=team_processors
    LINKER:--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc,--wrap=free)
endif()
if(NOT TRIGON_SANITIZE) # Python is built without a sanitizer
  script_test(test_forked_python $<TARGET_FILE:trigon>)
endif()
trigon_test(test_small)
trigon_test(test_factors)
trigon_test(test_triangles)
trigon_test(test_few_columns)
trigon_test(test_vector_pieces)
target_link_options(test_vector_pieces PRIVATE LINKER:--wrap=team_processors)
trigon_test(test_few_rows)
target_link_options(test_few_rows PRIVATE LINKER:--wrap=team_processors)
trigon_test(test_short_products)
target_link_options(test_short_products PRIVATE LINKER:--wrap=team_processors)
trigon_test(test_openblas_core)

# Debian's folders of one build of OpenBLAS each: 64-bit integers without threads, and 32-bit integers with OpenMP.
trigon_test(test_installed_blas)
set(openblas_folders /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE})
set_tests_properties(test_installed_blas PROPERTIES ENVIRONMENT
  "OMP_NUM_THREADS=2;LD_LIBRARY_PATH=${openblas_folders}/openblas64-serial:${openblas_folders}/openblas-openmp")

add_library(bundled_blas MODULE cpu/bundled_blas.c)
trigon_test(test_libraries)
add_dependencies(test_libraries bundled_blas)
target_link_options(test_libraries PRIVATE LINKER:--wrap=pthread_setspecific)
target_compile_definitions(test_libraries PRIVATE TRIGON_TEST_LIBRARIES="/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}"
  TRIGON_BUNDLED_BLAS="$<TARGET_FILE:bundled_blas>")
add_test(NAME test_libraries_limit COMMAND test_libraries limit)
set_tests_properties(test_libraries PROPERTIES TIMEOUT 120) # if the loader stays locked, the test hangs
add_test(NAME test_libraries_threads COMMAND test_libraries threads)
set_tests_properties(test_libraries_limit PROPERTIES ENVIRONMENT GLIBC_TUNABLES=glibc.rtld.nns=16)

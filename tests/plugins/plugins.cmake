# Tests of loading: plugins, the shared library itself, and the libraries that it loads.
trigon_test(test_plugins)

# The shared library, loaded by a program at run time. (Other tests contain the static library.)
foreach(name load_library thread_keys)
  add_executable(${name} plugins/${name}.c)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${name} PRIVATE trigon_flags ${CMAKE_DL_LIBS} Threads::Threads)
endforeach()
# Shared libraries call the program's malloc, too.
set_source_files_properties(plugins/own_malloc.c PROPERTIES COMPILE_OPTIONS -fvisibility=default)
target_sources(thread_keys PRIVATE plugins/own_malloc.c)
add_library(thread_variable MODULE plugins/thread_variable.c)
set_target_properties(thread_variable PROPERTIES C_VISIBILITY_PRESET default)
target_link_libraries(thread_variable PRIVATE trigon_flags)
add_library(foreign_plugin MODULE plugins/foreign_plugin.c)
target_link_libraries(foreign_plugin PRIVATE trigon_flags)
set(sim_plugin $<$<TARGET_EXISTS:trigon-sim>:$<TARGET_FILE:trigon-sim>>)
script_test(test_loading $<TARGET_FILE:load_library> $<TARGET_FILE:trigon> $<TARGET_FILE:foreign_plugin> ${sim_plugin})

if(TARGET trigon-cuda AND NOT TRIGON_SANITIZE)
  add_library(nvidia_driver MODULE plugins/nvidia_driver.c)
  target_link_libraries(nvidia_driver PRIVATE trigon_flags)
  set_target_properties(nvidia_driver PROPERTIES PREFIX "" OUTPUT_NAME libcuda SUFFIX .so.1
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/nvidia_driver)
  script_test(test_nvidia_driver $<TARGET_FILE:load_library> $<TARGET_FILE:trigon>
    ${CMAKE_CURRENT_BINARY_DIR}/nvidia_driver)
else()
  message(STATUS "skipped: no plugin for NVIDIA, or sanitizers; the test of NVIDIA's driver is left out")
endif()

# The plugin's table of cuBLAS, over replacements of cuBLAS. The program has the run path of the plugin in a wheel.
if(TARGET trigon-cuda AND NOT TRIGON_SANITIZE)
  find_package(CUDAToolkit 12 REQUIRED) # its headers
  set(replacements ${CMAKE_CURRENT_BINARY_DIR}/cublas)
  foreach(replacement 13/13:VERSION=139907 12/12:VERSION=129907 "lacking/13:VERSION=139907;LACKING")
    string(REGEX MATCH "^(.*)/(.*):(.*)$" all "${replacement}")
    set(target cublas_${CMAKE_MATCH_1})
    add_library(${target} MODULE plugins/cublas_library.c)
    target_compile_definitions(${target} PRIVATE ${CMAKE_MATCH_3})
    target_link_libraries(${target} PRIVATE trigon_flags)
    target_link_options(${target} PRIVATE LINKER:-soname,libcublas.so.${CMAKE_MATCH_2})
    set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME libcublas SUFFIX .so.${CMAKE_MATCH_2}
      LIBRARY_OUTPUT_DIRECTORY ${replacements}/${CMAKE_MATCH_1})
  endforeach()
  add_executable(load_cublas plugins/load_cublas.c ${PROJECT_SOURCE_DIR}/src/gpu/library/vendor_blas.c)
  target_include_directories(load_cublas PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_include_directories(load_cublas SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
  target_link_libraries(load_cublas PRIVATE trigon_flags ${CMAKE_DL_LIBS})
  set_target_properties(load_cublas PROPERTIES
    BUILD_RPATH "$ORIGIN/../../nvidia/cu13/lib;$ORIGIN/../../nvidia/cublas/lib")
  set(cuda_plugins $<TARGET_FILE:trigon-cuda>)
  if(TARGET trigon-cuda-ptx80)
    list(APPEND cuda_plugins $<TARGET_FILE:trigon-cuda-ptx80>)
  endif()
  script_test(test_cublas $<TARGET_FILE:load_cublas> ${replacements} ${cuda_plugins})
else()
  message(STATUS "skipped: no plugin for NVIDIA, or sanitizers; the test of loading cuBLAS is left out")
endif()

# The plugin for the tests with arch=portable.
if(TARGET trigon-cuda-ptx80 AND NOT TRIGON_SANITIZE)
  add_executable(device_code plugins/device_code.c)
  target_link_libraries(device_code PRIVATE trigon_flags)
  script_test(test_ptx80 $<TARGET_FILE:device_code> $<TARGET_FILE:load_library> $<TARGET_FILE:trigon>
    $<TARGET_FILE:trigon-cuda> $<TARGET_FILE:trigon-cuda-ptx80>)
else()
  message(STATUS "skipped: TRIGON_CUDA_PTX80 is off, or no plugin for NVIDIA, or sanitizers; test_ptx80 is left out")
endif()

# BLAS libraries built for OpenMP. The tests load the libraries by their paths, because the plain names mean other
# builds. The process then has a second OpenMP. test_thread_keys calls the libraries from threads.
foreach(build cpu:openblas-openmp/libopenblas.so.0 cpu:blis-openmp/libblis.so.4
    cpu64:openblas64-openmp/libopenblas64.so.0)
  string(REPLACE : ":/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/" name ${build})
  string(REGEX REPLACE "^[^:]*:" "" file ${name})
  if(EXISTS ${file})
    add_test(NAME test_thread_keys_${build} COMMAND thread_keys $<TARGET_FILE:trigon> ${name}
      $<TARGET_FILE:thread_variable>)
    set(share 100)
    if(build MATCHES blis)
      set(share 20000)
    endif()
    # BLIS has no LAPACK, and its threads spin at barriers: a call on small matrices takes a thousand times as long if
    # another program has one of the cores.
    add_test(NAME sweep_${build} COMMAND sweep --share ${share}
      --backend ${name})
    set_tests_properties(test_thread_keys_${build} sweep_${build} PROPERTIES PROCESSORS 2
      ENVIRONMENT "OMP_NUM_THREADS=2;BLIS_NUM_THREADS=2;OMP_WAIT_POLICY=passive")
  else()
    message(STATUS "skipped: no ${file}; the tests over this OpenMP build are left out")
  endif()
endforeach()

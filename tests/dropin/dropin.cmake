# Tests of the drop-in libraries.
# wheel_test(NAME LIBRARY DEFINITION...): the drop-in for wheels, over a library that stands in for the wheel's BLAS.
function(wheel_test name library)
  add_library(${name}_host SHARED dropin/wheel_host.c)
  add_executable(${name} dropin/test_dropin_wheel.c)
  foreach(target ${name}_host ${name})
    target_compile_definitions(${target} PRIVATE ${ARGN})
    target_link_libraries(${target} PRIVATE trigon_flags ${CMAKE_DL_LIBS})
  endforeach()
  add_dependencies(${name} ${name}_host ${library})
  add_test(NAME ${name} COMMAND ${name} $<TARGET_FILE:${library}> $<TARGET_FILE:${name}_host>)
endfunction()

if(TARGET trigon_scipy)
  wheel_test(test_dropin_wheel trigon_scipy DROPIN_WHEEL DROPIN_PREFIX=scipy_)
  wheel_test(test_dropin_wheel64 trigon_scipy64 DROPIN_WHEEL DROPIN_INT64 DROPIN_PREFIX=scipy_ DROPIN_SUFFIX=64_)
  if(TARGET trigon_command AND NOT TRIGON_SANITIZE) # a Python does not have the sanitizers' library
    script_test(test_wheels $<TARGET_FILE:trigon_command>)
    set_tests_properties(test_wheels PROPERTIES LABELS suites SKIP_RETURN_CODE 77)
    set_property(TEST test_wheels APPEND PROPERTY
      ENVIRONMENT TRIGON_WHEELS=${PROJECT_SOURCE_DIR}/build/wheels/bin/python)
  endif()
endif()
if(NOT TARGET trigon_blas)
  return()
endif()

include(dropin/calls.cmake)
if(NOT TRIGON_SANITIZE) # a program of others does not have the sanitizers' library
  script_test(test_netlib $<TARGET_FILE:trigon_blas>)
  script_test(test_netlib_eigen $<TARGET_FILE:trigon_blas>)
  script_test(test_eigen_programs $<TARGET_FILE:trigon_blas>)
  set_tests_properties(test_netlib_eigen test_eigen_programs PROPERTIES LABELS suites SKIP_RETURN_CODE 77)
  if(TARGET trigon_command)
    script_test(test_cli_run $<TARGET_FILE:trigon_command> $<TARGET_FILE:test_dropin_calls>)
    script_test(test_programs $<TARGET_FILE:trigon_command>)
    set_tests_properties(test_programs PROPERTIES LABELS suites SKIP_RETURN_CODE 77)
  endif()
endif()

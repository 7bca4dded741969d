# Tests of the drop-in libraries against their host. The programs do not contain the static library, which would hide
# the shared ones. dropin.cmake includes this file.
if(NOT TARGET trigon_blas)
  return()
endif()

# calls_test(NAME LIBRARY DEFINITION...): a program that is linked with a drop-in library, and has an xerbla_ of its own.
file(GLOB calls_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/calls/*.c)
function(calls_test name library)
  add_executable(${name} ${CMAKE_CURRENT_LIST_DIR}/test_dropin_calls.c ${calls_sources})
  target_compile_definitions(${name} PRIVATE ${ARGN})
  target_link_libraries(${name} PRIVATE trigon_flags ${library} m ${CMAKE_DL_LIBS})
  set_target_properties(${name} PROPERTIES ENABLE_EXPORTS ON)
  add_test(NAME ${name} COMMAND ${name})
  # The host's threads spin between small calls: on busy cores the test would take ten times as long.
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "OMP_NUM_THREADS=1;TRIGON_NUM_THREADS=2")
endfunction()

calls_test(test_dropin_calls trigon_blas)
if(TARGET trigon_blas64)
  calls_test(test_dropin_calls64 trigon_blas64 DROPIN_INT64)
endif()

if(TRIGON_SIM AND NOT TRIGON_SANITIZE)
  script_test(test_offload $<TARGET_FILE:test_dropin_calls>)
  set_tests_properties(test_offload PROPERTIES ENVIRONMENT "${plugins};TRIGON_NUM_THREADS=1")
endif()

# A program that loads a drop-in library by its path.
add_executable(test_dropin_loaders ${CMAKE_CURRENT_LIST_DIR}/test_dropin_loaders.c)
target_link_libraries(test_dropin_loaders PRIVATE trigon_flags Threads::Threads m ${CMAKE_DL_LIBS})
find_package(OpenMP QUIET COMPONENTS C)
if(OpenMP_C_FOUND)
  target_link_libraries(test_dropin_loaders PRIVATE OpenMP::OpenMP_C)
else()
  target_compile_options(test_dropin_loaders PRIVATE -Wno-unknown-pragmas)
  message(STATUS "skipped: the compiler has no OpenMP; calls of the drop-in in parallel regions are left out")
endif()
add_test(NAME test_dropin_loaders COMMAND test_dropin_loaders $<TARGET_FILE:trigon_blas> 32)
if(TARGET trigon_blas64)
  add_test(NAME test_dropin_loaders64 COMMAND test_dropin_loaders $<TARGET_FILE:trigon_blas64> 64)
endif()

# The suites of other people over the drop-in library. Each is a script that runs the same tests with the host's BLAS
# alone and with Trigon, and exits with 77 if a package is missing. scripts/test --thorough runs those with the label
# suites whole, and draws from those with the label long_suites. tests/suites/run-all runs all.
if(NOT TARGET trigon_blas OR TRIGON_SANITIZE) # a program of others does not have the sanitizers' library
  return()
endif()

set(suites_folder ${CMAKE_CURRENT_LIST_DIR})
set(trigon_wheels ${PROJECT_SOURCE_DIR}/build/wheels/bin/python)
# suite(LABEL SCRIPT [PART]): the tests suite_SCRIPT_PART_1 with one thread, and ..._2 with two.
function(suite label script)
  foreach(threads 1 2)
    string(JOIN "_" name suite ${script} ${ARGN} ${threads})
    add_test(NAME ${name} COMMAND bash ${suites_folder}/${script}.sh $<TARGET_FILE:trigon_blas> ${threads} ${ARGN})
    set_tests_properties(${name} PROPERTIES LABELS ${label} SKIP_RETURN_CODE 77 PROCESSORS ${threads} TIMEOUT 600
      ENVIRONMENT "TRIGON_R_TESTS=${PROJECT_SOURCE_DIR}/build/r-tests;TRIGON_WHEELS=${trigon_wheels}")
  endforeach()
endfunction()

suite(suites blas)
suite(suites r)
suite(suites octave)
suite(suites python numpy)
suite(suites python numpy wheels)
suite(long_suites python scipy)
suite(long_suites python scipy wheels)
foreach(type s d c z)
  suite(long_suites lapack ${type})
endforeach()

# Tests of the Python package, by the first interpreter that has NumPy, SciPy and pytest. A Python that the user put in
# front of the system's often lacks them. The cache variable TRIGON_PYTHON names another interpreter.
set(TRIGON_PYTHON "" CACHE FILEPATH "the Python that tests the Python package")
set(tester "")
foreach(candidate ${TRIGON_PYTHON} python3 /usr/bin/python3)
  if(NOT tester AND NOT TRIGON_SANITIZE) # no Python is built with sanitizers
    execute_process(COMMAND ${candidate} -c
      "import numpy, scipy.linalg, pytest, sys; sys.exit(sys.version_info < (3, 10))"
      RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(failed EQUAL 0)
      set(tester ${candidate})
    endif()
  endif()
endforeach()
if(tester)
  add_test(NAME test_python COMMAND ${tester} -m pytest -q -p no:cacheprovider ${CMAKE_CURRENT_LIST_DIR})
  set(environment TRIGON_LIBRARY=$<TARGET_FILE:trigon> PYTHONPATH=${PROJECT_SOURCE_DIR}/python
    PYTHONDONTWRITEBYTECODE=1 OPENBLAS_NUM_THREADS=1 TRIGON_BACKEND_PATH=${PROJECT_BINARY_DIR}/plugins)
  set_tests_properties(test_python PROPERTIES TIMEOUT 300 ENVIRONMENT "${environment}")
else()
  message(STATUS
    "skipped: no Python 3.10 with numpy, scipy and pytest, or sanitizers; the tests of the Python package are left out")
endif()

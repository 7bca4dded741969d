# Tests of the Python package. They need an interpreter with NumPy, SciPy and pytest.
find_program(TRIGON_PYTHON NAMES python3 python)
set(python_modules 1)
if(TRIGON_PYTHON)
  execute_process(COMMAND ${TRIGON_PYTHON} -c
    "import numpy, scipy.linalg, pytest, sys; sys.exit(sys.version_info < (3, 10))"
    RESULT_VARIABLE python_modules OUTPUT_QUIET ERROR_QUIET)
endif()
if(python_modules EQUAL 0 AND NOT TRIGON_SANITIZE) # Python itself is not built with sanitizers
  add_test(NAME test_python COMMAND ${TRIGON_PYTHON} -m pytest -q -p no:cacheprovider ${CMAKE_CURRENT_LIST_DIR})
  set(environment TRIGON_LIBRARY=$<TARGET_FILE:trigon> PYTHONPATH=${PROJECT_SOURCE_DIR}/python
    PYTHONDONTWRITEBYTECODE=1 OPENBLAS_NUM_THREADS=1)
  set_tests_properties(test_python PROPERTIES TIMEOUT 300 ENVIRONMENT "${environment}")
else()
  message(STATUS
    "skipped: no Python 3.10 with numpy, scipy and pytest, or sanitizers; the tests of the Python package are left out")
endif()

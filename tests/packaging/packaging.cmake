# Tests of the packages for distributions.
script_test(test_debian ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR})
set_tests_properties(test_debian PROPERTIES TIMEOUT 1800 COST 100)

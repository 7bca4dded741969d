# Tests of the eigensolvers. They share calls as data, spectra, and judges in long double.
set(solver_sources)
foreach(file solver_calls solver_judge dense exact_values spectra)
  list(APPEND solver_sources ${CMAKE_CURRENT_LIST_DIR}/${file}.c)
endforeach()
add_library(trigon_solver_support STATIC ${solver_sources})
target_link_libraries(trigon_solver_support PRIVATE trigon_flags PUBLIC trigon_test_support)
foreach(test test_syevd test_syevd_batch test_spectra test_stedc test_syevdx test_sygvd test_solver_matrices
    test_solver_arguments test_solver_workspace test_solver_threads test_secular)
  trigon_test(${test})
  target_link_libraries(${test} PRIVATE trigon_solver_support)
endforeach()
# All orders on all contexts take longer.
add_test(NAME test_syevd_large COMMAND test_syevd --all)
add_test(NAME test_spectra_large COMMAND test_spectra --all)
set_tests_properties(test_syevd_large test_spectra_large PROPERTIES TIMEOUT 900)
with_plugins("" test_solver_arguments test_spectra test_spectra_large test_stedc test_syevd test_syevd_batch
  test_syevd_large test_syevdx test_sygvd)
# One of their contexts loads OpenBLAS.
set_property(TEST test_syevd test_syevd_large APPEND PROPERTY ENVIRONMENT OMP_WAIT_POLICY=passive)
# The classes of orders of real GPUs.
if(TARGET trigon-sim-large)
  on_simulated_gpu(test_syevd_batch_large test_syevd_batch --large "sim:0?dirty=1&seed=4")
  with_plugins(-large test_syevd_batch_large)
endif()
# The races that the chase of a band, and the kernels of batches, could have.
if(TARGET trigon-sim-races)
  on_simulated_gpu(test_syevd_races test_syevd "sim:0?seed=6")
  on_simulated_gpu(test_syevd_batch_races test_syevd_batch "sim:0?seed=6")
  with_plugins(-races test_syevd_races test_syevd_batch_races)
endif()

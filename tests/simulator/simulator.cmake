# Tests of the simulated GPU itself.
kernels_for_cpu(simulator/sim_kernels.cu simulator/chain_kernel.cu simulator/neighbours_kernel.cu)
foreach(name test_sim test_sim_captures test_sim_kernels)
  sim_program(${name} simulator/${name}.c simulator/sim_kernels.cu)
  add_test(NAME ${name} COMMAND ${name})
endforeach()
sim_program(test_sim_blas simulator/test_sim_blas.c)
add_test(NAME test_sim_blas COMMAND test_sim_blas)
# The kernels of OpenBLAS 0.3.21 for small products on CPUs with AVX512-BF16 read at NULL.
set_tests_properties(test_sim_blas PROPERTIES ENVIRONMENT OPENBLAS_CORETYPE=Haswell)

# Clusters of blocks, with the race detector.
kernels_for_cpu(simulator/cluster_kernels.cu)
sim_program(test_clusters simulator/test_clusters.c simulator/cluster_kernels.cu)
target_link_libraries(test_clusters PRIVATE trigon_sim_races)
add_test(NAME test_clusters COMMAND test_clusters)

# Blocks that wait for other blocks. The first two tests look for races. The third one is the test for real GPUs, with
# fewer chains.
sim_program(test_dataflow simulator/test_dataflow.c simulator/chain.c simulator/chain_kernel.cu)
target_link_libraries(test_dataflow PRIVATE trigon_sim_races)
add_test(NAME test_dataflow COMMAND test_dataflow)
sim_program(test_together simulator/test_together.c simulator/neighbours_kernel.cu)
target_link_libraries(test_together PRIVATE trigon_sim_races)
add_test(NAME test_together COMMAND test_together)
sim_program(test_litmus_sim kernels/litmus/test_litmus.c simulator/chain.c simulator/chain_kernel.cu)
add_test(NAME test_litmus_sim COMMAND test_litmus_sim 1)

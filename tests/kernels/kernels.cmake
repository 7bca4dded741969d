# Tests of kernels alone, on the simulated GPU. The folder litmus builds the same tests for a real GPU.

# Products modulo several moduli: the kernel for any GPU, and that of matrix units.
set(registry ${PROJECT_SOURCE_DIR}/src/gpu/kernels/registry.cu)
set(residue_products ${PROJECT_SOURCE_DIR}/src/gpu/kernels/fp64/int8/residue_products.cu
  ${PROJECT_SOURCE_DIR}/src/gpu/kernels/fp64/int8/residue_products_mma.cu)
sim_program(test_residue_products kernels/test_residue_products.c kernels/residue_divisor.cc ${residue_products}
  ${registry} ${gpu_archs})
foreach(kernel any mma)
  add_test(NAME test_residue_products_${kernel} COMMAND test_residue_products ${kernel})
endforeach()
if(TRIGON_SIM_VARIANTS)
  sim_program(test_residue_products_races kernels/test_residue_products.c kernels/residue_divisor.cc
    ${residue_products} ${registry} ${gpu_archs})
  target_link_libraries(test_residue_products_races PRIVATE trigon_sim_races)
  add_test(NAME test_residue_products_races COMMAND test_residue_products_races mma)
endif()

# The choice of a dataflow leaf's tile.
sim_program(test_mma_tiles kernels/test_mma_tiles.cc ${registry} ${gpu_archs})
add_test(NAME test_mma_tiles COMMAND test_mma_tiles)

# sim_programs(NAME SOURCES...): a test program in three builds. The second one, NAME_large, has the tiles of real GPUs,
# and the third one, NAME_races, looks for races. Without TRIGON_SIM_VARIANTS there is the first one alone.
function(sim_programs name)
  set(builds ${name})
  if(TRIGON_SIM_VARIANTS)
    list(APPEND builds ${name}_large ${name}_races)
  endif()
  foreach(build ${builds})
    sim_program(${build} ${ARGN})
    add_test(NAME ${build} COMMAND ${build})
  endforeach()
  if(NOT TRIGON_SIM_VARIANTS)
    return()
  endif()
  target_compile_definitions(${name}_large PRIVATE TRIGON_SIM_LARGE)
  target_link_libraries(${name}_races PRIVATE trigon_sim_races)
endfunction()

# Products by pairs of floats: the kernels against the host reference.
set(double_float_kernels double_float_products double_float_pack)
list(TRANSFORM double_float_kernels PREPEND ${PROJECT_SOURCE_DIR}/src/gpu/kernels/fp64/double_float/)
list(TRANSFORM double_float_kernels APPEND .cu)
kernels_for_cpu(${registry} ${residue_products} ${double_float_kernels} kernels/float_rate.cu)
sim_programs(test_double_float_sim kernels/test_double_float_gpu.c fp64/double_float_case.c kernels/float_rate.cu
  ${PROJECT_SOURCE_DIR}/src/decorators/fp64/host_double_float.c ${double_float_kernels} ${registry})

# Products and updates with vectors.
set(vectors_kernels product_vector trmm_vector update_vectors)
list(TRANSFORM vectors_kernels PREPEND ${PROJECT_SOURCE_DIR}/src/gpu/kernels/vectors/)
list(TRANSFORM vectors_kernels APPEND .cu)
set(symm_columns ${PROJECT_SOURCE_DIR}/src/gpu/kernels/vectors/symm_columns.cu)
kernels_for_cpu(${vectors_kernels} ${symm_columns})
sim_programs(test_vectors_sim kernels/test_vectors.c ${vectors_kernels} ${registry} ${gpu_archs})
sim_programs(test_symm_columns kernels/test_symm_columns.c ${symm_columns} ${registry} ${gpu_archs})

# Which columns of a merge deflate.
set(deflation ${PROJECT_SOURCE_DIR}/src/gpu/kernels/eigen/deflate_columns.cu)
kernels_for_cpu(${deflation})
sim_programs(test_deflation kernels/test_deflation.cc ${deflation} ${registry} ${gpu_archs})

# Bulge chasing, and the product with its reflectors.
set(chase_kernels chase_band chase_hops)
set(apply_chase_kernels apply_chase apply_chase_mma pack_chase)
foreach(test chase apply_chase)
  list(TRANSFORM ${test}_kernels PREPEND ${PROJECT_SOURCE_DIR}/src/gpu/kernels/eigen/)
  list(TRANSFORM ${test}_kernels APPEND .cu)
  kernels_for_cpu(${${test}_kernels})
  sim_programs(test_${test} eigen/test_${test}.c ${${test}_kernels} ${registry} ${gpu_archs})
endforeach()

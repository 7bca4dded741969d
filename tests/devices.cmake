# Tests of devices, on the simulated GPU.
# scripts/gpu-check runs the same programs on a real GPU. The programs take the name of a context.

# A matrix of more than 2^31 elements. On the simulated GPU the test uses a small matrix, to test the program itself.
add_executable(test_large test_large.c)
target_link_libraries(test_large PRIVATE trigon_flags trigon_internal m)

# Streams, graphs, memory, caps, foreign pointers, failures. Each subject has a file.
add_executable(test_device test_device.c device_captures.c device_checks.c device_dirty.c device_failures.c device_dataflow.c
  device_forks.c device_graphs.c device_job.c device_leaves.c device_limits.c device_memory.c device_pointers.c device_recording.c
  device_runtime.c device_streams.c device_vendor.c)
target_link_libraries(test_device PRIVATE trigon_flags trigon_test_support ${CMAKE_DL_LIBS})

# Emulated products, likewise.
add_executable(test_fp64_devices test_fp64_devices.c fp64_bits.c fp64_blocks.c fp64_bounds.c fp64_captures.c
  fp64_failures.c fp64_pair_matrices.c fp64_pairs.c fp64_places.c fp64_product.c fp64_reports.c fp64_specials.c
  fp64_symms.c fp64_updates.c fp64_update_tiles.c device_checks.c device_job.c device_recording.c device_runtime.c)
target_link_libraries(test_fp64_devices PRIVATE trigon_flags trigon_test_support ${CMAKE_DL_LIBS})

# Blocks that wait for other blocks rely on a GPU's caches and fences. This test checks both on a real GPU
# (scripts/gpu-check).
if(TARGET trigon-cuda)
  add_subdirectory(litmus)
else()
  message(STATUS "skipped: no plugin for NVIDIA; test_litmus is left out")
endif()

if(NOT TRIGON_SIM)
  message(STATUS "skipped: TRIGON_SIM is off; the tests on the simulated GPU are left out")
  return()
endif()
set(plugins TRIGON_BACKEND_PATH=${PROJECT_BINARY_DIR}/plugins OMP_NUM_THREADS=1)

# on_simulated_gpu(NAME COMMAND...): a test that loads libtrigon-sim.
function(on_simulated_gpu name)
  add_test(NAME ${name} COMMAND ${ARGN})
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "${plugins}" TIMEOUT 900)
endfunction()

# The registry of kernels.
add_executable(test_registry test_registry.c)
target_compile_definitions(test_registry PRIVATE TRIGON_VENDOR_SIM)
target_include_directories(test_registry PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(test_registry PRIVATE trigon_flags trigon ${CMAKE_DL_LIBS})

# Tests of the command need the plugins.
if(TARGET trigon_command)
  set_tests_properties(test_cli test_cli_bench test_cli_batch test_cli_fp64 test_cli_report test_cli_tune test_openblas
    test_gpu_scripts PROPERTIES ENVIRONMENT "${plugins}")
  # A plugin with native=1, beside the folder of the other plugin.
  add_library(native_plugin MODULE native_plugin.c)
  target_link_libraries(native_plugin PRIVATE trigon_flags ${CMAKE_DL_LIBS})
  target_include_directories(native_plugin PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_compile_definitions(native_plugin PRIVATE TRIGON_SIM_PLUGIN="$<TARGET_FILE:trigon-sim>")
  set_target_properties(native_plugin PROPERTIES PREFIX lib OUTPUT_NAME trigon-sim C_VISIBILITY_PRESET hidden
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/plugins-native)
endif()

if(TARGET test_bench_floor)
  on_simulated_gpu(test_bench_floor_sim test_bench_floor sim:0)
endif()
set_tests_properties(test_integers test_logdet test_timer PROPERTIES ENVIRONMENT "${plugins}")

# Tests of the simulated GPU itself.
foreach(name test_sim test_sim_captures test_sim_kernels test_sim_blas)
  add_executable(${name} ${name}.c ${TRIGON_SIM_MACHINE})
  target_compile_definitions(${name} PRIVATE TRIGON_VENDOR_SIM)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${name} PRIVATE trigon_flags trigon_blas Threads::Threads m)
  add_test(NAME ${name} COMMAND ${name})
endforeach()
# The kernels of OpenBLAS 0.3.21 for small products on CPUs with AVX512-BF16 read at NULL.
set_tests_properties(test_sim_blas PROPERTIES ENVIRONMENT OPENBLAS_CORETYPE=Haswell)
foreach(name test_sim test_sim_captures test_sim_kernels)
  target_sources(${name} PRIVATE sim_kernels.cu)
  set_target_properties(${name} PROPERTIES CXX_STANDARD 17)
endforeach()
set_source_files_properties(sim_kernels.cu chain_kernel.cu PROPERTIES LANGUAGE CXX
  COMPILE_OPTIONS "-xc++;-Wno-unknown-pragmas")

# Blocks that wait for other blocks. The first test looks for races. The second test is the test for real GPUs, with
# fewer chains.
add_executable(test_dataflow test_dataflow.c chain.c chain_kernel.cu ${TRIGON_SIM_MACHINE})
target_link_libraries(test_dataflow PRIVATE trigon_flags trigon_sim_races)
add_test(NAME test_dataflow COMMAND test_dataflow)
add_executable(test_litmus_sim litmus/test_litmus.c chain.c chain_kernel.cu ${TRIGON_SIM_MACHINE})
target_include_directories(test_litmus_sim PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
add_test(NAME test_litmus_sim COMMAND test_litmus_sim 1)
foreach(name test_dataflow test_litmus_sim)
  target_compile_definitions(${name} PRIVATE TRIGON_VENDOR_SIM)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${name} PRIVATE trigon_flags trigon_blas Threads::Threads m)
  set_target_properties(${name} PROPERTIES CXX_STANDARD 17)
endforeach()

# Products modulo several moduli: the kernel for any GPU.
set(residue_kernels registry fp64/int8/residue_products)
list(TRANSFORM residue_kernels PREPEND ${PROJECT_SOURCE_DIR}/src/gpu/kernels/)
list(TRANSFORM residue_kernels APPEND .cu)
file(GLOB gpu_archs CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/gpu/arch/*.c)
add_executable(test_residue_products test_residue_products.c residue_divisor.cc ${gpu_archs}
  ${residue_kernels} ${TRIGON_SIM_MACHINE})
set_source_files_properties(${residue_kernels} PROPERTIES LANGUAGE CXX COMPILE_OPTIONS "-xc++;-Wno-unknown-pragmas")
target_compile_definitions(test_residue_products PRIVATE TRIGON_VENDOR_SIM)
target_include_directories(test_residue_products PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(test_residue_products PRIVATE trigon_flags trigon_blas Threads::Threads m)
set_target_properties(test_residue_products PROPERTIES CXX_STANDARD 17)
add_test(NAME test_residue_products COMMAND test_residue_products)

# Products by pairs of floats: the kernels against the host reference. The second program has the tiles of real GPUs, and
# the third one looks for races.
set(double_float_kernels registry fp64/double_float/double_float_products fp64/double_float/double_float_pack)
list(TRANSFORM double_float_kernels PREPEND ${PROJECT_SOURCE_DIR}/src/gpu/kernels/)
list(TRANSFORM double_float_kernels APPEND .cu)
set_source_files_properties(${double_float_kernels} float_rate.cu PROPERTIES LANGUAGE CXX
  COMPILE_OPTIONS "-xc++;-Wno-unknown-pragmas")
foreach(name test_double_float_sim test_double_float_sim_large test_double_float_sim_races)
  add_executable(${name} test_double_float_gpu.c double_float_case.c float_rate.cu
    ${PROJECT_SOURCE_DIR}/src/decorators/fp64/host_double_float.c ${double_float_kernels} ${TRIGON_SIM_MACHINE})
  target_compile_definitions(${name} PRIVATE TRIGON_VENDOR_SIM)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${name} PRIVATE trigon_flags trigon_blas Threads::Threads m)
  set_target_properties(${name} PROPERTIES CXX_STANDARD 17)
  add_test(NAME ${name} COMMAND ${name})
endforeach()
target_compile_definitions(test_double_float_sim_large PRIVATE TRIGON_SIM_LARGE)
target_link_libraries(test_double_float_sim_races PRIVATE trigon_sim_races)

# A share of the sweep's cases. The four runs cover both widths of a warp, blocks and threads forwards, backwards and
# shuffled, default and forced stop sizes, and products by the BLAS and by Trigon's own kernel. Each process runs on one
# core, so there are several processes.
set(share 8)
if(TRIGON_SANITIZE)
  set(share 30)
endif()
set(seed 1)
foreach(backend "sim:0?seed=1" "sim:0?seed=2&warp=64&stop=8" "sim:0?seed=3&gemm=own&stop=16"
    "sim:0?seed=4&warp=64&gemm=own&stop=9&split=power")
  on_simulated_gpu(sweep_${backend} sweep --share ${share} --seed ${seed} --backend ${backend})
  math(EXPR seed "${seed} + 1")
endforeach()

# The rows of other kinds of GPUs. Hopper's rows choose dataflow leaves, and the vendor's routines.
on_simulated_gpu(sweep_arch sweep --share 120 --sizes 5,33,70 --backend "sim:0?arch=hopper&seed=1"
  --backend "sim:1?arch=portable&leaf=dataflow&stop=40&gemm=own&seed=2")

# Products of doubles on matrix units, which need warps of 32 lanes.
foreach(routine gemm syrk syr2k symm)
  on_simulated_gpu(sweep_mma_${routine} sweep --routine ${routine} --types d --share 40
    --backend "sim:0?gemm=own&stop=1000&seed=1")
  on_simulated_gpu(sweep_mma_${routine}_large sweep --routine ${routine} --types d --share 400 --sizes 33,130
    --backend "sim:0?gemm=own&stop=1000&seed=2")
  set_tests_properties(sweep_mma_${routine}_large PROPERTIES
    ENVIRONMENT "TRIGON_BACKEND_PATH=${PROJECT_BINARY_DIR}/plugins-large;OMP_NUM_THREADS=1")
endforeach()

# Dataflow leaves: with one, several and many resident blocks, both widths of a warp, and every kind of tile that
# matrix units have. The whole solve is one leaf. One run has solves of several tile rows. Contexts of one device share
# its warps, seed and resident blocks, so each backend has a device of its own.
set(dataflow 24)
set(triangles 4)
set(few 1,2,5,33,70,130)
if(TRIGON_SANITIZE) # a case takes four times as long
  set(few 1,5,70)
  set(dataflow 96)
  set(triangles 16)
endif()
on_simulated_gpu(sweep_dataflow sweep --routine trsm --share ${dataflow} --backend "sim:0?leaf=dataflow&stop=1000&seed=1&resident=1"
  --backend "sim:1?leaf=dataflow&stop=1000&seed=2&warp=64" --backend "sim:2?leaf=dataflow&stop=16&seed=3")
on_simulated_gpu(sweep_dataflow_product sweep --routine trmm --share ${dataflow}
  --backend "sim:0?leaf=dataflow&stop=1000&seed=1&resident=1" --backend "sim:1?leaf=dataflow&stop=1000&seed=2&warp=64"
  --backend "sim:2?leaf=dataflow&stop=16&seed=3")
# Few columns have a kernel of their own, with tiles of 32 rows on the simulated GPU.
on_simulated_gpu(sweep_dataflow_few sweep --routine trsm --share 120 --sizes ${few}
  --backend "sim:0?leaf=dataflow&stop=1000&seed=1&resident=1" --backend "sim:1?leaf=dataflow&stop=1000&seed=2&warp=64"
  --backend "sim:2?leaf=dataflow&stop=1000&seed=3")
set(tiles 600)
if(TRIGON_SANITIZE)
  set(tiles 2400)
endif()
on_simulated_gpu(sweep_dataflow_tiles sweep --routine trsm --types d --share ${tiles} --sizes 33,140
  --backend "sim:0?leaf=dataflow&stop=1000&seed=1&tile=128x8&resident=1"
  --backend "sim:1?leaf=dataflow&stop=1000&seed=2&tile=128x16&resident=3"
  --backend "sim:2?leaf=dataflow&stop=1000&seed=3&tile=128x32&resident=2"
  --backend "sim:3?leaf=dataflow&stop=1000&seed=4&tile=128x64&resident=1"
  --backend "sim:0?leaf=dataflow&stop=1000&seed=5&tile=128x128&resident=2")
on_simulated_gpu(sweep_dataflow_product_tiles sweep --routine trmm --types d --share ${tiles} --sizes 33,100
  --backend "sim:0?leaf=dataflow&stop=1000&seed=1&tile=64x8" --backend "sim:1?leaf=dataflow&stop=1000&seed=2&tile=64x16"
  --backend "sim:2?leaf=dataflow&stop=1000&seed=3&tile=64x32" --backend "sim:3?leaf=dataflow&stop=1000&seed=4&tile=64x64"
  --backend "sim:0?leaf=dataflow&stop=1000&seed=5&tile=128x64&resident=2"
  --backend "sim:1?leaf=dataflow&stop=1000&seed=6&tile=128x128")

on_simulated_gpu(sweep_dataflow_potrf sweep --routine potrf --share 12 --sizes 17,33,40,70,100
  --backend "sim:0?leaf=dataflow&stop=1000&seed=1&resident=1" --backend "sim:1?leaf=dataflow&stop=1000&seed=2&warp=64"
  --backend "sim:2?leaf=dataflow&stop=40&seed=3&resident=3")
on_simulated_gpu(sweep_dataflow_potrf_failures sweep --routine potrf --share 12
  --backend "sim:0?leaf=dataflow&stop=1000&seed=4&resident=1" --backend "sim:1?leaf=dataflow&stop=1000&seed=5&warp=64")

# The same for routines that overwrite triangles. Tiles of doubles have 32 rows on the simulated GPU, or 16.
foreach(routine trtri lauum)
  on_simulated_gpu(sweep_dataflow_${routine} sweep --routine ${routine} --share ${triangles}
    --backend "sim:0?leaf=dataflow&stop=1000&seed=1&resident=1" --backend "sim:1?leaf=dataflow&stop=1000&seed=2&warp=64"
    --backend "sim:2?leaf=dataflow&stop=16&seed=3" --backend "sim:3?leaf=dataflow&stop=1000&seed=4&tile=64x64")
  on_simulated_gpu(sweep_dataflow_${routine}_tiles sweep --routine ${routine} --types d --share 2 --sizes 32,33,70,130,200
    --backend "sim:0?leaf=dataflow&stop=1000&seed=1&tile=64x32" --backend "sim:1?leaf=dataflow&stop=1000&seed=2&tile=64x64"
    --backend "sim:2?leaf=dataflow&stop=1000&seed=3&tile=128x64&resident=2"
    --backend "sim:3?leaf=dataflow&stop=1000&seed=4&resident=1")
endforeach()

# A share of the sweep with the tiles and stop sizes of real GPUs. Larger sizes need several tiles and the recursion.
set(several --share 60 --sizes 33,130,257)
if(TRIGON_SANITIZE)
  set(several --share 200 --sizes 33,130)
endif()
on_simulated_gpu(sweep_large sweep --share 60 --backend "sim:0?seed=2&warp=64")
on_simulated_gpu(sweep_large_sizes sweep --types dc ${several}
  --backend "sim:0?seed=3&gemm=own&warp=64")
if(NOT TRIGON_SANITIZE)
  on_simulated_gpu(sweep_large_other_types sweep --share 60 --types sz --sizes 33,130
    --backend "sim:0?seed=3&gemm=own&warp=64")
  set(other_types sweep_large_other_types)
endif()
on_simulated_gpu(sweep_dataflow_large sweep --routine trsm --types dcz --share 600 --sizes 65,130
  --backend "sim:0?leaf=dataflow&stop=1000&seed=2")
on_simulated_gpu(sweep_dataflow_few_large sweep --routine trsm --types dc --share 1200 --sizes 3,200
  --backend "sim:0?leaf=dataflow&stop=1000&seed=2")
set(pieces 270) # an order at which sums are cut
if(TRIGON_SANITIZE)
  set(pieces 130)
endif()
on_simulated_gpu(sweep_dataflow_product_large sweep --routine trmm --types dc --share 2400 --sizes 65,${pieces}
  --backend "sim:0?leaf=dataflow&stop=1000&seed=2")
on_simulated_gpu(sweep_dataflow_potrf_large sweep --routine potrf --share 24 --sizes 65,200
  --backend "sim:0?leaf=dataflow&stop=1000&seed=2")
foreach(routine trtri lauum)
  on_simulated_gpu(sweep_dataflow_${routine}_large sweep --routine ${routine} --share 6 --sizes 65,200
    --backend "sim:0?leaf=dataflow&stop=1000&seed=2" --backend "sim:1?leaf=dataflow&stop=1000&seed=3&warp=64"
    --backend "sim:2?leaf=dataflow&stop=1000&seed=4&tile=64x64" --backend "sim:3?leaf=dataflow&stop=1000&seed=5&tile=128x32")
endforeach()
set_tests_properties(sweep_large sweep_large_sizes ${other_types} sweep_dataflow_large sweep_dataflow_few_large
  sweep_dataflow_product_large sweep_dataflow_potrf_large sweep_dataflow_trtri_large sweep_dataflow_lauum_large PROPERTIES
  ENVIRONMENT "TRIGON_BACKEND_PATH=${PROJECT_BINARY_DIR}/plugins-large;OMP_NUM_THREADS=1")

# Races between the threads of Trigon's own kernels, and between blocks.
if(TARGET trigon-sim-races)
  foreach(routine gemm syrk syr2k symm)
    on_simulated_gpu(sweep_mma_${routine}_races sweep --routine ${routine} --types d --share 400
      --backend "sim:0?gemm=own&stop=1000&seed=3")
    list(APPEND looks_for_races sweep_mma_${routine}_races)
  endforeach()
  on_simulated_gpu(sweep_races sweep --share 700 --backend "sim:0?seed=5&stop=16&gemm=own&warp=64")
  on_simulated_gpu(sweep_dataflow_races sweep --routine trsm --share 700 --backend "sim:0?leaf=dataflow&stop=1000&seed=5")
  on_simulated_gpu(sweep_dataflow_tiles_races sweep --routine trsm --types d --share 4000 --sizes 33,100
    --backend "sim:0?leaf=dataflow&stop=1000&seed=5&tile=128x16" --backend "sim:1?leaf=dataflow&stop=1000&seed=6&tile=128x64"
    --backend "sim:2?leaf=dataflow&stop=1000&seed=7&tile=128x128")
  on_simulated_gpu(sweep_dataflow_rows_races sweep --routine trsm --types d --share 4000 --sizes 140
    --backend "sim:0?leaf=dataflow&stop=1000&seed=5&tile=128x32")
  on_simulated_gpu(sweep_dataflow_few_races sweep --routine trsm --share 4000 --sizes 1,5,70
    --backend "sim:0?leaf=dataflow&stop=1000&seed=5")
  on_simulated_gpu(sweep_dataflow_product_races sweep --routine trmm --share 500
    --backend "sim:0?leaf=dataflow&stop=1000&seed=5")
  on_simulated_gpu(sweep_dataflow_potrf_races sweep --routine potrf --share 60 --backend "sim:0?leaf=dataflow&stop=1000&seed=5")
  foreach(routine trtri lauum)
    on_simulated_gpu(sweep_dataflow_${routine}_races sweep --routine ${routine} --share 6 --sizes 17,33,70,130
      --backend "sim:0?leaf=dataflow&stop=1000&seed=5" --backend "sim:1?leaf=dataflow&stop=1000&seed=6&resident=3&tile=64x64"
      --backend "sim:2?leaf=dataflow&stop=1000&seed=7&tile=128x32")
  endforeach()
  on_simulated_gpu(test_logdet_races test_logdet)
  on_simulated_gpu(test_batch_races test_batch sim:0 part)
  on_simulated_gpu(test_batches_races test_batches sim:0 part)
  on_simulated_gpu(test_batch_ssde_races test_batch "sim:0?schedule=ssde" part)
  on_simulated_gpu(test_batch_dsse_races test_batch "sim:0?schedule=dsse&seed=3" part)
  set_tests_properties(${looks_for_races} sweep_races sweep_dataflow_races sweep_dataflow_tiles_races
    sweep_dataflow_rows_races sweep_dataflow_few_races
    sweep_dataflow_product_races sweep_dataflow_potrf_races sweep_dataflow_trtri_races sweep_dataflow_lauum_races test_logdet_races
    test_batch_races test_batches_races test_batch_ssde_races test_batch_dsse_races PROPERTIES
    ENVIRONMENT "TRIGON_BACKEND_PATH=${PROJECT_BINARY_DIR}/plugins-races;OMP_NUM_THREADS=1")
endif()

on_simulated_gpu(test_device test_device)
on_simulated_gpu(test_registry test_registry)
on_simulated_gpu(test_batch_on_device test_batch "sim:0?seed=3")
# With sanitizers the other orders of streams have the same parts.
if(NOT TRIGON_SANITIZE)
  on_simulated_gpu(test_batches_on_device test_batches "sim:0?seed=3")
endif()
# With seed 3, side streams run early, so that a missing wait of theirs shows. With seed 2 nothing runs before something
# waits for it, so that a missing wait for them shows.
on_simulated_gpu(test_batches_lazy test_batches "sim:0?seed=2" part)
on_simulated_gpu(test_batch_wide test_batch "sim:0?warp=64&seed=2")
foreach(schedule ssde dsse)
  on_simulated_gpu(test_batch_${schedule} test_batch "sim:0?schedule=${schedule}")
  on_simulated_gpu(test_batches_${schedule} test_batches "sim:0?schedule=${schedule}&seed=3")
endforeach()
on_simulated_gpu(test_batch_dsse_wide test_batch "sim:0?warp=64&seed=2&schedule=dsse")
# Panels of up to 1024 rows, as on real GPUs.
on_simulated_gpu(test_batch_dsse_large test_batch "sim:0?schedule=dsse" part)
set_tests_properties(test_batch_dsse_large PROPERTIES
  ENVIRONMENT "TRIGON_BACKEND_PATH=${PROJECT_BINARY_DIR}/plugins-large;OMP_NUM_THREADS=1")
if(NOT TRIGON_SANITIZE)
  on_simulated_gpu(test_device_wide test_device "sim:0?warp=64&seed=2")
  on_simulated_gpu(test_batches_wide test_batches "sim:0?warp=64&seed=2" part)
endif()
on_simulated_gpu(test_large test_large)

# Emulated products. The other runs cover the other width of a warp, other orders of blocks and threads, the tiles of real
# GPUs, and races.
set(share 400)
# The parts that the sanitizers leave out compute the same on more tiles.
set(parts bounds reports specials symms pairs matrices captures failures)
if(TRIGON_SANITIZE)
  set(share 1600)
else()
  list(APPEND parts bits blocks updates tiles)
endif()
foreach(part IN LISTS parts)
  on_simulated_gpu(test_fp64_${part} test_fp64_devices sim:0 ${part})
endforeach()
on_simulated_gpu(sweep_fp64_device sweep --share ${share} --types dc --fp64 int8:0 --backend "sim:0?stop=16&seed=2")
on_simulated_gpu(sweep_double_float_device sweep --share 400 --types dz --fp64 double-float:0
  --backend "sim:0?stop=16&seed=2")
on_simulated_gpu(test_fp64_wide test_fp64_devices "sim:0?warp=64&seed=2&resident=1" bits)
on_simulated_gpu(test_fp64_mixed test_fp64_devices "sim:0?seed=3&gemm=own" specials)
on_simulated_gpu(test_fp64_large test_fp64_devices "sim:0?seed=4" bits)
on_simulated_gpu(test_fp64_updates_wide test_fp64_devices "sim:0?warp=64&seed=2&resident=1" few_updates)
on_simulated_gpu(test_fp64_updates_large test_fp64_devices "sim:0?seed=4" few_updates)
set_tests_properties(test_fp64_large test_fp64_updates_large PROPERTIES
  ENVIRONMENT "TRIGON_BACKEND_PATH=${PROJECT_BINARY_DIR}/plugins-large;OMP_NUM_THREADS=1")
if(TARGET trigon-sim-races)
  on_simulated_gpu(test_fp64_races test_fp64_devices "sim:0?seed=5" few)
  on_simulated_gpu(test_fp64_updates_races test_fp64_devices "sim:0?seed=5" few_updates)
  set_tests_properties(test_fp64_races test_fp64_updates_races PROPERTIES
    ENVIRONMENT "TRIGON_BACKEND_PATH=${PROJECT_BINARY_DIR}/plugins-races;OMP_NUM_THREADS=1")
endif()

# The longest tests start first, so that no core waits at the end.
set(longest sweep sweep_packed_sizes sweep_large_sizes test_device)
if(TARGET trigon-sim-races)
  list(APPEND longest test_device_wide sweep_races sweep_dataflow_races sweep_dataflow_trtri_races)
endif()
if(TEST test_subproject)
  list(APPEND longest test_subproject)
endif()
set_tests_properties(${longest} PROPERTIES COST 100)

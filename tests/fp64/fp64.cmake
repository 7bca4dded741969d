# Tests of emulated FP64. First its mathematics and the host's reference; failing allocations; a sweep over emulated
# products.
trigon_test(test_fp64)
trigon_test(test_fp64_cuts)
trigon_test(test_tile_walk)
trigon_test(test_fp64_allocations)
target_link_options(test_fp64_allocations PRIVATE
  LINKER:--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc,--wrap=free)
add_test(NAME sweep_fp64 COMMAND sweep --share 30 --fp64 int8:0 --backend "cpu?stop=16")
add_test(NAME sweep_fp64_fast COMMAND sweep --share 60 --types dz --fp64 int8:1 --backend "cpu?stop=8&split=power")
add_test(NAME sweep_double_float COMMAND sweep --share 30 --types dz --fp64 double-float:0 --backend "cpu?stop=16")
set_tests_properties(sweep_fp64 sweep_fp64_fast sweep_double_float PROPERTIES
  ENVIRONMENT TRIGON_NUM_THREADS=1)
trigon_test(test_double_float fp64/test_double_float.c fp64/double_float_case.c fp64/double_float_fused.c)
set_source_files_properties(fp64/double_float_fused.c PROPERTIES COMPILE_OPTIONS
  "-O2;-ffp-contract=fast;$<$<BOOL:$<FILTER:${CMAKE_SYSTEM_PROCESSOR},INCLUDE,x86_64|AMD64>>:-mfma>")
# The mathematics, against big integers.
find_library(TRIGON_GMP gmp)
if(TRIGON_GMP)
  trigon_test(test_residues)
  target_link_libraries(test_residues PRIVATE ${TRIGON_GMP})
else()
  message(STATUS "skipped: no libgmp; the test of residues is left out")
endif()

# Emulated products on a device, through the public interface. scripts/gpu-check runs the program on a real GPU.
file(GLOB sources CONFIGURE_DEPENDS fp64/device/*.c)
test_program(test_fp64_devices ${sources})
if(NOT TRIGON_SIM)
  return()
endif()
# The other runs cover the other width of a warp, other orders of blocks and threads, the tiles of real GPUs, and races.
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
# Products of bytes without matrix units, and with them on a kind of GPU that has no others.
on_simulated_gpu(test_fp64_portable test_fp64_devices "sim:0?arch=portable&seed=6" few)
on_simulated_gpu(test_fp64_ampere test_fp64_devices "sim:0?arch=ampere&seed=7" few)
on_simulated_gpu(test_fp64_wide test_fp64_devices "sim:0?warp=64&seed=2&resident=1" bits)
on_simulated_gpu(test_fp64_mixed test_fp64_devices "sim:0?seed=3&gemm=own" specials)
on_simulated_gpu(test_fp64_large test_fp64_devices "sim:0?seed=4" bits)
on_simulated_gpu(test_fp64_updates_wide test_fp64_devices "sim:0?warp=64&seed=2&resident=1" few_updates)
on_simulated_gpu(test_fp64_updates_large test_fp64_devices "sim:0?seed=4" few_updates)
with_plugins(-large test_fp64_large test_fp64_updates_large)
if(TARGET trigon-sim-races)
  on_simulated_gpu(test_fp64_races test_fp64_devices "sim:0?seed=5" few)
  on_simulated_gpu(test_fp64_updates_races test_fp64_devices "sim:0?seed=5" few_updates)
  with_plugins(-races test_fp64_races test_fp64_updates_races)
endif()

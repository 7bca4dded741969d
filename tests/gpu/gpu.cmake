# Tests of devices, on the simulated GPU. scripts/gpu-check runs the same programs on a real GPU. The programs take the
# name of a context.

# A matrix of more than 2^31 elements. On the simulated GPU the test uses a small matrix, to test the program itself.
test_program(test_large)

# Streams, graphs, memory, caps, foreign pointers, failures. Each subject has a file.
file(GLOB sources CONFIGURE_DEPENDS gpu/device/*.c)
test_program(test_device ${sources})

# Kinds of GPUs.
trigon_test(test_gpu_arch gpu/test_gpu_arch.c ${gpu_archs})
trigon_test(test_gpu_rows gpu/test_gpu_rows.c ${gpu_archs})
trigon_test(test_file_rows gpu/test_file_rows.c ${gpu_archs})

if(NOT TRIGON_SIM)
  return()
endif()
on_simulated_gpu(test_device test_device)
# The registry of kernels.
add_executable(test_registry gpu/test_registry.c)
target_compile_definitions(test_registry PRIVATE TRIGON_VENDOR_SIM)
target_include_directories(test_registry PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(test_registry PRIVATE trigon_flags trigon ${CMAKE_DL_LIBS})
on_simulated_gpu(test_registry test_registry)
if(NOT TRIGON_SANITIZE)
  on_simulated_gpu(test_device_wide test_device "sim:0?warp=64&seed=2")
endif()
on_simulated_gpu(test_large test_large)
if(TARGET trigon-sim-races)
  on_simulated_gpu(test_logdet_races test_logdet)
  with_plugins(-races test_logdet_races)
endif()
include(gpu/sweeps.cmake)
include(gpu/dataflow.cmake)

# The sources of every plugin for GPUs: real GPUs (src/gpu) and the simulated GPU (simulator). A new kernel file needs no
# line here. Two files are built apart: see CMakeLists.txt.
set(gpu_folder ${CMAKE_CURRENT_LIST_DIR})
file(GLOB_RECURSE kernel_sources CONFIGURE_DEPENDS ${gpu_folder}/kernels/*.cu)
list(FILTER kernel_sources EXCLUDE REGEX "/(potrf_device|residue_products_hopper)\\.cu$")
file(GLOB gpu_sources CONFIGURE_DEPENDS ${gpu_folder}/*.c ${gpu_folder}/arch/*.c ${gpu_folder}/library/*.c)
foreach(shared escape routine tuning/tuning tuning/tuning_file) # of the library, which the plugin does not link
  list(APPEND gpu_sources ${gpu_folder}/../core/${shared}.c)
endforeach()

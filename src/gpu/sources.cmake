# The sources of every plugin for GPUs: real GPUs (src/gpu) and the simulated GPU (simulator).
set(gpu_folder ${CMAKE_CURRENT_LIST_DIR})
set(gpu_sources ../core/routine.c ../core/tuning.c ../core/tuning_file.c batch.c call.c create.c device.c emulation.c
  leaves.c schedules.c timer.c
  tuning/hopper.c tuning/portable.c vendor_blas.c vendor_leaves.c vendor_solver.c workspace.c)
set(kernel_sources check_batch.cu check_diagonal.cu choose_moduli.cu delay.cu double_float.cu double_float_lines.cu
  find_bounds.cu find_lines.cu finish_product.cu gemm.cu info_block.cu invert_batch.cu lauum.cu lauum_flow.cu logdet.cu
  mirror_batch.cu on_condition.cu pack_lines.cu posv_batch.cu potrf.cu probe_tiles.cu
  potrf_batch.cu potrf_flow.cu potrf_panel.cu residue_products.cu trmm.cu trmm_flow.cu trsm.cu trsm_batch.cu
  trsm_flow.cu trsm_flow_units.cu
  trtri.cu trtri_flow.cu)
list(TRANSFORM gpu_sources PREPEND ${gpu_folder}/)
list(TRANSFORM kernel_sources PREPEND ${gpu_folder}/kernels/)

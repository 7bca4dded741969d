# Tests of batches: POTRF alone, whose batches have schedules, and all routines.
file(GLOB sources CONFIGURE_DEPENDS batch/potrf/*.c)
trigon_test(test_batch ${sources})
if(OpenMP_C_FOUND) # for a caller with threads of OpenMP
  set_source_files_properties(batch/potrf/test_batch.c PROPERTIES COMPILE_OPTIONS "${OpenMP_C_FLAGS}")
endif()
add_test(NAME test_batch_threads COMMAND test_batch threads)
file(GLOB sources CONFIGURE_DEPENDS batch/routines/*.c)
trigon_test(test_batches ${sources})

if(NOT TRIGON_SIM)
  return()
endif()
on_simulated_gpu(test_batch_on_device test_batch "sim:0?seed=3")
# With sanitizers the other orders of streams have the same parts.
if(NOT TRIGON_SANITIZE)
  on_simulated_gpu(test_batches_on_device test_batches "sim:0?seed=3")
  on_simulated_gpu(test_batches_wide test_batches "sim:0?warp=64&seed=2" part)
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
with_plugins(-large test_batch_dsse_large)
if(TARGET trigon-sim-races)
  on_simulated_gpu(test_batch_races test_batch sim:0 part)
  on_simulated_gpu(test_batches_races test_batches sim:0 part)
  on_simulated_gpu(test_batch_ssde_races test_batch "sim:0?schedule=ssde" part)
  on_simulated_gpu(test_batch_dsse_races test_batch "sim:0?schedule=dsse&seed=3" part)
  with_plugins(-races test_batch_races test_batches_races test_batch_ssde_races test_batch_dsse_races)
endif()

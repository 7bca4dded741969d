# Tests of src/hosted: matrices in host memory, computed on devices.
trigon_test(test_plan ${CMAKE_CURRENT_LIST_DIR}/test_plan.c ${CMAKE_CURRENT_LIST_DIR}/waits.c)
trigon_test(test_emulated_plan)
test_program(predict_hosted)
test_program(time_hosted)
if(NOT TRIGON_SIM)
  return()
endif()
foreach(name test_hosted test_hosted_context test_hosted_fp64)
  test_program(${name})
  on_simulated_gpu(${name} ${name})
endforeach()

foreach(routine trsm trmm syrk potrf potrs posv potri)
  set(columns 40)
  if(routine MATCHES "potrf|potri")
    set(columns 0)
  endif()
  on_simulated_gpu(time_hosted_${routine} time_hosted "sim:0-1?stop=32" ${routine} 150 ${columns} cap=0.0002
    memory=pageable repeat=2)
endforeach()

# Every routine, on one device and on three, in core, and with memory for so few tiles that most of them are loaded
# several times: 32 KiB are 7 tiles of 16 × 16 complex doubles, and 28 of floats.
set(share 24)
if(TRIGON_SANITIZE)
  set(share 100)
endif()
on_simulated_gpu(sweep_hosted sweep --share ${share} --backend "sim:0:host?stop=16&seed=1"
  --backend "sim:0-2?stop=16&seed=2")
on_simulated_gpu(sweep_hosted_capped sweep --share ${share} --workspace 32768 --backend "sim:0:host?stop=16&seed=1"
  --backend "sim:1-2?stop=16&seed=3")

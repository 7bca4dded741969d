# The GPUs that nvcc compiles for if TRIGON_CUDA_ARCHITECTURES is empty: the GPUs of this machine. If the machine has no
# GPU, or a GPU that nvcc does not know: Hopper, and PTX. The driver compiles the PTX for any other GPU from Ampere on,
# when a context is created for the first time.
function(trigon_cuda_architectures out)
  set(${out} 80-virtual 90-real PARENT_SCOPE)
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
    RESULT_VARIABLE failed OUTPUT_VARIABLE capabilities ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --list-gpu-code OUTPUT_VARIABLE known ERROR_QUIET)
  string(REGEX MATCHALL "sm_[0-9]+" known "${known}")
  string(REGEX MATCHALL "[^\n]+" capabilities "${capabilities}")
  set(here)
  foreach(capability IN LISTS capabilities)
    string(REPLACE . "" number ${capability})
    if(failed OR NOT sm_${number} IN_LIST known)
      return()
    endif()
    list(APPEND here ${number}-real)
  endforeach()
  list(REMOVE_DUPLICATES here)
  if(here)
    set(${out} ${here} PARENT_SCOPE)
  endif()
endfunction()

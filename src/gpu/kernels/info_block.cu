/* info_block.cu - the kernels of the info block: store a call's failure in info, take over cuSOLVER's info. */
#include "launch.h"

__global__ static void outcome_kernel(outcome o) {
  const int64_t info = *o.failure == no_failure ? 0 : static_cast<int64_t>(*o.failure);
  *o.failure = no_failure;
  if (o.info)
    *o.info = info;
  else if (*o.kept == 0)
    *o.kept = info;
}

cudaError_t launch_outcome(queue q, const outcome *o) {
  return q.load ? tg_load(outcome_kernel) : tg_launch(q.stream, outcome_kernel, 1, 1, 0, *o);
}

__global__ static void vendor_info_kernel(vendor_info p) {
  const unsigned long long column = static_cast<unsigned long long>(p.column) + static_cast<unsigned>(*p.info);
  if (*p.info > 0 && column < *p.failure) *p.failure = column;
}

cudaError_t launch_vendor_info(queue q, const vendor_info *p) {
  return q.load ? tg_load(vendor_info_kernel) : tg_launch(q.stream, vendor_info_kernel, 1, 1, 0, *p);
}

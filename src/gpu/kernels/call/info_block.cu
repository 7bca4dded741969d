/* info_block.cu - the kernels of the info block: store a call's failure in info, take over cuSOLVER's info, also for
 * batches. */
#include "gpu/kernels/launch.h"

__global__ static void outcome_kernel(outcome o) {
  const int64_t info = *o.failure == no_failure ? 0 : static_cast<int64_t>(*o.failure);
  *o.failure = no_failure;
  if (o.info)
    *o.info = info;
  else if (*o.kept == 0)
    *o.kept = info;
}

cudaError_t launch_outcome(queue q, const outcome *o) {
  return launch_kernel(q, registered<outcome_kernel>(), 1, 1, *o);
}

__global__ static void vendor_info_kernel(vendor_info p) {
  const unsigned long long column = static_cast<unsigned long long>(p.column) + static_cast<unsigned>(*p.info);
  if (*p.info > 0 && column < *p.failure) *p.failure = column;
}

cudaError_t launch_vendor_info(queue q, const vendor_info *p) {
  return launch_kernel(q, registered<vendor_info_kernel>(), 1, 1, *p);
}

enum { VENDOR_THREADS = 128 };

/* Calls each(i) for the matrices of the thread. */
template <class Each> __device__ static void each_of_vendor(const vendor_batch &b, Each each) {
  const int64_t threads = static_cast<int64_t>(gridDim.x) * VENDOR_THREADS;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * VENDOR_THREADS + threadIdx.x; i < b.count; i += threads) each(i);
}

__global__ static void vendor_addresses_kernel(vendor_batch b) {
  each_of_vendor(b, [&](int64_t i) { b.addresses[i] = address_at(&b.A, i), b.infos[i] = 0; });
}

__global__ static void vendor_infos_kernel(vendor_batch b) {
  each_of_vendor(b, [&](int64_t i) { b.info[i] = b.infos[i]; });
}

static cudaError_t launch_for_vendor(queue q, const kernel_of<vendor_batch> &k, const vendor_batch *b) {
  const int64_t blocks = (b->count + VENDOR_THREADS - 1) / VENDOR_THREADS;
  return launch_kernel(q, k, blocks_for(blocks, VENDOR_THREADS), VENDOR_THREADS, *b);
}

cudaError_t launch_vendor_addresses(queue q, const vendor_batch *b) {
  return launch_for_vendor(q, registered<vendor_addresses_kernel>(), b);
}
cudaError_t launch_vendor_infos(queue q, const vendor_batch *b) {
  return launch_for_vendor(q, registered<vendor_infos_kernel>(), b);
}

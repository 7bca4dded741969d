/* neighbours_kernel.cu - blocks that wait for neighbours on both sides (neighbours_kernel.h). */
#include "neighbours_kernel.h"

using place = tg_slot<double>;

/* side 0: from the block before; side 1: from the block behind. */
template <neighbours_mistake MISTAKE>
__device__ static place *place_of(const neighbours_task &t, int64_t block, int round, int side) {
  const int half = MISTAKE == NEIGHBOURS_ONE_SLOT ? 0 : round % 2;
  return static_cast<place *>(t.slots) + (4 * block + 2 * half + side) * NEIGHBOURS_THREADS + threadIdx.x;
}

template <neighbours_mistake MISTAKE>
__global__ static void __launch_bounds__(NEIGHBOURS_THREADS) neighbours(neighbours_task t) {
  const int64_t b = blockIdx.x, last = static_cast<int64_t>(gridDim.x) - 1;
  double x = static_cast<double>(b) + threadIdx.x;
  for (int round = 0; round < t.rounds; round++) {
    const unsigned tag = static_cast<unsigned>(round) + 1;
    const bool mute = MISTAKE == NEIGHBOURS_NO_PUT && b == last && round == 1;
    tg_put(place_of<MISTAKE>(t, b + 1, round, 0), x, tag, b < last);
    tg_put(place_of<MISTAKE>(t, b - 1, round, 1), x, tag, b > 0 && !mute);
    tg_seen<double, 1> seen_before{}, seen_behind{};
    double before[1], behind[1];
    const auto from_before = [&](int) { return place_of<MISTAKE>(t, b, round, 0); };
    const auto from_behind = [&](int) { return place_of<MISTAKE>(t, b, round, 1); };
    tg_get(before, seen_before, tag, b > 0, from_before, [&] { tg_look(seen_behind, tag, b < last, from_behind); });
    tg_get(behind, seen_behind, tag, b < last && MISTAKE != NEIGHBOURS_NO_GET, from_behind, [] {});
#ifdef TRIGON_VENDOR_SIM
    if (MISTAKE == NEIGHBOURS_NO_GET && b < last) behind[0] = from_behind(0)->number;
#endif
    x += 3 * before[0] + 5 * behind[0];
  }
  t.x[b * NEIGHBOURS_THREADS + threadIdx.x] = x;
}

size_t neighbours_slot_bytes(void) { return sizeof(place); }

cudaError_t launch_neighbours(neighbours_mistake mistake, cudaStream_t stream, int64_t blocks, neighbours_task task) {
  static void (*const kernels[NEIGHBOURS_MISTAKES])(neighbours_task) = {
      neighbours<NEIGHBOURS_RIGHT>, neighbours<NEIGHBOURS_APART>, neighbours<NEIGHBOURS_NO_PUT>,
      neighbours<NEIGHBOURS_NO_GET>, neighbours<NEIGHBOURS_ONE_SLOT>};
  const cudaError_t error = tg_load(reinterpret_cast<const void *>(kernels[mistake]), 0);
  if (error != cudaSuccess) return error;
  if (mistake == NEIGHBOURS_APART) return tg_launch(stream, kernels[mistake], blocks, NEIGHBOURS_THREADS, 0, task);
  return tg_launch_together(stream, kernels[mistake], blocks, NEIGHBOURS_THREADS, 0, task);
}

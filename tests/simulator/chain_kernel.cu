/* chain_kernel.cu - a chain of tiles, each computed from the tile before (chain_kernel.h). */
#include "chain_kernel.h"

template <chain_mistake MISTAKE> __device__ static unsigned take_tile(const chain_task &t, unsigned *word) {
  if (MISTAKE == CHAIN_NO_TICKET) return blockIdx.x;
  if (MISTAKE == CHAIN_LATE_ZERO && blockIdx.x == 0 && threadIdx.x == 0) *t.ticket = 0;
  const unsigned ticket = tg_ticket(t.ticket, word);
  return MISTAKE == CHAIN_UNUSED_TICKET ? blockIdx.x : ticket;
}

template <chain_mistake MISTAKE> __device__ static void release_tile(unsigned *flag, unsigned tile) {
  if (MISTAKE == CHAIN_NO_PUBLISH) return;
  if (MISTAKE == CHAIN_RELAXED) {
    __syncthreads();
    if (threadIdx.x == 0) *flag = tile;
    return;
  }
  if (MISTAKE == CHAIN_FALLING_FLAG) tg_publish(flag, tile + 1);
  tg_publish(flag, tile);
}

template <chain_mistake MISTAKE> __device__ static void await_tile(const unsigned *flag, unsigned tile) {
  if (MISTAKE == CHAIN_NO_AWAIT || tile == 0 || (MISTAKE == CHAIN_PLAIN_LOOK && *flag >= tile)) return;
  tg_await(flag, MISTAKE == CHAIN_LOW_AWAIT && tile > CHAIN_SLOTS ? tile - CHAIN_SLOTS : tile);
}

/* The marks are read after the counts, before any block has arrived. */
template <chain_mistake MISTAKE> __device__ static void count_tile(const chain_task &t, unsigned tile) {
  if (MISTAKE != CHAIN_NO_COUNT || tile != 1) tg_count(t.counted);
  if (tile != (MISTAKE == CHAIN_UPWARD_COUNT ? 1 : gridDim.x)) return;
  tg_await_each(t.counted, 1, [&](unsigned) { return MISTAKE == CHAIN_LOW_COUNT ? gridDim.x - 2 : gridDim.x; });
  if (threadIdx.x != 0) return;
  unsigned rest = gridDim.x;
  for (unsigned i = 0; i < gridDim.x; i++) rest -= t.marks[i];
  *t.unmarked = rest;
}

/* Marks and flags are zero again when the launch ends. */
template <chain_mistake MISTAKE> __device__ static void end_chain(const chain_task &t) {
  if (threadIdx.x != 0 || MISTAKE == CHAIN_NO_RESET) return;
  unsigned rest = gridDim.x;
  for (unsigned i = 0; i < gridDim.x; i++) {
    rest -= t.marks[i];
    t.marks[i] = 0;
  }
  *t.rest = rest;
  *t.ticket = 0;
  *t.begun = 0;
  *t.counted = 0;
  for (int i = 0; i < CHAIN_SLOTS && MISTAKE != CHAIN_FLAGS_LEFT; i++) t.flags[i] = 0;
}

/* to[i] = 3·from[n-1-i] + tile, through shared memory: each thread uses a value that another thread has read. */
template <chain_mistake MISTAKE>
__device__ static void make_tile(unsigned *shared, const unsigned *from, unsigned *to, unsigned tile, int n,
                                 bool fresh) {
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < n; i += CHAIN_THREADS) shared[i] = fresh ? tg_load_fresh(from + i) : from[i];
  if (MISTAKE != CHAIN_NO_BARRIER) __syncthreads();
  for (int i = thread; i < n; i += CHAIN_THREADS) to[i] = 3 * shared[n - 1 - i] + tile;
}

/* The last thread uses the word of tg_ticket and tg_last_block right before and behind them, for the word is free. */
template <chain_mistake MISTAKE> __global__ static void __launch_bounds__(CHAIN_THREADS) chain(chain_task t) {
  unsigned *shared = tg_shared<unsigned>(), *word = shared + t.words;
  const bool marks = threadIdx.x == CHAIN_THREADS - 1;
  if (marks) *word = 0;
  const unsigned tile = take_tile<MISTAKE>(t, word) + 1, before = (tile - 1) % CHAIN_SLOTS, slot = tile % CHAIN_SLOTS;
  if (marks) *word = tile;
  if (MISTAKE == CHAIN_TWO_WRITERS) tg_publish(t.begun, tile);
  await_tile<MISTAKE>(t.flags + before, tile - 1);
  make_tile<MISTAKE>(shared, t.slots[before], t.slots[slot], tile, t.words, t.fresh);
  release_tile<MISTAKE>(t.flags + slot, tile);
  if (marks) t.marks[tile - 1] = *word == tile;
  if (MISTAKE != CHAIN_NO_ARRIVAL) count_tile<MISTAKE>(t, tile); /* else counts would replace the arrivals */
  const bool last = MISTAKE == CHAIN_NO_ARRIVAL ? tile == gridDim.x : tg_last_block(t.arrived, gridDim.x, word);
  if (last || MISTAKE == CHAIN_ALL_LAST) end_chain<MISTAKE>(t);
}

cudaError_t launch_chain(chain_mistake mistake, cudaStream_t stream, int64_t tiles, chain_task task) {
  static void (*const kernels[CHAIN_MISTAKES])(chain_task) = {
      chain<CHAIN_RIGHT>,        chain<CHAIN_NO_AWAIT>,    chain<CHAIN_LOW_AWAIT>,     chain<CHAIN_NO_PUBLISH>,
      chain<CHAIN_RELAXED>,      chain<CHAIN_NO_TICKET>,   chain<CHAIN_UNUSED_TICKET>, chain<CHAIN_NO_RESET>,
      chain<CHAIN_ALL_LAST>,     chain<CHAIN_NO_BARRIER>,  chain<CHAIN_PLAIN_LOOK>,    chain<CHAIN_FLAGS_LEFT>,
      chain<CHAIN_FALLING_FLAG>, chain<CHAIN_TWO_WRITERS>, chain<CHAIN_LATE_ZERO>,     chain<CHAIN_NO_ARRIVAL>,
      chain<CHAIN_NO_COUNT>,     chain<CHAIN_LOW_COUNT>,   chain<CHAIN_UPWARD_COUNT>};
  const size_t shared = (static_cast<size_t>(task.words) + 1) * sizeof(unsigned);
  const cudaError_t error = tg_load(reinterpret_cast<const void *>(kernels[mistake]), shared);
  return error != cudaSuccess ? error : tg_launch(stream, kernels[mistake], tiles, CHAIN_THREADS, shared, task);
}

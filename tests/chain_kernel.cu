/* chain_kernel.cu - a chain of tiles, each computed from the tile before (chain_kernel.h). */
#include "chain_kernel.h"

template <chain_mistake MISTAKE> __device__ static unsigned take_tile(const chain_task &t, unsigned *word) {
  if (MISTAKE == CHAIN_NO_TICKET) return blockIdx.x;
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
  tg_publish(flag, tile);
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

template <chain_mistake MISTAKE> __global__ static void __launch_bounds__(CHAIN_THREADS) chain(chain_task t) {
  unsigned *shared = tg_shared<unsigned>(), *word = shared + t.words;
  const unsigned tile = take_tile<MISTAKE>(t, word) + 1, before = (tile - 1) % CHAIN_SLOTS, slot = tile % CHAIN_SLOTS;
  const unsigned earlier = MISTAKE == CHAIN_LOW_AWAIT && tile > 1 + CHAIN_SLOTS ? CHAIN_SLOTS : 0;
  if (MISTAKE != CHAIN_NO_AWAIT && tile > 1) tg_await(t.flags + before, tile - 1 - earlier);
  make_tile<MISTAKE>(shared, t.slots[before], t.slots[slot], tile, t.words, t.fresh);
  release_tile<MISTAKE>(t.flags + slot, tile);
  const bool last = tg_last_block(t.arrived, word);
  if ((last || MISTAKE == CHAIN_ALL_LAST) && threadIdx.x == 0 && MISTAKE != CHAIN_NO_RESET) {
    for (int i = 0; i < CHAIN_SLOTS; i++) t.flags[i] = 0;
    *t.ticket = 0;
  }
}

cudaError_t launch_chain(chain_mistake mistake, cudaStream_t stream, int64_t tiles, chain_task task) {
  static void (*const kernels[CHAIN_MISTAKES])(chain_task) = {
      chain<CHAIN_RIGHT>,    chain<CHAIN_NO_AWAIT>,  chain<CHAIN_LOW_AWAIT>,     chain<CHAIN_NO_PUBLISH>,
      chain<CHAIN_RELAXED>,  chain<CHAIN_NO_TICKET>, chain<CHAIN_UNUSED_TICKET>, chain<CHAIN_NO_RESET>,
      chain<CHAIN_ALL_LAST>, chain<CHAIN_NO_BARRIER>};
  const size_t shared = (static_cast<size_t>(task.words) + 1) * sizeof(unsigned);
  return tg_launch(stream, kernels[mistake], tiles, CHAIN_THREADS, shared, task);
}

/* dataflow.h - blocks that wait for other blocks of their launch: see vendor.h. One source for all vendors, over
 * what their headers define for one thread:
 *
 *   tg_take_ticket(counter)     (*counter)++, relaxed; what it was
 *   tg_write_through()          at the latest behind the next barrier, another thread's release holds what this thread
 *                               wrote before
 *   tg_release(flag, value)     *flag = value, release: whoever acquires the value sees what happened before
 *   tg_acquire(flag, value)     polls until *flag >= value, then acquires
 *   tg_arrive(counter)          ++*counter, acquire and release; whether that is the number of blocks
 *   tg_site, TG_HERE            a place in the source, and the caller's as a default argument
 *   tg_barrier(site)            __syncthreads() of that place */
#ifndef TRIGON_VENDOR_DATAFLOW_H
#define TRIGON_VENDOR_DATAFLOW_H

__device__ inline unsigned tg_broadcast(unsigned x, unsigned *word, tg_site site) {
  if (threadIdx.x == 0) *word = x;
  tg_barrier(site);
  const unsigned first = *word;
  tg_barrier(site);
  return first;
}

__device__ inline unsigned tg_ticket(unsigned *counter, unsigned *word, tg_site site = TG_HERE) {
  tg_barrier(site);
  return tg_broadcast(threadIdx.x == 0 ? tg_take_ticket(counter) : 0, word, site);
}

__device__ inline void tg_publish(unsigned *flag, unsigned value, tg_site site = TG_HERE) {
  tg_write_through();
  tg_barrier(site);
  if (threadIdx.x == 0) tg_release(flag, value);
}

__device__ inline void tg_await(const unsigned *flag, unsigned value, tg_site site = TG_HERE) {
  if (threadIdx.x == 0) tg_acquire(flag, value);
  tg_barrier(site);
}

__device__ inline bool tg_last_block(unsigned *counter, unsigned *word, tg_site site = TG_HERE) {
  tg_write_through();
  tg_barrier(site);
  const bool last = tg_broadcast(threadIdx.x == 0 && tg_arrive(counter), word, site) != 0;
  if (last && threadIdx.x == 0) *counter = 0;
  return last;
}

#endif

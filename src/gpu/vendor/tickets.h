/* tickets.h - tg_ticket, tg_publish, tg_count, tg_await and tg_last_block, by which blocks wait for other blocks: see
 * vendor.h. All vendors share this source. Each vendor's header defines these functions, which one thread calls:
 *
 *   tg_take_ticket(counter)     adds 1 to *counter, relaxed; returns the old value
 *   tg_take_ticket_of(counter, all) the same for the tickets 0 .. all - 1 of a launch that takes all of them: the last
 *                               one leaves zero in *counter
 *   tg_take_ticket_beside(counter) tg_take_ticket if many threads of a warp take tickets at once, of any counters
 *   tg_write_through()          makes this thread's earlier writes part of the release by another thread of the block
 *                               behind the next barrier
 *   tg_release(flag, value)     *flag = value, release: a thread that acquires the value sees what happened before
 *   tg_add_release(flag)        adds 1 to *flag, release
 *   tg_acquire(flag, value)     polls until *flag >= value, then acquires; returns a value, at least `value`, that it
 *                               has acquired
 *   tg_acquire_most(flag, value) the same
 *   tg_acquire_now(flag, value) the same in the time of one load less. Each look at the flag may empty a cache of the
 *                               multiprocessor
 *   tg_load_relaxed(flag)       what *flag is, relaxed
 *   tg_arrive(counter)          adds 1 to *counter, acquire and release; returns whether *counter now is the number of
 *                               blocks
 *   tg_site, TG_HERE            a place in the source; as a default argument, the place of the caller
 *   tg_barrier(site)            __syncthreads() of that place */
#ifndef TRIGON_TICKETS_H
#define TRIGON_TICKETS_H

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

__device__ inline void tg_publish_by(unsigned *flag, unsigned value, unsigned thread, tg_site site = TG_HERE) {
  tg_write_through();
  tg_barrier(site);
  if (threadIdx.x == thread) tg_release(flag, value);
}

/* Lanes of different warps publish, so that no release waits for another. */
__device__ inline void tg_publish_rows(unsigned *flags, unsigned n, unsigned value, tg_site site = TG_HERE) {
  tg_write_through();
  tg_barrier(site);
  if (threadIdx.x % TG_LEAST_WARP == 0 && threadIdx.x / TG_LEAST_WARP < n)
    tg_release(flags + threadIdx.x / TG_LEAST_WARP, value);
}

__device__ inline void tg_count(unsigned *flag, tg_site site = TG_HERE) {
  tg_write_through();
  tg_barrier(site);
  if (threadIdx.x == 0) tg_add_release(flag);
}

__device__ inline void tg_await(const unsigned *flag, unsigned value, tg_site site = TG_HERE) {
  if (threadIdx.x == 0) (void)tg_acquire(flag, value);
  tg_barrier(site);
}

/* Threads poll different flags. The barrier hands on to each thread what the others have acquired. */
template <class Flag, class Value>
__device__ inline void tg_await_all(Flag flag, unsigned n, Value value, tg_site site = TG_HERE) {
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x) {
    const unsigned due = value(i);
    if (due > 0) (void)tg_acquire(flag(i), due);
  }
  tg_barrier(site);
}

template <class Value>
__device__ inline void tg_await_each(const unsigned *flags, unsigned n, Value value, tg_site site = TG_HERE) {
  tg_await_all([&](unsigned i) { return flags + i; }, n, value, site);
}

__device__ inline unsigned tg_await_most(const unsigned *flag, unsigned value, unsigned *word, tg_site site = TG_HERE) {
  return tg_broadcast(threadIdx.x == 0 ? tg_acquire_most(flag, value) : 0, word, site);
}

template <class Flag>
__device__ inline unsigned tg_await_least(Flag flag, unsigned n, unsigned value, unsigned *words,
                                          tg_site site = TG_HERE) {
  if (threadIdx.x < n) words[threadIdx.x] = tg_acquire_now(flag(threadIdx.x), value);
  tg_barrier(site);
  unsigned least = words[0];
  for (unsigned i = 1; i < n; i++) least = words[i] < least ? words[i] : least;
  tg_barrier(site);
  return least;
}

/* A thread looks at each flag once. */
template <class Flag, class Due>
__device__ inline unsigned tg_first_below(Flag flag, Due due, unsigned first, unsigned end, unsigned long long *word,
                                          tg_site site = TG_HERE) {
  for (; first < end; first += blockDim.x) {
    const unsigned i = first + threadIdx.x;
    tg_barrier(site);
    if (threadIdx.x == 0) *word = end;
    tg_barrier(site);
    if (i < end && tg_load_relaxed(flag(i)) < due(i)) tg_atomic_min(word, i);
    tg_barrier(site);
    if (*word < end) return static_cast<unsigned>(*word);
  }
  return end;
}

__device__ inline bool tg_last_block(unsigned *counter, unsigned all, unsigned *word, tg_site site = TG_HERE) {
  tg_write_through();
  tg_barrier(site);
  const bool last = tg_broadcast(threadIdx.x == 0 && tg_arrive(counter, all), word, site) != 0;
  if (last && threadIdx.x == 0) *counter = 0;
  return last;
}

/* Threads arrive at different counters. */
template <class Counter, class All>
__device__ inline void tg_last_blocks(unsigned n, Counter counter, All all, unsigned *words, tg_site site = TG_HERE) {
  const unsigned i = threadIdx.x;
  tg_write_through();
  tg_barrier(site);
  if (i < n) words[i] = tg_arrive(counter(i), all(i));
  tg_barrier(site);
  if (i < n && words[i]) *counter(i) = 0;
}

#endif

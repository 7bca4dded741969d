/* flow_members.h - dataflow leaves for batches: one block of threads runs all tasks of a matrix.
 *
 * The block has flags of its own, and runs the tasks in an order in which each task waits only for tasks before it. So
 * no task waits. */
#ifndef TRIGON_FLOW_MEMBERS_H
#define TRIGON_FLOW_MEMBERS_H

#include "batch_members.h"
#include "flow.h"

/* The flags of a block, and the highest order whose tiles they serve: those of TRTRI in tiles of 32 rows and 64
 * columns, half of that on the simulated GPU. */
enum { MEMBER_FLAGS = 1024, MEMBER_ORDER = TG_TILE(60, 1920) };

struct member_flow {
  batch_task batch;
  flow_words words;
  unsigned *flags; /* MEMBER_FLAGS for each block */
};

/* Calls work(i, flags) for the matrices up to MEMBER_ORDER that the block takes. The last block resets the ticket. */
template <class Work> __device__ inline void each_member(const member_flow &f, unsigned *word, Work work) {
  const matrix_batch &b = f.batch.of;
  for (;;) {
    const int64_t i = tg_ticket(f.words.ticket, word);
    if (i >= b.count) break;
    if (b.info[i] == 0 && size_at(&b.n, i) <= MEMBER_ORDER) work(i, f.flags + int64_t{blockIdx.x} * MEMBER_FLAGS);
  }
  flow_end(f.words, 0, word);
}

/* Ends with a barrier. */
__device__ inline void clear_flags(unsigned *flags, unsigned count) {
  for (unsigned e = threadIdx.x; e < count; e += blockDim.x) flags[e] = 0;
  __syncthreads();
}

template <class G>
inline cudaError_t launch_member_flow(queue q, void (*kernel)(member_flow), const batch_task *t, const flow_setup *s) {
  /* Or fewer: blocks without a place find nothing left to do. */
  enum { RESIDENT = 2, MULTIPROCESSORS = TG_TILE(1, 192) };
  const int64_t ROUND = TG_TILE(10, 1 << 30); /* tickets have 32 bits */
  if (q.load) return tg_load(kernel, sizeof(typename G::workspace));
  const int64_t room = s->space_bytes / (MEMBER_FLAGS * static_cast<int64_t>(sizeof(unsigned)));
  const int64_t places = RESIDENT * MULTIPROCESSORS, blocks = places < room ? places : room;
  cudaError_t error = cudaSuccess;
  for (int64_t at = 0; at < t->of.count && error == cudaSuccess; at += ROUND) {
    const int64_t rest = t->of.count - at, count = rest < ROUND ? rest : ROUND;
    member_flow task = {*t, s->words, static_cast<unsigned *>(s->space)};
    task.batch.of = part_of(&t->of, at, count);
    error =
        tg_launch(q.stream, kernel, count < blocks ? count : blocks, G::THREADS, sizeof(typename G::workspace), task);
  }
  return error;
}

#endif

/* buffers.h - the struct behind packed.h, which the loops around the kernels share: kernels, block sizes, buffers. */
#ifndef TRIGON_BUFFERS_H
#define TRIGON_BUFFERS_H

#include "blocking.h"
#include "common/fold.h"
#include "cpu/kernels/packed/packed.h"
#include "cpu/kernels/packed/register/register_kernels.h"
#include "cpu/team/team.h"

struct packed {
  const kernels *const *of; /* s d c z */
  blocking blocks[TYPES];
  int threads;                     /* the most that compute one leaf */
  int64_t triangle_order[TYPES];   /* the largest triangle that is packed */
  int64_t row_bytes, column_bytes; /* of each thread's buffer, and of the shared one */
  void *rows; /* the calling thread's buffer: panels of a block of X, a panel of Y, panels of columns of B, or of rows
                 of L. Workers have buffers of their own */
  void *cols; /* what a team packs and shares: panels of a block of Y, of X, of columns of B, or of a whole triangle */
  bool dirty; /* the buffers begin with NaN */
  bool is_member; /* the buffers are lent */
};

/* How many threads compute, if so many are wanted. */
static inline int team_size(const packed *p, int64_t wanted) { return wanted < p->threads ? (int)wanted : p->threads; }

/* Into how many tasks a team divides `count` equal units: some for each thread, because one may come late. */
static inline int64_t tasks_for(int threads, int64_t count) {
  enum { tasks_of_thread = 4 };
  return threads == 1 ? least(count, 1) : least(count, (int64_t)tasks_of_thread * threads);
}

/* Does the work, of which `tasks`, `count` and `run` are given, on so many threads. */
static inline void run_team(const packed *p, team_work work, int threads, void *job) {
  work.buffer_bytes = p->row_bytes, work.dirty = p->dirty;
  team_run(&work, threads, p->rows, job);
}

static inline operand of_batch(operand A, int64_t b, int64_t element) {
  A.data = (char *)A.data + b * A.batch_stride * element;
  return A;
}

#endif

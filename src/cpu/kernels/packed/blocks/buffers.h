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
  int threads;                     /* the most members of a team */
  int64_t row_bytes, column_bytes; /* of one member's buffer, and of the shared one */
  char *rows;                      /* each member's buffer: panels of a block of X, of columns of B, or of rows of L */
  void *cols; /* what a team packs and shares: panels of a block of Y, of columns of B, or of a whole triangle */
};

static inline void *rows_of(const packed *p, member m) { return p->rows + m.id * p->row_bytes; }

/* How many members a team has, if so many are wanted. */
static inline int team_size(const packed *p, int64_t wanted) {
  const int limit = team_limit(), most = limit < p->threads ? limit : p->threads;
  return wanted < most ? (int)wanted : most;
}

static inline operand of_batch(operand A, int64_t b, int64_t element) {
  A.data = (char *)A.data + b * A.batch_stride * element;
  return A;
}

#endif

/* operands.h - a benchmark's random operands: originals on the host, sets of copies in the memory of the context. */
#ifndef TRIGON_CLI_BENCH_OPERANDS_H
#define TRIGON_CLI_BENCH_OPERANDS_H

#include "problem.h"
#include "verdict.h"

enum { MOST_SETS = 256 };

/* Each timed call takes the next set, so that consecutive calls work on different memory. After a call, or before it,
 * what the call writes is copied again from `fresh`: the originals on the host, copies of them on a device. On the host
 * small problems have many sets, because a sample of short calls needs a set for each call. */
typedef struct operand_sets {
  const problem *problem;
  trigon_context *ctx; /* in whose memory the sets are */
  trigon_matrix original[MOST_OPERANDS], fresh[MOST_OPERANDS], set[MOST_SETS][MOST_OPERANDS];
  trigon_matrix result[MOST_OPERANDS]; /* on a device: host memory for what a call wrote */
  int count, next;                     /* of sets; the next timed call takes set number next % count */
  int calls;                           /* calls that are timed together: a sample. measure.c sets it */
} operand_sets;

/* Bytes of a set; bytes that the host must have for the originals and one set or, for a device, one set's results. */
double operand_bytes(const problem *p);
double operand_host_bytes(const problem *p, const trigon_context *ctx);

/* Makes the originals, and as many sets as are useful and fit into `available` bytes, at least one. `problem` and `ctx`
 * must be set, all else zero. Returns false, with the reason, on failure; operands_free is due in either case. */
bool operands_make(operand_sets *sets, double available, const verdict *to);

/* Frees everything. Returns `done`, or false with the reason if freeing fails and `done` is true. */
bool operands_free(operand_sets *sets, bool done, const verdict *to);

/* Copies the fresh contents to the operands that a call on this set has written. */
trigon_status operands_restore(const operand_sets *sets, int set);

/* Stores the operands of a set in `after`, as they are after a call, in host memory. */
trigon_status operands_fetch(const operand_sets *sets, int set, trigon_matrix after[MOST_OPERANDS]);

#endif

/* batch_operands.h - the operands of a batch that is timed: matrices and arrays, in the memory of the context. */
#ifndef TRIGON_BATCH_OPERANDS_H
#define TRIGON_BATCH_OPERANDS_H

#include "../verdict.h"
#include "batch_routines.h"
#include "orders.h"

/* One operand of all matrices. Matrix i is a leading block of the original, which is on the host and has the largest
 * shape; all matrices lie in one piece of memory, as one column. `fresh` is a copy of what a call overwrites. */
typedef struct stacked_operand {
  trigon_matrix original, all, fresh, addresses;
  int64_t *offset; /* of each matrix, in elements */
  void **address;
} stacked_operand;

/* A batch. `orders`, the columns and the inner size, where 0 stands for the order, are its sizes; the caller frees the
 * array in `orders`. An array of leading dimensions is that of the operand's rows. */
typedef struct batch_operands {
  const batch_routine *batch;
  const bench_routine *routine; /* of one matrix */
  trigon_type type;
  const char *variant; /* of the routine and the type; NULL: the default */
  batch_orders orders;
  int64_t columns, inner;
  trigon_context *ctx; /* in whose memory they are */
  stacked_operand operand[MOST_OPERANDS];
  trigon_matrix size[SIZES], info; /* arrays, as columns of doubles */
  int64_t *sizes[SIZES], *infos;   /* the same on the host */
} batch_operands;

/* The problem that matrix i is, and that a matrix of this order is. */
problem batch_problem(const batch_operands *b, int64_t i);
problem batch_problem_of_order(const batch_operands *b, int64_t order);

/* Makes all matrices and arrays. All above `operand` must be set, and all else zero. Returns false, with the reason;
 * batch_operands_free is due in either case. */
bool batch_operands_make(batch_operands *b, const verdict *to);
void batch_operands_free(batch_operands *b);

/* Stores this info for each matrix. */
bool batch_operands_set_infos(batch_operands *b, int64_t info, const verdict *to);

/* The functions below compute by any context of the same machine, while no other context computes.
 *
 * Copies the fresh contents to what a call has written. */
trigon_status batch_operands_restore(const batch_operands *b, trigon_context *by);

/* Calls the batched routine. largest: the bound that the call is told, or 0. */
trigon_status batch_operands_call(const batch_operands *b, trigon_context *by, int64_t largest);

/* Whether all matrices have one order; then they are a stride apart. And the routine for such a batch. */
bool batch_operands_are_alike(const batch_operands *b);
trigon_status batch_operands_call_strided(const batch_operands *b, trigon_context *by);

/* Calls the batched routine with arrays of the host, so that the host knows the sizes. Stores the infos on the host. */
trigon_status batch_operands_call_by_host(const batch_operands *b, trigon_context *by);

/* Makes *p the problem that matrix i is; it is another one of the batch already. X becomes the operands. */
void batch_operands_single(const batch_operands *b, int64_t i, problem *p, trigon_matrix X[MOST_OPERANDS]);

/* Calls the routine of one matrix for one matrix after the other. Stores no infos. */
trigon_status batch_operands_call_each(const batch_operands *b, trigon_context *by);

/* Fetches the infos, and checks each matrix. *error is the largest residual; *ok: all are below their limits, and all
 * infos are 0. Returns false, with the reason, if that fails. */
bool batch_operands_judge(batch_operands *b, double *error, bool *ok, const verdict *to);

#endif

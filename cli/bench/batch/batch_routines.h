/* batch_routines.h - the batched routines that can be benchmarked: a table of their names, sizes and calls. */
#ifndef TRIGON_BATCH_ROUTINES_H
#define TRIGON_BATCH_ROUTINES_H

#include "../problem.h"

/* The arguments of a call, all in the memory of one machine. The arrays belong to the functions _batch; the addresses
 * of the first matrices, `first`, and the distances in elements, `step`, belong to the functions _strided, which take
 * matrices of one order. */
typedef struct batch_arguments {
  const problem *p; /* the flags; of matrices that are a stride apart also the sizes */
  int64_t count, largest;
  const int64_t *size[SIZES], *ld[MOST_OPERANDS];
  void *at[MOST_OPERANDS], *first[MOST_OPERANDS]; /* `at` is an array of addresses, whatever their type */
  int64_t step[MOST_OPERANDS];
  int64_t *info;
} batch_arguments;

typedef trigon_status batch_call(trigon_context *by, const batch_arguments *a);

/* A routine has one of the sizes M and N as the order. The others have a number of columns, N, and an inner size, K, if
 * they have these sizes. */
typedef struct batch_routine {
  const char *name;         /* of the routine of one matrix */
  int64_t columns;          /* how many columns there are by default; 0: as many as the order */
  bool is_blas, factors;    /* is_blas: of the BLAS, so without a failure; factors: POTRF is part of it */
  batch_call *call, *apart; /* of arrays; of matrices that are a stride apart, or NULL */
  bool apart_has_infos;     /* `apart` stores infos */
} batch_routine;

/* The batched routine of the routine of one matrix whose name is the first `length` bytes of `name`, or NULL. */
const batch_routine *batch_routine_find(const char *name, size_t length);

/* Stores all names, each with `suffix` behind it, and `between` in between. */
enum { MOST_BATCH_NAMES = 256 };
void batch_routine_names(char names[MOST_BATCH_NAMES], const char *suffix, const char *between);

/* The routine of one matrix. */
const bench_routine *batch_routine_single(const batch_routine *r);

#endif

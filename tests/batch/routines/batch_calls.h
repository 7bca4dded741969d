/* batch_calls.h - the batched routines as data: one struct holds the arguments of any of them, in both forms. */
#ifndef TRIGON_TESTS_BATCH_CALLS_H
#define TRIGON_TESTS_BATCH_CALLS_H

#include "support/calls.h"

/* The flags and scalars are those of `flags`. Arrays of sizes, addresses, leading dimensions and infos; or, if
 * `strided` is set, the sizes of `flags`, the first matrix of each operand as flags.stored, and the strides. */
typedef struct batch_call {
  call flags;
  bool strided, both;
  int64_t count, max_n;
  const int64_t *m, *n, *k, *ld[3];
  void *const *at[3];
  int64_t stride[3], *info;
} batch_call;

/* Whether the routine has a batched form in this type. */
bool has_batch(enum tested_routine routine, trigon_type type);
/* Whether its strided form has infos. */
bool has_strided_info(enum tested_routine routine);

trigon_status call_batched(trigon_context *ctx, const batch_call *b);

#endif

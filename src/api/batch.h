/* batch.h - call_potrf_batch, behind POTRF for batches in all precisions. */
#ifndef TRIGON_BATCH_H
#define TRIGON_BATCH_H

#include "checks.h"

/* The arguments of the call. Each array has one entry for each matrix. */
typedef struct potrf_batch {
  trigon_type type;
  trigon_uplo uplo;
  int64_t count, max_n;
  const int64_t *n;
  void *const *A;
  const int64_t *ld;
  int64_t *info;
} potrf_batch;

/* `name` is that of the public function. */
trigon_status call_potrf_batch(trigon_context *ctx, const char *name, const potrf_batch *b);

#endif

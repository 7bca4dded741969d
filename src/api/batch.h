/* batch.h - call_potrf_batch, behind POTRF for batches in all precisions. */
#ifndef TRIGON_BATCH_H
#define TRIGON_BATCH_H

#include "checks.h"

/* `name` is that of the public function. */
trigon_status call_potrf_batch(trigon_context *ctx, const char *name, trigon_type type, trigon_uplo uplo,
                               const matrix_batch *b);

#endif

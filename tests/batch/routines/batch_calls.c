/* batch_calls.c - makes batched calls as data (batch_calls.h). */
#include "batch_calls.h"

#define EACH_TYPE "batch/routines/batch_calls.inc"
#include "support/each_type.inc"

bool has_batch(enum tested_routine routine, trigon_type type) {
  switch (routine) {
  case LAUUM:
  case SYR2K:
  case HER2K:
  case SYMM:
  case HEMM: return false;
  default: return routine != HERK || is_complex(type);
  }
}

bool has_strided_info(enum tested_routine routine) { return routine != POTRS && takes(routine, "info"); }

trigon_status call_batched(trigon_context *ctx, const batch_call *b) {
  switch (b->flags.type) {
  case TRIGON_S: return b->strided ? strided_s(ctx, b) : arrays_s(ctx, b);
  case TRIGON_D: return b->strided ? strided_d(ctx, b) : arrays_d(ctx, b);
  case TRIGON_C: return b->strided ? strided_c(ctx, b) : arrays_c(ctx, b);
  default: return b->strided ? strided_z(ctx, b) : arrays_z(ctx, b);
  }
}

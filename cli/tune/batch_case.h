/* batch_case.h - the batches by which classes of batches are measured. */
#ifndef TRIGON_CLI_TUNE_BATCH_CASE_H
#define TRIGON_CLI_TUNE_BATCH_CASE_H

#include "../bench/batch/batch_operands.h"

/* Matrices of the orders above + 1 .. most, evenly distributed. */
typedef struct batch_case {
  const char *routine; /* of one matrix */
  char type;
  int64_t above, most, columns, count;
  bool told; /* the call is told the largest order */
} batch_case;

/* Makes the batch. on->ctx must be set, and all else zero. Returns false, with the reason; batch_case_free is due in
 * either case. */
bool batch_case_make(const batch_case *of, batch_operands *on, const verdict *to);
void batch_case_free(batch_operands *on);

#endif

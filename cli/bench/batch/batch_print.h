/* batch_print.h - prints the rows of batches, and their summary, as a table or as CSV. */
#ifndef TRIGON_BATCH_PRINT_H
#define TRIGON_BATCH_PRINT_H

#include "interleave.h"

/* The rows of all contenders for one batch. */
typedef struct batch_rows {
  const char *sizes, *variant; /* as in --sizes and --variant */
  const batch_operands *on;
  const contenders *contenders;
  const batch_result *result; /* of each contender */
  double floor;               /* seconds, or NaN */
  bool tells_largest;
} batch_rows;

/* For a table: prints the names of the columns. */
void batch_print_heading(const bench_routine *r, const char *variant, const contenders *w);

void batch_print_rows(const batch_rows *rows, bool csv);

/* The ratios of one of the library's contenders, over all batches that were measured. Begins with zeros. */
typedef struct batch_summary {
  int rows;
  double logarithms, lowest; /* the sum of the ratios' logarithms; the lowest ratio, */
  char where[80];            /* and the batch that has it */
} batch_summary;

/* Adds the ratio of each contender; nothing for a contender without a ratio. */
void batch_summary_add(batch_summary summary[MOST_CONTENDERS], const batch_rows *rows);

/* Prints geometric mean and lowest ratio of each contender that has any: in the table, or on standard error beside
 * CSV. */
void batch_print_summary(const batch_summary summary[MOST_CONTENDERS], const contenders *w, bool csv);

#endif

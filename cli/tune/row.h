/* row.h - a row of a tuning table in the making: a choice for each measured order, and the ranges that follow. */
#ifndef TRIGON_CLI_TUNE_ROW_H
#define TRIGON_CLI_TUNE_ROW_H

#include "subject.h"
#include "table.h"

enum { MOST_ORDERS = 16, MOST_RANGES = 5 };

/* What happens to operations of a measured order. */
typedef struct choice {
  int64_t order;
  const char *leaf; /* one leaf of this variant; NULL: the recursion cuts, and the choices of smaller orders count */
  double gflops;
} choice;

typedef struct row {
  choice choice[MOST_ORDERS]; /* by increasing order */
  int count;
} row;

/* Writes the lines of a row. Between two orders with different choices, the change is at their geometric mean. The last
 * choice holds for all larger orders; if the row is `complete`, it holds up to the largest measured order, and the
 * recursion cuts larger operations. With comments, each line tells what was measured. Returns false, and writes
 * nothing, if the row would have too many ranges. */
bool row_write(const row *r, const subject *s, bool complete, bool comments, table *to);

#endif

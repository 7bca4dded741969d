/* orders.h - the orders of the matrices of a batch: by a distribution, or from a file. */
#ifndef TRIGON_CLI_BENCH_BATCH_ORDERS_H
#define TRIGON_CLI_BENCH_BATCH_ORDERS_H

#include <stdint.h>

typedef struct batch_orders {
  int64_t count, largest;
  int64_t *n; /* the caller frees it */
} batch_orders;

/* Makes `count` orders from the text:
 *
 *   fixed:N    all of order N
 *   uniform:N  evenly distributed over 1 .. N
 *   skewed:N   one in a hundred of order N, the others evenly distributed over 1 .. N/10
 *   FILE       a CSV with the columns `columns` and `rows`, perhaps compressed by gzip: one matrix of order `columns`
 *              for each line; `count` is not used
 *
 * Each of the first three may end in xCOUNT, as in fixed:32x4096: so many orders instead of `count`.
 *
 * uniform and skewed are the distributions of section IV of A. Abdelfattah, A. Haidar, S. Tomov, J. Dongarra,
 * Optimizing GPU kernels for irregular batch workloads. The orders are the same ones for the same text. Returns the
 * exit status; *orders is to be freed in either case. */
int orders_make(const char *text, int64_t count, batch_orders *orders);

#endif

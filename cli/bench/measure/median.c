/* median.c - sorts samples, and takes the one in the middle. */
#include "median.h"

#include <stdlib.h>

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double median(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, compare);
  return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

double percentile_95(const double *sorted, int count) { return sorted[(95 * count + 99) / 100 - 1]; }

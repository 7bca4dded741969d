/* median.h - the median of samples. */
#ifndef TRIGON_CLI_BENCH_MEDIAN_H
#define TRIGON_CLI_BENCH_MEDIAN_H

/* The median of `count` > 0 values, which it sorts. */
double median(double *values, int count);

#endif

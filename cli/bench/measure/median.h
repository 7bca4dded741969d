/* median.h - the median of samples, and their 95th percentile. */
#ifndef TRIGON_CLI_BENCH_MEDIAN_H
#define TRIGON_CLI_BENCH_MEDIAN_H

/* The median of `count` > 0 values, which it sorts. */
double median(double *values, int count);

/* The 95th percentile of `count` > 0 sorted values: at least so many of 100 values are not above it. */
double percentile_95(const double *sorted, int count);

#endif

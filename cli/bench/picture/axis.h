/* axis.h - the axes of the benchmark's picture: ranges, scales, tics, and which tics get labels. */
#ifndef TRIGON_CLI_BENCH_PICTURE_AXIS_H
#define TRIGON_CLI_BENCH_PICTURE_AXIS_H

#include <stdbool.h>
#include <stdint.h>

enum { MOST_TICS = 16 };

/* The range and the scale of an axis; for axes of values, also the tics. (Axes of sizes have tics at the measured
 * sizes.) */
typedef struct axis {
  double low, high;
  bool logarithmic;
  int tics;
  double tic[MOST_TICS];
} axis;

/* The place of a value between low (0) and high (1). */
double axis_share(const axis *a, double value);

/* An axis of sizes from a little below `least` to `most`, or around the only size. It is logarithmic if `most` is at
 * least 4 times `least`. */
axis axis_of_sizes(double least, double most);

/* Axes of `height` pixels: of speeds, from 0 to at least `most` > 0; of ratios, which includes 1 and is logarithmic if
 * the largest ratio is at least 4 times the smallest. */
axis axis_of_speeds(double most, double height);
axis axis_of_ratios(double least, double most, double height);

/* A measured size, x pixels to the right of the left end of its axis. */
typedef struct size_tic {
  int64_t size;
  double x;
  bool labelled;
} size_tic;

/* Chooses which tics, given in ascending order, have a label: sizes that are divisible by the highest power of two
 * first, larger ones before smaller ones, as long as no two labels come close to each other. */
void label_sizes(size_tic *tics, int count, double font);

#endif

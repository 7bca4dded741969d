/* axis.h - the axes of the benchmark's picture: ranges, scales, tics, and which tics get labels. */
#ifndef TRIGON_CLI_BENCH_PICTURE_AXIS_H
#define TRIGON_CLI_BENCH_PICTURE_AXIS_H

#include <stdbool.h>
#include <stdint.h>

enum { MOST_TICS = 16 };

/* What an axis shows, and for axes of values where its tics are (tics of sizes stand where sizes were measured). */
typedef struct axis {
  double low, high;
  bool logarithmic;
  int tics;
  double tic[MOST_TICS];
} axis;

/* Where a value is between low (0) and high (1). */
double axis_share(const axis *a, double value);

/* Sizes from `least`, with a little room before it, to `most`, or around the only one; logarithmic if the largest is 4
 * times the smallest or more. */
axis axis_of_sizes(double least, double most);

/* Axes of `height` pixels: speeds from 0 to at least `most` > 0; ratios, with 1 among them, logarithmic if the largest is
 * 4 times the smallest or more. */
axis axis_of_speeds(double most, double height);
axis axis_of_ratios(double least, double most, double height);

/* A measured size on its axis, x pixels from the axis's left end. */
typedef struct size_tic {
  int64_t size;
  double x;
  bool labelled;
} size_tic;

/* Chooses which of the tics, in ascending order, get their size as a label: those with the highest power of two in
 * them first, of equals the larger, as long as labels do not come close to each other. */
void label_sizes(size_tic *tics, int count, double font);

#endif

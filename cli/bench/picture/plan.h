/* plan.h - what is decided of the benchmark's picture before it is drawn: axes, tics, labels and places. */
#ifndef TRIGON_CLI_BENCH_PICTURE_PLAN_H
#define TRIGON_CLI_BENCH_PICTURE_PLAN_H

#include "axis.h"
#include "heading.h"
#include "layout.h"

typedef struct picture_plan {
  const panel_list *panels;
  layout layout;
  double unit;         /* of the axes of speeds, in Gflop/s */
  bool own_speeds;     /* each panel has its own axis of speeds */
  axis speeds, ratios; /* the axes that panels share */
} picture_plan;

picture_plan plan_make(const panel_list *panels, const picture_heading *heading);

/* The axes of panel number i. */
axis plan_sizes(const picture_plan *plan, int i);
axis plan_speeds(const picture_plan *plan, int i);

/* The distance of a value from the top of the picture, in a frame with this vertical axis. */
double plan_height(const frame *f, const axis *values, double value);

/* Stores a tic for each size of the panel in `tics`, which has room for as many as the panel has rows. Returns how many
 * there are. */
int plan_tics(const picture_plan *plan, int i, size_tic *tics);

/* The label of a line, to the right of the end of the line. The line ends at the right of the frame, `end` pixels from
 * the top; the middle of the label is there, too, or, to make room for other labels, above or below. */
enum { MOST_LABEL = 32, LABEL_DISTANCE = 11 /* pixels from the end of the line */ };
typedef struct line_label {
  char text[MOST_LABEL];
  int impl;
  double end, middle;
} line_label;

/* Stores the labels of a panel's lines, the highest first. Returns how many there are. */
int plan_labels(const picture_plan *plan, int i, line_label labels[IMPLS]);

/* The label of its ratio. */
line_label plan_ratio_label(const picture_plan *plan, int i);

#endif

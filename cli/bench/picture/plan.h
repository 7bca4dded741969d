/* plan.h - what the benchmark's picture consists of, and where: everything that is decided before it is drawn. */
#ifndef TRIGON_CLI_BENCH_PICTURE_PLAN_H
#define TRIGON_CLI_BENCH_PICTURE_PLAN_H

#include "axis.h"
#include "heading.h"
#include "layout.h"

typedef struct picture_plan {
  const panel_list *panels;
  layout place;
  double unit;         /* Gflop/s that the axes of speeds count by */
  bool own_speeds;     /* each panel has its own axis of speeds */
  axis speeds, ratios; /* those that panels share */
} picture_plan;

picture_plan plan_make(const panel_list *panels, const picture_heading *heading);

/* The axes of panel number i. */
axis plan_sizes(const picture_plan *plan, int i);
axis plan_speeds(const picture_plan *plan, int i);

/* How far from the top a value is in a frame with this vertical axis. */
double plan_height(const frame *f, const axis *values, double value);

/* Fills `tics`, which has room for the panel's rows, with its sizes, each once; returns how many there are. */
int plan_tics(const picture_plan *plan, int i, size_tic *tics);

/* The label behind a line's end, which is at the frame's right and `end` pixels from the top. If there is no room, the
 * label's middle is above or below that. */
enum { MOST_LABEL = 32, LABEL_DISTANCE = 11 /* pixels behind the end */ };
typedef struct line_label {
  char text[MOST_LABEL];
  int impl;
  double end, middle;
} line_label;

/* The labels of a panel's lines, the highest first; returns how many there are. And the one of its ratio. */
int plan_labels(const picture_plan *plan, int i, line_label labels[IMPLS]);
line_label plan_ratio_label(const picture_plan *plan, int i);

#endif

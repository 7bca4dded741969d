/* canvas.h - draws text, strokes and axes, in pixels from the picture's top left corner, by commands of gnuplot. */
#ifndef TRIGON_CLI_BENCH_PICTURE_CANVAS_H
#define TRIGON_CLI_BENCH_PICTURE_CANVAS_H

#include "axis.h"
#include "layout.h"

#include <stdio.h>

/* The file that takes the commands, whose errors the caller checks, and the height of the picture. */
typedef struct canvas {
  FILE *to;
  double height;
} canvas;

/* Begins an SVG picture on gnuplot's standard output. */
void canvas_begin(const canvas *c);

/* How text looks, and which point of the text is at its place: "left", "center" or "center rotate". */
typedef struct text_style {
  int font;
  const char *colour, *anchor;
} text_style;

/* Draw `length` bytes of text on one line, whose middle is at y; and a thin stroke. gnuplot draws them with each
 * following plot, until canvas_forget. */
void canvas_text(const canvas *c, const char *text, size_t length, double x, double y, const text_style *style);
void canvas_stroke(const canvas *c, double x0, double y0, double x1, double y1, const char *colour);
void canvas_forget(const canvas *c);

/* Set the frame of the following plots, and the range, tics and labels of their axes. Without `labels`, the tics of the
 * sizes have no labels. */
void canvas_frame(const canvas *c, const frame *f);
void canvas_values(const canvas *c, const axis *a);
void canvas_sizes(const canvas *c, const axis *a, const size_tic *tics, int count, bool labels);

#endif

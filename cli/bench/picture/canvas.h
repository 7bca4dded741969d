/* canvas.h - writes what is to be drawn, in pixels from the picture's top left corner, as commands of gnuplot. */
#ifndef TRIGON_CLI_BENCH_PICTURE_CANVAS_H
#define TRIGON_CLI_BENCH_PICTURE_CANVAS_H

#include "axis.h"
#include "layout.h"

#include <stdio.h>

/* Where the commands go, whose errors are for the caller to ask, and how high the picture is. */
typedef struct canvas {
  FILE *to;
  double height;
} canvas;

/* Opens an SVG picture on gnuplot's standard output. */
void canvas_begin(const canvas *c);

/* How text looks, and where its place is: "left", "center", "center rotate". */
typedef struct text_style {
  int font;
  const char *colour, *anchor;
} text_style;

/* `length` bytes of text on one line, whose middle is at y; and a thin stroke. Both are drawn with the next plot;
 * canvas_forget keeps them from those after it. */
void canvas_text(const canvas *c, const char *text, size_t length, double x, double y, const text_style *style);
void canvas_stroke(const canvas *c, double x0, double y0, double x1, double y1, const char *colour);
void canvas_forget(const canvas *c);

/* Where the next plot's axes are; their ranges, tics and labels. Without `labels` the sizes' tics are bare. */
void canvas_frame(const canvas *c, const frame *f);
void canvas_values(const canvas *c, const axis *a);
void canvas_sizes(const canvas *c, const axis *a, const size_tic *tics, int count, bool labels);

#endif

/* layout.h - geometry of the benchmark's picture, in pixels from its top left corner: how wide text is, where
 * the panels are, where labels go. */
#ifndef TRIGON_CLI_BENCH_PICTURE_LAYOUT_H
#define TRIGON_CLI_BENCH_PICTURE_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

/* Sizes of the picture's fonts. */
enum { FONT = 13, TITLE_FONT = 20, LINE_GAP = 16 }; /* LINE_GAP: between the middles of two lines of FONT */
enum { PICTURE_WIDTH = 900, MARGIN = 24 };

typedef struct frame {
  double left, top, right, bottom;
} frame;

/* The width of the first `length` bytes of ASCII text in Helvetica or a font like it, rather too large than too small. */
double text_width(const char *text, size_t length, double font);

/* Takes the next line of at most `width` off the front of *rest: up to a blank if there is one, else as much as fits, at
 * least one byte. Returns false at the end of the text. */
bool text_line(const char **rest, double font, double width, const char **line, size_t *length);

/* Moves the positions as little as possible, in least squares, so that neighbours are at least `gap` apart and all are
 * from `low` to `high`, where there is room for that. Positions must be in ascending order, and stay so. */
void spread(double *at, int count, double gap, double low, double high);

/* What the arrangement depends on. */
typedef struct layout_wish {
  int panels, title_lines, text_lines; /* of the heading */
  bool ratio, single;            /* ratio: there is a frame for it under each panel; single: no line has two points */
  double title_width;            /* of the widest title of a panel */
  double tic_width, label_width; /* the widest label of the vertical axes; of the lines */
} layout_wish;

/* Where everything is. */
typedef struct layout {
  layout_wish wish;
  int columns;
  double height; /* of the picture, PICTURE_WIDTH wide */
} layout;

layout layout_make(const layout_wish *wish);

/* The middle of the heading's line number i, title and text counted together. */
double layout_heading(const layout *l, int i);

/* The middle of a panel's title and of the name of its horizontal axis; the frames of its axes. */
double layout_panel_title(const layout *l, int panel);
double layout_axis_name(const frame *f);
frame layout_speed(const layout *l, int panel);
frame layout_ratio(const layout *l, int panel);

#endif

/* layout.h - the geometry of the picture: widths of text, places of panels and labels, in pixels from the top left. */
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

/* The width of the first `length` bytes of ASCII text in Helvetica or a font that takes its place. The result may be
 * too large, but is not too small. */
double text_width(const char *text, size_t length, double font);

/* Removes the next line, at most `width` wide, from the front of *rest. The line ends at a blank or, if no blank fits,
 * after as many bytes as fit, at least one. Returns false at the end of the text. */
bool text_line(const char **rest, double font, double width, const char **line, size_t *length);

/* Moves the positions as little as possible, in least squares, so that neighbours are at least `gap` apart and all are
 * from `low` to `high`, if there is room for that. The positions must be in ascending order, and remain so. */
void spread(double *at, int count, double gap, double low, double high);

/* What the layout depends on. */
typedef struct layout_wish {
  int panels, title_lines, text_lines; /* of the heading */
  bool ratio, single; /* ratio: each panel has a second frame, for the ratio; single: no line has two points */
  double title_width; /* the widest title of a panel */
  double tic_width, label_width; /* the widest label of a vertical axis, and of a line */
} layout_wish;

/* The places of everything. */
typedef struct layout {
  layout_wish wish;
  int columns;
  double height; /* of the picture, PICTURE_WIDTH wide */
} layout;

layout layout_make(const layout_wish *wish);

/* The middle of line i of the heading, counted from 0, title included. */
double layout_heading(const layout *l, int i);

/* The middle of a panel's title, and of the name of its horizontal axis; the frames for its speeds and its ratio. */
double layout_panel_title(const layout *l, int panel);
double layout_axis_name(const frame *f);
frame layout_speed(const layout *l, int panel);
frame layout_ratio(const layout *l, int panel);

#endif

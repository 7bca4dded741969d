/* layout.c - computes widths of text and places of panels and labels. */
#include "layout.h"

#include <math.h>
#include <string.h>

/* --------------------------------------------------------------------------------------------------- text -- */

/* Widths of the characters from ' ' to '~' in Helvetica, in thousandths of the size of the font. */
static const short widths[] = {278,  278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
                               556,  556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
                               1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
                               667,  778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
                               333,  556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
                               556,  556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584};

/* Fonts that take the place of Helvetica are at most this many times as wide (DejaVu Sans). */
static const double substitute = 1.16;

double text_width(const char *text, size_t length, double font) {
  double sum = 0;
  for (size_t i = 0; i < length; i++) sum += text[i] >= ' ' && text[i] <= '~' ? widths[text[i] - ' '] : 1000;
  return 1e-3 * substitute * font * sum;
}

/* How many bytes of the text fit on a line. */
static size_t line_length(const char *text, double font, double width) {
  size_t length = strlen(text), blank = 0, fits = 0;
  while (fits < length && text_width(text, fits + 1, font) <= width) {
    fits++;
    if (text[fits] == ' ') blank = fits;
  }
  if (fits == length) return length;
  return blank > 0 ? blank : fits > 0 ? fits : 1;
}

bool text_line(const char **rest, double font, double width, const char **line, size_t *length) {
  *line = *rest + strspn(*rest, " ");
  *length = line_length(*line, font, width);
  *rest = *line + *length;
  return *length > 0;
}

/* ------------------------------------------------------------------------------------------------- labels -- */

/* After the gaps are subtracted, the positions must only be in ascending order: isotonic regression, by blocks of
 * positions that take their mean. */
void spread(double *at, int count, double gap, double low, double high) {
  double room = high - gap * (count - 1);
  for (int i = 0; i < count; i++) at[i] -= gap * i;
  for (int end = 1; end < count; end++) {
    double sum = at[end], mean = sum;
    int begin = end;
    while (begin > 0 && at[begin - 1] > mean) {
      sum += at[--begin];
      mean = sum / (end - begin + 1);
    }
    for (int i = begin; i <= end; i++) at[i] = mean;
  }
  for (int i = 0; i < count; i++) at[i] = fmax(fmin(at[i], room), low) + gap * i;
}

/* ------------------------------------------------------------------------------------------------- frames -- */

/* Distances in pixels. */
enum {
  TITLE_LINE = 26,    /* height of a line of the title */
  TEXT_LINE = 18,     /* height of a line of the text under the title */
  PANEL_TITLE = 38,   /* height of a panel's title, with the distance to what is above it */
  AXIS_NAME = 20,     /* height of the name of an axis */
  TICS = 24,          /* height of the labels under an axis */
  BETWEEN = 20,       /* from the frame for speeds to the frame for ratios */
  BESIDE = 10,        /* between a frame and a label */
  WIDEST_SINGLE = 260 /* width of a frame with a single size, at most */
};

/* Heights of the frames for speeds and for ratios, by the number of columns. */
static const double speed_height[] = {0, 300, 200, 150}, ratio_height[] = {0, 100, 76, 64};

static double cell_width(int columns) { return (PICTURE_WIDTH - 2.0 * MARGIN - AXIS_NAME + BESIDE) / columns; }

/* The number of columns that looks good, or fewer if a title of a panel needs the width. */
static int count_columns(const layout_wish *wish) {
  const double tics = 60; /* the distance from the edge of a cell to its title, at most */
  int columns = wish->panels == 3 || wish->panels > 4 ? 3 : wish->panels == 1 && !wish->single ? 1 : 2;
  while (columns > 1 && cell_width(columns) < tics + wish->title_width) columns--;
  return columns;
}

layout layout_make(const layout_wish *wish) {
  layout l = {.wish = *wish, .columns = count_columns(wish)};
  int last = wish->panels - 1;
  l.height = (wish->ratio ? layout_ratio(&l, last) : layout_speed(&l, last)).bottom + TICS + AXIS_NAME + MARGIN / 2;
  return l;
}

double layout_heading(const layout *l, int i) {
  int titles = i < l->wish.title_lines ? i : l->wish.title_lines;
  return MARGIN + TITLE_LINE / 2 + TITLE_LINE * titles + TEXT_LINE * (i - titles);
}

/* From top to bottom: the heading; then, for each row of panels, title, speeds, ratio, tics, name of the axis. */
static double panel_top(const layout *l, int panel) {
  double row = PANEL_TITLE + speed_height[l->columns] + TICS + AXIS_NAME;
  if (l->wish.ratio) row += BETWEEN + ratio_height[l->columns];
  double heading = MARGIN + TITLE_LINE * l->wish.title_lines + TEXT_LINE * l->wish.text_lines;
  return heading + row * (panel / l->columns);
}

double layout_panel_title(const layout *l, int panel) { return panel_top(l, panel) + PANEL_TITLE - FONT; }

double layout_axis_name(const frame *f) { return f->bottom + TICS + AXIS_NAME / 2; }

frame layout_speed(const layout *l, int panel) {
  double cell = cell_width(l->columns);
  double left = MARGIN + AXIS_NAME + cell * (panel % l->columns), top = panel_top(l, panel) + PANEL_TITLE;
  double right = left + cell - l->wish.label_width - BESIDE;
  left += l->wish.tic_width + BESIDE;
  if (l->wish.single) right = fmin(right, left + WIDEST_SINGLE);
  return (frame){left, top, right, top + speed_height[l->columns]};
}

frame layout_ratio(const layout *l, int panel) {
  frame f = layout_speed(l, panel);
  f.top = f.bottom + BETWEEN;
  f.bottom = f.top + ratio_height[l->columns];
  return f;
}

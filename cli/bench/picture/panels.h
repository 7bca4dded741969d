/* panels.h - groups benchmark rows into the panels of the picture. */
#ifndef TRIGON_CLI_BENCH_PICTURE_PANELS_H
#define TRIGON_CLI_BENCH_PICTURE_PANELS_H

#include "../measure/measure.h"

/* The rows of one routine, type and variant in which one size varies, along the axis; each other size is the same in
 * all rows, or equal to the size along the axis in all rows. */
typedef struct panel {
  const bench_row **row; /* `count` rows, by ascending size */
  int count;
  char axis;        /* the letter of the size along the axis */
  bool tied[SIZES]; /* for m, n and k: whether the size equals the one along the axis */
} panel;

typedef struct panel_list {
  panel *panel;
  int count;
  bool native, gemm;     /* whether they were measured in any row */
  const bench_row **row; /* memory for the rows of all panels */
} panel_list;

/* Makes the panels of `count` > 0 rows; rows of one routine, type and variant must be neighbours. The axis is the size
 * with the most different values, the routine's first one if several have as many. Returns false if memory is short;
 * panels_free is to be called in either case. */
bool panels_make(const bench_row *rows, int count, panel_list *list);
void panels_free(panel_list *list);

/* The size of row i along the axis. */
int64_t panel_size(const panel *p, int i);

/* Whether all rows have the same size, so that no line has two points. */
bool panel_is_single(const panel *p);

/* Whether the implementation was measured, which holds for all rows of a panel or for none. */
bool panel_has(const panel *p, int impl);

/* Store the title of the panel, "dtrsm LLNN, n = 64", and the name of its axis, "m" or "m = n". */
enum { MOST_PANEL_WORDS = 128 };
void panel_words(const panel *p, char text[MOST_PANEL_WORDS]);
void panel_axis_words(const panel *p, char text[MOST_PANEL_WORDS]);

#endif

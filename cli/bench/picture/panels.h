/* panels.h - which benchmark rows make up which panel of the picture. */
#ifndef TRIGON_CLI_BENCH_PICTURE_PANELS_H
#define TRIGON_CLI_BENCH_PICTURE_PANELS_H

#include "../measure.h"

/* The rows of one routine, type and variant, along one of its sizes; the other sizes are the same in all of them, or
 * equal to that one. */
typedef struct panel {
  const bench_row **row; /* `count` of them, the smallest size first */
  int count;
  char axis;    /* the letter of the size along the axis */
  bool tied[3]; /* for m, n, k: whether the size is equal to the axis's */
} panel;

typedef struct panel_list {
  panel *panel;
  int count;
  bool native, gemm;     /* whether a row has them */
  const bench_row **row; /* where the panels' rows are */
} panel_list;

/* Fills the list from `count` > 0 rows, those of one routine, type and variant in succession. The axis is the size with
 * the most different values, of equals the routine's first one. Returns false if memory is short; panels_free is due
 * in any case. */
bool panels_make(const bench_row *rows, int count, panel_list *list);
void panels_free(panel_list *list);

/* The size of the i-th row along the axis. */
int64_t panel_size(const panel *p, int i);

/* Whether all rows are of one size, so that no line has two points. */
bool panel_is_single(const panel *p);

/* Whether the implementation was measured: in all rows of a panel or in none. */
bool panel_has(const panel *p, int impl);

/* The panel in words, "dtrsm LLNN, n = 64"; what its axis shows, "m", or "m = n". */
enum { MOST_PANEL_WORDS = 128 };
void panel_words(const panel *p, char text[MOST_PANEL_WORDS]);
void panel_axis_words(const panel *p, char text[MOST_PANEL_WORDS]);

#endif

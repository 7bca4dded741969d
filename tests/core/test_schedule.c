/* test_schedule.c - the panels of the matrices of a batch: the paper's tables, and anchors. */
#include <stdio.h>
#include <string.h>

#include "common/panel_schedule.h"
#include "support/check.h"

enum { NB = 8 }; /* columns of a panel */

/* The panels of a matrix of order n in each iteration, as rows × columns; a dash: the matrix takes no part. */
static void expect_panels(anchoring where, int64_t n, int64_t most, const char *due) {
  char found[200] = "", what[300];
  for (int64_t s = 0; s < blocks_in(most, NB); s++) {
    const span columns = panel_of(where, n, most, NB, s);
    const size_t used = strlen(found);
    if (columns.count > 0)
      snprintf(found + used, sizeof found - used, " %dx%d", (int)(n - columns.first), (int)columns.count);
    else
      snprintf(found + used, sizeof found - used, " -");
    check(columns.count == 0 || n - columns.first <= NB * (blocks_in(most, NB) - s), "a panel has as many threads");
  }
  snprintf(what, sizeof what, "the panels of order %d are%s, not%s", (int)n, due, found);
  check(strcmp(found, due) == 0, what);
}

/* The paper's tables for the orders {50, 32, 17, 5} and panels of 8 columns. A bound above the largest order adds empty
 * iterations, and changes nothing else. */
static void tables(void) {
  expect_panels(ANCHOR_START, 50, 50, " 50x8 42x8 34x8 26x8 18x8 10x8 2x2"); /* Table I: SSDE */
  expect_panels(ANCHOR_START, 32, 50, " 32x8 24x8 16x8 8x8 - - -");
  expect_panels(ANCHOR_START, 17, 50, " 17x8 9x8 1x1 - - - -");
  expect_panels(ANCHOR_START, 5, 50, " 5x5 - - - - - -");
  expect_panels(ANCHOR_END, 50, 50, " 50x8 42x8 34x8 26x8 18x8 10x8 2x2"); /* Table II: DSSE */
  expect_panels(ANCHOR_END, 32, 50, " - - - 32x8 24x8 16x8 8x8");
  expect_panels(ANCHOR_END, 17, 50, " - - - - 17x8 9x8 1x1");
  expect_panels(ANCHOR_END, 5, 50, " - - - - - - 5x5");
  expect_panels(ANCHOR_START, 17, 70, " 17x8 9x8 1x1 - - - - - -");
  expect_panels(ANCHOR_END, 50, 70, " - - 50x8 42x8 34x8 26x8 18x8 10x8 2x2");
  expect_panels(ANCHOR_END, 17, 70, " - - - - - - 17x8 9x8 1x1");
  expect_panels(ANCHOR_START, 0, 50, " - - - - - - -");
  expect_panels(ANCHOR_END, 0, 50, " - - - - - - -");
}

/* The sizes of the paper's Table II. With blocks of 8 the orders {50, 32, 17, 5} have 7, 4, 3 and 1 blocks, and all
 * end together. */
static void anchors(void) {
  check(anchor_of(ANCHOR_END, 50, 50, 8) == 0 && anchor_of(ANCHOR_END, 32, 50, 8) == 24 &&
            anchor_of(ANCHOR_END, 17, 50, 8) == 32 && anchor_of(ANCHOR_END, 5, 50, 8) == 48,
        "matrices that end together");
  check(anchor_of(ANCHOR_START, 5, 50, 8) == 0, "matrices that start together");
  check(clip((span){0, 8}, 24, 32).count == 0, "a window before a matrix");
  check(clip((span){20, 8}, 24, 32).first == 0 && clip((span){20, 8}, 24, 32).count == 4, "a window over its start");
  check(clip((span){50, 8}, 24, 32).first == 26 && clip((span){50, 8}, 24, 32).count == 6, "a window over its end");
  check(clip((span){56, 8}, 24, 32).count == 0, "a window behind it");
}

int main(void) {
  anchors();
  tables();
  return checked();
}

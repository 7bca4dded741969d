/* panel_schedule.h - in which iteration which panel of a matrix of a batch is factored. For C and C++, and for kernels.
 *
 * A panel is nb columns wide, so that a matrix of order n has ⌈n/nb⌉ panels. One iteration factors one panel of every
 * matrix that takes part. The matrices of a batch lie in one frame of whole panels, and iteration s shows the columns
 * s·nb .. s·nb + nb - 1 of the frame. Each matrix has an anchor, which is its place in the frame:
 *
 *   ANCHOR_START   all matrices start in the first iteration: SSDE, "same start, different ends" (the paper's Table I)
 *   ANCHOR_END     all matrices end in the last iteration: DSSE, "different starts, same end" (Table II)
 *
 * If no order exceeds `most`, no panel of iteration s has more than nb·⌈most/nb⌉ - s·nb rows. With SSDE the largest one
 * has most - s·nb rows. With DSSE a smaller matrix may have more rows than the largest: 32 × 8 in iteration 3 of Table
 * II, where the matrix of order 50 has 26 × 8.
 *
 * Table II rounds the distance between two anchors so that every matrix ends exactly in the last iteration. MAGMA's
 * code takes nb·⌊(most - n)/nb⌋, so that some matrices end one iteration earlier. `most` need not be the largest order:
 * a higher bound puts the same number of empty iterations before all matrices, and changes nothing else.
 *
 * Paper: Abdelfattah, Haidar, Tomov, Dongarra, "Optimizing GPU Kernels for Irregular Batch Workloads", V.B. */
#ifndef TRIGON_PANEL_SCHEDULE_H
#define TRIGON_PANEL_SCHEDULE_H

#include <stdint.h>

#include "core/host_device.h"

/* Rows, or columns, of a matrix or of the frame. */
typedef struct span {
  int64_t first, count;
} span;

typedef enum anchoring { ANCHOR_START, ANCHOR_END } anchoring;

TRIGON_HOST_DEVICE static inline int64_t blocks_in(int64_t size, int64_t nb) { return (size + nb - 1) / nb; }

/* The anchor of a matrix of `size` rows in a frame for `most` rows, in blocks of order nb. */
TRIGON_HOST_DEVICE static inline int64_t anchor_of(anchoring where, int64_t size, int64_t most, int64_t nb) {
  return where == ANCHOR_START ? 0 : nb * (blocks_in(most, nb) - blocks_in(size, nb));
}

/* The rows that a window on the frame shows of a matrix of `size` rows. The matrix is anchored at row `anchor`. */
TRIGON_HOST_DEVICE static inline span clip(span window, int64_t anchor, int64_t size) {
  const int64_t begin = window.first - anchor, end = begin + window.count;
  const int64_t first = begin > 0 ? begin : 0, last = end < size ? end : size;
  const span shown = {first, last > first ? last - first : 0};
  return shown;
}

/* The columns of the panel that iteration s factors of a matrix of order n; none: the matrix takes no part. The panel
 * has the rows from its first column on. */
TRIGON_HOST_DEVICE static inline span panel_of(anchoring where, int64_t n, int64_t most, int64_t nb, int64_t s) {
  const span window = {s * nb, nb};
  return clip(window, anchor_of(where, n, most, nb), n);
}

#endif

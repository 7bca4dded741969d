/* buffers.c - makes and frees the buffers of the register kernels. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/kernels/packed/blocks/buffers.h"

enum { alignment = 4096, dirty_bytes = 16 << 10 };

/* A thread's buffer has room for a block of X, for one panel of a large triangle, or for a panel of a
 * factor and its rows of L. */
static int64_t thread_bytes(const kernels *const *of, const caches *here) {
  int64_t bytes = row_block_bytes(here);
  for (int i = 0; i < TYPES; i++) {
    const int64_t row = of[i]->cols * type_size(types_in_order[i]);
    const int64_t panel = up_to_multiple(packed_triangle_order(types_in_order[i]), of[i]->rows) * row;
    const int64_t factor = (packed_factor_order(types_in_order[i]) + of[i]->rows + of[i]->cols) * row;
    bytes = panel > bytes ? panel : bytes;
    bytes = factor > bytes ? factor : bytes;
  }
  return up_to_multiple(bytes, alignment);
}

trigon_status packed_create(const kernels *const *of, int threads, packed **out, reason *why) {
  packed *p = calloc(1, sizeof *p);
  if (p) {
    const caches here = caches_here();
    p->of = of, p->threads = threads;
    p->row_bytes = thread_bytes(of, &here), p->column_bytes = column_block_bytes(&here);
    for (int i = 0; i < TYPES; i++) p->blocks[i] = blocking_for(&here, of[i], types_in_order[i]);
    p->rows = aligned_alloc(alignment, (size_t)p->row_bytes);
    p->cols = aligned_alloc(alignment, (size_t)p->column_bytes);
  }
  if (p && p->rows && p->cols) {
    *out = p;
    return TRIGON_OK;
  }
  packed_destroy(p);
  snprintf(why->text, sizeof why->text, "out of memory");
  return TRIGON_NO_MEMORY;
}

void packed_destroy(packed *p) {
  if (!p) return;
  free(p->rows);
  free(p->cols);
  free(p);
}

int64_t packed_memory(const packed *p) { return p ? p->row_bytes + p->column_bytes : 0; }

void packed_set_threads(packed *p, int threads) { p->threads = threads; }

void packed_make_dirty(packed *p) {
  p->dirty = true;
  memset(p->rows, 0xff, dirty_bytes);
  memset(p->cols, 0xff, dirty_bytes);
}

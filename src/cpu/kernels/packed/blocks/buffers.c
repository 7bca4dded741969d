/* buffers.c - makes and frees the buffers of the register kernels. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/kernels/packed/blocks/buffers.h"

enum { KiB = 1 << 10, alignment = 4096, dirty_bytes = 16 * KiB };

/* A member's buffer: first what a context's team shares, then a thread's own. POTRF of one thread takes both. */
enum { member_column_bytes = 1088 * KiB, member_row_bytes = packed_member_bytes - member_column_bytes };

packed_orders packed_orders_of(trigon_type type, bool is_member) {
  static const packed_orders context[TYPES] = {
      {1024, 32 * KiB, 512, 512}, {1024, 32 * KiB, 512, 512}, {1024, 32 * KiB, 512, 512}, {704, 32 * KiB, 352, 352}};
  static const packed_orders member[TYPES] = {
      {720, 8 * KiB, 512, 512}, {512, 8 * KiB, 424, 512}, {512, 8 * KiB, 408, 512}, {360, 8 * KiB, 296, 352}};
  return (is_member ? member : context)[type_index(type)];
}

/* A thread's buffer has room for a block of X, for one panel of a large triangle, or for a panel of a
 * factor and its rows of L. */
static int64_t thread_bytes(const kernels *const *of, const caches *here) {
  int64_t bytes = row_block_bytes(here);
  for (int i = 0; i < TYPES; i++) {
    const packed_orders orders = packed_orders_of(types_in_order[i], false);
    const int64_t row = of[i]->cols * type_size(types_in_order[i]);
    const int64_t panel = up_to_multiple(orders.triangle, of[i]->rows) * row;
    const int64_t factor = (orders.panels + of[i]->rows + of[i]->cols) * row;
    bytes = panel > bytes ? panel : bytes;
    bytes = factor > bytes ? factor : bytes;
  }
  return up_to_multiple(bytes, alignment);
}

/* Without buffers. */
static packed *make(const kernels *const *of, int threads, const caches *here, bool is_member) {
  packed *p = calloc(1, sizeof *p);
  if (!p) return NULL;
  p->of = of, p->threads = threads, p->is_member = is_member;
  p->row_bytes = is_member ? member_row_bytes : thread_bytes(of, here);
  p->column_bytes = is_member ? member_column_bytes : column_block_bytes(here);
  for (int i = 0; i < TYPES; i++) {
    p->blocks[i] = blocking_for(here, of[i], types_in_order[i]);
    p->triangle_order[i] = packed_orders_of(types_in_order[i], is_member).triangle;
  }
  return p;
}

static trigon_status no_memory(reason *why) {
  snprintf(why->text, sizeof why->text, "out of memory");
  return TRIGON_NO_MEMORY;
}

trigon_status packed_create(const kernels *const *of, int threads, packed **out, reason *why) {
  const caches here = caches_here();
  packed *p = make(of, threads, &here, false);
  if (p) {
    p->rows = aligned_alloc(alignment, (size_t)p->row_bytes);
    p->cols = aligned_alloc(alignment, (size_t)p->column_bytes);
  }
  if (p && p->rows && p->cols) {
    *out = p;
    return TRIGON_OK;
  }
  packed_destroy(p);
  return no_memory(why);
}

/* Blocks fit the member's buffer, and a block of X the second-level cache as usual. */
trigon_status packed_create_member(const kernels *const *of, packed **out, reason *why) {
  caches here = caches_here();
  here.third = 2 * member_column_bytes;
  here.second = least(here.second, member_row_bytes / 5 * 8);
  *out = make(of, 1, &here, true);
  return *out ? TRIGON_OK : no_memory(why);
}

void packed_lend(packed *p, void *buffer) {
  p->cols = buffer;
  p->rows = (char *)buffer + member_column_bytes;
}

void *packed_lendable(const packed *p) { return p->cols; }

void packed_destroy(packed *p) {
  if (!p) return;
  if (!p->is_member) free(p->rows), free(p->cols);
  free(p);
}

int64_t packed_memory(const packed *p) { return !p || p->is_member ? 0 : p->row_bytes + p->column_bytes; }

void packed_set_threads(packed *p, int threads) { p->threads = threads; }

void packed_make_dirty(packed *p) {
  p->dirty = true;
  memset(p->rows, 0xff, dirty_bytes);
  memset(p->cols, 0xff, dirty_bytes);
}

/* guarded.c - matrices between guards that notice stray writes and reads (guarded.h). */
#include "guarded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The elements of a guard. With an odd number the matrix is aligned to its elements and not more, with an even one
 * pairs of doubles are aligned, too. The shapes decide, so that both occur with every size. */
static int guard_of(int64_t rows, int64_t cols, int64_t gap) { return 16 + (int)((rows + 3 * cols + gap) / 2 % 2); }

/* Quiet NaNs with a payload, for each width of a real number. */
static const uint32_t poison4 = UINT32_C(0x7fc5a5a5);
static const uint64_t poison8 = UINT64_C(0x7ff8a5a5a5a5a5a5);

bool is_poison(const void *element, trigon_type type) {
  const void *poison = is_single(type) ? (const void *)&poison4 : (const void *)&poison8;
  return memcmp(element, poison, is_single(type) ? sizeof poison4 : sizeof poison8) == 0;
}

static void fill(unsigned char *to, size_t bytes, trigon_type type) {
  const void *poison = is_single(type) ? (const void *)&poison4 : (const void *)&poison8;
  const size_t width = is_single(type) ? sizeof poison4 : sizeof poison8;
  for (size_t i = 0; i < bytes; i += width) memcpy(to + i, poison, width);
}

region written_region(const call *c, int index) {
  const operand *x = &routines[c->routine].operand[index];
  if (!x->written) return (region){REGION_NONE, false};
  if (x->storage == GENERAL) return (region){REGION_ALL, false};
  return (region){c->uplo == TRIGON_LOWER ? REGION_LOWER : REGION_UPPER,
                  x->storage == TRIANGULAR && c->diag == TRIGON_UNIT};
}

void region_rows(region r, int64_t rows, int64_t j, int64_t *from, int64_t *to) {
  const int64_t strict = r.strict ? 1 : 0;
  *from = r.shape == REGION_LOWER ? j + strict : 0;
  *to = r.shape == REGION_NONE ? 0 : r.shape == REGION_UPPER ? j + 1 - strict : rows;
  if (*to > rows) *to = rows;
  if (*from > *to) *from = *to;
}

void guarded_shape(guarded *g, trigon_type type, int64_t rows, int64_t cols, int64_t gap) {
  const int64_t ld = (rows > 1 ? rows : 1) + gap;
  const size_t element = element_size(type);
  g->guard = guard_of(rows, cols, gap);
  g->bytes = (size_t)(ld * cols + 2 * g->guard) * element;
  if (g->bytes > g->capacity) {
    free(g->block);
    free(g->copy);
    g->block = malloc(g->bytes);
    g->copy = malloc(g->bytes);
    g->capacity = g->bytes;
    if (!g->block || !g->copy) {
      fputs("out of memory\n", stderr);
      exit(2);
    }
  }
  fill(g->block, g->bytes, type);
  g->matrix = (trigon_matrix){g->block + (size_t)g->guard * element, type, rows, cols, ld};
}

void guarded_snapshot(guarded *g) { memcpy(g->copy, g->block, g->bytes); }

void guarded_restore(guarded *g) { memcpy(g->block, g->copy, g->bytes); }

trigon_matrix guarded_before(const guarded *g) {
  trigon_matrix before = g->matrix;
  before.data = g->copy + g->guard * element_size(before.type);
  return before;
}

/* Returns the first byte in [from, to) that has changed, or `to`. */
static size_t changed(const guarded *g, size_t from, size_t to) {
  if (memcmp(g->block + from, g->copy + from, to - from) == 0) return to;
  while (g->block[from] == g->copy[from]) from++;
  return from;
}

static const char *describe(const guarded *g, size_t byte, char *text, size_t size) {
  const int64_t at = (int64_t)(byte / element_size(g->matrix.type)) - g->guard;
  const int64_t ld = g->matrix.ld, end = ld * g->matrix.cols;
  if (at < 0 || at >= end)
    snprintf(text, size, "written outside: %lld elements %s the matrix", (long long)(at < 0 ? -at : at - end + 1),
             at < 0 ? "before" : "after");
  else
    snprintf(text, size, "written outside the allowed region: element (%lld, %lld)%s", (long long)(at % ld),
             (long long)(at / ld), at % ld >= g->matrix.rows ? ", in the gap below the matrix" : "");
  return text;
}

const char *guarded_stray(const guarded *g, region allowed, char *text, size_t size) {
  const size_t element = element_size(g->matrix.type);
  size_t checked = 0; /* all bytes before this one are unchanged, or may change */
  for (int64_t j = 0; j < g->matrix.cols; j++) {
    int64_t from, to;
    region_rows(allowed, g->matrix.rows, j, &from, &to);
    const size_t column = (size_t)(j * g->matrix.ld + g->guard) * element;
    const size_t start = column + (size_t)from * element;
    const size_t byte = changed(g, checked, start);
    if (byte < start) return describe(g, byte, text, size);
    checked = column + (size_t)to * element;
  }
  const size_t byte = changed(g, checked, g->bytes);
  return byte < g->bytes ? describe(g, byte, text, size) : NULL;
}

void guarded_free(guarded *g) {
  free(g->block);
  free(g->copy);
  *g = (guarded){0};
}

/* packed.c - the choice of the register kernels, and their buffers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buffers.h"

enum { alignment = 4096, dirty_bytes = 16 << 10 };

extern const kernels *const portable_kernels[4];
#if defined(__x86_64__)
extern const kernels *const avx2_kernels[4], *const avx512_kernels[4];

static bool has_avx2(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
static bool has_avx512(void) {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
}
#elif defined(__aarch64__)
extern const kernels *const neon_kernels[4];
#endif
static bool always(void) { return true; }

/* The best first. */
static const struct family {
  const char *name;
  bool (*runs_here)(void);
  const kernels *const *of;
} families[] = {
#if defined(__x86_64__)
    {"avx512", has_avx512, avx512_kernels},
    {"avx2", has_avx2, avx2_kernels},
#elif defined(__aarch64__)
    {"neon", always, neon_kernels},
#endif
    {"portable", always, portable_kernels},
};

static const kernels *const *choose(const char *name) {
  for (size_t i = 0; i < sizeof families / sizeof *families; i++)
    if ((!*name || strcmp(name, families[i].name) == 0) && families[i].runs_here()) return families[i].of;
  return NULL;
}

/* A member's buffer has room for a block of X, for one panel of a large triangle, or for a panel of a
 * factor and its rows of L. */
static int64_t member_bytes(const kernels *const *of, const caches *here) {
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

trigon_status packed_create(const char *name, int threads, packed **out, reason *why) {
  const kernels *const *of = choose(name);
  if (!of) {
    snprintf(why->text, sizeof why->text, "option kernels is \"%.20s\", and this CPU has no such instructions", name);
    return TRIGON_NOT_SUPPORTED;
  }
  packed *p = calloc(1, sizeof *p);
  if (p) {
    const caches here = caches_here();
    p->of = of, p->threads = threads;
    p->row_bytes = member_bytes(of, &here), p->column_bytes = column_block_bytes(&here);
    for (int i = 0; i < TYPES; i++) p->blocks[i] = blocking_for(&here, of[i], types_in_order[i]);
    p->rows = aligned_alloc(alignment, (size_t)(threads * p->row_bytes));
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

int64_t packed_memory(const packed *p) { return p ? p->threads * p->row_bytes + p->column_bytes : 0; }

void packed_make_dirty(const packed *p) {
  for (int i = 0; i < p->threads; i++) memset(p->rows + i * p->row_bytes, 0xff, dirty_bytes);
  memset(p->cols, 0xff, dirty_bytes);
}

/* packed.c - the choice of the register kernels, their buffers, and the factorizations of a block. */
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

static const trigon_type types[TYPES] = {TRIGON_S, TRIGON_D, TRIGON_C, TRIGON_Z};

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
    p->row_bytes = row_block_bytes(&here), p->column_bytes = column_block_bytes(&here);
    for (int i = 0; i < TYPES; i++) p->blocks[i] = blocking_for(&here, of[i], types[i]);
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

/* ----------------------------------------------------------------------------------------------- factorizations -- */

/* POTRF's panels take at most 2 MiB (256 rows, 256 columns rounded up, 16 bytes), and its triangle half of that. */
enum { potrf_triangle_at = 2 << 20 };

/* Up to this order the whole triangle is loaded, factored and stored. A larger one would leave the first-level cache.
 * So a row of tiles is stored before the next one is loaded. */
enum { whole_potrf_order = 64 };

int64_t packed_potrf(const packed *p, trigon_type type, const operand *A, int64_t n) {
  const kernels *kernel = p->of[type_index(type)];
  if (n <= whole_potrf_order) return kernel->small_potrf(A, n, p->cols);
  return kernel->potrf(A, n, p->cols, (char *)p->cols + potrf_triangle_at);
}

/* Solved with from the last row to the first, rows of X make X·L - I small. In reverse order, the transpose of L is
 * lower again, and the solve goes forward. Then LᴴL becomes L·Lᴴ. */
static operand backwards(trigon_type type, const operand *A, int64_t n) { return reversed(type, transposed(*A), n); }

static bool pack_whole(const packed *p, const kernels *kernel, const operand *L, int64_t n, bool unit, bool solve) {
  bool safe = true;
  for (int64_t i = 0; i < n; i += kernel->rows) safe = kernel->pack_triangle(L, n, i, unit, solve, p->cols) && safe;
  return safe;
}

bool packed_invert(const packed *p, trigon_type type, const operand *A, int64_t n, bool unit) {
  const kernels *kernel = p->of[type_index(type)];
  if (n <= small_order) return kernel->small_invert(A, n, unit, p->cols);
  const operand L = backwards(type, A, n);
  if (!pack_whole(p, kernel, &L, n, unit, true)) return false;
  for (int64_t j = 0; j < n; j += kernel->cols) {
    kernel->invert(n, p->cols, j, p->rows);
    kernel->store_lower(&L, n, j, unit, p->rows);
  }
  return true;
}

void packed_potrs_column(const packed *p, trigon_type type, const operand *L, int64_t n, void *x) {
  p->of[type_index(type)]->small_potrs(L, n, x);
}

void packed_lauum(const packed *p, trigon_type type, const operand *A, int64_t n) {
  const kernels *kernel = p->of[type_index(type)];
  if (n <= small_order) {
    kernel->small_lauum(A, n, p->cols);
    return;
  }
  const operand L = backwards(type, A, n);
  pack_whole(p, kernel, &L, n, false, false);
  for (int64_t j = 0; j < n; j += kernel->cols) {
    kernel->multiply_adjoint(n, p->cols, j, p->rows);
    kernel->store_lower(&L, n, j, false, p->rows);
  }
}

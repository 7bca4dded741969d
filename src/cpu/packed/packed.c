/* packed.c - the loops around the register kernels: blocks for each level of cache, packed once and used often. */
#include "packed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../core/fold.h"
#include "kernels.h"
#include "thin.h"

/* Rows of X and of Y in a block. The row panels of a block stay in the second-level cache, the column panels in the
 * third. The depth of a block is at most 384 floats, 256 doubles or the like: 4 KiB a row. */
enum { block_rows = 96, block_cols = 1536, row_bytes = 4096 };
enum { row_block_bytes = block_rows * row_bytes, column_block_bytes = block_cols * row_bytes };
enum { alignment = 4096, dirty_bytes = 16 << 10 };
_Static_assert((int)thin_scratch_bytes <= (int)row_block_bytes, "the panels of a block of rows are the scratch memory");

struct packed {
  const kernels *const *of; /* s d c z */
  void *rows, *cols;        /* the panels of a block of X, of a block of Y */
};

extern const kernels *const portable_kernels[4];
#if defined(__x86_64__)
extern const kernels *const avx2_kernels[4], *const avx512_kernels[4];

static bool has_avx2(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
static bool has_avx512(void) {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
}
#endif
static bool has_portable(void) { return true; }

/* The best first. */
static const struct family {
  const char *name;
  bool (*runs_here)(void);
  const kernels *const *of;
} families[] = {
#if defined(__x86_64__)
    {"avx512", has_avx512, avx512_kernels},
    {"avx2", has_avx2, avx2_kernels},
#endif
    {"portable", has_portable, portable_kernels},
};

static const kernels *const *choose(const char *name) {
  for (size_t i = 0; i < sizeof families / sizeof *families; i++)
    if ((!*name || strcmp(name, families[i].name) == 0) && families[i].runs_here()) return families[i].of;
  return NULL;
}

trigon_status packed_create(const char *name, packed **out, reason *why) {
  const kernels *const *of = choose(name);
  if (!of) {
    snprintf(why->text, sizeof why->text, "option kernels is \"%.20s\", and this CPU has no such instructions", name);
    return TRIGON_NOT_SUPPORTED;
  }
  packed *p = calloc(1, sizeof *p);
  if (p) p->of = of, p->rows = aligned_alloc(alignment, row_block_bytes);
  if (p) p->cols = aligned_alloc(alignment, column_block_bytes);
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

int64_t packed_memory(const packed *p) { return p ? row_block_bytes + column_block_bytes : 0; }

void packed_make_dirty(const packed *p) {
  memset(p->rows, 0xff, dirty_bytes);
  memset(p->cols, 0xff, dirty_bytes);
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* ---------------------------------------------------------------------------------------------------- products --
 * C = alpha·X·Yᵀ + beta·C, with X and Y as sources of rows. The transpose of C exchanges them. */

typedef struct term {
  source X, Y;
  trigon_scalar alpha;
} term;

typedef struct job {
  int64_t m, n, k;
  trigon_scalar beta;
  void *C;
  int64_t row, col;
  region computed;
  bool upper;
} job;

static operand of_batch(operand A, int64_t b, int64_t element) {
  A.data = (char *)A.data + b * A.batch_stride * element;
  return A;
}

/* Whether the region has elements in rows i0 .. i0 + m - 1 and columns j0 .. j0 + n - 1. */
static bool has_elements(const job *j, int64_t i0, int64_t m, int64_t j0, int64_t n) {
  if (j->computed == REGION_ALL) return true;
  return j->upper ? i0 < j0 + n : j0 < i0 + m;
}

/* One block of inner indices: packs Y's rows j0 .., and X's rows block after block. */
static void multiply_block(const packed *p, const kernels *kernel, int64_t element, const job *j, const term *t,
                           int64_t j0, int64_t k0, int64_t k) {
  source Y = t->Y, X = t->X;
  const int64_t n = least(j->n - j0, block_cols);
  Y.i0 = j0, Y.m = n, X.k0 = Y.k0 = k0, X.k = Y.k = k;
  kernel->pack(&Y, kernel->cols, p->cols);
  for (int64_t i0 = 0; i0 < j->m; i0 += block_rows) {
    const int64_t m = least(j->m - i0, block_rows);
    if (!has_elements(j, i0, m, j0, n)) continue;
    X.i0 = i0, X.m = m;
    kernel->pack(&X, kernel->rows, p->rows);
    kernel->multiply(&(target){.m = m,
                               .n = n,
                               .k = k,
                               .X = p->rows,
                               .Y = p->cols,
                               .alpha = t->alpha,
                               .beta = k0 == 0 ? j->beta : one,
                               .C = (char *)j->C + (i0 * j->row + j0 * j->col) * element,
                               .row = j->row,
                               .col = j->col,
                               .computed = j->computed,
                               .upper = j->upper,
                               .below = i0 - j0});
  }
}

static void multiply(const packed *p, trigon_type type, const job *j, const term *t) {
  const kernels *kernel = p->of[type_index(type)];
  const int64_t depth = kernel->depth;
  for (int64_t j0 = 0; j0 < j->n; j0 += block_cols) {
    int64_t k0 = 0;
    do { /* once at least, for beta */
      multiply_block(p, kernel, type_size(type), j, t, j0, k0, least(j->k - k0, depth));
      k0 += depth;
    } while (k0 < j->k);
  }
}

/* Tiles are stored fast along rows of C: a C that is stored by columns is turned. */
static void run_term(const packed *p, trigon_type type, job j, term t) {
  if (j.row == 1 && j.col != 1) {
    const source X = t.X;
    const int64_t m = j.m, row = j.row;
    t.X = t.Y, t.Y = X;
    j.m = j.n, j.n = m;
    j.row = j.col, j.col = row;
    j.upper = true;
  }
  multiply(p, type, &j, &t);
}

void packed_product(const packed *p, trigon_type type, const product *o) {
  const int64_t element = type_size(type);
  for (int64_t b = 0; b < o->count; b++) {
    job j = {.m = o->m, .n = o->n, .k = o->k, .beta = o->beta, .computed = o->computed};
    const operand C = of_batch(o->C, b, element);
    j.C = C.data, j.row = C.row, j.col = C.col;
    term t = {.X = {.matrix = of_batch(o->A, b, element), .is = o->A_is},
              .Y = {.matrix = transposed(of_batch(o->B, b, element))},
              .alpha = o->alpha};
    run_term(p, type, j, t);
    if (!o->A2.data) continue;
    j.beta = one;
    t.X.matrix = of_batch(o->A2, b, element), t.Y.matrix = transposed(of_batch(o->B2, b, element)), t.alpha = o->alpha2;
    run_term(p, type, j, t);
  }
}

/* ---------------------------------------------------------------------------------------------------- triangles -- */

/* Few columns: as many at once as the panels have room for. Returns false if the problem is not thin. */
static bool run_thin(const packed *p, trigon_type type, triangular t, bool solve) {
  const thin_member alone = {.size = 1, .scratch = p->rows};
  const kernels *kernel = p->of[type_index(type)];
  const int64_t element = type_size(type), width = t.width;
  if (width > packed_thin_width || !thin_takes(&t)) return false;
  while (thin_bytes(kernel, element, t.n, t.width) > column_block_bytes) t.width /= 2;
  const int64_t at_once = t.width;
  for (int64_t j = 0; j < width; j += at_once) {
    t.width = least(at_once, width - j);
    thin_run(kernel, type, &t, solve, p->cols, &alone);
    t.B.data = (char *)t.B.data + at_once * t.B.col * element;
  }
  return true;
}

/* The triangle goes where blocks of columns are packed otherwise, the panel where blocks of rows are. */
static void run_triangle(const packed *p, trigon_type type, const triangular *t, bool solve) {
  const kernels *kernel = p->of[type_index(type)];
  const int64_t element = type_size(type);
  for (int64_t b = 0; b < t->count; b++) {
    const operand L = of_batch(t->L, b, element), B = of_batch(t->B, b, element);
    triangular single = *t;
    single.L = L, single.B = B;
    if (run_thin(p, type, single, solve)) continue;
    if (!kernel->pack_triangle(&L, t->n, t->unit, solve, p->cols)) {
      kernel->substitute(t, b, 0, t->width);
      continue;
    }
    for (int64_t j = 0; j < t->width; j += kernel->cols) {
      const int64_t w = least(t->width - j, kernel->cols);
      kernel->load_panel(&B, t->n, j, w, kernel->cols, t->alpha, p->rows);
      (solve ? kernel->solve : kernel->multiply_triangle)(t->n, p->cols, p->rows);
      kernel->store_panel(&B, t->n, j, w, kernel->cols, p->rows);
    }
  }
}

/* POTRF's panels take at most 2 MiB (256 rows, 256 columns rounded up, 16 bytes), and its triangle half of that. */
enum { potrf_triangle_at = column_block_bytes / 2 };

int64_t packed_potrf(const packed *p, trigon_type type, const operand *A, int64_t n) {
  return p->of[type_index(type)]->potrf(A, n, p->cols, (char *)p->cols + potrf_triangle_at);
}

void packed_trsm(const packed *p, trigon_type type, const triangular *t) { run_triangle(p, type, t, true); }
void packed_trmm(const packed *p, trigon_type type, const triangular *t) { run_triangle(p, type, t, false); }

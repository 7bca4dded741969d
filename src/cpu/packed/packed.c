/* packed.c - the loops around the register kernels: blocks for each level of cache, packed once and used often. */
#include "packed.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../core/fold.h"
#include "../team.h"
#include "blocking.h"
#include "kernels.h"

enum { alignment = 4096, dirty_bytes = 16 << 10 };

struct packed {
  const kernels *const *of; /* s d c z */
  blocking blocks[TYPES];
  int threads;                     /* the most members of a team */
  int64_t row_bytes, column_bytes; /* of the panels of a block of X, and of Y */
  char *rows;                      /* for each member, the panels of a block of X */
  void *cols;                      /* the panels of a block of Y, which a team packs and shares */
};

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

static void *rows_of(const packed *p, member m) { return p->rows + m.id * p->row_bytes; }

static int team_size(const packed *p, int64_t wanted) {
  const int limit = team_limit(), most = limit < p->threads ? limit : p->threads;
  return wanted < most ? (int)wanted : most;
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* ---------------------------------------------------------------------------------------------------- products --
 * C = alpha·X·Yᵀ + beta·C, with X and Y as sources of rows. The transpose of C exchanges them.
 *
 * A team packs a block of Y together. Then each member computes its part of the rows and columns of C. */

typedef struct term {
  source X, Y;
  trigon_scalar alpha;
} term;

typedef struct job {
  const packed *packed;
  const kernels *kernel;
  const blocking *blocks;
  int64_t element; /* bytes */
  int64_t m, n, k;
  trigon_scalar beta;
  void *C;
  int64_t row, col;
  region computed;
  bool upper;
  term term;
  atomic_long next; /* the first task that no member has taken */
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

/* A block of Y that is packed, and the inner indices of the product with it. */
typedef struct packed_block {
  int64_t j0, n, k0, k;
} packed_block;

/* Packs the member's part of the block's panels. */
static void pack_columns(const job *j, member m, packed_block y) {
  const int width = j->kernel->cols;
  const share part = share_of((y.n + width - 1) / width, m.id, m.size);
  source Y = j->term.Y;
  Y.i0 = y.j0 + part.first * width, Y.m = least(y.n, part.end * width) - part.first * width;
  Y.k0 = y.k0, Y.k = y.k;
  if (Y.m > 0) j->kernel->pack(&Y, width, (char *)j->packed->cols + part.first * width * y.k * j->element);
}

/* How a block of C is divided into tasks: by rows and, if the rows are too few for the team, by columns. */
typedef struct tasks {
  int64_t rows, cols; /* of a task */
  long down, across;  /* how many there are */
} tasks;

static int64_t up_to_multiple(int64_t n, int64_t of) { return (n + of - 1) / of * of; }
static int64_t parts_of(int64_t n, int64_t size) { return (n + size - 1) / size; }

/* Two tasks of rows for each member at least, so that no member waits long for another one. But a task has some tiles
 * of rows, because it reads all packed columns. */
static tasks divide(const job *j, int members, int64_t n) {
  enum { fewest_tiles = 4 };
  const int64_t tile = j->kernel->rows, width = j->kernel->cols, block_rows = even_part(j->m, j->blocks->rows, tile);
  tasks t = {.rows = block_rows, .cols = n, .across = 1};
  if (members > 1) {
    const int64_t fair = up_to_multiple(parts_of(j->m, 2 * members), tile);
    t.rows = least(block_rows, fair > fewest_tiles * tile ? fair : fewest_tiles * tile);
  }
  t.down = (long)parts_of(j->m, t.rows);
  if (t.down < members) t.cols = up_to_multiple(parts_of(n, parts_of(members, t.down)), width);
  t.across = (long)parts_of(n, t.cols);
  return t;
}

/* Computes m rows of C from i0 on, and n columns from `first` on in the packed block. */
static void multiply_rows(const job *j, void *rows, packed_block y, int64_t i0, int64_t m, int64_t first, int64_t n) {
  if (!has_elements(j, i0, m, y.j0 + first, n)) return;
  source X = j->term.X;
  X.i0 = i0, X.m = m, X.k0 = y.k0, X.k = y.k;
  j->kernel->pack(&X, j->kernel->rows, rows);
  j->kernel->multiply(&(target){.m = m,
                                .n = n,
                                .k = y.k,
                                .X = rows,
                                .Y = (char *)j->packed->cols + first * y.k * j->element,
                                .alpha = j->term.alpha,
                                .beta = y.k0 == 0 ? j->beta : one,
                                .C = (char *)j->C + (i0 * j->row + (y.j0 + first) * j->col) * j->element,
                                .row = j->row,
                                .col = j->col,
                                .computed = j->computed,
                                .upper = j->upper,
                                .below = i0 - y.j0 - first});
}

/* Packs the block of Y together with the other members, and computes tasks until none is left. */
static void multiply_block(job *j, member m, packed_block y) {
  const tasks t = divide(j, m.size, y.n);
  if (m.id == 0) atomic_store_explicit(&j->next, 0, memory_order_relaxed);
  pack_columns(j, m, y);
  team_wait(m);
  for (;;) {
    const long task = atomic_fetch_add_explicit(&j->next, 1, memory_order_relaxed);
    if (task >= t.down * t.across) break;
    const int64_t i0 = task / t.across * t.rows, first = task % t.across * t.cols;
    multiply_rows(j, rows_of(j->packed, m), y, i0, least(j->m - i0, t.rows), first, least(y.n - first, t.cols));
  }
  team_wait(m);
}

static void multiply(member m, void *of) {
  job *j = of;
  const int64_t cols = even_part(j->n, j->blocks->cols, j->kernel->cols);
  const int64_t depth = even_part(j->k, j->blocks->depth, depth_step);
  for (int64_t j0 = 0; j0 < j->n; j0 += cols) {
    int64_t k0 = 0;
    do { /* once at least, for beta */
      multiply_block(j, m, (packed_block){j0, least(j->n - j0, cols), k0, least(j->k - k0, depth)});
      k0 += depth;
    } while (k0 < j->k);
  }
}

/* Tiles are stored fast along rows of C: a C that is stored by columns is turned. */
static void run_term(job j, int threads) {
  if (j.row == 1 && j.col != 1) {
    const source X = j.term.X;
    const int64_t m = j.m, row = j.row;
    j.term.X = j.term.Y, j.term.Y = X;
    j.m = j.n, j.n = m;
    j.row = j.col, j.col = row;
    j.upper = true;
  }
  if (j.m > 0 && j.n > 0) team_run(threads, multiply, &j);
}

void packed_product(const packed *p, int threads, trigon_type type, const product *o) {
  const int64_t element = type_size(type);
  threads = team_size(p, threads);
  for (int64_t b = 0; b < o->count; b++) {
    job j = {
        .packed = p, .kernel = p->of[type_index(type)], .blocks = &p->blocks[type_index(type)], .element = element};
    const operand C = of_batch(o->C, b, element);
    j.m = o->m, j.n = o->n, j.k = o->k, j.beta = o->beta, j.computed = o->computed;
    j.C = C.data, j.row = C.row, j.col = C.col;
    j.term = (term){.X = {.matrix = of_batch(o->A, b, element), .is = o->A_is},
                    .Y = {.matrix = transposed(of_batch(o->B, b, element))},
                    .alpha = o->alpha};
    run_term(j, threads);
    if (!o->A2.data) continue;
    j.beta = one;
    j.term.X.matrix = of_batch(o->A2, b, element), j.term.Y.matrix = transposed(of_batch(o->B2, b, element));
    j.term.alpha = o->alpha2;
    run_term(j, threads);
  }
}

/* ---------------------------------------------------------------------------------------------------- triangles --
 * The triangle goes where blocks of columns are packed otherwise, the panels of B where blocks of rows are. A team
 * packs the triangle together. Then each member takes one panel of B after another. */

typedef struct triangle_job {
  const packed *packed;
  const kernels *kernel;
  const triangular *t;
  operand L, B;
  bool solve;
  atomic_bool unsafe; /* a reciprocal on the diagonal is not a normal number */
  atomic_long next;
} triangle_job;

static void work_on_triangle(member m, void *of) {
  triangle_job *j = of;
  const kernels *kernel = j->kernel;
  const triangular *t = j->t;
  const long panels = (long)parts_of(t->width, kernel->cols);
  void *panel = rows_of(j->packed, m);
  for (int64_t i = m.id * kernel->rows; i < t->n; i += (int64_t)m.size * kernel->rows)
    if (!kernel->pack_triangle(&j->L, t->n, i, t->unit, j->solve, j->packed->cols)) atomic_store(&j->unsafe, true);
  team_wait(m);
  const bool unsafe = atomic_load(&j->unsafe);
  for (;;) {
    const long next = atomic_fetch_add_explicit(&j->next, 1, memory_order_relaxed);
    if (next >= panels) break;
    const int64_t first = next * kernel->cols, w = least(t->width - first, kernel->cols);
    if (unsafe) {
      kernel->substitute(t, &j->L, &j->B, first, w);
      continue;
    }
    kernel->load_panel(&j->B, t->n, first, w, t->alpha, panel);
    (j->solve ? kernel->solve : kernel->multiply_triangle)(t->n, j->packed->cols, panel);
    kernel->store_panel(&j->B, t->n, first, w, panel);
  }
}

/* Solves of so many products take less time by division, element after element, than by vectors. From so many products
 * on, packing pays, because threads can share a packed triangle. The sizes alone decide: bits must not depend on
 * threads. */
enum { most_divided_products = 63, least_packed_products = 500000 };

static double products_of(const triangular *t) { return (double)(t->n * t->n) * (double)t->width; }

static void run_small(const packed *p, const kernels *kernel, const triangular *t, const operand *L, const operand *B,
                      bool solve) {
  const bool by_division = solve && products_of(t) <= most_divided_products;
  if (by_division || !kernel->small_triangle(t, L, B, solve, p->rows)) kernel->substitute(t, L, B, 0, t->width);
}

static void run_triangle(const packed *p, int threads, trigon_type type, const triangular *t, bool solve) {
  const kernels *kernel = p->of[type_index(type)];
  const int64_t element = type_size(type);
  if (t->n <= small_order && products_of(t) < least_packed_products && t->count == 1) {
    run_small(p, kernel, t, &t->L, &t->B, solve);
    return;
  }
  threads = team_size(p, least(threads, parts_of(t->width, kernel->cols)));
  for (int64_t b = 0; b < t->count; b++) {
    triangle_job j = {.packed = p, .kernel = kernel, .t = t, .solve = solve};
    j.L = of_batch(t->L, b, element), j.B = of_batch(t->B, b, element);
    team_run(threads, work_on_triangle, &j);
  }
}

void packed_trsm(const packed *p, int threads, trigon_type type, const triangular *t) {
  run_triangle(p, threads, type, t, true);
}

void packed_trmm(const packed *p, int threads, trigon_type type, const triangular *t) {
  run_triangle(p, threads, type, t, false);
}

/* ----------------------------------------------------------------------------------------------- factorizations -- */

/* POTRF's panels take at most 2 MiB (256 rows, 256 columns rounded up, 16 bytes), and its triangle half of that. */
enum { potrf_triangle_at = 2 << 20 };

int64_t packed_potrf(const packed *p, trigon_type type, const operand *A, int64_t n) {
  const kernels *kernel = p->of[type_index(type)];
  if (n <= small_order) return kernel->small_potrf(A, n, p->cols);
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

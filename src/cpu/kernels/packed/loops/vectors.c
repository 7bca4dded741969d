/* vectors.c - products with one vector: they wait for memory and not for arithmetic. So the matrix is read once, where
 * it lies. Vectors are copied if they are not contiguous.
 *
 * The sizes alone divide a product into blocks, each with its own sums, which are added in a fixed order: bits must not
 * depend on threads. */
#include "vectors.h"

#include "contiguous.h"
#include "vector_updates.h"

#include <math.h>
#include <string.h>

/* Into so many blocks a product is divided if it can be: some for each of a few threads. */
enum { wanted_blocks = 16 };
/* Smaller matrices are one block. */
enum { least_elements = 1 << 14 };

typedef struct vector_job {
  const kernels *kernel;
  int64_t element; /* bytes */
  int64_t m, k;
  operand A, y;
  trigon_scalar alpha, beta;
  const char *x, *conjugate; /* contiguous x and conj(x) */
  char *sums;
  int64_t pitch;        /* elements between the sums of blocks */
  int64_t rows, depth;  /* of a block */
  int64_t down, across; /* how many blocks there are */
  bool is_symmetric;    /* or Hermitian: the lower triangle of A is stored */
  bool has_conjugates;  /* of a Hermitian matrix: each block has sums that are conjugated at the end, too */
} vector_job;

static operand from_row(operand A, int64_t i, int64_t element) {
  A.data = (char *)A.data + i * A.row * element;
  return A;
}

static const char *element_at(const operand *A, int64_t i, int64_t j, int64_t element) {
  return (const char *)A->data + (i * A->row + j * A->col) * element;
}

/* --------------------------------------------------------------------------------------------- general matrices -- */

/* Contiguous columns are divided by columns, so that each block is contiguous. Contiguous rows are divided by rows. If
 * they are few, the other direction is divided, too. */
static void divide(vector_job *j) {
  const bool by_columns = j->A.row == 1;
  enum { least_rows = 8, least_depth = 64 }; /* kernels read eight rows at once */
  j->rows = by_columns ? least(j->m, block_rows)
                       : up_to_multiple(larger(parts_of(j->m, wanted_blocks), least_rows), least_rows);
  j->depth = j->k;
  if (j->m * j->k <= least_elements) j->rows = j->m;
  j->down = parts_of(j->m, j->rows);
  if (j->down < wanted_blocks && j->m * j->k > least_elements)
    j->depth = up_to_multiple(larger(parts_of(j->k, wanted_blocks / j->down), least_depth), 16);
  j->across = parts_of(j->k, j->depth);
  j->pitch = up_to_multiple(j->m, vector_multiple);
}

static void finish_rows(const vector_job *j, int64_t i0, int64_t rows) {
  char *sums = j->sums + i0 * j->element;
  const operand y = from_row(j->y, i0, j->element);
  for (int64_t part = 1; part < j->across; part++) j->kernel->add_sums(rows, sums, sums + part * j->pitch * j->element);
  j->kernel->finish_vector(rows, j->alpha, sums, NULL, j->beta, &y);
}

static int64_t product_tasks(void *of, int64_t phase) {
  const vector_job *j = of;
  if (phase == 0) return j->down * j->across;
  return phase == 1 && j->across > 1 ? j->down : -1;
}

static void run_product(void *of, int64_t phase, int64_t task, void *buffer) {
  const vector_job *j = of;
  (void)buffer;
  const int64_t i0 = phase == 1 ? task * j->rows : task / j->across * j->rows, rows = least(j->m - i0, j->rows);
  if (phase == 1) {
    finish_rows(j, i0, rows);
    return;
  }
  const int64_t part = task % j->across, k0 = part * j->depth, depth = least(j->k - k0, j->depth);
  char *sums = j->sums + (part * j->pitch + i0) * j->element;
  memset(sums, 0, (size_t)(rows * j->element));
  j->kernel->multiply_vector(rows, depth, element_at(&j->A, i0, k0, j->element), j->A.row, j->A.col,
                             j->x + k0 * j->element, sums);
  if (j->across == 1) finish_rows(j, i0, rows);
}

/* y = alpha·A·x + beta·y, with vectors for which the buffer has room. conj(A)·x is the conjugate of A·conj(x). */
static void multiply_piece(const packed *p, int threads, vector_job j, operand x) {
  char *room = p->cols;
  if (j.A.conjugate) x.conjugate = !x.conjugate, j.y.conjugate = true;
  j.x = contiguous(j.kernel, j.element, &x, j.k, one, &room);
  j.sums = room;
  divide(&j);
  run_team(p, (team_work){.tasks = product_tasks, .run = run_product}, threads, &j);
}

/* Rows and inner indices are taken as many at once as the buffer has room for. */
static void multiply_general(const packed *p, int threads, vector_job j, operand x) {
  const int64_t room = p->column_bytes / j.element, most_depth = room / 4, most_rows = room / (2 * wanted_blocks);
  const int64_t m = j.m, k = j.k;
  const operand A = j.A, y = j.y;
  const trigon_scalar beta = j.beta;
  for (int64_t i = 0; i < m; i += most_rows)
    for (int64_t l = 0; l < k; l += most_depth) {
      j.m = least(m - i, most_rows), j.k = least(k - l, most_depth);
      j.A.data = (void *)element_at(&A, i, l, j.element);
      j.y = from_row(y, i, j.element), j.beta = l == 0 ? beta : one;
      multiply_piece(p, threads, j, from_row(x, l, j.element));
    }
}

/* ------------------------------------------------------------------------------------------- symmetric matrices -- */

/* Each part has so many lines of the lower triangle (columns or rows, whichever are contiguous) or a multiple. */
enum { strip = 64 };
/* Elements of a line that are multiplied at once: as many elements of vectors stay in a cache. */
enum { tile_length = 4096 };
/* A part has at least half of so many elements: it must be worth the zeros and additions of its own sums. */
enum { least_part = 1 << 16 };

/* The first line of a part. All parts have about as many elements: columns become shorter, rows become longer. */
static int64_t first_line(const vector_job *j, int64_t part) {
  const double strips = (double)parts_of(j->m, strip), each = (double)part / (double)j->across;
  const double before = j->A.row == 1 ? 1 - sqrt(1 - each) : sqrt(each);
  return least(j->m, (int64_t)(strips * before) * strip);
}

/* The elements for which a part has sums. */
typedef struct range {
  int64_t begin, end;
} range;

static range range_of(const vector_job *j, int64_t part) {
  return j->A.row == 1 ? (range){first_line(j, part), j->m} : (range){0, first_line(j, part + 1)};
}

/* Sums of a part, and those that will be conjugated. */
static char *sums_of(const vector_job *j, int64_t part, bool conjugates) {
  const int64_t each = j->has_conjugates ? 2 : 1;
  return j->sums + (part * each + (conjugates ? 1 : 0)) * j->pitch * j->element;
}

/* What a block below or on the diagonal multiplies, and where the products go: y += A·x for its rows, z += Aᵀ·w for its
 * columns. Of a Hermitian matrix one of the two products has the conjugate of the block: it is the conjugate of a
 * product with a conjugate. */
typedef struct both_sides {
  const char *x, *w;
  char *y, *z;
} both_sides;

/* The block's rows begin with i0, and its columns with j0. */
static both_sides sides_of(const vector_job *j, int64_t part, int64_t i0, int64_t j0) {
  const bool first = j->has_conjugates && j->A.conjugate, second = j->has_conjugates && !j->A.conjugate;
  const int64_t i = i0 * j->element, k = j0 * j->element;
  return (both_sides){.x = (first ? j->conjugate : j->x) + k,
                      .w = (second ? j->conjugate : j->x) + i,
                      .y = sums_of(j, part, first) + i,
                      .z = sums_of(j, part, second) + k};
}

static void add_tile(const vector_job *j, int64_t part, int64_t i0, int64_t rows, int64_t j0, int64_t cols) {
  const both_sides s = sides_of(j, part, i0, j0);
  const char *a = element_at(&j->A, i0, j0, j->element);
  if (j->A.row == 1)
    j->kernel->add_both(rows, cols, a, j->A.col, s.x, s.y, s.w, s.z);
  else
    j->kernel->add_both(cols, rows, a, j->A.row, s.w, s.z, s.x, s.y);
}

/* Columns j0 .. j1 - 1 of the lower triangle, the first tile together with the diagonal. */
static void add_columns(const vector_job *j, int64_t part, int64_t j0, int64_t j1) {
  const int64_t first = least(j->m - j0, larger(tile_length, j1 - j0));
  const both_sides s = sides_of(j, part, j0, j0);
  const operand L = {(void *)element_at(&j->A, j0, j0, j->element), j->A.row, j->A.col, 0, false};
  j->kernel->multiply_lines(first, j1 - j0, &L, j->has_conjugates, s.x, s.y, s.w, s.z);
  for (int64_t i = j0 + first; i < j->m; i += tile_length)
    add_tile(j, part, i, least(j->m - i, tile_length), j0, j1 - j0);
}

/* Rows i0 .. i1 - 1, the last tile together with the diagonal. */
static void add_rows(const vector_job *j, int64_t part, int64_t i0, int64_t i1) {
  int64_t k = 0;
  for (; k + tile_length <= i0; k += tile_length) add_tile(j, part, i0, i1 - i0, k, tile_length);
  const both_sides s = sides_of(j, part, k, k);
  const operand L = {(void *)element_at(&j->A, k, k, j->element), j->A.row, j->A.col, 0, false};
  j->kernel->multiply_lines(i1 - k, i1 - i0, &L, j->has_conjugates, s.x, s.y, s.w, s.z);
}

/* Adds the sums of all parts in rows i0 .. i1 - 1, in an order that sizes alone decide. One part has sums for all rows:
 * the first one of columns, or the last one of rows. */
static void finish_symmetric(const vector_job *j, int64_t i0, int64_t i1) {
  const int64_t whole = j->A.row == 1 ? 0 : j->across - 1, size = j->element;
  const operand y = from_row(j->y, i0, size);
  char *sums = sums_of(j, whole, false), *others = j->has_conjugates ? sums_of(j, whole, true) : NULL;
  for (int64_t part = 0; part < j->across; part++) {
    const range r = range_of(j, part);
    const int64_t begin = larger(r.begin, i0), count = least(r.end, i1) - begin, at = begin * size;
    if (part == whole || count <= 0) continue;
    j->kernel->add_sums(count, sums + at, sums_of(j, part, false) + at);
    if (others) j->kernel->add_sums(count, others + at, sums_of(j, part, true) + at);
  }
  j->kernel->finish_vector(i1 - i0, j->alpha, sums + i0 * size, others ? others + i0 * size : NULL, j->beta, &y);
}

static int64_t symmetric_tasks(void *of, int64_t phase) {
  const vector_job *j = of;
  if (phase == 0) return j->across;
  return phase == 1 ? j->down : -1;
}

static void add_part(const vector_job *j, int64_t part) {
  const range r = range_of(j, part);
  const int64_t end = first_line(j, part + 1);
  for (int half = 0; half < (j->has_conjugates ? 2 : 1); half++)
    memset(sums_of(j, part, half == 1) + r.begin * j->element, 0, (size_t)((r.end - r.begin) * j->element));
  for (int64_t l = first_line(j, part); l < end; l += strip)
    (j->A.row == 1 ? add_columns : add_rows)(j, part, l, least(l + strip, end));
}

static void run_symmetric(void *of, int64_t phase, int64_t task, void *buffer) {
  const vector_job *j = of;
  (void)buffer;
  if (phase == 0)
    add_part(j, task);
  else
    finish_symmetric(j, task * j->rows, least(j->m, (task + 1) * j->rows));
}

/* Elements of x, and of the sums of so many parts. */
static int64_t symmetric_elements(const vector_job *j, int64_t parts) {
  const int64_t each = j->has_conjugates ? 2 : 1;
  return each * (copy_elements(j->kernel, j->m) + parts * up_to_multiple(j->m, vector_multiple));
}

static void multiply_symmetric(const packed *p, int threads, vector_job j, operand x);

/* The halves of a matrix whose sums do not fit, and the block between them, which is read for both. */
static void multiply_halves(const packed *p, int threads, vector_job j, operand x) {
  const int64_t half = j.m / 2, rest = j.m - half;
  vector_job first = j, last = j, below = j, right = j;
  const operand x2 = from_row(x, half, j.element), y2 = from_row(j.y, half, j.element);
  const operand block = {(void *)element_at(&j.A, half, 0, j.element), j.A.row, j.A.col, 0, j.A.conjugate};
  first.m = first.k = half;
  last.m = last.k = rest, last.A.data = (void *)element_at(&j.A, half, half, j.element), last.y = y2;
  below.m = rest, below.k = half, below.A = block, below.y = y2, below.beta = one;
  right.m = half, right.k = rest, right.A = transposed(block), right.beta = one;
  if (j.has_conjugates) right.A = conjugated(right.A);
  multiply_symmetric(p, threads, first, x);
  multiply_symmetric(p, threads, last, x2);
  multiply_general(p, threads, below, x);
  multiply_general(p, threads, right, x2);
}

static void multiply_symmetric(const packed *p, int threads, vector_job j, operand x) {
  const int64_t room = p->column_bytes / j.element;
  char *free = p->cols;
  j.across = larger(1, least(wanted_blocks, j.m * j.m / least_part));
  while (j.across > 1 && symmetric_elements(&j, j.across) > room) j.across /= 2;
  if (symmetric_elements(&j, j.across) > room) {
    multiply_halves(p, threads, j, x);
    return;
  }
  operand conjugate = x;
  conjugate.conjugate = !x.conjugate;
  j.x = contiguous(j.kernel, j.element, &x, j.m, one, &free);
  if (j.has_conjugates) j.conjugate = contiguous(j.kernel, j.element, &conjugate, j.m, one, &free);
  j.sums = free, j.pitch = up_to_multiple(j.m, vector_multiple);
  j.rows = block_rows, j.down = parts_of(j.m, j.rows);
  run_team(p, (team_work){.tasks = symmetric_tasks, .run = run_symmetric}, threads, &j);
}

/* ---------------------------------------------------------------------------------------------------- products -- */

static bool is_column(const product *o) {
  return o->n == 1 && !o->A2.data && o->computed == REGION_ALL && has_unit_stride(&o->A);
}

static bool is_row(const product *o) {
  const product t = transposed_product(*o);
  return o->A_is == STRUCTURE_GENERAL && is_column(&t);
}

bool vectors_take(const packed *p, trigon_type type, const product *o) {
  return o->m > 0 && o->n > 0 && o->k > 0 && (is_vector_update(p, type, o) || is_column(o) || is_row(o));
}

static vector_job job_of(const packed *p, trigon_type type, const product *o, int64_t b) {
  const int64_t size = type_size(type);
  return (vector_job){.kernel = p->of[type_index(type)],
                      .element = size,
                      .m = o->m,
                      .k = o->k,
                      .A = of_batch(o->A, b, size),
                      .y = of_batch(o->C, b, size),
                      .alpha = o->alpha,
                      .beta = o->beta,
                      .is_symmetric = o->A_is != STRUCTURE_GENERAL,
                      .has_conjugates = o->A_is == STRUCTURE_HERMITIAN && type_is_complex(type)};
}

static void multiply_column(const packed *p, int threads, trigon_type type, const product *o, int64_t b) {
  const vector_job j = job_of(p, type, o, b);
  const operand x = of_batch(o->B, b, j.element);
  if (j.is_symmetric)
    multiply_symmetric(p, threads, j, x);
  else
    multiply_general(p, threads, j, x);
}

void vectors_run(const packed *p, int threads, trigon_type type, const product *o) {
  const product column = is_column(o) ? *o : transposed_product(*o);
  threads = team_size(p, threads);
  for (int64_t b = 0; b < o->count; b++)
    if (is_vector_update(p, type, o))
      update_by_vectors(p, threads, type, o, b);
    else
      multiply_column(p, threads, type, &column, b);
}

/* ------------------------------------------------------------------------------------------------ small orders -- */

void packed_small_column(const packed *p, trigon_type type, const small_column *s) {
  p->of[type_index(type)]->small_column(s);
}

void packed_small_column_triangle(const packed *p, trigon_type type, const column_triangle *s) {
  p->of[type_index(type)]->small_column_triangle(s);
}

void packed_small_column_update(const packed *p, trigon_type type, const small_column_update *s) {
  p->of[type_index(type)]->small_column_update(s);
}

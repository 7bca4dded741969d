/* cpu_eigen.c - the CPU's part of the eigensolver, but for merges (cpu_divide.c): loops over columns on the team. */
#include "cpu_eigen.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/address.h"
#include "common/eigen/divide.h"
#include "common/eigen/scale_rule.h"
#include "core/sizes.h"
#include "cpu/cpu.h"
#include "cpu/kernels/unblocked.h"
#include "eigen_kernels.h"

static double real_of(view x, int64_t i) {
  const void *at = address_of(block(x, i, 0, 1, 1));
  return type_is_single(x.type) ? (double)*(const float *)at : *(const double *)at;
}

static void set_real(view x, int64_t i, double value) {
  void *at = address_of(block(x, i, 0, 1, 1));
  if (type_is_single(x.type))
    *(float *)at = (float)value;
  else
    *(double *)at = value;
}

/* The first failure counts. */
static void record(machine *m, int64_t failure) {
  cpu *c = cpu_on(m);
  if (failure > 0 && c->failure == 0) c->failure = failure;
}

/* --------------------------------------------------------------------------------------------------- memory -- */

static trigon_status take(machine *m, int64_t bytes, void **data) {
  cpu *c = cpu_on(m);
  *data = NULL;
  if (c->cap >= 0 && bytes > cpu_most_lent(m)) {
    snprintf(m->why->text, sizeof m->why->text,
             "the solver needs %lld bytes of workspace, and trigon_set_workspace allows %lld", (long long)bytes,
             (long long)cpu_most_lent(m));
    return TRIGON_NO_MEMORY;
  }
  if (c->buffer)
    *data = cpu_buffer(c);
  else
    TRY(host_alloc(m, bytes, data));
  c->taken = bytes;
  if (c->options.dirty) memset(*data, 0xff, (size_t)bytes);
  return TRIGON_OK;
}

static void give(machine *m, void *data) {
  cpu *c = cpu_on(m);
  if (!c->buffer) (void)host_release(m, data);
  c->taken = 0;
}

/* -------------------------------------------------------------------------------------------------- scaling -- */

enum { most_chunks = 64 };

/* The columns of a triangle, shared by threads. */
typedef struct triangle_work {
  const reflector_kernels *loops;
  trigon_uplo uplo;
  view A;
  int64_t chunks;
  double factor;
  double largest[most_chunks];
  int64_t failed[most_chunks]; /* the first column whose elements are not finite, from 1, or 0 */
} triangle_work;

static int64_t first_row(const triangle_work *w, int64_t j) { return w->uplo == TRIGON_LOWER ? j : 0; }
static int64_t rows_end(const triangle_work *w, int64_t j) { return w->uplo == TRIGON_LOWER ? w->A.n : j + 1; }
static void *column(view A, int64_t j) { return address_of(block(A, 0, j, 1, 1)); }

static void largest_chunk(int64_t i, void *job) {
  triangle_work *w = job;
  for (int64_t j = i; j < w->A.n; j += w->chunks) {
    const double size = w->loops->largest(first_row(w, j), rows_end(w, j), column(w->A, j));
    if (size > w->largest[i]) w->largest[i] = size;
    if (!(size < (double)INFINITY) && w->failed[i] == 0) w->failed[i] = j + 1;
  }
}

static void multiply_chunk(int64_t i, void *job) {
  triangle_work *w = job;
  for (int64_t j = i; j < w->A.n; j += w->chunks)
    w->loops->multiply(first_row(w, j), rows_end(w, j), w->factor, column(w->A, j));
}

static trigon_status scale_matrix(machine *m, trigon_uplo uplo, view A, view scale) {
  triangle_work w = {.loops = reflector_kernels_for(A.type), .uplo = uplo, .A = A};
  w.chunks = least(machine_threads(m), most_chunks);
  unblocked_for(A.type)->make_diagonal_real(A.n, address_of(A), A.ld);
  machine_parallel_for(m, w.chunks, largest_chunk, &w);
  double largest = 0;
  int64_t failed = 0;
  for (int64_t i = 0; i < w.chunks; i++) {
    if (w.largest[i] > largest) largest = w.largest[i];
    if (w.failed[i] > 0 && (failed == 0 || w.failed[i] < failed)) failed = w.failed[i];
  }
  record(m, failed);
  w.factor =
      failed > 0 || has_safe_squares(largest, type_is_single(A.type)) ? 1 : power_for(largest, type_is_single(A.type));
  if (w.factor != 1) machine_parallel_for(m, w.chunks, multiply_chunk, &w);
  set_real(scale, 0, w.factor), set_real(scale, 1, 1);
  return TRIGON_OK;
}

/* ----------------------------------------------------------------------------------------------- reflectors -- */

static trigon_status make_real(machine *m, view A) {
  (void)m;
  unblocked_for(A.type)->make_diagonal_real(1, address_of(A), 1);
  return TRIGON_OK;
}

static strided vector_of(view x) { return (strided){address_of(x), x.m, increment_of(x)}; }

static trigon_status reflect(machine *m, view x, view d, view e, view taus) {
  (void)m;
  reflector_kernels_for(x.type)->reflect(vector_of(x), address_of(d), address_of(e), column(taus, 0), column(taus, 1));
  return TRIGON_OK;
}

static trigon_status complete(machine *m, view v, view taus, view p, view w) {
  (void)m;
  reflector_kernels_for(v.type)->complete(v.m, vector_of(v), address_of(taus), address_of(p), address_of(w));
  return TRIGON_OK;
}

static trigon_status copy_reflectors(machine *m, trigon_uplo uplo, view from, view to) {
  const reflector_kernels *loops = reflector_kernels_for(from.type);
  (void)m;
  for (int64_t j = 0; j < from.n; j++)
    loops->copy(from.m, uplo == TRIGON_LOWER ? j : j + 1 - from.n, column(from, j), column(to, j));
  return TRIGON_OK;
}

static trigon_status set_diagonal(machine *m, view taus, view S) {
  const reflector_kernels *loops = reflector_kernels_for(S.type);
  (void)m;
  for (int64_t j = 0; j < S.n; j++)
    loops->copy(1, 0, address_of(block(taus, j, 1, 1, 1)), address_of(block(S, j, j, 1, 1)));
  return TRIGON_OK;
}

/* ------------------------------------------------------------------------------------- tridiagonal matrices -- */

/* Value i of A, rounded to its type. scale(0) is the power of two of A, and scale(1) that of T: their product may be
 * larger than the type holds. */
static double unscaled(view values, int64_t i, view scale) {
  const double value = real_of(values, i) / real_of(scale, 1) / real_of(scale, 0);
  return type_is_single(values.type) ? (double)(float)value : value;
}

trigon_status cpu_positions(machine *m, const eigen_problem *p, const int64_t *order, view values, view scale,
                            int64_t *first, int64_t *last) {
  (void)m;
  *first = 0, *last = values.m;
  if (p->range == TRIGON_RANGE_INDICES) *first = p->first - 1, *last = p->last;
  if (p->range != TRIGON_RANGE_INTERVAL) return TRIGON_OK;
  *last = 0;
  for (int64_t i = 0; i < values.m; i++) {
    const double value = unscaled(values, order ? order[i] : i, scale);
    *first += value <= p->lower, *last += value <= p->upper;
  }
  return TRIGON_OK;
}

static trigon_status store_found(machine *m, int64_t count, int64_t *found) {
  (void)m;
  *found = count;
  return TRIGON_OK;
}

/* The largest element of T. */
static double norm_of(view d, view e) {
  double most = 0;
  for (int64_t i = 0; i < d.m; i++) most = fmax(most, fabs(real_of(d, i)));
  for (int64_t i = 0; i + 1 < d.m; i++) most = fmax(most, fabs(real_of(e, i)));
  return most;
}

/* The first row of a diagonal element, or of an element beside it, that is not finite, from 1, or 0. */
static int64_t first_infinite(view d, view e) {
  for (int64_t i = 0; i < d.m; i++)
    if (!isfinite(real_of(d, i)) || (i + 1 < d.m && !isfinite(real_of(e, i)))) return i + 1;
  return 0;
}

static trigon_status copy_tridiagonal(machine *m, view d, view e, view to_d, view to_e, view scale) {
  const bool single = type_is_single(d.type);
  const int64_t failed = first_infinite(d, e);
  const double most = norm_of(d, e),
               factor = failed > 0 || has_safe_squares(most, single) ? 1 : power_for(most, single);
  record(m, failed);
  for (int64_t i = 0; i < d.m; i++) {
    set_real(to_d, i, real_of(d, i) * factor);
    set_real(to_e, i, i + 1 < d.m ? real_of(e, i) * factor : 0);
  }
  set_real(scale, 0, factor), set_real(scale, 1, 1);
  return TRIGON_OK;
}

static void scale_tridiagonal(view d, view e, view scale) {
  const double factor = power_for(norm_of(d, e), type_is_single(d.type));
  for (int64_t i = 0; i < d.m; i++) set_real(d, i, real_of(d, i) * factor);
  for (int64_t i = 0; i + 1 < d.m; i++) set_real(e, i, real_of(e, i) * factor);
  set_real(scale, 1, factor);
}

static trigon_status find_values(machine *m, const eigen_problem *wanted, view d, view e, view scale) {
  const tridiagonal_kernels *loops = tridiagonal_kernels_for(d.type);
  (void)wanted; /* QL iterations find all */
  scale_tridiagonal(d, e, scale);
  record(m, loops->values(d.m, address_of(d), address_of(e)));
  loops->sort(d.m, address_of(d));
  return TRIGON_OK;
}

/* The leaves, which threads share. */
typedef struct leaf_work {
  const tridiagonal_kernels *loops;
  int level;
  view d, e, Z;
  int64_t *order;

} leaf_work;

/* Solves a leaf. Its `order` first holds how the iteration ended. */
static void solve_leaf(int64_t i, void *job) {
  const leaf_work *w = job;
  const int64_t first = block_begin(w->d.m, w->level, i), n = block_begin(w->d.m, w->level, i + 1) - first;
  const int64_t size = type_size(w->Z.type);
  for (int64_t j = first; j < first + n; j++) memset(column(w->Z, j), 0, (size_t)(w->Z.m * size));
  if (n == 0) return;
  w->order[first] = w->loops->solve(n, address_of(block(w->d, first, 0, n, 1)), address_of(block(w->e, first, 0, n, 1)),
                                    address_of(block(w->Z, first, first, n, n)), w->Z.ld);
}

static trigon_status solve_leaves(machine *m, int level, view d, view e, view scale, view Z, int64_t *order) {
  leaf_work w = {tridiagonal_kernels_for(d.type), level, d, e, Z, order};
  const int64_t leaves = INT64_C(1) << level;
  scale_tridiagonal(d, e, scale);
  for (int64_t i = 1; i < leaves; i++) {
    const int64_t row = block_begin(d.m, level, i);
    if (row > block_begin(d.m, level, i - 1)) w.loops->cut(address_of(d), address_of(block(e, row - 1, 0, 1, 1)), row);
  }
  machine_parallel_for(m, leaves, solve_leaf, &w);
  for (int64_t i = 0; i < leaves; i++) {
    const int64_t first = block_begin(d.m, level, i), end = block_begin(d.m, level, i + 1);
    if (end > first) record(m, order[first]);
    for (int64_t j = first; j < end; j++) order[j] = j - first;
  }
  return TRIGON_OK;
}

static trigon_status gather(machine *m, const int64_t *order, int64_t first, view Z, view to) {
  const reflector_kernels *loops = reflector_kernels_for(to.type);
  (void)m;
  for (int64_t j = 0; j < to.n; j++) {
    const void *from = column(Z, order ? order[first + j] : first + j);
    if (to.type != Z.type)
      loops->copy_real(to.m, from, column(to, j));
    else
      loops->copy(to.m, 0, from, column(to, j));
  }
  return TRIGON_OK;
}

static trigon_status store_values(machine *m, const int64_t *order, int64_t first, view d, view scale, view values) {
  (void)m;
  for (int64_t i = 0; i < values.m; i++) set_real(values, i, unscaled(d, order ? order[first + i] : first + i, scale));
  return TRIGON_OK;
}

/* The solver's memory, and n values. */
static int64_t small_bytes(trigon_type type, trigon_job job, int64_t n) {
  return (small_solver_elements(n, job == TRIGON_VECTORS) + n) * type_size(type);
}

/* Stores the values that are wanted, and moves their vectors to the front. */
static trigon_status keep_part(machine *m, const operation *o, view values) {
  const eigen_problem *p = o->eigen;
  double factors[2] = {1, 1};
  const view scale = view_of((trigon_matrix){factors, TRIGON_D, 2, 1, 2});
  int64_t first, last;
  TRY(cpu_positions(m, p, NULL, values, scale, &first, &last));
  if (p->found) *p->found = last - first;
  for (int64_t j = first; j < last; j++) {
    set_real(p->values, j - first, real_of(values, j));
    if (wants_vectors(p) && first > 0)
      memcpy(column(o->A, j - first), column(o->A, j), (size_t)(o->A.m * type_size(o->A.type)));
  }
  return TRIGON_OK;
}

static trigon_status solve_small(machine *m, const operation *o) {
  const eigen_problem *of = o->eigen;
  const int64_t n = o->A.n, used = small_solver_elements(n, wants_vectors(of)) * type_size(o->A.type);
  const view values = view_of((trigon_matrix){(char *)of->memory + used, of->values.type, n, 1, n});
  const small_problem p = {.lower = o->uplo == TRIGON_LOWER,
                           .vectors = wants_vectors(of),
                           .n = n,
                           .lda = o->A.ld,
                           .A = address_of(o->A),
                           .values = address_of(values),
                           .memory = of->memory};
  const int64_t failure = cpu_on(m)->arch->eigen->one[type_index(o->A.type)](&p);
  record(m, failure);
  return failure > 0 ? TRIGON_OK : keep_part(m, o, values);
}

const eigen_support cpu_eigen = {
    .take = take,
    .give = give,
    .small_order = small_solver_order,
    .small_bytes = small_bytes,
    .solve_small = solve_small,
    .scale = scale_matrix,
    .make_real = make_real,
    .reflect = reflect,
    .complete = complete,
    .leaves_panels = cpu_leaves_panels,
    .direct_order = cpu_direct_order,
    .direct_bytes = cpu_direct_bytes,
    .reduce_directly = cpu_reduce_directly,
    .copy_reflectors = copy_reflectors,
    .set_diagonal = set_diagonal,
    .copy_tridiagonal = copy_tridiagonal,
    .values = find_values,
    .positions = cpu_positions,
    .store_found = store_found,
    .leaves = solve_leaves,
    .merge = cpu_merge,
    .copy_small = cpu_copy_small,
    .gather = gather,
    .store_values = store_values,
};

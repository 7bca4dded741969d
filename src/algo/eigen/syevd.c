/* syevd.c - the symmetric and Hermitian eigenproblem: A = Q·T·Qᴴ, T = Z·Λ·Zᵀ, vectors Q·Z; and that of T alone.
 *
 * Source: LAPACK xSYEVD, xHEEVD, xSTEDC, xSTEBZ; for parts of the spectrum MAGMA's xSYEVDX. */
#include "core/error.h"
#include "core/sizes.h"
#include "eigen.h"

enum {
  group_columns = 128,   /* of panels that update the matrix together: SYR2K is fast from here on */
  reduced_columns = 32,  /* of a panel of the reduction: LAPACK's number */
  applied_columns = 128, /* of a panel that is applied: products with fewer reflectors are slower */
  alignment = 256,
  most_order = 1 << 28 /* int64_t may not count the bytes of larger orders */
};

/* The memory of a call, beside A.
 *
 *     T       d, e, scale, taus, order, scratch
 *     first   W of the reduction; then the vectors of T; then V, S, Y
 *     second  the other memory of divide and conquer; then the wanted vectors, in A's type */
typedef struct solver {
  const operation *o;
  reduced r;
  view scale;
  trigon_type real;
  char *first, *second;
  int64_t *order, *scratch;
  int64_t bytes;
} solver;

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

/* The next part of the memory. `base` is NULL while sizes are counted. */
static char *next_part(char *base, int64_t *used, int64_t bytes) {
  char *part = base ? base + *used : NULL;
  *used += up_to_multiple(bytes, alignment);
  return part;
}

static view column_in(void *data, trigon_type type, int64_t n, int64_t cols) {
  return view_of((trigon_matrix){data, type, n, cols, n > 0 ? n : 1});
}

/* Bytes that the reduction and the last step need. */
static int64_t panel_bytes(const eigen_support *support, trigon_type type, int64_t n, bool vectors) {
  const int64_t reduction = algo_tridiagonalize_bytes(support, type, n, reduced_columns);
  const int64_t last = applied_columns * (3 * n + applied_columns) * type_size(type);
  return vectors ? larger(reduction, last) : reduction;
}

/* Whether there is a matrix to reduce, and not only a tridiagonal one. */
static bool is_reduced(const operation *o) { return o->routine != ROUTINE_STEDC; }

/* Whether the matrix is reduced to a band first. */
static bool has_band(const eigen_support *support, const operation *o) {
  return is_reduced(o) && support->bandwidth > 0 && o->A.m > support->least_band;
}

/* Divides the memory of the reduction to a band, or counts its bytes. */
static band_space divide_band(const eigen_support *support, view A, view taus, char *base, int64_t *used) {
  const int64_t n = A.n, b = support->bandwidth, size = type_size(A.type);
  const int64_t group = larger(b, least(group_columns, n / 16 / b * b));
  band_space s;
  s.V = column_in(next_part(base, used, n * group * size), A.type, n, group);
  s.W = column_in(next_part(base, used, n * group * size), A.type, n, group);
  s.taus = taus;
  s.work = next_part(base, used, support->panel_bytes(A.type, n));
  return s;
}

/* What the reduction to a band needs, and the reduction of the band after it. */
static int64_t bytes_for_band(const eigen_support *support, view A) {
  int64_t bytes = 0;
  (void)divide_band(support, A, A, NULL, &bytes);
  return larger(bytes, support->band_bytes(A.type, A.n));
}

/* Divides the memory, or counts its bytes. */
static solver divide_memory(const eigen_support *support, const operation *o, char *base) {
  const bool vectors = wants_vectors(o->eigen);
  const int64_t n = o->A.m, size = type_size(o->A.type), squares = support->alternates ? 2 : 1;
  solver s = {.o = o, .real = real_type_of(o->A.type)};
  const int64_t real = type_size(s.real), integer = sizeof(int64_t);
  s.r = (reduced){.uplo = o->uplo, .A = o->A};
  s.r.d = column_in(next_part(base, &s.bytes, n * real), s.real, n, 1);
  s.r.e = column_in(next_part(base, &s.bytes, 2 * n * real), s.real, n, 1);
  s.scale = column_in(next_part(base, &s.bytes, 4 * real), s.real, 4, 1);
  s.r.taus = column_in(next_part(base, &s.bytes, is_reduced(o) ? 2 * n * size : 0), o->A.type, n, 2);
  s.order = (int64_t *)(void *)next_part(base, &s.bytes, vectors || support->choose_interval ? n * integer : 0);
  s.scratch = (int64_t *)(void *)next_part(base, &s.bytes, vectors ? eigen_scratch * n * integer : 0);
  int64_t for_panels = is_reduced(o) ? panel_bytes(support, o->A.type, n, vectors) : 0;
  if (has_band(support, o)) for_panels = larger(for_panels, bytes_for_band(support, o->A));
  s.first = next_part(base, &s.bytes, larger(for_panels, vectors ? n * n * real : 0));
  s.second = next_part(base, &s.bytes, vectors ? larger((squares * n * n + 8 * n) * real, n * n * size) : 0);
  return s;
}

int64_t algo_syevd_workspace(const eigen_support *support, const operation *o) {
  if (o->A.m > most_order) return INT64_MAX;
  const int64_t bytes = divide_memory(support, o, NULL).bytes;
  const bool may_be_small = is_reduced(o) && support->solve_small && o->A.n <= support->small_order;
  if (!may_be_small) return bytes;
  return larger(bytes, up_to_multiple(support->small_bytes(o->A.type, o->eigen->job, o->A.n), alignment));
}

/* ---------------------------------------------------------------------------------------------------- steps -- */

/* Whether the machine alone chooses the values: then all are computed, and those of the interval come first. */
static bool is_blind(const eigen_support *support, const eigen_problem *p) {
  return p->range == TRIGON_RANGE_INTERVAL && support->choose_interval;
}

static trigon_status store(engine *e, const solver *s, int64_t *order, int64_t first, int64_t last) {
  const eigen_support *support = e->machine->eigen;
  const eigen_problem *p = s->o->eigen;
  if (is_blind(support, p))
    TRY(support->choose_interval(e->machine, p, order, s->r.d, s->scale));
  else if (p->found)
    TRY(support->store_found(e->machine, last - first, p->found));
  return support->store_values(e->machine, order, first, s->r.d, s->scale, block(p->values, 0, 0, last - first, 1));
}

static trigon_status find_values(engine *e, const solver *s) {
  const eigen_support *support = e->machine->eigen;
  int64_t first, last;
  TRY(support->values(e->machine, s->o->eigen, s->r.d, s->r.e, s->scale));
  TRY(support->positions(e->machine, s->o->eigen, NULL, s->r.d, s->scale, &first, &last));
  return store(e, s, is_blind(support, s->o->eigen) ? s->order : NULL, first, last);
}

/* A's vectors, from those of T: gathered in `second`, multiplied by Q there, and copied to A, which holds Q until
 * then. */
static trigon_status transform_back(engine *e, const solver *s, view Z, int64_t first, int64_t count) {
  const eigen_support *support = e->machine->eigen;
  const view A = s->o->A, X = column_in(s->second, A.type, A.n, count);
  const int64_t size = type_size(A.type), width = applied_columns;
  char *S = s->first + A.n * width * size, *Y = S + width * width * size;
  const apply_space space = {.V = column_in(s->first, A.type, A.n, width),
                             .S = column_in(S, A.type, width, width),
                             .Y = column_in(Y, A.type, width, count),
                             .X = column_in(Y + width * A.n * size, A.type, width, count)};
  TRY(support->gather(e->machine, s->order, first, Z, X));
  if (has_band(support, s->o)) {
    TRY(support->apply_chase(e->machine, s->o->uplo, A, X, s->first, Z.n * Z.n * type_size(Z.type)));
    TRY(algo_apply_band(e, s->o->uplo, A, s->r.taus, X, &space));
  } else {
    TRY(algo_apply_reflectors(e, &s->r, X, &space));
  }
  return support->gather(e->machine, NULL, 0, X, block(A, 0, 0, A.n, count));
}

static trigon_status find_vectors(engine *e, const solver *s) {
  const int64_t n = s->o->A.m;
  const view Z = column_in(s->first, s->real, n, n);
  const bool alternates = e->machine->eigen->alternates;
  char *spare = s->second + (alternates ? Z.n * Z.n * type_size(s->real) : 0);
  const view other = alternates ? column_in(s->second, s->real, Z.n, Z.n) : Z;
  const conquest c = {s->r.d, s->r.e, s->scale, Z, other, spare, s->order, s->scratch, s->o->eigen};
  int64_t first, last;
  TRY(algo_conquer(e, &c));
  TRY(e->machine->eigen->positions(e->machine, s->o->eigen, s->order, s->r.d, s->scale, &first, &last));
  TRY(store(e, s, s->order, first, last));
  if (is_reduced(s->o)) return transform_back(e, s, Z, first, last - first);
  return e->machine->eigen->gather(e->machine, s->order, first, Z, block(s->o->C, 0, 0, n, last - first));
}

/* A = Q·T·Qᴴ */
static trigon_status reduce(engine *e, const solver *s) {
  const eigen_support *support = e->machine->eigen;
  const view A = s->o->A;
  int64_t used = 0;
  if (!has_band(support, s->o)) return algo_tridiagonalize(e, &s->r, reduced_columns, s->first);
  const band_space space = divide_band(support, A, s->r.taus, s->first, &used);
  TRY(algo_reduce_to_band(e, s->o->uplo, A, &space));
  return support->chase(e->machine, s->o->uplo, wants_vectors(s->o->eigen), A, s->r.d, s->r.e, s->first);
}

static trigon_status solve_tridiagonal(engine *e, const solver *s) {
  if (e->known_failure(e) > 0) return TRIGON_OK;
  return wants_vectors(s->o->eigen) ? find_vectors(e, s) : find_values(e, s);
}

trigon_status algo_syevd(engine *e, const operation *o) {
  const eigen_support *support = e->machine->eigen;
  if (support->solve_small && o->A.n <= support->small_order) return support->solve_small(e->machine, o);
  const solver s = divide_memory(support, o, o->eigen->memory);
  TRY(support->scale(e->machine, o->uplo, o->A, s.scale));
  if (e->known_failure(e) > 0) return TRIGON_OK;
  TRY(reduce(e, &s));
  return solve_tridiagonal(e, &s);
}

trigon_status algo_stedc(engine *e, const operation *o) {
  const solver s = divide_memory(e->machine->eigen, o, o->eigen->memory);
  TRY(e->machine->eigen->copy_tridiagonal(e->machine, o->A, o->B, s.r.d, s.r.e, s.scale));
  return solve_tridiagonal(e, &s);
}

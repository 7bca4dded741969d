/* direct_reduction.c - reduces a matrix that fits the caches to tridiagonal form, column by column and
 * without panels, by one thread.
 *
 *     for each column k:   A = A - v·wᴴ - w·vᴴ     with the reflector of column k - 1
 *                          a reflector x of column k
 *                          p = A·x, and w from it
 *
 * The update of a column waits until the next reflector is known, which needs one updated column. Then the update and
 * the product read the matrix together (updated_product.inc). Panels read it once for a column, too, but also the
 * reflectors of the panel, and have many short calls: in a cache the update costs less than these.
 *
 * The lower triangle is copied, so that its columns begin whole vectors. An upper triangle is copied from its end on:
 * then it is a lower one. */
#include <string.h>

#include "common/address.h"
#include "core/sizes.h"
#include "cpu/cpu.h"
#include "cpu/kernels/packed/register/register_kernels.h"
#include "cpu_eigen.h"
#include "eigen_kernels.h"

enum {
  cached_bytes =
      4 << 20, /* of a triangle: it stays in the caches. 1 and 2 MiB are slower at order 1024 (Cascade Lake) */
  vectors = 8,
  line = 64 /* bytes at which all vectors begin */
};

/* Whole blocks. Columns are an odd number of blocks apart, so that neighbours do not share sets of a cache. */
static int64_t padded(int64_t n) { return up_to_multiple(n, updated_block); }
static int64_t leading(int64_t n) { return (padded(n) / updated_block | 1) * updated_block; }

int64_t cpu_direct_order(trigon_type type) {
  int64_t n = updated_block;
  while ((n + updated_block) * (n + updated_block) / 2 * type_size(type) <= cached_bytes) n += updated_block;
  return n;
}

int64_t cpu_direct_bytes(trigon_type type, int64_t n) {
  return padded(n) * (leading(n) + vectors) * type_size(type) + line;
}

/* The copy, and the vectors of a step. */
typedef struct direct_reduction {
  const kernels *kernel;
  const reflector_kernels *loops;
  int64_t n, size;
  updated_product u;
} direct_reduction;

static void *at(const void *x, int64_t i, int64_t size) { return (char *)(uintptr_t)x + i * size; }

static direct_reduction divide_work(machine *m, trigon_type type, int64_t n, void *work) {
  direct_reduction r = {.kernel = cpu_on(m)->arch->kernels[type_index(type)],
                        .loops = reflector_kernels_for(type),
                        .n = n,
                        .size = type_size(type)};
  const int64_t bytes = padded(n) * r.size;
  char *next = (char *)work + (line - (uintptr_t)work % line) % line;
  void *vector[vectors];
  for (int i = 0; i < vectors; i++, next += bytes) vector[i] = memset(next, 0, (size_t)bytes);
  const bool is_complex = type_is_complex(type);
  r.u = (updated_product){.n = padded(n),
                          .col = leading(n),
                          .A = next,
                          .v = vector[0],
                          .w = vector[1],
                          .x = vector[2],
                          .conj_v = vector[is_complex ? 3 : 0],
                          .conj_w = vector[is_complex ? 4 : 1],
                          .conj_x = vector[is_complex ? 5 : 2],
                          .total = vector[6],
                          .adjoint = vector[7]};
  return r;
}

/* Column k, from its diagonal on, brought up to date. Then the update has nothing left for it. */
static void *update_column(const direct_reduction *r, int64_t k) {
  const updated_product *u = &r->u;
  void *column = at(u->A, k + k * u->col, r->size);
  r->loops->subtract(r->n - k, at(u->v, k, r->size), at(u->conj_w, k, r->size), at(u->w, k, r->size),
                     at(u->conj_v, k, r->size), column);
  const void *done[] = {u->v, u->w, u->conj_v, u->conj_w, u->x, u->conj_x};
  for (size_t i = 0; i < sizeof done / sizeof *done; i++) memset(at(done[i], k, r->size), 0, (size_t)r->size);
  return column;
}

/* The step with the reflector in rows k + 1 ... of a column: x becomes the next v. */
static void update_and_multiply(direct_reduction *r, int64_t k, const void *column, const void *tau) {
  updated_product *u = &r->u;
  const int64_t size = r->size, first = k + 1, n = r->n - first, begin = first / updated_block * updated_block;
  const void *reflector = at(column, 1, size);
  memcpy(at(u->x, first, size), reflector, (size_t)(n * size));
  r->loops->conjugate(n, reflector, at(u->conj_x, first, size));
  memset(at(u->total, begin, size), 0, (size_t)((u->n - begin) * size));
  memset(at(u->adjoint, begin, size), 0, (size_t)((u->n - begin) * size));
  u->first = first;
  r->kernel->update_and_multiply(u);
  void *p = at(u->total, first, size), *w = at(u->w, first, size);
  r->kernel->finish_vector(n, (trigon_scalar){1, 0}, p, at(u->adjoint, first, size), (trigon_scalar){0},
                           &(operand){p, 1, n, 0, false});
  r->loops->complete(n, (strided){at(column, 1, size), n, 1}, tau, p, w);
  r->loops->conjugate(n, w, at(u->conj_w, first, size));
  const void *v = u->v, *conj_v = u->conj_v;
  u->v = u->x, u->conj_v = u->conj_x, u->x = v, u->conj_x = conj_v;
}

/* Element (i, j) of the lower triangle is (n - 1 - i, n - 1 - j) of the upper one. */
static operand lower_of(trigon_uplo uplo, view A) {
  if (uplo == TRIGON_LOWER) return (operand){address_of(A), 1, A.ld, 0, false};
  return (operand){address_of(block(A, A.n - 1, A.n - 1, 1, 1)), -1, -A.ld, 0, false};
}

trigon_status cpu_reduce_directly(machine *m, trigon_uplo uplo, view A, view d, view e, view taus, void *work) {
  direct_reduction r = divide_work(m, A.type, A.n, work);
  const operand L = lower_of(uplo, A);
  r.loops->load_lower(A.n, L.data, L.row, L.col, r.u.n, r.u.A, r.u.col);
  for (int64_t k = 0; k < A.n; k++) {
    const int64_t j = uplo == TRIGON_LOWER ? k : A.n - 1 - k, coupling = uplo == TRIGON_LOWER || j == 0 ? j : j - 1;
    void *column = update_column(&r, k), *tau = address_of(block(taus, j, 0, 1, 1));
    r.loops->reflect((strided){column, A.n - k, 1}, address_of(block(d, j, 0, 1, 1)),
                     address_of(block(e, coupling, 0, 1, 1)), tau, address_of(block(taus, j, 1, 1, 1)));
    if (k + 1 < A.n) update_and_multiply(&r, k, column, tau);
  }
  r.loops->store_lower(A.n, r.u.A, r.u.col, L.data, L.row, L.col);
  return TRIGON_OK;
}

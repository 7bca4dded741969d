/* direct_reduction.c - reduces a matrix that fits the caches to tridiagonal form, column by column and
 * without panels.
 *
 *     for each column k:   A = A - v·wᴴ - w·vᴴ     with the reflector of column k - 1
 *                          a reflector x of column k
 *                          p = A·x, and w from it
 *
 * The update of a column waits until the next reflector is known, which needs one updated column. Then the update and
 * the product read the matrix together (updated_product.inc). Panels read it once for a column, too, but also the
 * reflectors of the panel, and have many short calls: in a cache the update costs less than these.
 *
 * Threads share the columns of a pass in slices, whose totals are added in the slices' order. The order of the rest
 * decides about slices, so that bits do not depend on threads. One thread does what lies between two passes.
 *
 * The lower triangle is copied, so that its columns begin whole vectors. An upper triangle is copied from its end on:
 * then it is a lower one. */
#include <math.h>
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
  vectors = 7, /* beside the slices' totals */
  most_slices = 4,
  slice_elements = 16384, /* of a slice, at least: some microseconds, ten times what threads take to begin a pass */
  least_shared = 256,     /* the order from which on two threads share the passes */
  panels_of_stop = 8,     /* with the option stop=N, orders above so many times N have panels */
  line = 64               /* bytes at which all vectors begin */
};

/* Whole blocks. Columns are an odd number of blocks apart, so that neighbours do not share sets of a cache. */
static int64_t padded(int64_t n) { return up_to_multiple(n, updated_block); }
static int64_t leading(int64_t n) { return (padded(n) / updated_block | 1) * updated_block; }

int64_t cpu_direct_order(trigon_type type) {
  int64_t n = updated_block;
  while ((n + updated_block) * (n + updated_block) / 2 * type_size(type) <= cached_bytes) n += updated_block;
  return n;
}

/* With the option stop=N, so that tests reach panels with small matrices. */
bool cpu_leaves_panels(machine *m, int64_t n) {
  const int64_t stop = cpu_on(m)->options.stop;
  return stop <= 0 || n <= panels_of_stop * stop;
}

int64_t cpu_direct_bytes(trigon_type type, int64_t n) {
  return padded(n) * (leading(n) + vectors + most_slices) * type_size(type) + line;
}

/* The copy, and the vectors of a step. */
typedef struct direct_reduction {
  const kernels *kernel;
  const reflector_kernels *loops;
  int64_t n, size;
  updated_product u;
  void *totals[most_slices];
  trigon_uplo uplo;
  view d, e, taus;
} direct_reduction;

static void *at(const void *x, int64_t i, int64_t size) { return (char *)(uintptr_t)x + i * size; }

static direct_reduction divide_work(machine *m, trigon_type type, int64_t n, void *work) {
  direct_reduction r = {.kernel = cpu_on(m)->arch->kernels[type_index(type)],
                        .loops = reflector_kernels_for(type),
                        .n = n,
                        .size = type_size(type)};
  const int64_t bytes = padded(n) * r.size;
  char *next = (char *)work + (line - (uintptr_t)work % line) % line;
  void *vector[vectors + most_slices];
  for (int i = 0; i < vectors + most_slices; i++, next += bytes) vector[i] = memset(next, 0, (size_t)bytes);
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
                          .adjoint = vector[6]};
  for (int i = 0; i < most_slices; i++) r.totals[i] = vector[vectors + i];
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

/* ----------------------------------------------------------------------------------------------------- passes -- */

/* Where reflector k begins: below the diagonal. */
static int64_t first_of(int64_t k) { return k + 1; }

static int64_t slices_of(const direct_reduction *r, int64_t k) {
  const int64_t rest = r->n - first_of(k), wanted = rest * rest / 2 / slice_elements;
  return wanted < 1 ? 1 : least(wanted, most_slices);
}

/* The first column of a slice. Slices have equally many elements, but for whole blocks. */
static int64_t slice_begin(const direct_reduction *r, int64_t k, int64_t slice) {
  const int64_t first = first_of(k), slices = slices_of(r, k);
  if (slice == 0 || slice == slices) return slice == 0 ? first : r->u.n;
  const double part = 1 - sqrt(1 - (double)slice / (double)slices);
  return up_to_multiple(first + (int64_t)(part * (double)(r->u.n - first)), updated_block);
}

static void run_slice(void *job, int64_t k, int64_t slice, void *buffer) {
  const direct_reduction *r = job;
  updated_product u = r->u;
  u.first = slice_begin(r, k, slice), u.last = slice_begin(r, k, slice + 1), u.total = r->totals[slice];
  const int64_t begin = u.first / updated_block * updated_block;
  (void)buffer;
  memset(at(u.total, begin, r->size), 0, (size_t)((u.n - begin) * r->size));
  memset(at(u.adjoint, begin, r->size), 0, (size_t)((u.last - begin) * r->size));
  r->kernel->update_and_multiply(&u);
}

/* The row of d and taus that column k has. */
static int64_t stored_row(const direct_reduction *r, int64_t k) { return r->uplo == TRIGON_LOWER ? k : r->n - 1 - k; }

static void *tau_of(const direct_reduction *r, int64_t k) {
  return address_of(block(r->taus, stored_row(r, k), 0, 1, 1));
}

/* What follows the pass for column k: w, from the product. The reflector becomes the v of the next update. */
static void complete(direct_reduction *r, int64_t k) {
  updated_product *u = &r->u;
  const int64_t size = r->size, first = first_of(k), n = r->n - first;
  void *p = at(r->totals[0], first, size), *w = at(u->w, first, size);
  for (int64_t i = 1; i < slices_of(r, k); i++) {
    const int64_t begin = slice_begin(r, k, i);
    if (begin < r->n) r->kernel->add_sums(r->n - begin, at(r->totals[0], begin, size), at(r->totals[i], begin, size));
  }
  r->kernel->finish_vector(n, (trigon_scalar){1, 0}, p, at(u->adjoint, first, size), (trigon_scalar){0},
                           &(operand){p, 1, n, 0, false});
  r->loops->complete(n, (strided){at(u->x, first, size), n, 1}, tau_of(r, k), p, w);
  r->loops->conjugate(n, w, at(u->conj_w, first, size));
  const void *v = u->v, *conj_v = u->conj_v;
  u->v = u->x, u->conj_v = u->conj_x, u->x = v, u->conj_x = conj_v;
}

/* Column k becomes the reflector x. */
static void reflect(const direct_reduction *r, int64_t k) {
  const int64_t size = r->size, n = r->n - first_of(k), j = stored_row(r, k);
  const int64_t coupling = r->uplo == TRIGON_LOWER || j == 0 ? j : j - 1;
  void *column = update_column(r, k);
  r->loops->reflect((strided){column, n + 1, 1}, address_of(block(r->d, j, 0, 1, 1)),
                    address_of(block(r->e, coupling, 0, 1, 1)), tau_of(r, k), address_of(block(r->taus, j, 1, 1, 1)));
  memcpy(at(r->u.x, first_of(k), size), at(column, 1, size), (size_t)(n * size));
  r->loops->conjugate(n, at(column, 1, size), at(r->u.conj_x, first_of(k), size));
}

/* How many slices the pass for column k has, when all before it is done. */
static int64_t next_pass(void *job, int64_t k) {
  direct_reduction *r = job;
  if (k == r->n) return -1;
  if (k > 0) complete(r, k - 1);
  reflect(r, k);
  return first_of(k) < r->n ? slices_of(r, k) : 0;
}

/* Element (i, j) of the lower triangle is (n - 1 - i, n - 1 - j) of the upper one. */
static operand lower_of(trigon_uplo uplo, view A) {
  if (uplo == TRIGON_LOWER) return (operand){address_of(A), 1, A.ld, 0, false};
  return (operand){address_of(block(A, A.n - 1, A.n - 1, 1, 1)), -1, -A.ld, 0, false};
}

trigon_status cpu_reduce_directly(machine *m, trigon_uplo uplo, view A, view d, view e, view taus, void *work) {
  direct_reduction r = divide_work(m, A.type, A.n, work);
  const operand L = lower_of(uplo, A);
  const double shares = (double)A.n / least_shared;
  r.uplo = uplo, r.d = d, r.e = e, r.taus = taus;
  r.loops->load_lower(A.n, L.data, L.row, L.col, r.u.n, r.u.A, r.u.col);
  team_run(&(team_work){.tasks = next_pass, .run = run_slice},
           team_for_work(shares * shares, (int)least(cpu_on(m)->threads, most_slices)), NULL, &r);
  r.loops->store_lower(A.n, r.u.A, r.u.col, L.data, L.row, L.col);
  return TRIGON_OK;
}

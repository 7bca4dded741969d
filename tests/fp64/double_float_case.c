/* double_float_case.c - products of doubles with guarded operands, and what their results should be. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "double_float_case.h"

__extension__ typedef __float128 quad;

enum { guard_rows = 3 };

static uint64_t state = 88172645463325252u;

uint64_t random_bits(void) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return state;
}

double uniform(void) { return (double)(random_bits() >> 11) * 0x1p-53; }

static double normal(void) { return sqrt(-2 * log(uniform() + 0x1p-60)) * cos(6.283185307179586 * uniform()); }

double spread(int64_t line, int64_t term_number, double phi) {
  (void)line, (void)term_number;
  return (uniform() - 0.5) * exp(phi * normal());
}

/* Lines of one sign, with a huge element, subnormal, with signed zeros, near both ends of the range, with sums that
 * cancel, and of ones. */
double adversarial(int64_t line, int64_t term_number, double phi) {
  const double x = spread(line, term_number, phi);
  switch (line % 8) {
  case 0: return fabs(x);
  case 1: return term_number == 3 ? 1e300 : x;
  case 2: return x * 0x1p-1060;
  case 3: return term_number % 2 ? 0.0 : -0.0;
  case 4: return term_number % 2 ? x * 1e-300 : x * 1e300;
  case 5: return term_number % 2 ? 1e10 + x : x - 1e10;
  case 6: return x * 1e-300;
  default: return term_number % 2 ? 1 : -1;
  }
}

double small_integer(int64_t line, int64_t term_number, double phi) {
  (void)line, (void)term_number;
  return floor(phi * (uniform() - 0.5));
}

static double *filled(view *A, const gemm_case *c, generator *fill, bool lines_are_columns, size_t *bytes) {
  const int64_t parts = c->type == TRIGON_Z ? 2 : 1;
  A->type = c->type, A->ld = A->m + guard_rows, A->count = 1;
  *bytes = (size_t)(parts * A->ld * (A->n > 0 ? A->n : 1)) * sizeof(double);
  double *x = malloc(*bytes);
  if (!x) abort();
  for (int64_t col = 0; col < (A->n > 0 ? A->n : 1); col++)
    for (int64_t row = 0; row < A->ld; row++)
      for (int64_t part = 0; part < parts; part++) {
        const bool inside = fill && row < A->m && col < A->n;
        const double value = inside ? lines_are_columns ? fill(col, row, c->phi) : fill(row, col, c->phi) : NAN;
        x[(row + col * A->ld) * parts + part] = value;
      }
  A->base = x;
  return x;
}

gemm_data make_gemm(const gemm_case *c) {
  const bool a = c->op == TRIGON_NOTRANS, b = c->opB == TRIGON_NOTRANS;
  view A = {.m = a ? c->m : c->k, .n = a ? c->k : c->m}, B = {.m = b ? c->k : c->n, .n = b ? c->n : c->k};
  view C = {.m = c->m, .n = c->n};
  gemm_data d;
  d.A = filled(&A, c, c->fill, !a, &d.a_bytes);
  d.B = filled(&B, c, c->fill, b, &d.b_bytes);
  d.C = filled(&C, c, is_zero(c->beta) ? NULL : c->fill, false, &d.c_bytes);
  d.before = malloc(d.c_bytes);
  if (!d.before) abort();
  memcpy(d.before, d.C, d.c_bytes);
  d.o = gemm(c->op, c->opB, c->alpha, A, B, c->beta, C);
  return d;
}

void free_gemm(gemm_data *d) { free(d->A), free(d->B), free(d->C), free(d->before); }
void restore_C(gemm_data *d) { memcpy(d->C, d->before, d->c_bytes); }

void run_by(gemm_function *compute, gemm_data *d, bool tight) {
  const product p = fold_gemm(&d->o);
  const bool z = d->o.C.type == TRIGON_Z;
  const int64_t bytes =
      tight ? double_float_least_workspace(z, p.m, p.n, p.k) : double_float_best_workspace(z, p.m, p.n, p.k);
  void *workspace = aligned_alloc(double_float_alignment, (size_t)up_to_multiple(bytes + 1, double_float_alignment));
  if (!workspace) abort();
  memset(workspace, 0xff, (size_t)bytes);
  compute(NULL, d->o.C.type, &p, workspace, bytes);
  free(workspace);
}

void run_reference(gemm_data *d, bool tight) { run_by(double_float_gemm, d, tight); }

static complex_number element_of(const operand *A, bool z, int64_t i, int64_t j) {
  const double *x = (const double *)A->data + (z ? 2 : 1) * (i * A->row + j * A->col);
  return (complex_number){x[0], z ? A->conjugate ? -x[1] : x[1] : 0};
}

/* ------------------------------------------------------------------------------------------------ the bounds -- */

static quad size_of(quad x) { return x < 0 ? -x : x; }

/* An exact sum of products, of reals or of one part of complex numbers; the sum of their sizes; the largest ones. */
typedef struct exact_sum {
  quad sum, total;
  double a, b;
} exact_sum;

static void add_exactly(exact_sum *s, double a, double b) {
  s->sum += (quad)a * b, s->total += size_of((quad)a * b);
  s->a = fmax(s->a, fabs(a)), s->b = fmax(s->b, fabs(b));
}

static quad bound_of(const exact_sum *s, double k, bool expected) {
  if (expected) return 4 * sqrt(k) * 0x1p-48 * s->total;
  return (3 * k + 8) * 0x1p-48 * s->total + k * (quad)s->a * s->b * 0x1p-190;
}

static double share_of(double found, quad exact, quad bound) {
  if (size_of(exact) > 1.797e308) return 0;
  bound += 0x1p-53 * size_of(exact) + 0x1p-1074;
  const quad share = size_of(found - exact) / bound;
  return share >= 0 && share < 1e30 ? (double)share : 1e30;
}

static double share_of_element(const product *p, bool z, const double *before, int64_t i, int64_t j, bool expected) {
  exact_sum re = {0, 0, 0, 0}, im = {0, 0, 0, 0};
  for (int64_t l = 0; l < p->k; l++) {
    const complex_number a = element_of(&p->A, z, i, l), b = element_of(&p->B, z, l, j);
    add_exactly(&re, a.re, b.re), add_exactly(&re, -a.im, b.im);
    add_exactly(&im, a.im, b.re), add_exactly(&im, a.re, b.im);
  }
  const double k = (double)(z ? 2 * p->k : p->k);
  const quad ar = p->alpha.re, ai = z ? p->alpha.im : 0, er = bound_of(&re, k, expected),
             ei = bound_of(&im, k, expected);
  const double *x = (const double *)p->C.data + (z ? 2 : 1) * (i + j * p->C.col);
  quad old_re = 0, old_im = 0;
  if (p->beta.re != 0 || p->beta.im != 0) {
    const double *c = before + (z ? 2 : 1) * (i + j * p->C.col);
    const quad br = p->beta.re, bi = z ? p->beta.im : 0, cr = c[0], ci = z ? c[1] : 0;
    old_re = br * cr - bi * ci, old_im = br * ci + bi * cr;
  }
  const double first = share_of(x[0], ar * re.sum - ai * im.sum + old_re, size_of(ar) * er + size_of(ai) * ei);
  if (!z) return first;
  return fmax(first, share_of(x[1], ar * im.sum + ai * re.sum + old_im, size_of(ar) * ei + size_of(ai) * er));
}

double share_of_bound(const gemm_data *d, bool expected) {
  const product p = fold_gemm(&d->o);
  double most = 0;
  for (int64_t j = 0; j < p.n; j++)
    for (int64_t i = 0; i < p.m; i++)
      most = fmax(most, share_of_element(&p, d->o.C.type == TRIGON_Z, d->before, i, j, expected));
  return most;
}

/* ----------------------------------------------------------------------------------------- plain arithmetic -- */

void run_plainly(gemm_data *d) {
  const product p = fold_gemm(&d->o);
  const bool z = d->o.C.type == TRIGON_Z;
  const complex_number alpha = {p.alpha.re, p.alpha.im}, beta = {p.beta.re, p.beta.im};
  for (int64_t j = 0; j < p.n; j++)
    for (int64_t i = 0; i < p.m; i++) {
      complex_number sum = {0, 0}, old = {0, 0};
      double *x = d->C + (z ? 2 : 1) * (i + j * p.C.col);
      for (int64_t l = 0; l < p.k; l++) {
        const complex_number a = element_of(&p.A, z, i, l), b = element_of(&p.B, z, l, j);
        sum.re += a.re * b.re - (z ? a.im * b.im : 0), sum.im += a.re * b.im + a.im * b.re;
      }
      const complex_number c = {x[0], z ? x[1] : 0};
      if (!is_zero(p.beta)) old = plain_complex_product(beta, c);
      const complex_number y = plain_complex_product(alpha, sum);
      x[0] = z ? y.re + old.re : alpha.re * sum.re + (beta.re == 0 ? 0 : beta.re * c.re);
      if (z) x[1] = y.im + old.im;
    }
}

/* ------------------------------------------------------------------------------------------------------- bits -- */

bool same_double(double x, double y) { return memcmp(&x, &y, sizeof x) == 0 || (isnan(x) && isnan(y)); }

bool same_matrices(const double *x, const double *y, size_t bytes) {
  for (size_t i = 0; i < bytes / sizeof *x; i++)
    if (!same_double(x[i], y[i])) return false;
  return true;
}

bool guards_hold(const gemm_data *d) {
  const view C = d->o.C;
  const int64_t parts = C.type == TRIGON_Z ? 2 : 1;
  for (int64_t col = 0; col < C.n; col++)
    for (int64_t i = parts * C.m; i < parts * C.ld; i++)
      if (!isnan(d->C[i + col * C.ld * parts])) return false;
  return true;
}

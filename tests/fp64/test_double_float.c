/* test_double_float.c - pairs of floats and products of doubles by them keep their bounds, against binary128. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "double_float_case.h"
#include "support/check.h"

__extension__ typedef __float128 quad;

static quad exact(double_float p) { return (quad)p.high + p.low; }
static quad size_of(quad x) { return x < 0 ? -x : x; }

/* ------------------------------------------------------------------------------------------------- arithmetic -- */

static double_float random_pair(int exponents) {
  return double_float_of(ldexp(uniform() - 0.5, (int)(random_bits() % (unsigned)(2 * exponents)) - exponents));
}

static bool is_normal_pair(double_float p) { return p.high + p.low == p.high; }

static void pairs_keep_their_bounds(void) {
  const quad u2 = 0x1p-48;
  quad add = 0, multiply = 0, both = 0, convert = 0;
  bool normal = true;
  for (int i = 0; i < 300000; i++) {
    const double_float a = random_pair(12), b = random_pair(12);
    double_float c = random_pair(12);
    if (i % 5 == 0) c = double_float_of(-(double)(exact(a) * exact(b)) * (1 + (uniform() - 0.5) * 0x1p-20));
    const quad ab = exact(a) * exact(b);
    const double_float s = add_double_floats(a, c), p = multiply_double_floats(a, b),
                       f = multiply_add_double_floats(a, b, c);
    const double x = ldexp(uniform() - 0.5, 10);
    add = fmaxf((float)add,
                (float)(size_of(exact(s) - exact(a) - exact(c)) / (u2 * (size_of(exact(a)) + size_of(exact(c))))));
    multiply = fmaxf((float)multiply, (float)(size_of(exact(p) - ab) / (u2 * size_of(ab))));
    both = fmaxf((float)both,
                 (float)(size_of(exact(f) - ab - exact(c)) / (u2 * (3 * size_of(exact(c)) + 13 * size_of(ab)))));
    convert = fmaxf((float)convert, (float)(size_of(exact(double_float_of(x)) - x) / (u2 / 2 * size_of(x))));
    normal = normal && is_normal_pair(s) && is_normal_pair(p) && is_normal_pair(f);
  }
  if (getenv("TRIGON_TEST_VERBOSE"))
    printf("add %.3g of 3, multiply %.3g of 8, both %.3g of the bound, convert %.3g of the bound\n", (double)add,
           (double)multiply, (double)both, (double)convert);
  check(add <= 3, "a sum of pairs has an error of at most 3u² of |a| + |b|");
  check(multiply <= 8, "a product of pairs has an error of at most 8u²");
  check(both <= 1, "a sum and a product together keep their bound");
  check(convert <= 1, "a double becomes a pair with an error of at most u²/2");
  check(normal, "low is at most half a unit of high");
}

static void special_pairs(void) {
  const double_float huge = double_float_of(1e300), nan = double_float_of(NAN), none = double_float_of(-0.0);
  check(huge.high == INFINITY && huge.low == 0 && double_of(huge) == INFINITY, "a double beyond the range");
  check(isnan(nan.high) && isnan(double_of(nan)), "a NaN stays a NaN");
  check(signbit(none.high) && signbit(double_of(none)), "a negative zero");
  check(double_of(double_float_of(123456789012345.0)) == 123456789012345.0, "integers of 47 bits are exact");
  check(scaled_double_float(0x1p-1074, 1074).high == 1 && scaled_double_float(-0x1.8p1023, -1000).high == -0x1.8p23f,
        "scaling reaches both ends of the range");
}

/* --------------------------------------------------------------------------------------------------- products -- */

static const char *name_of(const gemm_case *c) {
  static char text[200];
  snprintf(text, sizeof text, "%c %d x %d x %d, ops %d %d, alpha %g %g, beta %g %g, phi %g",
           c->type == TRIGON_Z ? 'z' : 'd', (int)c->m, (int)c->n, (int)c->k, (int)c->op, (int)c->opB, c->alpha.re,
           c->alpha.im, c->beta.re, c->beta.im, c->phi);
  return text;
}

/* The best and the least workspace give the same bits. */
static void keeps_bounds(const gemm_case *c, bool expected) {
  gemm_data d = make_gemm(c);
  run_reference(&d, false);
  const double share = share_of_bound(&d, false), usual = share_of_bound(&d, true);
  if (getenv("TRIGON_TEST_VERBOSE")) printf("%.3f %.3f %s\n", share, usual, name_of(c));
  check(share <= 1, name_of(c));
  check(!expected || usual <= 1, name_of(c));
  check(guards_hold(&d), "nothing beside C is written");
  double *once = malloc(d.c_bytes);
  if (!once) abort();
  memcpy(once, d.C, d.c_bytes);
  restore_C(&d);
  run_reference(&d, true);
  check(same_matrices(once, d.C, d.c_bytes), "the workspace does not change a bit");
  free(once), free_gemm(&d);
}

static void products(void) {
  static const double phis[] = {0, 0.5, 1, 2, 4};
  static const trigon_scalar scalars[][2] = {
      {{1, 0}, {0, 0}}, {{-0.7, 0.3}, {1, 0}}, {{1e300, 0}, {1e-3, -2}}, {{1e-310, 1}, {-2, 0}}};
  static const int64_t shapes[][3] = {{1, 1, 1}, {5, 7, 2}, {3, 4, 3}, {33, 17, 65}, {66, 65, 130}};
  static const trigon_op ops[] = {TRIGON_NOTRANS, TRIGON_TRANS, TRIGON_CONJTRANS};
  int turn = 0;
  for (int z = 0; z < 2; z++)
    for (int s = 0; s < 5; s++)
      for (int f = 0; f < 5; f++)
        for (int q = (s + f) % 2; q < 4; q += s == 4 ? 4 : 2) {
          gemm_case c = {z ? TRIGON_Z : TRIGON_D, shapes[s][0],  shapes[s][1],  shapes[s][2], ops[turn % 3],
                         ops[turn / 3 % 3],       scalars[q][0], scalars[q][1], phis[f],      spread};
          turn++;
          keeps_bounds(&c, true);
          c.fill = adversarial;
          keeps_bounds(&c, false);
        }
  keeps_bounds(&(gemm_case){TRIGON_D, 2, 3, 140001, TRIGON_TRANS, TRIGON_NOTRANS, {1, 0}, {1, 0}, 1, spread}, true);
  keeps_bounds(&(gemm_case){TRIGON_D, 8, 8, 20000, TRIGON_NOTRANS, TRIGON_TRANS, {1, 0}, {0, 0}, 0, adversarial},
               false);
}

static void integers_are_exact(void) {
  for (int z = 0; z < 2; z++) {
    const gemm_case c = {
        z ? TRIGON_Z : TRIGON_D, 20, 30, 600, TRIGON_NOTRANS, TRIGON_TRANS, {1, 0}, {-3, 0}, 2000, small_integer};
    gemm_data d = make_gemm(&c);
    run_reference(&d, false);
    double *found = malloc(d.c_bytes);
    if (!found) abort();
    memcpy(found, d.C, d.c_bytes);
    restore_C(&d), run_plainly(&d);
    check(same_matrices(found, d.C, d.c_bytes), "products of integers are exact");
    free(found), free_gemm(&d);
  }
}

/* alpha = 0 and k = 0: A and B, which hold NaNs, are not read; beta = 0: C is not read. */
static void nothing_is_read(void) {
  for (int z = 0; z < 2; z++)
    for (int q = 0; q < 4; q++) {
      const bool no_terms = q & 1, no_beta = q & 2;
      gemm_case c = {
          z ? TRIGON_Z : TRIGON_D, 5, 6,   no_terms ? 0 : 7, TRIGON_NOTRANS, TRIGON_NOTRANS, {no_terms ? 2 : 0, 0},
          {no_beta ? 0 : 2, 0},    0, NULL};
      gemm_data d = make_gemm(&c);
      for (size_t i = 0; i < d.c_bytes / sizeof *d.C && !no_beta; i++) d.C[i] = 3;
      run_reference(&d, q > 1);
      bool right = true;
      for (int64_t col = 0; col < c.n; col++)
        for (int64_t i = 0; i < c.m * (z ? 2 : 1); i++)
          right = right && d.C[i + col * d.o.C.ld * (z ? 2 : 1)] == (no_beta ? 0 : 6);
      check(right, "alpha 0 or no terms: C is scaled, and nothing else is read");
      free_gemm(&d);
    }
}

/* ------------------------------------------------------------------------------------------- special values -- */

static bool alike(double x, double y) { return isfinite(y) ? fabs(x - y) < 1e-12 : isnan(y) ? isnan(x) : x == y; }

static bool matrices_alike(const gemm_data *d, const double *x, const double *y) {
  const int64_t parts = d->o.C.type == TRIGON_Z ? 2 : 1;
  for (int64_t col = 0; col < d->o.C.n; col++)
    for (int64_t i = 0; i < d->o.C.m * parts; i++)
      if (!alike(x[i + col * d->o.C.ld * parts], y[i + col * d->o.C.ld * parts])) return false;
  return true;
}

static void compare_special(gemm_data *d) {
  double *found = malloc(d->c_bytes);
  if (!found) abort();
  memcpy(d->before, d->C, d->c_bytes);
  for (int tight = 0; tight < 2; tight++) {
    restore_C(d), run_reference(d, tight);
    memcpy(found, d->C, d->c_bytes);
    restore_C(d), run_plainly(d);
    check(matrices_alike(d, found, d->C), "NaN and infinity come out as in plain arithmetic");
  }
  free(found);
}

/* One or two special values at each place of A, B and C. */
static void special_values_spread(void) {
  static const double values[] = {NAN, INFINITY, -INFINITY, 0.0};
  for (int z = 0; z < 2; z++)
    for (int v = 0; v < 4; v++)
      for (int second = 0; second < 4; second++)
        for (int where = 0; where < 15 + 20 + 12; where++) {
          gemm_case c = {z ? TRIGON_Z : TRIGON_D, 3, 4, 5, TRIGON_NOTRANS, TRIGON_NOTRANS, {2, 0}, {1, 0}, 1, spread};
          if (z && second == 1) c.op = TRIGON_CONJTRANS, c.alpha = (trigon_scalar){0.5, -1};
          gemm_data d = make_gemm(&c);
          const int64_t parts = z ? 2 : 1;
          const view target = where < 15 ? d.o.A : where < 35 ? d.o.B : d.o.C;
          const int64_t i = where < 15 ? where : where < 35 ? where - 15 : where - 35;
          ((double *)target.base)[(i % target.m + i / target.m * target.ld) * parts + (where % parts)] = values[v];
          d.B[(second + 3 * d.o.B.ld) * parts] = values[second];
          d.A[second * parts] = values[(v + second) % 4];
          compare_special(&d);
          free_gemm(&d);
        }
}

static void special_scalars(void) {
  static const double values[] = {NAN, INFINITY, -INFINITY};
  for (int v = 0; v < 3; v++)
    for (int which = 0; which < 2; which++) {
      gemm_case c = {TRIGON_D, 3, 4, 5, TRIGON_NOTRANS, TRIGON_NOTRANS, {2, 0}, {1, 0}, 1, spread};
      *(which ? &c.alpha.re : &c.beta.re) = values[v];
      gemm_data d = make_gemm(&c);
      compare_special(&d);
      free_gemm(&d);
    }
}

/* ------------------------------------------------------------------------------------------ products of pairs -- */

static void products_of_pairs(void) {
  enum { M = 13, N = 9, K = 70, LD = 75 };
  double_float A[LD * LD], B[LD * LD], C[LD * N];
  for (int q = 0; q < 8; q++) {
    for (int i = 0; i < LD * LD; i++) A[i] = random_pair(5), B[i] = random_pair(5);
    for (int i = 0; i < LD * N; i++) C[i] = q & 4 ? random_pair(5) : (double_float){NAN, NAN};
    double_float before[LD * N];
    memcpy(before, C, sizeof C);
    const bool a = q & 1, b = q & 2;
    const double_float_product p = {M,
                                    N,
                                    K,
                                    a ? LD : 1,
                                    a ? 1 : LD,
                                    b ? LD : 1,
                                    b ? 1 : LD,
                                    LD,
                                    A,
                                    B,
                                    C,
                                    double_float_of(-1.0 / 3),
                                    double_float_of(q & 4 ? 0.7 : 0)};
    gemm_pairs(NULL, &p);
    bool good = true;
    for (int j = 0; j < N; j++)
      for (int i = 0; i < M; i++) {
        quad sum = 0, total = 0;
        for (int l = 0; l < K; l++) {
          const quad x = exact(A[i * p.a_row + l * p.a_col]) * exact(B[l * p.b_row + j * p.b_col]);
          sum += x, total += size_of(x);
        }
        const quad old = q & 4 ? exact(p.beta) * exact(before[i + j * LD]) : 0, due = exact(p.alpha) * sum + old;
        const quad bound = 0x1p-48 * ((3 * K + 20) * size_of(exact(p.alpha)) * total + 12 * size_of(old));
        good = good && size_of(exact(C[i + j * LD]) - due) <= bound;
      }
    check(good, "products of pairs keep their bound");
    check(q & 4 || isnan(C[M].high), "nothing beside C is written");
  }
  A[0] = (double_float){INFINITY, 0}, B[0] = (double_float){-1, 0};
  for (int i = 0; i < N; i++) C[i * LD] = (double_float){1, 0};
  const double_float_product p = {1, 1, 1, 1, LD, 1, LD, LD, A, B, C, {2, 0}, {1, 0}};
  gemm_pairs(NULL, &p);
  check(C[0].high == -INFINITY && C[0].low == 0, "infinity comes out of products of pairs");
}

/* ------------------------------------------------------------------------------------------------------- fusing -- */

gemm_function fused_double_float_gemm; /* double_float_fused.c */
static bool can_fuse(void) {
#ifdef __x86_64__
  return __builtin_cpu_supports("fma");
#else
  return true;
#endif
}

static void fusing_changes_no_bit(void) {
  if (!can_fuse()) return;
  for (int i = 0; i < 24; i++) {
    const gemm_case c = {i % 2 ? TRIGON_Z : TRIGON_D,
                         20,
                         17,
                         50 + i,
                         i % 3 ? TRIGON_TRANS : TRIGON_NOTRANS,
                         TRIGON_NOTRANS,
                         {i % 4 ? -0.7 : 1, 0.3},
                         {i % 5 ? 0.9 : 0, -2},
                         1,
                         i % 7 ? spread : adversarial};
    gemm_data d = make_gemm(&c);
    double *plain = malloc(d.c_bytes);
    if (!plain) abort();
    run_reference(&d, false);
    memcpy(plain, d.C, d.c_bytes);
    restore_C(&d), run_by(fused_double_float_gemm, &d, false);
    check(same_matrices(plain, d.C, d.c_bytes), "a compiler that fuses products and sums changes no bit");
    free(plain), free_gemm(&d);
  }
}

int main(void) {
  pairs_keep_their_bounds();
  special_pairs();
  products();
  integers_are_exact();
  nothing_is_read();
  special_values_spread();
  special_scalars();
  products_of_pairs();
  fusing_changes_no_bit();
  return checked();
}

/* test_secular.c - the roots of the secular equation, on which vectors of divide and conquer depend: clusters of poles,
 * weights of any size, and the poles on which LAPACK's DLAED4 does not converge (Reference-LAPACK issue 1166).
 *
 *     1/rho + Σ z_i²/(d_i - x) = 0
 *
 * Each root is found again by bisection in long double, from its nearest pole. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/eigen/eigen_kernels.h"
#include "support/check.h"
#include "support/matrices.h"

enum { most = 300 };

/* A problem in double; the precision in which it is solved rounds it. */
typedef struct secular {
  int64_t n;
  double d[most], z[most], rho;
} secular;

static double worst[2][2]; /* of the distance from a pole, relative; of orthogonality */

/* ------------------------------------------------------------------------------------------------- the problem -- */

/* Sorts the poles, and makes z of length 1. */
static void finish(secular *s) {
  double square = 0;
  for (int64_t i = 1; i < s->n; i++)
    for (int64_t j = i; j > 0 && s->d[j - 1] > s->d[j]; j--) {
      const double d = s->d[j];
      s->d[j] = s->d[j - 1], s->d[j - 1] = d;
    }
  for (int64_t i = 0; i < s->n; i++) square += s->z[i] * s->z[i];
  for (int64_t i = 0; i < s->n; i++) s->z[i] /= sqrt(square);
}

/* Deflation leaves no pole whose weight, and no pair of poles whose distance, is negligible. The problem keeps the
 * others. */
static void deflate(secular *s, double epsilon) {
  int64_t kept = 0;
  const double tolerance = 4 * epsilon;
  finish(s);
  for (int64_t i = 0; i < s->n; i++) {
    if (s->rho * fabs(s->z[i]) <= tolerance) continue;
    if (kept > 0 && s->d[i] - s->d[kept - 1] <= tolerance / 2) continue;
    s->d[kept] = s->d[i], s->z[kept] = s->z[i], kept++;
  }
  s->n = kept;
  finish(s);
}

/* A size between `least` and 1, whose logarithm is uniform. */
static double any_size(random_stream *r, double least) { return pow(least, (random_unit(r) + 1) / 2); }

static secular random_problem(int64_t n, int kind, double epsilon, random_stream *r) {
  secular s = {.n = n, .rho = any_size(r, kind % 2 ? 1 : 1e3 * epsilon)};
  for (int64_t i = 0; i < n; i++) {
    const double pole = random_unit(r), cluster = (double)random_below(r, 4) / 4;
    s.d[i] = kind / 2 == 0   ? pole
             : kind / 2 == 1 ? (double)i / (double)n
             : kind / 2 == 2 ? cluster + 50 * epsilon * pole
                             : cluster + any_size(r, epsilon) * pole / 4;
    s.z[i] = kind % 3 == 0 ? 1 : any_size(r, epsilon) * (random_unit(r) < 0 ? -1 : 1);
  }
  return s;
}

/* The poles of issue 1166; its weights are drawn. */
static secular issue_1166(random_stream *r) {
  static const double d[] = {
      -8.9907411945275305e-17, 3.1527281176230556e-06, 7.8104209108493992e-06, 1.4528378412105169e-05,
      1.6571840586254615e-05,  1.6791959834500457e-05, 1.6951003434697501e-05, 1.6961635049587819e-05,
      1.6969218460422806e-05,  1.7028037406879576e-05, 1.9135232081591496e-05, 2.1876238530929982e-05,
      2.1920146416725336e-05,  3.9357203097119847e-05, 1.0557423781645928e-04, 1.3686127039388258e-04,
      1.3686300570614894e-04,  1.3686313427158908e-04, 1.3686314099616321e-04, 1.3686314127052412e-04,
      1.3686314210337733e-04,  1.3686314231692531e-04, 1.3686314257213152e-04, 5.3532577970471340e-02,
      9.9996866934433004e-01,  1.0000000849390769e+00};
  secular s = {.n = sizeof d / sizeof *d, .rho = 6.2964808955495258e-05};
  memcpy(s.d, d, sizeof d);
  for (int64_t i = 0; i < s.n; i++) s.z[i] = any_size(r, 1e-9);
  return s;
}

/* ------------------------------------------------------------------------------------------------- the judge -- */

/* The function at pole `origin` + tau. */
static long double value_at(const secular *s, int64_t origin, long double tau) {
  long double sum = 1 / (long double)s->rho;
  for (int64_t i = 0; i < s->n; i++) {
    const long double distance = (long double)s->d[i] - s->d[origin] - tau;
    sum += (long double)s->z[i] * s->z[i] / distance;
  }
  return sum;
}

/* The distance of root p from a pole beside it, by bisection. */
static long double exact_distance(const secular *s, int64_t p, int64_t origin) {
  const long double end = p + 1 < s->n ? (long double)s->d[p + 1] - s->d[p] : s->rho * (1 + 1e-10L);
  long double low = origin == p ? 0 : -end, high = origin == p ? end : 0;
  for (int i = 0; i < 400; i++) {
    const bool same_sign = low * high > 0;
    long double middle = same_sign ? sqrtl(low / high) * high : (low + high) / 2;
    if (!same_sign && i < 100) middle = low == 0 ? high / 4 : high == 0 ? low / 4 : middle;
    if (middle == low || middle == high) break;
    *(value_at(s, origin, middle) < 0 ? &low : &high) = middle;
  }
  return low == 0 ? high : high == 0 ? low : (low + high) / 2;
}

/* ------------------------------------------------------------------------------------------------ the kernels -- */

/* The memory of a problem in one precision. */
typedef struct arrays {
  double d[most], z[most], product[most], work[most], S[most * most], values[most];
  int64_t row[most];
} arrays;
static arrays memory;

static void store(bool single, void *data, int64_t i, double value) {
  if (single)
    ((float *)data)[i] = (float)value;
  else
    ((double *)data)[i] = value;
}
static double load(bool single, const void *data, int64_t i) {
  return single ? (double)((const float *)data)[i] : ((const double *)data)[i];
}

/* Rounds the problem to the precision, so that both solve the same one. */
static merging begin(secular *s, bool single) {
  merging m = {.n = s->n, .n1 = s->n / 2, .kept = s->n, .kept_d = memory.d, .kept_z = memory.z};
  m.product = memory.product, m.row = memory.row, m.d = memory.values;
  for (int64_t i = 0; i < s->n; i++) {
    store(single, memory.d, i, s->d[i]), store(single, memory.z, i, s->z[i]);
    s->d[i] = load(single, memory.d, i), s->z[i] = load(single, memory.z, i);
    memory.row[i] = i;
  }
  if (single) s->rho = (double)(float)s->rho;
  m.rho = s->rho;
  return m;
}

/* The distances in column p, from the pole to which the root is nearer, have few wrong digits: what the error of f, in
 * units of rounding of its terms, costs. */
static void judge_root(const secular *s, bool single, int64_t p, double epsilon) {
  const char *column = (const char *)memory.S + (size_t)(p * most) * (single ? sizeof(float) : sizeof(double));
  const double left = -load(single, column, p), right = p + 1 < s->n ? load(single, column, p + 1) : (double)INFINITY;
  const int64_t origin = left <= right ? p : p + 1;
  const long double found = -(long double)load(single, column, origin), exact = exact_distance(s, p, origin);
  long double slope = 0, sizes = 1 / (long double)s->rho;
  for (int64_t i = 0; i < s->n; i++) {
    const long double distance = (long double)s->d[i] - s->d[origin] - exact, z = s->z[i];
    slope += z * z / (distance * distance), sizes += z * z / fabsl(distance);
  }
  const double units = (double)(fabsl(found - exact) / (epsilon * (sizes / slope + fabsl(exact))));
  check_that(found != 0 && units <= 100, "%s: %d poles, root %d: %.3Lg beside pole %d, not %.3Lg: %.3g units",
             single ? "single" : "double", (int)s->n, (int)p, found, (int)origin, exact, units);
  worst[single][0] = fmax(worst[single][0], units);
}

static void judge_vectors(const secular *s, bool single, double epsilon) {
  double off = 0;
  for (int64_t j = 0; j < s->n; j++)
    for (int64_t i = 0; i <= j; i++) {
      long double dot = i == j ? -1 : 0;
      for (int64_t k = 0; k < s->n; k++)
        dot += (long double)load(single, memory.S, k + i * most) * load(single, memory.S, k + j * most);
      if (!(fabs((double)dot) <= off)) off = fabs((double)dot);
    }
  const double units = off / (epsilon * sqrt((double)s->n));
  check_that(units <= 30, "%s: %d poles: vectors are %.3g units from orthogonal", single ? "single" : "double",
             (int)s->n, units);
  worst[single][1] = fmax(worst[single][1], units);
}

static void solve(secular s, bool single) {
  const tridiagonal_kernels *loops = tridiagonal_kernels_for(single ? TRIGON_S : TRIGON_D);
  const double epsilon = single ? (double)FLT_EPSILON : DBL_EPSILON;
  deflate(&s, epsilon);
  if (s.n == 0) return;
  merging m = begin(&s, single);
  for (int64_t p = 0; p < s.n; p++)
    loops->root(&m, p, memory.S, most, (char *)memory.values + (size_t)p * (single ? sizeof(float) : sizeof(double)));
  for (int64_t p = 0; p < s.n; p++) judge_root(&s, single, p, epsilon);
  for (int64_t p = 0; p + 1 < s.n; p++)
    check_that(load(single, memory.values, p) <= load(single, memory.values, p + 1),
               "roots %d and %d are not ascending", (int)p, (int)p + 1);
  loops->recompute(&m, 0, s.n / 3, memory.S, most), loops->recompute(&m, s.n / 3, s.n, memory.S, most);
  for (int64_t p = 0; p < s.n; p++) loops->vector(&m, p, memory.S, most, memory.work);
  judge_vectors(&s, single, epsilon);
}

int main(void) {
  static const int64_t sizes[] = {1, 2, 3, 7, 8, 9, 30, 70};
  random_stream r = {5};
  for (int single = 0; single < 2; single++) {
    const double epsilon = single ? (double)FLT_EPSILON : DBL_EPSILON;
    for (int round = 0; round < 6; round++)
      for (int kind = 0; kind < 8; kind++)
        for (int k = 0; k < 8; k++) solve(random_problem(sizes[k], kind, epsilon, &r), single);
    for (int round = 0; round < 100; round++) solve(issue_1166(&r), single);
    printf("%s: roots %.2f units, orthogonality %.2f units\n", single ? "single" : "double", worst[single][0],
           worst[single][1]);
  }
  return checked();
}

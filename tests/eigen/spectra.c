/* spectra.c - generators of Hermitian matrices (spectra.h). */
#include "spectra.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void put(dense *A, int64_t i, int64_t j, double re) { A->re[i + j * A->rows] = re, A->re[j + i * A->rows] = re; }
static double get(const dense *A, int64_t i, int64_t j) { return A->re[i + j * A->rows]; }

/* ------------------------------------------------------------------------------------------ diagonal matrices -- */

/* The part of the way from the first element to the last one. */
static double part(int64_t i, int64_t n) { return n > 1 ? (double)i / (double)(n - 1) : 0; }

static double sign(random_stream *r) { return random_unit(r) < 0 ? -1 : 1; }

static void zero(dense *A, double epsilon, random_stream *r) { (void)A, (void)epsilon, (void)r; }

static void identity(dense *A, double epsilon, random_stream *r) {
  (void)epsilon, (void)r;
  for (int64_t i = 0; i < A->rows; i++) put(A, i, i, 1);
}

static void even_diagonal(dense *A, double epsilon, random_stream *r) {
  for (int64_t i = 0; i < A->rows; i++) put(A, i, i, sign(r) * (1 - part(i, A->rows) * (1 - epsilon)));
}

static void geometric_diagonal(dense *A, double epsilon, random_stream *r) {
  for (int64_t i = 0; i < A->rows; i++) put(A, i, i, sign(r) * pow(epsilon, part(i, A->rows)));
}

static void clustered_diagonal(dense *A, double epsilon, random_stream *r) {
  for (int64_t i = 0; i < A->rows; i++) put(A, i, i, sign(r) * (i == 0 ? 1 : epsilon));
}

static void two_values(dense *A, double epsilon, random_stream *r) {
  (void)epsilon;
  for (int64_t i = 0; i < A->rows; i++) put(A, i, i, random_unit(r) < 0 ? 1 : 50);
}

static void spaced_by_epsilon(dense *A, double epsilon, random_stream *r) {
  (void)r;
  for (int64_t i = 0; i < A->rows; i++) put(A, i, i, 1 + (double)i * epsilon);
}

static void low_rank(dense *A, double epsilon, random_stream *r) {
  (void)epsilon;
  for (int64_t i = 0; i < A->rows; i++) put(A, i, i, i < 3 ? random_unit(r) : 0);
}

/* ------------------------------------------------------------------------------ the same in a random basis -- */

/* A = H·A·H with H = I - 2·v·vᵀ / vᵀv. */
static void reflect(dense *A, const double *v) {
  const int64_t n = A->rows;
  double vv = 0;
  for (int64_t i = 0; i < n; i++) vv += v[i] * v[i];
  for (int side = 0; side < 2; side++)
    for (int64_t j = 0; j < n; j++) {
      const int64_t step = side ? n : 1, start = side ? j : j * n;
      double dot = 0;
      for (int64_t i = 0; i < n; i++) dot += v[i] * A->re[start + i * step];
      for (int64_t i = 0; i < n; i++) A->re[start + i * step] -= 2 * dot / vv * v[i];
    }
}

static void rotate(dense *A, random_stream *r) {
  double *v = malloc((size_t)(A->rows + 1) * sizeof *v);
  for (int k = 0; v && k < 3; k++) {
    for (int64_t i = 0; i < A->rows; i++) v[i] = random_unit(r);
    reflect(A, v);
  }
  free(v);
}

#define IN_RANDOM_BASIS(kind)                                                                                          \
  static void kind##_in_basis(dense *A, double epsilon, random_stream *r) {                                            \
    kind(A, epsilon, r);                                                                                               \
    rotate(A, r);                                                                                                      \
  }
IN_RANDOM_BASIS(even_diagonal)
IN_RANDOM_BASIS(geometric_diagonal)
IN_RANDOM_BASIS(clustered_diagonal)
IN_RANDOM_BASIS(two_values)
IN_RANDOM_BASIS(spaced_by_epsilon)
IN_RANDOM_BASIS(low_rank)

/* ---------------------------------------------------------------------------------------- tridiagonal matrices -- */

static void toeplitz(dense *A, double epsilon, random_stream *r) {
  (void)epsilon, (void)r;
  for (int64_t i = 0; i < A->rows; i++) put(A, i, i, 2);
  for (int64_t i = 0; i + 1 < A->rows; i++) put(A, i + 1, i, 1);
}

static void wilkinson(dense *A, double epsilon, random_stream *r) {
  (void)epsilon, (void)r;
  for (int64_t i = 0; i < A->rows; i++) put(A, i, i, fabs((double)i - (double)(A->rows - 1) / 2));
  for (int64_t i = 0; i + 1 < A->rows; i++) put(A, i + 1, i, 1);
}

/* Wilkinson's W21+, many times, with a coupling of sqrt(epsilon). */
static void glued_wilkinson(dense *A, double epsilon, random_stream *r) {
  enum { order = 21 };
  (void)r;
  for (int64_t i = 0; i < A->rows; i++) put(A, i, i, fabs((double)(i % order) - order / 2));
  for (int64_t i = 0; i + 1 < A->rows; i++) put(A, i + 1, i, i % order == order - 1 ? sqrt(epsilon) : 1);
}

static void clement(dense *A, double epsilon, random_stream *r) {
  (void)epsilon, (void)r;
  for (int64_t i = 0; i + 1 < A->rows; i++) put(A, i + 1, i, sqrt((double)((i + 1) * (A->rows - 1 - i))));
}

static void legendre(dense *A, double epsilon, random_stream *r) {
  (void)epsilon, (void)r;
  for (int64_t i = 1; i < A->rows; i++) put(A, i, i - 1, (double)i / sqrt((double)(4 * i * i - 1)));
}

static void laguerre(dense *A, double epsilon, random_stream *r) {
  (void)epsilon, (void)r;
  for (int64_t i = 0; i < A->rows; i++) put(A, i, i, (double)(2 * i + 1));
  for (int64_t i = 1; i < A->rows; i++) put(A, i, i - 1, (double)i);
}

static void hermite(dense *A, double epsilon, random_stream *r) {
  (void)epsilon, (void)r;
  for (int64_t i = 1; i < A->rows; i++) put(A, i, i - 1, sqrt((double)i / 2));
}

static void tridiagonal(dense *A, double epsilon, random_stream *r) {
  (void)epsilon;
  for (int64_t i = 0; i < A->rows; i++) put(A, i, i, random_unit(r));
  for (int64_t i = 0; i + 1 < A->rows; i++) put(A, i + 1, i, random_unit(r));
}

static void dominant(dense *A, double epsilon, random_stream *r) {
  tridiagonal(A, epsilon, r);
  for (int64_t i = 0; i < A->rows; i++)
    put(A, i, i,
        pow(epsilon, part(i, A->rows)) + (i > 0 ? fabs(get(A, i, i - 1)) : 0) +
            (i + 1 < A->rows ? fabs(get(A, i + 1, i)) : 0));
}

static void zero_couplings(dense *A, double epsilon, random_stream *r) {
  tridiagonal(A, epsilon, r);
  for (int64_t i = 0; i + 1 < A->rows; i++)
    if (random_below(r, 4) == 0) put(A, i + 1, i, 0);
}

/* Couplings beside which the diagonal is equal: each counts. */
static void small_couplings(dense *A, double epsilon, random_stream *r) {
  for (int64_t i = 0; i < A->rows; i++) put(A, i, i, 1);
  for (int64_t i = 0; i + 1 < A->rows; i++) put(A, i + 1, i, 100 * epsilon * random_unit(r));
}

/* ----------------------------------------------------------------------------------------------- structures -- */

static void random_real(dense *A, double epsilon, random_stream *r) {
  (void)epsilon;
  for (int64_t j = 0; j < A->rows; j++)
    for (int64_t i = j; i < A->rows; i++) put(A, i, j, random_unit(r));
}

static void all_ones(dense *A, double epsilon, random_stream *r) {
  (void)epsilon, (void)r;
  for (int64_t j = 0; j < A->rows; j++)
    for (int64_t i = j; i < A->rows; i++) put(A, i, j, 1);
}

static void grade(dense *A, bool rises, double power, random_stream *r) {
  random_real(A, 0, r);
  for (int64_t j = 0; j < A->rows; j++)
    for (int64_t i = j; i < A->rows; i++) {
      const double size = part(i, A->rows) + part(j, A->rows) - 1;
      put(A, i, j, get(A, i, j) * pow(10, rises ? power * size : -power * size));
    }
}
static void graded_up(dense *A, double epsilon, random_stream *r) { (void)epsilon, grade(A, true, 8, r); }
static void graded_down(dense *A, double epsilon, random_stream *r) { (void)epsilon, grade(A, false, 8, r); }

static void zero_blocks(dense *A, double epsilon, random_stream *r) {
  random_real(A, epsilon, r);
  for (int64_t j = 0; j < A->rows; j++)
    for (int64_t i = j; i < A->rows; i++)
      if (i / 7 != j / 7 || i / 7 % 3 == 1) put(A, i, j, 0);
}

static void banded(dense *A, double epsilon, random_stream *r) {
  random_real(A, epsilon, r);
  for (int64_t j = 0; j < A->rows; j++)
    for (int64_t i = j + 4; i < A->rows; i++) put(A, i, j, 0);
}

static void arrow(dense *A, double epsilon, random_stream *r) {
  (void)epsilon;
  for (int64_t i = 0; i < A->rows; i++) put(A, i, i, random_unit(r)), put(A, i, 0, random_unit(r));
}

/* Elements beside the diagonal whose squares are far below the range of the type. */
static void tiny_columns(dense *A, double epsilon, random_stream *r) {
  const bool is_single = epsilon > 1e-10;
  random_real(A, epsilon, r);
  for (int64_t j = 0; j < A->rows; j++)
    for (int64_t i = j + 1; i < A->rows; i++) put(A, i, j, get(A, i, j) * (is_single ? 1e-43 : 1e-321));
}

/* Two blocks of ordinary size, coupled by elements below the normal range. */
static void tiny_blocks(dense *A, double epsilon, random_stream *r) {
  const bool is_single = epsilon > 1e-10;
  random_real(A, epsilon, r);
  for (int64_t j = 0; j < A->rows; j++)
    for (int64_t i = j; i < A->rows; i++)
      if ((i < A->rows / 2) != (j < A->rows / 2)) put(A, i, j, get(A, i, j) * (is_single ? 1e-41 : 1e-319));
}

const spectrum spectra[] = {{"zero", zero},
                            {"the identity", identity},
                            {"an even diagonal", even_diagonal},
                            {"a geometric diagonal", geometric_diagonal},
                            {"a clustered diagonal", clustered_diagonal},
                            {"even values", even_diagonal_in_basis},
                            {"geometric values", geometric_diagonal_in_basis},
                            {"clustered values", clustered_diagonal_in_basis},
                            {"the values 1 and 50", two_values_in_basis},
                            {"a diagonal of 1 and 50", two_values},
                            {"values that are epsilon apart", spaced_by_epsilon_in_basis},
                            {"a diagonal that is epsilon apart", spaced_by_epsilon},
                            {"low rank", low_rank_in_basis},
                            {"random", random_real},
                            {"all ones", all_ones},
                            {"graded upwards", graded_up},
                            {"graded downwards", graded_down},
                            {"(1, 2, 1)", toeplitz},
                            {"Wilkinson's W+", wilkinson},
                            {"W21+ glued", glued_wilkinson},
                            {"Clement's", clement},
                            {"Legendre's", legendre},
                            {"Laguerre's", laguerre},
                            {"Hermite's", hermite},
                            {"tridiagonal", tridiagonal},
                            {"diagonally dominant", dominant},
                            {"tridiagonal with zero couplings", zero_couplings},
                            {"tridiagonal with small couplings", small_couplings},
                            {"blocks of zeros", zero_blocks},
                            {"banded", banded},
                            {"an arrow", arrow},
                            {"tiny beside the diagonal", tiny_columns},
                            {"blocks with a tiny coupling", tiny_blocks}};
const int spectra_count = (int)(sizeof spectra / sizeof *spectra);

/* ------------------------------------------------------------------------------------------- complex matrices -- */

/* Element (i, j) times i^(i - j): exact, and unitary. */
static void turn_phases(dense *A) {
  for (int64_t j = 0; j < A->rows; j++)
    for (int64_t i = 0; i < A->rows; i++) {
      double *re = &A->re[i + j * A->rows], *im = &A->im[i + j * A->rows];
      const double a = *re, b = *im;
      const int64_t turns = (i - j) & 3;
      *re = turns == 0 ? a : turns == 1 ? -b : turns == 2 ? -a : b;
      *im = turns == 0 ? b : turns == 1 ? a : turns == 2 ? -b : -a;
    }
}

dense spectrum_matrix(const spectrum *s, int64_t n, trigon_type type, random_stream *r) {
  dense A = dense_make(n, n);
  s->fill(&A, epsilon_of(type), r);
  if (is_complex(type)) turn_phases(&A);
  return A;
}

dense random_matrix(int64_t n, trigon_type type, random_stream *r) {
  dense A = dense_make(n, n);
  random_real(&A, 0, r);
  for (int64_t j = 0; j < n && is_complex(type); j++)
    for (int64_t i = j + 1; i < n; i++) A.im[i + j * n] = random_unit(r), A.im[j + i * n] = -A.im[i + j * n];
  return A;
}

dense positive_matrix(int64_t n, trigon_type type, random_stream *r) {
  dense A = random_matrix(n, type, r);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++) {
      A.re[i + j * n] *= 0.4 / sqrt((double)n), A.im[i + j * n] *= 0.4 / sqrt((double)n);
      if (i == j) A.re[i + j * n] += 1;
    }
  return A;
}

void scale_to(dense *A, double size) {
  double most = 0;
  const int64_t count = A->rows * A->cols;
  for (int64_t i = 0; i < count; i++) most = fmax(most, fmax(fabs(A->re[i]), fabs(A->im[i])));
  for (int64_t i = 0; i < count && most > 0; i++) {
    A->re[i] = A->re[i] / most * size;
    A->im[i] = A->im[i] / most * size;
  }
}

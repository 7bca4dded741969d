/* matrices.c - makes the test matrices (matrices.h). */
#include "matrices.h"

#include <float.h>
#include <math.h>

const char *const family_names[FAMILIES] = {"random", "kahan", "multipliers", "hilbert"};

uint64_t random_bits(random_stream *r) {
  uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

/* Returns an odd multiple of 2^-53. The value nearest to zero is 2^-53, which a float can hold, too. */
double random_unit(random_stream *r) {
  return (double)((int64_t)(random_bits(r) >> 11 | 1) - (INT64_C(1) << 52)) * 0x1p-52;
}

int64_t random_below(random_stream *r, int64_t count) { return (int64_t)(random_bits(r) % (uint64_t)count); }

trigon_scalar matrix_get(trigon_matrix A, int64_t i, int64_t j) {
  const int64_t at = i + j * A.ld;
  switch (A.type) {
  case TRIGON_S: return (trigon_scalar){((const float *)A.data)[at], 0};
  case TRIGON_D: return (trigon_scalar){((const double *)A.data)[at], 0};
  case TRIGON_C: return (trigon_scalar){((const float *)A.data)[2 * at], ((const float *)A.data)[2 * at + 1]};
  default: return (trigon_scalar){((const double *)A.data)[2 * at], ((const double *)A.data)[2 * at + 1]};
  }
}

void matrix_put(trigon_matrix A, int64_t i, int64_t j, trigon_scalar value) {
  const int64_t at = i + j * A.ld;
  switch (A.type) {
  case TRIGON_S: ((float *)A.data)[at] = (float)value.re; break;
  case TRIGON_D: ((double *)A.data)[at] = value.re; break;
  case TRIGON_C:
    ((float *)A.data)[2 * at] = (float)value.re;
    ((float *)A.data)[2 * at + 1] = (float)value.im;
    break;
  default: ((double *)A.data)[2 * at] = value.re; ((double *)A.data)[2 * at + 1] = value.im;
  }
}

trigon_scalar triangle_get(trigon_matrix A, trigon_uplo uplo, int64_t i, int64_t j) {
  if (uplo == TRIGON_LOWER) return matrix_get(A, i, j);
  const trigon_scalar x = matrix_get(A, j, i);
  return (trigon_scalar){x.re, -x.im};
}

void triangle_put(trigon_matrix A, trigon_uplo uplo, int64_t i, int64_t j, trigon_scalar value) {
  if (uplo == TRIGON_LOWER)
    matrix_put(A, i, j, value);
  else
    matrix_put(A, j, i, (trigon_scalar){value.re, -value.im});
}

double epsilon_of(trigon_type type) { return is_single(type) ? FLT_EPSILON : DBL_EPSILON; }

bool family_has(enum family family, enum storage storage) {
  switch (storage) {
  case TRIANGULAR:
  case FACTOR: return true;
  case POSITIVE: return family == RANDOM || family == HILBERT;
  default: return family == RANDOM;
  }
}

/* Returns element (i, j), i >= j, of a lower triangle of order n. If diag is UNIT, the diagonal is one. */
static trigon_scalar triangle_entry(int64_t n, int64_t i, int64_t j, trigon_diag diag, enum family family,
                                    random_stream *r) {
  const double scale = 1 / sqrt((double)n), re = random_unit(r), im = random_unit(r);
  const double kahan_row = diag == TRIGON_UNIT ? 1 : pow(sin(1.2), (double)j);
  switch (family) {
  case KAHAN: return (trigon_scalar){i == j ? kahan_row : -cos(1.2) * kahan_row, 0};
  case MULTIPLIERS: return i == j ? (trigon_scalar){1, 0} : (trigon_scalar){5 * re, 5 * im};
  default:
    if (i != j) return (trigon_scalar){scale * re, scale * im};
    return (trigon_scalar){re < 0 ? re - 1 : re + 1, im};
  }
}

/* Hilbert's matrix of order n. The diagonal is raised by a few roundings of the norm (which is below pi). */
static double hilbert_entry(int64_t n, int64_t i, int64_t j, trigon_type type) {
  const double u = epsilon_of(type);
  return 1 / (double)(i + j + 1) + (i == j ? 8 * u * (double)n : 0);
}

/* Returns element (i, j), i >= j, of a positive definite matrix of order n. RANDOM is diagonally dominant. */
static trigon_scalar positive_entry(int64_t n, int64_t i, int64_t j, trigon_type type, enum family family,
                                    random_stream *r) {
  if (family == HILBERT) return (trigon_scalar){hilbert_entry(n, i, j, type), 0};
  const double re = random_unit(r), im = random_unit(r);
  return i == j ? (trigon_scalar){2 * (double)n + re, 0} : (trigon_scalar){re, im};
}

/* Overwrites the lower triangle of A, which is real and positive definite, by its factor. */
static void factor_in_place(double *A, int64_t n) {
  for (int64_t j = 0; j < n; j++) {
    for (int64_t k = 0; k < j; k++)
      for (int64_t i = j; i < n; i++) A[i + j * n] -= A[i + k * n] * A[j + k * n];
    const double pivot = sqrt(A[j + j * n]);
    for (int64_t i = j; i < n; i++) A[i + j * n] /= pivot;
  }
}

static void fill_hilbert_factor(trigon_matrix A, trigon_uplo uplo, trigon_diag diag) {
  enum { LARGEST = 130 };
  static double work[LARGEST * LARGEST];
  const int64_t n = A.rows < LARGEST ? A.rows : LARGEST;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = j; i < n; i++) work[i + j * n] = hilbert_entry(n, i, j, A.type);
  factor_in_place(work, n);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = diag == TRIGON_UNIT ? j + 1 : j; i < n; i++)
      triangle_put(A, uplo, i, j, (trigon_scalar){work[i + j * n], 0});
}

void matrix_fill(trigon_matrix A, enum storage storage, trigon_uplo uplo, trigon_diag diag, enum family family,
                 random_stream *r) {
  if ((storage == FACTOR || storage == TRIANGULAR) && family == HILBERT) {
    fill_hilbert_factor(A, uplo, diag);
    return;
  }
  const bool triangle = storage != GENERAL;
  for (int64_t j = 0; j < A.cols; j++) {
    for (int64_t i = triangle ? j : 0; i < A.rows; i++) {
      trigon_scalar value = {random_unit(r), random_unit(r)};
      if (storage == POSITIVE) value = positive_entry(A.rows, i, j, A.type, family, r);
      if (storage == TRIANGULAR || storage == FACTOR) value = triangle_entry(A.rows, i, j, diag, family, r);
      if (!triangle) {
        matrix_put(A, i, j, value);
        continue;
      }
      if (i == j && storage == TRIANGULAR && diag == TRIGON_UNIT) continue;
      if (i == j && storage == FACTOR) value = (trigon_scalar){fabs(value.re), 0};
      if (i == j && (storage == HERMITIAN || storage == POSITIVE)) value.im = NAN; /* routines take this part as zero */
      triangle_put(A, uplo, i, j, value);
    }
  }
}

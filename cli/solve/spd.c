/* spd.c - reads a matrix and checks that it is square, finite and symmetric or Hermitian; products with it. */
#include "spd.h"
#include "../command.h"
#include "../files/path.h"
#include "../matrix/dense.h"
#include "../matrix/element_type.h"
#include "../report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const trigon_scalar plus_one = {1, 0}, minus_one = {-1, 0}, zero = {0, 0};

/* Asymmetry up to this many n·u of the largest element is taken for rounding. A = X·Xᵀ shows somewhat less if its two
 * triangles were summed in different orders. Asymmetry beyond sqrt(u), half the digits, is never taken for rounding. */
static const double asymmetry_limit = 300;

static int report_nonfinite(const char *command, const char *file, const char *name, const trigon_matrix *A,
                            int64_t row, int64_t col) {
  double value[2];
  dense_load(A, row, col, 1, value);
  bool nan = isnan(value[0]) || isnan(value[1]);
  return failed(command, "%s: %s(%" PRId64 ",%" PRId64 ") is %s", file, name, row + 1, col + 1,
                nan ? "not a number" : "infinite");
}

int check_finite(const char *command, const char *file, const char *name, const trigon_matrix *A,
                 const trigon_uplo *uplo) {
  int64_t row, col;
  if (!dense_find_nonfinite(A, uplo, &row, &col)) return EXIT_DONE;
  return report_nonfinite(command, file, name, A, row, col);
}

void print_note(const char *command, const matrix_file *file, bool quiet) {
  if (*file->note && !quiet) note(command, "%s", file->note);
}

static shown_number show(const trigon_matrix *A, int64_t row, int64_t col, bool conjugated, int digits) {
  double pair[2];
  dense_load(A, row, col, 1, pair);
  return show_number(pair[0], conjugated ? -pair[1] : pair[1], type_is_complex(A->type), digits);
}

/* The elements (i, j) and (j, i), with as many digits as it takes to see how they differ if one is conjugated. 17
 * digits are enough: no two doubles look the same. */
static void show_pair(const trigon_matrix *A, int64_t i, int64_t j, shown_number *below, shown_number *above) {
  for (int digits = 9; digits <= 17; digits++) {
    *below = show(A, i, j, false, digits);
    *above = show(A, j, i, false, digits);
    if (strcmp(below->text, show(A, j, i, true, digits).text) != 0) return;
  }
}

static int check_symmetry(const char *command, const char *path, const trigon_matrix *A, bool quiet) {
  const char *kind = type_is_complex(A->type) ? "Hermitian" : "symmetric";
  int64_t i, j;
  double largest, worst = dense_asymmetry(A, &i, &j, &largest), u = type_roundoff(A->type);
  if (worst == 0) return EXIT_DONE;
  char where[320];
  shown_number below, above;
  show_pair(A, i, j, &below, &above);
  if (i == j)
    snprintf(where, sizeof where, "A(%" PRId64 ",%" PRId64 ") is %s", i + 1, j + 1, below.text);
  else
    snprintf(where, sizeof where,
             "A(%" PRId64 ",%" PRId64 ") is %s, A(%" PRId64 ",%" PRId64 ") is %s; %sthey differ by %.3g", i + 1, j + 1,
             below.text, j + 1, i + 1, above.text, type_is_complex(A->type) ? "one conjugated, " : "", worst);
  if (!(worst <= fmin(asymmetry_limit * (double)A->rows * u, sqrt(u)) * largest))
    return failed(command, "%s: A is not %s: %s (--uplo takes one triangle for the whole)", path, kind, where);
  if (!quiet) note(command, "%s: A is %s only up to rounding (%s); its lower triangle is used", path, kind, where);
  dense_mirror(A, TRIGON_LOWER);
  return EXIT_DONE;
}

static int keep_diagonal(const char *command, spd *A) {
  const trigon_matrix *M = &A->matrix;
  A->diagonal = malloc(sizeof(double) * 2 * (size_t)(M->rows + 1));
  if (!A->diagonal) return failed(command, "out of memory");
  for (int64_t i = 0; i < M->rows; i++) dense_load(M, i, i, 1, A->diagonal + 2 * i);
  return EXIT_DONE;
}

int spd_read(const char *command, const char *path, const trigon_uplo *uplo, bool quiet, spd *A) {
  char why[WHY_SIZE];
  matrix_file file;
  *A = (spd){.uplo = uplo ? *uplo : TRIGON_LOWER};
  if (!matrix_read(path, &file, why, sizeof why)) return failed(command, "%s", why);
  const trigon_matrix *M = &A->matrix;
  A->matrix = file.matrix;
  print_note(command, &file, quiet);
  path = input_name(path);
  if (M->rows != M->cols)
    return failed(command, "%s: A must be square, but is %" PRId64 " × %" PRId64, path, M->rows, M->cols);
  bool declared = file.structure == HERMITIAN || (file.structure == SYMMETRIC && !type_is_complex(M->type));
  if (uplo && !declared) dense_mirror(M, *uplo);
  A->norm = dense_norm1(M);
  if (declared && file.nonfinite.row > 0) /* else the file may have the mirror image of that element */
    return report_nonfinite(command, path, "A", M, file.nonfinite.row - 1, file.nonfinite.col - 1);
  int status = isfinite(A->norm) ? EXIT_DONE : check_finite(command, path, "A", M, declared ? NULL : uplo);
  if (status == EXIT_DONE && !uplo && !declared) status = check_symmetry(command, path, M, quiet);
  return status == EXIT_DONE ? keep_diagonal(command, A) : status;
}

void spd_free(spd *A) {
  free(A->matrix.data);
  free(A->diagonal);
  *A = (spd){0};
}

/* ---------------------------------------------------------------------------------- products, diagonal -- */

bool spd_shift_diagonal(spd *A, double amount) {
  bool changed = false;
  for (int64_t i = 0; i < A->matrix.rows; i++) {
    double *kept = A->diagonal + 2 * i, before = kept[0];
    kept[0] += amount;
    dense_store(&A->matrix, i, i, 1, kept);
    dense_load(&A->matrix, i, i, 1, kept);
    changed |= kept[0] != before;
  }
  A->norm = dense_norm1(&A->matrix);
  return changed;
}

/* Exchanges the diagonal in the matrix and the one beside it. */
static void swap_diagonal(spd *A) {
  for (int64_t i = 0; i < A->matrix.rows; i++) {
    double *kept = A->diagonal + 2 * i, pair[2];
    dense_load(&A->matrix, i, i, 1, pair);
    dense_store(&A->matrix, i, i, 1, kept);
    kept[0] = pair[0], kept[1] = pair[1];
  }
}

static trigon_uplo opposite(trigon_uplo uplo) { return uplo == TRIGON_LOWER ? TRIGON_UPPER : TRIGON_LOWER; }

trigon_status spd_multiply(trigon_context *ctx, spd *A, trigon_scalar alpha, trigon_matrix X, trigon_scalar beta,
                           trigon_matrix Y) {
  swap_diagonal(A);
  trigon_status status = trigon_hemm(ctx, TRIGON_LEFT, opposite(A->uplo), alpha, A->matrix, X, beta, Y);
  swap_diagonal(A);
  return status;
}

bool spd_alloc_vectors(const spd *A, int64_t columns, trigon_matrix *X, trigon_matrix *Y) {
  const trigon_matrix *M = &A->matrix;
  if (!dense_alloc(M->type, M->rows, columns, X)) return false;
  if (dense_alloc(M->type, M->rows, columns, Y)) return true;
  free(X->data);
  X->data = NULL;
  return false;
}

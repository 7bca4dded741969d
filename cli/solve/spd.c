/* spd.c - reads a matrix and makes sure that it can be factored as the user means it. */
#include "spd.h"
#include "../command.h"
#include "../dense.h"
#include "../files/path.h"
#include "../report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Asymmetry up to this many n·u of the largest element is taken as rounding: what A = X·Xᵀ shows when its two
 * triangles were summed in different orders, and some. Never more than half the digits, sqrt(u). */
static const double asymmetry_limit = 300;

static int tell_nonfinite(const char *command, const char *file, const char *name, const trigon_matrix *A, int64_t row,
                          int64_t col) {
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
  return tell_nonfinite(command, file, name, A, row, col);
}

void tell_note(const char *command, const matrix_file *file, bool quiet) {
  if (*file->note && !quiet) note(command, "%s", file->note);
}

static shown_number show(const trigon_matrix *A, int64_t row, int64_t col, bool conjugated, int digits) {
  double pair[2];
  dense_load(A, row, col, 1, pair);
  return show_number(pair[0], conjugated ? -pair[1] : pair[1], type_is_complex(A->type), digits);
}

/* The elements (i, j) and (j, i), with digits enough to see how they differ once one is conjugated; 17 tell all doubles
 * apart. */
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
  tell_note(command, &file, quiet);
  path = input_name(path);
  if (M->rows != M->cols)
    return failed(command, "%s: A must be square, but is %" PRId64 " × %" PRId64, path, M->rows, M->cols);
  bool declared = file.structure == HERMITIAN || (file.structure == SYMMETRIC && !type_is_complex(M->type));
  if (uplo && !declared) dense_mirror(M, *uplo);
  A->norm = dense_norm1(M);
  if (declared && file.nonfinite.row > 0) /* else the place may be the mirror image of what the file has */
    return tell_nonfinite(command, path, "A", M, file.nonfinite.row - 1, file.nonfinite.col - 1);
  int status = isfinite(A->norm) ? EXIT_DONE : check_finite(command, path, "A", M, declared ? NULL : uplo);
  if (status == EXIT_DONE && isnan(A->norm)) status = failed(command, "out of memory");
  if (status == EXIT_DONE && !uplo && !declared) status = check_symmetry(command, path, M, quiet);
  return status == EXIT_DONE ? keep_diagonal(command, A) : status;
}

void spd_free(spd *A) {
  free(A->matrix.data);
  free(A->diagonal);
  *A = (spd){0};
}

void spd_swap_diagonal(spd *A) {
  for (int64_t i = 0; i < A->matrix.rows; i++) {
    double *kept = A->diagonal + 2 * i, pair[2];
    dense_load(&A->matrix, i, i, 1, pair);
    dense_store(&A->matrix, i, i, 1, kept);
    kept[0] = pair[0], kept[1] = pair[1];
  }
}

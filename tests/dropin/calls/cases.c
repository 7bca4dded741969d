/* cases.c - matrices for a call, and all calls of some sizes. */
#include <stdlib.h>
#include <string.h>

#include "calls.h"

static bool is_letter(char flag, char letter) { return (flag | 0x20) == letter; }
static bool is_plain(char op) { return strchr("nros", op | 0x20); }

static void shape(matrix *M, int64_t rows, int64_t cols, enum shape s, enum content content, bool is_written) {
  M->rows = rows, M->cols = cols, M->shape = s, M->content = content, M->is_written = is_written;
}

static void shape_of_op(matrix *M, char op, int64_t rows, int64_t cols) {
  shape(M, is_plain(op) ? rows : cols, is_plain(op) ? cols : rows, ALL, RANDOM, false);
}

static void shape_vector(matrix *x, int64_t n, bool is_written) {
  shape(x, n, 1, ALL, RANDOM, is_written);
  x->by_rows = x->is_vector = true;
}

/* The routines of level 2. */
static void set_shapes_with_vectors(arguments *x, enum shape triangle) {
  const int64_t m = x->m, n = x->n;
  switch (x->routine) {
  case GEMV:
    shape(&x->A, m, n, ALL, RANDOM, false);
    shape_vector(&x->B, is_plain(x->op) ? n : m, false), shape_vector(&x->C, is_plain(x->op) ? m : n, true);
    break;
  case SYMV:
  case HEMV:
    shape(&x->A, n, n, triangle, RANDOM, false);
    shape_vector(&x->B, n, false), shape_vector(&x->C, n, true);
    break;
  case TRMV:
  case TRSV: shape(&x->A, n, n, triangle, TRIANGLE, false), shape_vector(&x->B, n, true); break;
  case SYR2:
  case HER2: shape_vector(&x->B, n, false); /* fall through */
  case SYR:
  case HER:
    shape_vector(&x->A, n, false);
    shape(&x->C, n, n, triangle, RANDOM, true);
    break;
  default: /* GER, GERU, GERC */
    shape_vector(&x->A, m, false), shape_vector(&x->B, n, false);
    shape(&x->C, m, n, ALL, RANDOM, true);
  }
}

static void set_shapes(arguments *x) {
  const int64_t m = x->m, n = x->n, k = x->k, side = is_letter(x->side, 'l') ? m : n;
  const enum shape triangle = is_letter(x->uplo, 'l') ? LOWER : UPPER;
  const matrix none = {.type = x->type, .by_rows = x->interface == ROWS};
  x->A = x->B = x->C = none;
  switch (x->routine) {
  case GEMV:
  case TRMV:
  case TRSV:
  case SYMV:
  case HEMV:
  case GER:
  case GERU:
  case GERC:
  case SYR:
  case HER:
  case SYR2:
  case HER2: set_shapes_with_vectors(x, triangle); break;
  case GEMM:
    shape_of_op(&x->A, x->op, m, k), shape_of_op(&x->B, x->opB, k, n);
    shape(&x->C, m, n, ALL, RANDOM, true);
    break;
  case GEMMT:
  case GEMMTR:
    shape_of_op(&x->A, x->op, n, k), shape_of_op(&x->B, x->opB, k, n);
    shape(&x->C, n, n, triangle, RANDOM, true);
    break;
  case SYR2K:
  case HER2K: shape_of_op(&x->B, x->op, n, k); /* fall through */
  case SYRK:
  case HERK:
    shape_of_op(&x->A, x->op, n, k);
    shape(&x->C, n, n, triangle, RANDOM, true);
    break;
  case SYMM:
  case HEMM:
    shape(&x->A, side, side, triangle, RANDOM, false), shape(&x->B, m, n, ALL, RANDOM, false);
    shape(&x->C, m, n, ALL, RANDOM, true);
    break;
  case TRMM:
  case TRSM: shape(&x->A, side, side, triangle, TRIANGLE, false), shape(&x->B, m, n, ALL, RANDOM, true); break;
  default: { /* LAPACK */
    const bool is_whole = x->routine == POTRF || x->routine == POTF2 || x->routine == POSV;
    const bool is_read = x->routine == POTRS || x->routine == TRTRS;
    shape(&x->A, n, n, triangle, is_whole ? POSITIVE : TRIANGLE, !is_read);
    if (has_argument(x->routine, 'r')) shape(&x->B, n, x->nrhs, ALL, RANDOM, true);
  }
  }
  x->A.strict = has_argument(x->routine, 'D') && is_letter(x->diag, 'u');
}

static blas_int leading_of(matrix *M) {
  static const int64_t more[] = {0, 1, 2, 5};
  static const blas_int increments[] = {1, 2, -1, -3};
  if (M->is_vector) { /* with a negative increment the first element lies last */
    const blas_int inc = increments[next_below(4)];
    M->ld = inc < 0 ? -inc : inc;
    return inc;
  }
  const int64_t rows = memory_rows(M);
  M->ld = (rows < 1 ? 1 : rows) + more[next_below(4)];
  return (blas_int)M->ld;
}

void choose_leading(arguments *x) {
  set_shapes(x);
  x->lda = leading_of(&x->A), x->ldb = leading_of(&x->B), x->ldc = leading_of(&x->C);
}

/* The routines with real scalars take the real parts alone. */
static bool is_zero(enum routine routine, const double *scalar, bool is_beta) {
  const bool is_real = routine == HERK || routine == HER || (routine == HER2K && is_beta);
  return scalar[0] == 0 && (is_real || scalar[1] == 0);
}

void make_matrices(arguments *x, int64_t failing) {
  const bool has_alpha = has_argument(x->routine, 'a'), has_beta = has_argument(x->routine, 'b');
  /* R is for the host alone, which multiplies NaN by alpha = 0. */
  const bool is_hosts = is_letter(x->op, 'r') || is_letter(x->opB, 'r');
  if (has_alpha && !is_hosts && is_zero(x->routine, x->alpha, false)) x->A.content = x->B.content = NOT_NUMBERS;
  if (has_beta && is_zero(x->routine, x->beta, true)) x->C.content = NOT_NUMBERS;
  matrix *all[] = {&x->A, &x->B, &x->C};
  for (int i = 0; i < 3; i++)
    if (all[i]->shape != NO_MATRIX) matrix_fill(all[i]);
  if (failing >= 0) matrix_put(&x->A, failing, failing, 0, x->A.content == POSITIVE ? -1 : 0);
  for (int i = 0; i < 3; i++) x->info[i] = INFO_BEFORE;
}

void free_matrices(arguments *x) { free(x->A.block), free(x->B.block), free(x->C.block); }

arguments copy_call(const arguments *x) {
  arguments copy = *x;
  copy.A = matrix_copy(&x->A), copy.B = matrix_copy(&x->B), copy.C = matrix_copy(&x->C);
  return copy;
}

double tolerance(const arguments *x) {
  const int64_t order = x->A.rows < x->A.cols ? x->A.cols : x->A.rows;
  const int64_t inner = has_argument(x->routine, 'k') ? x->k : x->A.is_vector ? 1 : order;
  const bool is_twice = x->routine == SYR2K || x->routine == HER2K || x->routine == SYR2 || x->routine == HER2;
  enum { roundings = 4, largest = 4 };
  return epsilon_of(x->type) * roundings * largest * (double)((is_twice ? 2 : 1) * inner + 4);
}

/* ------------------------------------------------------------------------------------------------- choices -- */

/* The letters that the routine knows for an op. OpenBLAS also knows R: conjugated, and not transposed. In its GEMV the
 * letters O, U, S, D are N, T, R, C with a conjugated vector. */
static const char *ops_of(enum interface interface, enum routine routine, number_type type) {
  switch (routine) {
  case GEMV: return interface == FORTRAN_CALL && type.parts == 2 ? "NTCROUSD" : "NTCR";
  case TRMV:
  case TRSV:
  case GEMM:
  case TRMM:
  case TRSM: return "NTCR";
  case SYRK:
  case SYR2K: return type.parts == 2 ? "NT" : "NTC";
  case HERK:
  case HER2K: return "NC";
  default: return "NTC";
  }
}

static void choose_scalar(double *scalar) {
  static const double values[][2] = {{0, 0}, {1, 0}, {0.75, -0.5}, {-1, 0}, {0.25, 1}, {0.5, 0}};
  memcpy(scalar, values[next_below(6)], sizeof values[0]);
}

/* Sanitizers make each call slow. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
int sample = 5;
#else
int sample = 1;
#endif

typedef struct choices {
  const blas_int *sizes;
  int count;
  void (*f)(arguments *x);
} choices;

/* Calls with random scalars, leading dimensions and increments. Calls with vectors are short, and have more of them. */
static void call_often(const choices *c, arguments *x) {
  enum { with_vectors = 6 };
  const int count = x->routine >= GEMV && x->routine <= HER2 ? with_vectors : 1;
  for (int i = 0; i < count; i++) {
    if (next_below(sample) != 0) continue;
    choose_scalar(x->alpha), choose_scalar(x->beta), choose_leading(x);
    x->is_work = is_lapacke(x->interface, x->routine) && next_below(2);
    c->f(x);
  }
}

/* Goes through the values of one argument, and of those behind it. */
static void choose(const choices *c, arguments *x, const char *argument) {
  char *flag = NULL;
  blas_int *size = NULL;
  const char *letters = "UL";
  switch (*argument) {
  case 0: call_often(c, x); return;
  case 'S': flag = &x->side, letters = "LR"; break;
  case 'U': flag = &x->uplo; break;
  case 'O': flag = &x->op, letters = ops_of(x->interface, x->routine, x->type); break;
  case 'P': flag = &x->opB, letters = ops_of(x->interface, x->routine, x->type); break;
  case 'D': flag = &x->diag, letters = "NU"; break;
  case 'm': size = &x->m; break;
  case 'n': size = &x->n; break;
  case 'k': size = &x->k; break;
  case 'r': size = &x->nrhs; break;
  default: choose(c, x, argument + 1); return;
  }
  for (int i = 0; size && i < c->count; i++) *size = c->sizes[i], choose(c, x, argument + 1);
  for (int i = 0; flag && letters[i]; i++) {
    const bool is_small = next_below(2);
    *flag = (char)(letters[i] | (is_small ? 0x20 : 0)), choose(c, x, argument + 1);
  }
}

void for_each_call(arguments *x, const blas_int *sizes, int count, void (*f)(arguments *x)) {
  const choices c = {sizes, count, f};
  x->side = x->uplo = 'L', x->op = x->opB = x->diag = 'N';
  x->m = x->n = x->k = x->nrhs = 0;
  choose(&c, x, signatures[x->routine].arguments);
}

/* batch_solves.c - TRSM of batches with few columns, where kernels multiply by reciprocals of the diagonal: triangles
 * whose reciprocals cannot be used, and elements that are no numbers. */
#include <math.h>

#include "batch_case.h"

static void run_well(batch_case *t) {
  const bool ran = case_run(t, NULL) == TRIGON_OK;
  case_check(ran, ran ? "a batch runs" : trigon_message(batch_at.caller));
  case_judge(t);
}

/* Triangles so small that the reciprocals of their diagonals overflow, although the quotients do not. */
void test_missing_reciprocals(trigon_type type, int64_t n, int64_t k, random_stream *r) {
  const bool is_single = type == TRIGON_S || type == TRIGON_C;
  const double of_A = is_single ? 0x1p-130 : 0x1p-1030, of_B = is_single ? 0x1p-40 : 0x1p-100;
  batch_case *t = case_of(TRSM, type, n, k, r);
  for (int64_t i = 0; i < t->all.count; i++)
    for (int x = 0; x < 2; x++) {
      const trigon_matrix M = t->stored[x][i].matrix;
      for (int64_t col = 0; col < M.cols; col++)
        for (int64_t row = x == 0 ? col : 0; row < M.rows; row++) {
          const trigon_scalar value = matrix_get(M, row, col);
          const double by = x == 0 ? of_A : of_B;
          matrix_put(M, row, col, (trigon_scalar){value.re * by, value.im * by});
        }
      guarded_snapshot(&t->stored[x][i]);
    }
  run_well(t);
  case_free(t);
}

/* X(row, col) of the solution that right_sides asks for. It is not large where L⁻¹ is. */
static double solution(int64_t row, int64_t col) { return 1 + (double)((row * 7 + col * 3) % 5) / 7; }

/* B = op(L)·X for each matrix of a batch of reals. */
static void right_sides(batch_case *t, trigon_op op) {
  t->all.flags.op = op;
  for (int64_t i = 0; i < t->all.count; i++) {
    const trigon_matrix L = t->stored[0][i].matrix, B = t->stored[1][i].matrix;
    t->one[i].op = op;
    for (int64_t col = 0; col < B.cols; col++)
      for (int64_t row = 0; row < B.rows; row++) {
        double sum = 0;
        const bool forward = op == TRIGON_NOTRANS;
        for (int64_t k = forward ? 0 : row; k < (forward ? row + 1 : L.rows); k++)
          sum += (forward ? matrix_get(L, row, k) : matrix_get(L, k, row)).re * solution(k, col);
        matrix_put(B, row, col, (trigon_scalar){sum, 0});
      }
    guarded_snapshot(&t->stored[1][i]);
  }
}

/* Two pivots of one block are so small that products with its inverse would lose digits: then the errors of X would not
 * cancel in L·X, as those of substitution do. */
static void test_small_pivots(trigon_type type, trigon_op op, int64_t k, random_stream *r) {
  const double small = type == TRIGON_S ? 0x1p-8 : 0x1p-20;
  batch_case *t = case_of(TRSM, type, 40, k, r);
  for (int64_t i = 0; i < t->all.count; i++) {
    const trigon_matrix L = t->stored[0][i].matrix;
    for (int64_t col = 0; col < L.cols; col++)
      for (int64_t row = col; row < L.rows; row++) {
        const double pivot = row == 10 || row == 13 ? small : 1, below = row / 8 == col / 8 ? .7 : .1;
        matrix_put(L, row, col, (trigon_scalar){row == col ? pivot : (row + col) % 3 ? below : -below, 0});
      }
    guarded_snapshot(&t->stored[0][i]);
  }
  right_sides(t, op);
  run_well(t);
  case_free(t);
}

/* Element (35, 1) of B is a NaN or an infinity. Substitution takes it to no other column, and to no row before. */
static void test_nonfinite_element(trigon_type type, trigon_op op, int64_t k, double value, random_stream *r) {
  enum { ORDER = 70, ROW = 35, COL = 1 };
  const double close = type == TRIGON_S ? 0x1p-12 : 0x1p-40;
  batch_case *t = case_of(TRSM, type, ORDER, k, r);
  right_sides(t, op);
  for (int64_t i = 0; i < t->all.count; i++) {
    matrix_put(t->stored[1][i].matrix, ROW, COL, (trigon_scalar){value, 0});
    guarded_snapshot(&t->stored[1][i]);
  }
  case_check(case_run(t, NULL) == TRIGON_OK, "a batch with an element that is no number runs");
  for (int64_t i = 0; i < t->all.count; i++) {
    const trigon_matrix X = t->stored[1][i].matrix;
    int64_t wrong = isfinite(matrix_get(X, ROW, COL).re) ? 1 : 0;
    for (int64_t col = 0; col < X.cols; col++)
      for (int64_t row = 0; row < ORDER; row++) {
        const bool before = op == TRIGON_NOTRANS ? row < ROW : row > ROW;
        if (col != COL || before) wrong += !(fabs(matrix_get(X, row, col).re - solution(row, col)) <= close);
      }
    case_check(wrong == 0, "a NaN or an infinity leaves the other columns, and the rows before it, alone");
  }
  case_free(t);
}

/* POTRS at orders at which the kernels of doubles change, on simulated and on real GPUs, and at orders around them. */
static void test_orders(trigon_uplo uplo, random_stream *r) {
  static const int64_t n[] = {113, 1, 128, 17, 256, 64, 129, 80, 16, 241, 65, 0, 257, 40, 200, 97, 255, 33, 144};
  enum { COUNT = sizeof n / sizeof *n };
  int64_t columns[COUNT];
  for (int i = 0; i < COUNT; i++) columns[i] = 1 + random_below(r, i % 3 ? 8 : 18);
  batch_case *t = case_of_sizes(POTRS, TRIGON_D, uplo, COUNT, n, columns, r);
  run_well(t);
  case_free(t);
}

void test_solves(trigon_type type) {
  static const int64_t columns[] = {2, 4, 7, 16};
  random_stream r = {21};
  if (type == TRIGON_C || type == TRIGON_Z) return;
  for (int turn = 0; turn < 4 && type == TRIGON_D && batch_at.on_device; turn++)
    test_orders(turn % 2 ? TRIGON_UPPER : TRIGON_LOWER, &r);
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
    for (int turn = 0; turn < 2; turn++) {
      const trigon_op op = turn ? TRIGON_TRANS : TRIGON_NOTRANS;
      test_small_pivots(type, op, columns[i], &r);
      test_nonfinite_element(type, op, columns[i], NAN, &r);
      test_nonfinite_element(type, op, columns[i], -INFINITY, &r);
    }
}

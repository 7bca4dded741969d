/* batch_posv.c - POSV of batches on a device: small matrices are factored and solved in one piece, the others are not,
 * and no matrix can tell which. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "batch_case.h"

/* Orders around strips, parts of 32 columns, and the highest orders of the kernels. */
static const int64_t orders[] = {0,  1,  7,  8,  9,   31,  32,  33,  47,  48,  63,  64,  65,
                                 72, 73, 96, 97, 104, 105, 127, 128, 129, 136, 137, 140, 200},
                     columns[] = {0, 1, 2, 3, 8, 17};
/* Of the orders: none, some that all or several kernels for small orders have, and the highest order. */
static const int64_t bounds[] = {0, 72, 64, 200, 48, 96};
enum {
  ORDERS = sizeof orders / sizeof *orders,
  COLUMNS = sizeof columns / sizeof *columns,
  BOUNDS = sizeof bounds / sizeof *bounds,
  TOGETHER = 3
};

/* All orders, each with TOGETHER numbers of columns from number `first` on. */
static batch_case *all_orders(trigon_type type, trigon_uplo uplo, int first, int step, random_stream *r) {
  int64_t n[CASE_MOST], k[CASE_MOST], count = 0;
  for (int i = 0; i < ORDERS; i += step)
    for (int j = first; j < first + TOGETHER; j++) n[count] = orders[i], k[count++] = columns[j % COLUMNS];
  return case_of_sizes(POSV, type, uplo, count, n, k, r);
}

/* The call knows that no order is above `most`, unless that is 0. Higher orders are wrong then. */
static void set_bound(batch_case *t, int64_t most) {
  t->all.max_n = most;
  for (int64_t i = 0; i < t->all.count && most > 0; i++)
    if (t->n[i] > most) t->due[i] = -2;
}

static void run_well(batch_case *t) {
  const bool ran = case_run(t, NULL) == TRIGON_OK;
  case_check(ran, ran ? "a batch runs" : trigon_message(batch_at.caller));
  case_judge(t);
}

static double size_of(trigon_scalar x) { return hypot(x.re, x.im); }

/* Element (r, c) of the lower triangle that the matrix stands for. The diagonal is real, whatever is stored. */
static trigon_scalar lower(trigon_matrix A, trigon_uplo uplo, int64_t r, int64_t c) {
  trigon_scalar x = matrix_get(A, uplo == TRIGON_LOWER ? r : c, uplo == TRIGON_LOWER ? c : r);
  x.im = r == c ? 0 : uplo == TRIGON_UPPER ? -x.im : x.im;
  return x;
}

/* Whether the columns before `failing` hold the factor: |A - L·Lᴴ| <= 4·n·u·|L|·|Lᴴ|, element by element. */
static bool is_factored_before(const batch_case *t, int64_t i, int64_t failing) {
  const trigon_uplo uplo = t->all.flags.uplo;
  const trigon_matrix A = guarded_before(&t->stored[0][i]), L = t->stored[0][i].matrix;
  const bool is_single = A.type == TRIGON_S || A.type == TRIGON_C;
  const double unit = is_single ? 0x1p-24 : 0x1p-53;
  for (int64_t c = 0; c < failing; c++)
    for (int64_t r = c; r < A.rows; r++) {
      if (r == failing) continue; /* the row may hold what was put there */
      trigon_scalar rest = lower(A, uplo, r, c);
      double size = 0;
      for (int64_t k = 0; k <= c; k++) {
        const trigon_scalar x = lower(L, uplo, r, k), y = lower(L, uplo, c, k);
        rest.re -= x.re * y.re + x.im * y.im, rest.im -= x.im * y.re - x.re * y.im;
        size += size_of(x) * size_of(y);
      }
      if (!(size_of(rest) <= 4 * (double)(A.rows + 1) * unit * size)) return false;
    }
  return true;
}

/* A pivot of each matrix is not positive, or is not a number: the first, the last or one between. */
static void test_failing(trigon_type type, trigon_uplo uplo, int64_t most, int turn, int step, random_stream *r) {
  batch_case *t = all_orders(type, uplo, turn, step, r);
  for (int64_t i = 0; i < t->all.count; i++) {
    const trigon_matrix A = t->stored[0][i].matrix;
    if (A.rows == 0 || (i + turn) % 4 == 0) continue;
    const int64_t at = (i + turn) % 4 == 1 ? 0 : (i + turn) % 4 == 2 ? A.rows / 2 : A.rows - 1;
    matrix_put(A, at, at, (trigon_scalar){i % 2 ? -1 : NAN, 0});
    guarded_snapshot(&t->stored[0][i]);
    t->due[i] = at + 1;
  }
  set_bound(t, most);
  run_well(t);
  for (int64_t i = 0; i < t->all.count; i++)
    if (t->due[i] > 0) case_check(is_factored_before(t, i, t->due[i] - 1), "the columns before a failure are factored");
  case_free(t);
}

/* Changes right-hand side 1 of each matrix, which has three. */
static void spoil_column(batch_case *t) {
  for (int64_t i = 0; i < t->all.count; i++) {
    matrix_put(t->stored[1][i].matrix, t->n[i] / 2, 1, (trigon_scalar){NAN, 0});
    guarded_snapshot(&t->stored[1][i]);
  }
}

/* A NaN in a right-hand side reaches its solution, and no other. */
static void test_nan(trigon_type type, trigon_uplo uplo, int64_t most, random_stream *r) {
  static const int64_t n[] = {5, 48, 64, 70, 100, 128}, k[] = {3, 3, 3, 3, 3, 3};
  batch_case *t = case_of_sizes(POSV, type, uplo, sizeof n / sizeof *n, n, k, r);
  spoil_column(t);
  set_bound(t, most);
  case_check(case_run(t, NULL) == TRIGON_OK, "a batch with NaNs runs");
  for (int64_t i = 0; i < t->all.count; i++) {
    const trigon_matrix X = t->stored[1][i].matrix;
    if (t->due[i] != 0) continue;
    case_check(t->info[i] == 0 && isnan(matrix_get(X, n[i] / 2, 1).re), "a NaN in B reaches X");
    bool finite = true;
    for (int64_t row = 0; row < n[i]; row++)
      finite = finite && isfinite(matrix_get(X, row, 0).re) && isfinite(matrix_get(X, row, 2).re);
    case_check(finite, "a NaN stays in its column");
  }
  case_free(t);
}

/* Diagonal matrices with elements at the ends of the range, and B = A·1. */
static void test_range(trigon_type type, trigon_uplo uplo, int64_t most, random_stream *r) {
  static const int64_t n[] = {9, 48, 64, 100, 128}, k[] = {2, 1, 1, 2, 9};
  const bool is_single = type == TRIGON_S || type == TRIGON_C;
  const double ends[] = {is_single ? 0x1p-140 : 0x1p-1060, is_single ? 0x1p126 : 0x1p1022, 1};
  batch_case *t = case_of_sizes(POSV, type, uplo, sizeof n / sizeof *n, n, k, r);
  for (int64_t i = 0; i < t->all.count; i++) {
    const trigon_matrix A = t->stored[0][i].matrix, B = t->stored[1][i].matrix;
    for (int64_t c = 0; c < n[i]; c++) {
      for (int64_t row = 0; row < n[i]; row++)
        if (uplo == TRIGON_LOWER ? row >= c : row <= c)
          matrix_put(A, row, c, (trigon_scalar){row == c ? ends[c % 3] : 0, 0});
      for (int64_t q = 0; q < k[i]; q++) matrix_put(B, c, q, (trigon_scalar){ends[c % 3], 0});
    }
    guarded_snapshot(&t->stored[0][i]), guarded_snapshot(&t->stored[1][i]);
  }
  set_bound(t, most);
  case_check(case_run(t, NULL) == TRIGON_OK, "a batch at the ends of the range runs");
  for (int64_t i = 0; i < t->all.count; i++) {
    double error = t->info[i] == t->due[i] ? 0 : INFINITY;
    for (int64_t row = 0; row < n[i] && t->due[i] == 0; row++)
      for (int64_t q = 0; q < k[i]; q++) error = fmax(error, fabs(matrix_get(t->stored[1][i].matrix, row, q).re - 1));
    case_check(error < (is_single ? 0x1p-20 : 0x1p-49), "pivots at the ends of the range solve accurately");
  }
  case_free(t);
}

void test_posv(trigon_type type, bool part) {
  random_stream r = {300 + (uint64_t)type};
  const int step = part ? 4 : 1;
  for (int turn = 0; turn < (part ? 1 : 2); turn++) {
    const trigon_uplo uplo = turn == 0 ? TRIGON_LOWER : TRIGON_UPPER, other = turn == 0 ? TRIGON_UPPER : TRIGON_LOWER;
    for (int bound = 0; bound < BOUNDS; bound++) {
      batch_case *t = all_orders(type, uplo, turn * TOGETHER, step, &r);
      set_bound(t, bounds[bound]);
      run_well(t);
      case_free(t);
    }
    for (int bound = 0; bound < BOUNDS; bound += 2) {
      test_failing(type, other, bounds[bound], turn * TOGETHER, step, &r);
      test_nan(type, uplo, bounds[bound], &r), test_range(type, other, bounds[bound], &r);
    }
  }
  for (int i = 0; i < ORDERS; i += part ? 8 : 3) {
    batch_case *t = case_of(POSV, type, orders[i], columns[i % COLUMNS], &r);
    run_well(t);
    case_free(t);
  }
}

static void finish(void) { (void)trigon_finish(batch_at.caller, NULL); }

void test_posv_launches(const char *name) {
  static const int64_t n[] = {5, 48, 64};
  random_stream r = {9};
  batch_at.after_call = finish;
  for (int i = 0; i < 3; i++)
    for (int launch = 1; launch <= 2; launch++) {
      char failing[140], why[400];
      snprintf(failing, sizeof failing, "%s%cfail=launch:%d", name, strchr(name, '?') ? '&' : '?', launch);
      case_check(trigon_create(failing, &batch_at.caller, why, sizeof why) == TRIGON_OK,
                 "a context whose launch fails");
      batch_case *t = case_of(POSV, TRIGON_S, n[i], 1, &r);
      const trigon_status status = case_run(t, NULL);
      case_check(status == (launch == 1 ? TRIGON_DEVICE_FAILED : TRIGON_OK), "POSV of small orders is one launch");
      if (status == TRIGON_OK) case_judge(t);
      case_free(t);
      trigon_destroy(batch_at.caller);
      batch_at.caller = batch_at.ctx;
    }
  batch_at.after_call = NULL;
}

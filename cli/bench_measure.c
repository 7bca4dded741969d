/* bench_measure.c - operand sets, calls timed one at a time, medians. */
#include "bench_measure.h"
#include "bench_check.h"
#include "command.h"
#include "memory_use.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SETS = 3, LEAST_REPEATS = 5, MOST_REPEATS = 100 };
static const double row_seconds = 1; /* how long the timed calls of a row are to take together */

/* ----------------------------------------------------------------------------------------------- operands -- */

/* The operands as they are before a call, and sets of copies: consecutive calls work on different memory. */
typedef struct operand_sets {
  trigon_matrix original[MOST_OPERANDS], set[MOST_SETS][MOST_OPERANDS];
  int count, next; /* sets; the one for the next timed call, modulo count */
} operand_sets;

static double operand_bytes(const bench_case *c) {
  double bytes = 0;
  for (int i = 0; i < case_operands(c); i++) {
    int64_t rows, cols;
    case_shape(c, i, &rows, &cols);
    bytes += (double)rows * (double)cols * (double)type_size(c->type);
  }
  return bytes;
}

/* Off the diagonal up to 1/n, on it between 1 and 2. */
static bool make_dominant(const trigon_matrix *A, uint64_t seed) {
  double *column = malloc(sizeof(double) * 2 * (size_t)(A->rows + 1));
  if (!column) return false;
  for (int64_t j = 0; j < A->cols; j++) {
    dense_load(A, 0, j, A->rows, column);
    for (int64_t i = 0; i < 2 * A->rows; i++) column[i] /= (double)A->rows;
    column[2 * j] = 1 + fabs(random_number(&seed));
    column[2 * j + 1] = 0;
    dense_store(A, 0, j, A->rows, column);
  }
  free(column);
  return true;
}

static bool make_set(const bench_case *c, trigon_matrix *set) {
  for (int i = 0; i < case_operands(c); i++) {
    int64_t rows, cols;
    case_shape(c, i, &rows, &cols);
    if (!dense_alloc(c->type, rows, cols, &set[i])) return false;
  }
  return true;
}

static void restore(const bench_case *c, const operand_sets *sets, int which, bool inputs) {
  for (int i = 0; i < case_operands(c); i++)
    if (inputs || c->routine->operand[i].written) dense_copy(&sets->original[i], &sets->set[which][i]);
}

static bool make_operands(const bench_case *c, double available, operand_sets *sets) {
  double fit = available / fmax(operand_bytes(c), 1) - 1; /* sets, beside the originals */
  sets->count = fit < 1 ? 1 : fit > MOST_SETS ? MOST_SETS : (int)fit;
  if (!make_set(c, sets->original)) return false;
  for (int i = 0; i < case_operands(c); i++) {
    dense_random(&sets->original[i], (uint64_t)i + 1);
    if (c->routine->operand[i].dominant && !make_dominant(&sets->original[i], (uint64_t)i + 7)) return false;
  }
  for (int k = 0; k < sets->count; k++) {
    if (!make_set(c, sets->set[k])) return false;
    restore(c, sets, k, true);
  }
  return true;
}

static void free_operands(operand_sets *sets) {
  for (int i = 0; i < MOST_OPERANDS; i++) {
    free(sets->original[i].data);
    for (int k = 0; k < MOST_SETS; k++) free(sets->set[k][i].data);
  }
}

/* -------------------------------------------------------------------------------------------------- calls -- */

/* One implementation at work on one configuration. */
typedef struct contestant {
  int impl;
  bench_case c;
  trigon_context *ctx;
  operand_sets *sets; /* shared by those with the same case */
  double *seconds;    /* of each timed call */
  measurement *result;
} contestant;

/* Runs one call on a set with fresh contents; what it takes goes to *seconds. */
static bool run_call(const contestant *who, int set, double *seconds, char *why, size_t why_size) {
  restore(&who->c, who->sets, set, false);
  int64_t info = 0;
  double begun = seconds_now();
  trigon_status status = who->c.routine->call(who->ctx, &who->c, who->sets->set[set]);
  if (status == TRIGON_OK) status = trigon_finish(who->ctx, &info);
  *seconds = seconds_now() - begun;
  if (status != TRIGON_OK) {
    const char *message = trigon_message(who->ctx);
    snprintf(why, why_size, "%s: %s", who->c.routine->name, *message ? message : trigon_status_string(status));
  } else if (info != 0) {
    snprintf(why, why_size, "%s: info is %" PRId64 " for a well-conditioned matrix", who->c.routine->name, info);
  }
  return status == TRIGON_OK && info == 0;
}

/* A call to warm up; then one under observation. Returns what the latter took, or a negative number. */
static double run_first(const contestant *who, char *why, size_t why_size) {
  double seconds;
  if (!run_call(who, 0, &seconds, why, why_size)) return -1;
  trigon_trace(who->ctx, who->result->counts); /* where it counts: the warm-up's work is forgotten */
  memory_mark before = memory_mark_now();
  if (!run_call(who, 0, &seconds, why, why_size)) return -1;
  who->result->extra_bytes = memory_peak_since(before);
  who->result->traced = trigon_trace(who->ctx, who->result->counts) == TRIGON_OK;
  return seconds;
}

static bool judge(const contestant *who, int set, char *why, size_t why_size) {
  double limit;
  measurement *r = who->result;
  if (!bench_check(&who->c, who->sets->original, who->sets->set[set], &r->error, &limit)) {
    snprintf(why, why_size, "out of memory");
    return false;
  }
  r->ok = r->error < limit;
  r->measured = true;
  return true;
}

/* ------------------------------------------------------------------------------------------------ medians -- */

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Sorts the values. */
static double median(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, compare);
  return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

static void summarize(contestant *who, int count, int repeat, bench_row *row) {
  double *trigon = NULL, *native = NULL, ratios[MOST_REPEATS_ALLOWED];
  for (int i = 0; i < count; i++) {
    if (who[i].impl == TRIGON_IMPL) trigon = who[i].seconds;
    if (who[i].impl == NATIVE_IMPL) native = who[i].seconds;
  }
  for (int r = 0; native && r < repeat; r++) ratios[r] = native[r] / trigon[r];
  row->ratio = native ? median(ratios, repeat) : NAN;
  for (int i = 0; i < count; i++) {
    measurement *result = who[i].result;
    result->seconds = median(who[i].seconds, repeat);
    result->gflops = 1e-9 * case_flops(&who[i].c) / result->seconds;
  }
}

/* ---------------------------------------------------------------------------------------------------- rows -- */

/* All of them in turns, so that what else the machine does meets each alike; forwards and backwards, and each call on
 * the set that was used longest ago, so that none finds its operands warmer in the caches than the others do. */
static bool run_turns(const contestant *who, int count, int repeat, char *why, size_t why_size) {
  for (int r = 0; r < repeat; r++)
    for (int i = 0; i < count; i++) {
      const contestant *now = &who[r % 2 ? count - 1 - i : i];
      int set = now->sets->next++ % now->sets->count;
      if (!run_call(now, set, &now->seconds[r], why, why_size)) return false;
      if (r == repeat - 1 && !judge(now, set, why, why_size)) return false;
    }
  return true;
}

static bool measure(contestant *who, int count, int repeat, bench_row *row, char *why, size_t why_size) {
  double total = 0, first;
  for (int i = 0; i < count; i++) {
    if ((first = run_first(&who[i], why, why_size)) < 0) return false;
    total += first;
  }
  if (repeat == 0) repeat = (int)fmin(fmax(row_seconds / fmax(total, 1e-9), LEAST_REPEATS), MOST_REPEATS);
  if (!run_turns(who, count, repeat, why, why_size)) return false;
  summarize(who, count, repeat, row);
  return true;
}

/* Sets for all, where memory has room; the ceiling has its own operands. */
static bool make_all_operands(const contestant *who, int count, char *why, size_t why_size) {
  const contestant *last = &who[count - 1];
  bool two = last->sets != who->sets;
  double needed = 2 * operand_bytes(&who->c) + (two ? 2 * operand_bytes(&last->c) : 0), left = memory_available();
  if (needed > left) {
    snprintf(why, why_size, "this size takes %.3g GB of memory, and %.3g GB are left", 1e-9 * needed, 1e-9 * left);
    return false;
  }
  /* Half of what is left: the checks and other programs want some, too. */
  double share = left / (two ? 4 : 2);
  if (make_operands(&who->c, share, who->sets) && (!two || make_operands(&last->c, share, last->sets))) return true;
  snprintf(why, why_size, "out of memory");
  return false;
}

bool bench_measure(const bench_plan *plan, bench_row *row, char *why, size_t why_size) {
  operand_sets own = {0}, ceiling = {0};
  contestant who[IMPLS];
  double times[IMPLS][MOST_REPEATS_ALLOWED];
  int count = 0;
  for (int i = 0; i < IMPLS; i++) {
    row->impl[i] = (measurement){.extra_bytes = -1};
    if (!plan->ctx[i]) continue;
    who[count] = (contestant){i, row->c, plan->ctx[i], &own, times[i], &row->impl[i]};
    if (i == GEMM_IMPL) who[count].c = case_gemm(&row->c), who[count].sets = &ceiling;
    count++;
  }
  bool done = make_all_operands(who, count, why, why_size) && measure(who, count, plan->repeat, row, why, why_size);
  free_operands(&own);
  free_operands(&ceiling);
  return done;
}

/* time_hosted.c - times calls on matrices in host memory that are made by a formula: so they may fill the host's
 * memory, and the result is checked by making them again. D, lower, left, not transposed.
 *
 *   time_hosted CONTEXT ROUTINE N COLUMNS [cap=GB] [memory=pinned|pageable] [fp64=native|auto] [repeat=R]
 *
 * ROUTINE: trsm, trmm, potrf, potrs, posv, potri, syrk (k = COLUMNS). CONTEXT, for example: cuda:0:host, cuda:0-1,
 * sim:0:host. `cap`: of the memory of each device. Prints CSV: how many products the last step had and how many of
 * them were emulated, the median of R (3) calls in ms, the bytes that crossed the link, how long the threads of this
 * program take to copy as many bytes of pageable memory (0 if the matrices are pinned), and a residual in units of the
 * rounding error, over random elements of the result; of posv over all rows of column 1. Above 10 the exit status is
 * 1. */
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "trigon.h"

enum { THREADS = 16, SAMPLES = 200, MOST_REPEATS = 100 };

typedef struct job {
  const char *context, *routine, *memory, *fp64;
  int64_t n, columns;
  double cap; /* GB; 0: none */
  int repeat;
  double *A, *B, *copy;
  trigon_context *ctx;
} job;

static bool is(const job *j, const char *routine) { return strcmp(j->routine, routine) == 0; }

static void ask(trigon_status status, const job *j, const char *what) {
  if (status == TRIGON_OK) return;
  fprintf(stderr, "time_hosted: %s: %s\n", what, j->ctx ? trigon_message(j->ctx) : trigon_status_string(status));
  exit(1);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ----------------------------------------------------------------------------------------------- the formula -- */

/* A number from -1 to 1 that depends on two others: the mixing of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014). */
static double mixed(uint64_t i, uint64_t j) {
  uint64_t x = (i << 32 | j) + 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return (double)(int64_t)(x ^ x >> 31) * 0x1p-63;
}

/* A is symmetric and positive definite, because its spectrum is n ± 2·sqrt(n/3), nearly. */
static double element_of_a(const job *j, int64_t row, int64_t col) {
  if (row == col) return (double)j->n;
  return row > col ? mixed((uint64_t)row, (uint64_t)col) : mixed((uint64_t)col, (uint64_t)row);
}

static double element_of_b(int64_t row, int64_t col) { return mixed((uint64_t)row, (uint64_t)col + (1u << 24)); }

/* ---------------------------------------------------------------------------------------------------- threads -- */

typedef struct part {
  const job *job;
  void (*what)(const job *, int64_t column, double *largest);
  int64_t begin, end;
  double largest;
} part;

static void *do_part(void *of) {
  part *p = of;
  for (int64_t i = p->begin; i < p->end; i++) p->what(p->job, i, &p->largest);
  return NULL;
}

/* Does something for each of some numbers, in threads, and returns the largest result. */
static double for_each(const job *j, int64_t count, void (*what)(const job *, int64_t number, double *largest)) {
  pthread_t thread[THREADS];
  part parts[THREADS];
  double largest = 0;
  for (int t = 0; t < THREADS; t++) {
    parts[t] = (part){j, what, count * t / THREADS, count * (t + 1) / THREADS, 0};
    if (pthread_create(&thread[t], NULL, do_part, &parts[t]) != 0) exit(1);
  }
  for (int t = 0; t < THREADS; t++) {
    pthread_join(thread[t], NULL);
    largest = fmax(largest, parts[t].largest);
  }
  return largest;
}

static void fill_column_of_a(const job *j, int64_t col, double *largest) {
  (void)largest;
  for (int64_t i = 0; i < j->n; i++) j->A[i + col * j->n] = element_of_a(j, i, col);
}

static void fill_column_of_b(const job *j, int64_t col, double *largest) {
  (void)largest;
  for (int64_t i = 0; i < j->n; i++) j->B[i + col * j->n] = element_of_b(i, col);
}

/* ------------------------------------------------------------------------------------------------- residuals -- */

/* Of a sum whose terms have these absolute values, against what it should be. */
static double residual_of(double sum, double due, double absolute, int64_t terms) {
  return fabs(sum - due) / ((absolute + fabs(due)) * sqrt((double)terms) * 0x1p-53);
}

/* Row `row` of A, which a formula makes, times column `col` of B in memory, over the first `terms` terms. */
static double product_with_b(const job *j, int64_t row, int64_t col, int64_t terms, double *absolute) {
  double sum = 0;
  *absolute = 0;
  for (int64_t k = 0; k < terms; k++) {
    const double term = element_of_a(j, row, k) * j->B[k + col * j->n];
    sum += term, *absolute += fabs(term);
  }
  return sum;
}

static void check_solved(const job *j, int64_t row, int64_t col, double *largest) {
  double absolute;
  const int64_t terms = is(j, "trsm") ? row + 1 : j->n;
  const double sum = product_with_b(j, row, col, terms, &absolute);
  *largest = fmax(*largest, residual_of(sum, element_of_b(row, col), absolute, terms));
}

static void check_product(const job *j, int64_t row, int64_t col, double *largest) {
  double sum = 0, absolute = 0;
  const int64_t terms = is(j, "trmm") ? row + 1 : j->columns;
  for (int64_t k = 0; k < terms; k++) {
    const double term =
        is(j, "trmm") ? element_of_a(j, row, k) * element_of_b(k, col) : element_of_b(row, k) * element_of_b(col, k);
    sum += term, absolute += fabs(term);
  }
  const double got = is(j, "trmm") ? j->B[row + col * j->n] : j->A[row + col * j->n];
  *largest = fmax(*largest, residual_of(got, sum, absolute, terms));
}

/* Row `row` of L times row `col`: an element of A. */
static void check_factor(const job *j, int64_t row, int64_t col, double *largest) {
  double sum = 0, absolute = 0;
  for (int64_t k = 0; k <= col; k++) {
    const double term = j->A[row + k * j->n] * j->A[col + k * j->n];
    sum += term, absolute += fabs(term);
  }
  *largest = fmax(*largest, residual_of(sum, element_of_a(j, row, col), absolute, col + 1));
}

/* Row `row` of A times column `col` of its inverse, of which the lower triangle is in memory. */
static void check_inverse(const job *j, int64_t row, int64_t col, double *largest) {
  double sum = 0, absolute = 0;
  for (int64_t k = 0; k < j->n; k++) {
    const double term = element_of_a(j, row, k) * (k > col ? j->A[k + col * j->n] : j->A[col + k * j->n]);
    sum += term, absolute += fabs(term);
  }
  *largest = fmax(*largest, residual_of(sum, row == col ? 1 : 0, absolute, j->n));
}

static int64_t random_below(int64_t sample, int64_t which, int64_t bound) {
  return (int64_t)((mixed((uint64_t)sample, (uint64_t)which) + 1) / 2 * (double)(bound - 1));
}

static void check_sample(const job *j, int64_t sample, double *largest) {
  const int64_t row = random_below(sample, 1, j->n), col = random_below(sample, 2, j->n);
  const int64_t below = row > col ? row : col, above = row > col ? col : row;
  const int64_t right = j->columns > 0 ? random_below(sample, 3, j->columns) : 0;
  if (is(j, "trsm") || is(j, "potrs") || is(j, "posv")) check_solved(j, row, right, largest);
  if (is(j, "trmm")) check_product(j, row, right, largest);
  if (is(j, "syrk")) check_product(j, below, above, largest);
  if (is(j, "potrf")) check_factor(j, below, above, largest);
  if (is(j, "potri")) check_inverse(j, row, col, largest);
}

static void check_row(const job *j, int64_t row, double *largest) { check_solved(j, row, 0, largest); }

static double residual(const job *j) {
  const double largest = for_each(j, SAMPLES, check_sample);
  return is(j, "posv") ? fmax(largest, for_each(j, j->n, check_row)) : largest;
}

/* ------------------------------------------------------------------------------------------------------ calls -- */

static trigon_status call(const job *j) {
  trigon_context *c = j->ctx;
  const int64_t n = j->n, columns = j->columns;
  if (is(j, "trsm"))
    return trigon_dtrsm(c, TRIGON_LEFT, TRIGON_LOWER, TRIGON_NOTRANS, TRIGON_NONUNIT, n, columns, 1, j->A, n, j->B, n);
  if (is(j, "trmm"))
    return trigon_dtrmm(c, TRIGON_LEFT, TRIGON_LOWER, TRIGON_NOTRANS, TRIGON_NONUNIT, n, columns, 1, j->A, n, j->B, n);
  if (is(j, "syrk")) return trigon_dsyrk(c, TRIGON_LOWER, TRIGON_NOTRANS, n, columns, 1, j->B, n, 0, j->A, n);
  if (is(j, "potrf")) return trigon_dpotrf(c, TRIGON_LOWER, n, j->A, n, NULL);
  if (is(j, "potrs")) return trigon_dpotrs(c, TRIGON_LOWER, n, columns, j->A, n, j->B, n);
  if (is(j, "posv")) return trigon_dposv(c, TRIGON_LOWER, n, columns, j->A, n, j->B, n, NULL);
  if (is(j, "potri")) return trigon_dpotri(c, TRIGON_LOWER, n, j->A, n, NULL);
  fprintf(stderr, "time_hosted: ROUTINE is \"%s\", must be trsm, trmm, syrk, potrf, potrs, posv or potri\n",
          j->routine);
  exit(2);
}

static void finish(const job *j) {
  int64_t info = 0;
  ask(trigon_finish(j->ctx, &info), j, "finish");
  if (info == 0) return;
  fprintf(stderr, "time_hosted: info = %lld\n", (long long)info);
  exit(1);
}

/* POTRS and POTRI need a factor. */
static void fill(const job *j) {
  for_each(j, j->n, fill_column_of_a);
  if (j->columns > 0) for_each(j, j->columns, fill_column_of_b);
  if (!is(j, "potrs") && !is(j, "potri")) return;
  ask(trigon_dpotrf(j->ctx, TRIGON_LOWER, j->n, j->A, j->n, NULL), j, "potrf");
  finish(j);
}

/* Memory of the context is pinned. */
static double *matrix(const job *j, int64_t columns) {
  const int64_t bytes = 8 * j->n * columns;
  void *data = NULL;
  if (columns == 0) return NULL;
  if (strcmp(j->memory, "pinned") == 0)
    ask(trigon_alloc(j->ctx, bytes, &data), j, "alloc");
  else
    data = malloc((size_t)bytes);
  if (data) return data;
  fprintf(stderr, "time_hosted: the host has no %lld bytes\n", (long long)bytes);
  exit(1);
}

static void copy_column(const job *j, int64_t col, double *largest) {
  (void)largest;
  memcpy(j->copy + col * j->n, j->A + col * j->n, (size_t)(8 * j->n));
}

/* The ms that the threads take to copy so many bytes, by a copy of A. The first copy touches the memory. */
static double ms_of_copies(job *j, int64_t bytes) {
  double begun = 0;
  j->copy = matrix(j, j->n);
  for (int i = 0; i < 2; i++) {
    begun = now();
    for_each(j, j->n, copy_column);
  }
  const double ms = 1e3 * (now() - begun) * (double)bytes / (double)(8 * j->n * j->n);
  free(j->copy);
  return ms;
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Returns whether the result is right. */
static bool measure(job *j) {
  enum { limit = 10 };
  double ms[MOST_REPEATS], begun = 0;
  int64_t in = 0, out = 0, between = 0;
  for (int i = 0; i < j->repeat; i++) {
    fill(j);
    ask(trigon_traffic(j->ctx, &in, &out, &between), j, "traffic");
    begun = now();
    ask(call(j), j, j->routine);
    finish(j);
    ms[i] = 1e3 * (now() - begun);
  }
  ask(trigon_traffic(j->ctx, &in, &out, &between), j, "traffic");
  trigon_fp64_report report;
  ask(trigon_last_fp64(j->ctx, &report), j, "fp64");
  qsort(ms, (size_t)j->repeat, sizeof *ms, compare);
  puts("context,routine,n,columns,cap_gb,memory,fp64,products,emulated,moduli,ms,least_ms,in_bytes,out_bytes,"
       "between_bytes,memcpy_ms,residual");
  printf("%s,%s,%lld,%lld,%g,%s,%s,%lld,%lld,%d,%.1f,%.1f,%lld,%lld,%lld,", j->context, j->routine, (long long)j->n,
         (long long)j->columns, j->cap, j->memory, j->fp64, (long long)report.products, (long long)report.emulated,
         report.moduli, ms[j->repeat / 2], ms[0], (long long)in, (long long)out, (long long)between);
  printf("%.1f,", strcmp(j->memory, "pageable") == 0 ? ms_of_copies(j, in + out) : 0);
  fflush(stdout);
  const double error = residual(j);
  printf("%.2g\n", error);
  return error < limit;
}

/* Whether the value is one of two words; then *to is it. */
static bool take_word(const char **to, const char *value, const char *first, const char *second) {
  *to = value;
  return strcmp(value, first) == 0 || strcmp(value, second) == 0;
}

/* An argument `name=value`; false: it is none that is known. */
static bool take(job *j, const char *argument) {
  if (strncmp(argument, "cap=", 4) == 0) return j->cap = atof(argument + 4), j->cap > 0;
  if (strncmp(argument, "memory=", 7) == 0) return take_word(&j->memory, argument + 7, "pinned", "pageable");
  if (strncmp(argument, "fp64=", 5) == 0) return take_word(&j->fp64, argument + 5, "native", "auto");
  if (strncmp(argument, "repeat=", 7) != 0) return false;
  j->repeat = atoi(argument + 7);
  return j->repeat > 0 && j->repeat <= MOST_REPEATS;
}

int main(int argc, char **argv) {
  job j = {.memory = "pinned", .fp64 = "native", .repeat = 3};
  char why[512];
  bool usable = argc >= 5;
  for (int i = 5; i < argc && usable; i++) usable = take(&j, argv[i]);
  if (usable) j.context = argv[1], j.routine = argv[2], j.n = atoll(argv[3]), j.columns = atoll(argv[4]);
  if (!usable || j.n < 1) {
    fputs("usage: time_hosted CONTEXT ROUTINE N COLUMNS [cap=GB] [memory=pinned|pageable] [fp64=native|auto]\n"
          "                   [repeat=R]\n",
          stderr);
    return 2;
  }
  if (trigon_create(j.context, &j.ctx, why, sizeof why) != TRIGON_OK) {
    fprintf(stderr, "time_hosted: %s\n", why);
    return 1;
  }
  if (j.cap > 0) ask(trigon_set_workspace(j.ctx, NULL, (int64_t)(1e9 * j.cap)), &j, "cap");
  if (strcmp(j.fp64, "auto") == 0) ask(trigon_set_fp64(j.ctx, TRIGON_FP64_AUTO, TRIGON_FP64_GUARANTEED), &j, "fp64");
  j.A = matrix(&j, j.n), j.B = matrix(&j, j.columns);
  const bool is_right = measure(&j);
  if (!is_right) fputs("time_hosted: the residual is too large\n", stderr);
  if (strcmp(j.memory, "pageable") == 0) free(j.A), free(j.B);
  if (strcmp(j.memory, "pinned") == 0) trigon_free(j.ctx, j.A), trigon_free(j.ctx, j.B);
  trigon_destroy(j.ctx);
  return is_right ? 0 : 1;
}

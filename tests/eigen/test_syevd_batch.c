/* test_syevd_batch.c - eigenproblems of a batch: ragged and strided, every type, triangle and job, orders on both sides
 * of what is computed at once, hard spectra, ends of the range, NaN, wrong entries, in guarded and poisoned memory.
 *
 * usage: test_syevd_batch [--large] [CONTEXT...] */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "opened_context.h"
#include "solver_judge.h"
#include "spectra.h"
#include "support/check.h"

enum { most_members = 80, untouched = -77, most_exact = 24 };

/* The arguments of both kinds of functions. max_n is the order of matrices that are a stride apart. */
typedef struct batch_of_solvers {
  trigon_job job;
  trigon_uplo uplo;
  int64_t count, max_n;
  const int64_t *n, *lda;
  void **A, **w;
  void *first, *values;
  int64_t ld, stride, stride_w;
  int64_t *info;
} batch_of_solvers;

#define EACH_TYPE "eigen/batch_calls.inc"
#include "support/each_type.inc"

static const trigon_type types[] = {TRIGON_S, TRIGON_D, TRIGON_C, TRIGON_Z};
static trigon_context *ctx;
static const char *context_name;
static figures worst[4];

static trigon_status call_ragged(int kind, const batch_of_solvers *b) {
  static trigon_status (*const calls[])(trigon_context *, const batch_of_solvers *) = {ragged_s, ragged_d, ragged_c,
                                                                                       ragged_z};
  return calls[kind](ctx, b);
}

static trigon_status call_strided(int kind, const batch_of_solvers *b) {
  static trigon_status (*const calls[])(trigon_context *, const batch_of_solvers *) = {strided_s, strided_d, strided_c,
                                                                                       strided_z};
  return calls[kind](ctx, b);
}

/* ---------------------------------------------------------------------------------------------------- members -- */

/* The matrices of a batch. */
static solver_case member[most_members];
static dense matrix[most_members];
static int64_t orders[most_members], leading[most_members], info[most_members], due[most_members];
static int members;

/* What a member is: every fourth is random, the others are hard. */
static dense make_matrix(trigon_type type, int number, int64_t n) {
  random_stream r = {(uint64_t)(101 * number + type)};
  const double far = is_single(type) ? 1e-30 : 1e-300;
  dense A;
  switch (number % 8) {
  case 1: A = spectrum_matrix(&spectra[number / 8 % spectra_count], n, type, &r); break;
  case 2: A = random_matrix(n, type, &r), scale_to(&A, far); break;
  case 3: A = random_matrix(n, type, &r), scale_to(&A, 1 / far); break;
  case 5: A = spectrum_matrix(&spectra[(number / 8 + 7) % spectra_count], n, type, &r); break;
  case 6: A = dense_make(n, n); break; /* zero, or a diagonal with repeated values */
  default: A = random_matrix(n, type, &r);
  }
  for (int64_t i = 0; i < n && number % 16 == 6; i++) A.re[i + i * n] = (double)(i % 3);
  return A;
}

static void make_member(int i, int kind, trigon_job job, trigon_uplo uplo, int64_t n) {
  solver_case *c = &member[i];
  dense_free(&matrix[i]);
  matrix[i] = make_matrix(types[kind], i, n);
  c->call = (solver_call){.type = types[kind], .n = n, .uplo = uplo, .job = job}, c->gap = i % 3;
  case_fill(c, &matrix[i], NULL);
  dense_free(&matrix[i]);
  matrix[i] = dense_of_triangle(c->A.matrix, uplo); /* as the type stores it */
  orders[i] = n, leading[i] = c->call.lda, due[i] = 0, info[i] = untouched;
}

/* Members 0, 1, ... have these orders. */
static void make_members(int kind, trigon_job job, trigon_uplo uplo, const int64_t *n, int count) {
  members = count;
  for (int i = 0; i < count; i++) make_member(i, kind, job, uplo, n[i]);
}

/* A NaN, or an infinity, in column `column` of the triangle. */
static void spoil(int i, int64_t column) {
  const int64_t n = orders[i], row = member[i].call.uplo == TRIGON_LOWER ? n - 1 : 0;
  matrix_put(member[i].A.matrix, row, column, (trigon_scalar){i % 2 ? (double)NAN : (double)INFINITY, 0});
  due[i] = column + 1;
}

/* ------------------------------------------------------------------------------------------------------ calls -- */

static void *send(const void *from, size_t bytes) {
  void *there = NULL;
  if (trigon_on_host(ctx) || bytes == 0) return (void *)from;
  const int64_t rows = (int64_t)(bytes / 8);
  if (trigon_alloc(ctx, (int64_t)bytes, &there) != TRIGON_OK ||
      trigon_upload(ctx, (trigon_matrix){(void *)from, TRIGON_D, rows, 1, rows},
                    (trigon_matrix){there, TRIGON_D, rows, 1, rows}) != TRIGON_OK)
    exit(2);
  return there;
}

static void take_back(void *to, void *there, size_t bytes) {
  const int64_t rows = (int64_t)(bytes / 8);
  if (to == there) return;
  if (trigon_download(ctx, (trigon_matrix){there, TRIGON_D, rows, 1, rows},
                      (trigon_matrix){to, TRIGON_D, rows, 1, rows}) != TRIGON_OK ||
      trigon_free(ctx, there) != TRIGON_OK)
    exit(2);
}

/* Calls with the members' matrices. `arrays`: sizes, addresses and infos go to the device, too. */
static trigon_status run_ragged(int kind, int64_t max_n, bool arrays) {
  const size_t bytes = (size_t)members * 8;
  const bool there = !trigon_on_host(ctx);
  device_operand sentA[most_members], sentW[most_members];
  void *A[most_members], *w[most_members];
  for (int i = 0; i < members; i++) {
    guarded_snapshot(&member[i].A), guarded_snapshot(&member[i].w);
    A[i] = there ? operand_upload(ctx, &sentA[i], &member[i].A) : member[i].A.matrix.data;
    w[i] = there ? operand_upload(ctx, &sentW[i], &member[i].w) : member[i].w.matrix.data;
    if (due[i] == -4) A[i] = NULL;
    if (due[i] == -6) w[i] = NULL;
    info[i] = untouched;
  }
  batch_of_solvers b = {.job = member[0].call.job, .uplo = member[0].call.uplo, .count = members, .max_n = max_n};
  b.n = arrays ? send(orders, bytes) : orders, b.lda = arrays ? send(leading, bytes) : leading;
  b.A = arrays ? send(A, bytes) : A, b.w = arrays ? send(w, bytes) : w, b.info = arrays ? send(info, bytes) : info;
  const trigon_status status = call_ragged(kind, &b);
  check_that(status == TRIGON_OK, "%s: ragged: status %d: %s", context_name, (int)status, trigon_message(ctx));
  for (int i = 0; i < members && there; i++) operand_take_back(ctx, &sentA[i]), operand_take_back(ctx, &sentW[i]);
  if (!arrays) return status;
  take_back(info, b.info, bytes);
  int64_t spare[most_members];
  take_back(spare, (void *)b.n, bytes), take_back(spare, (void *)b.lda, bytes);
  take_back(spare, b.A, bytes), take_back(spare, b.w, bytes);
  return status;
}

static void judge_member(int i, int kind, const char *how) {
  char text[200], title[300];
  const solver_case *c = &member[i];
  snprintf(title, sizeof title, "%s, %s, matrix %d: %s", context_name, how, i, describe_solver_call(&c->call));
  check_that(info[i] == due[i], "%s: info is %d, not %d", title, (int)info[i], (int)due[i]);
  const char *stray = due[i] < 0 ? case_change(c, text, sizeof text) : case_stray(c, text, sizeof text);
  check_that(!stray, "%s: %s", title, stray);
  if (due[i] != 0) return;
  long double exact[most_exact];
  const bool has_exact = orders[i] <= most_exact;
  if (has_exact) exact_values(&matrix[i], exact);
  const figures f = judge_case(c, &matrix[i], has_exact ? exact : NULL);
  check_that(!fault_of(f), "%s: %s", title, fault_of(f));
  worst[kind] = worst_of(worst[kind], f);
}

static void judge_members(int kind, const char *how) {
  for (int i = 0; i < members; i++) judge_member(i, kind, how);
}

/* ------------------------------------------------------------------------------------------------------ tests -- */

/* Orders that are computed at once, alone, and by the steps of one matrix. */
static int orders_of_test(int64_t *n) {
  static const int64_t few[] = {5, 0, 1, 2, 3, 4, 7, 8, 9, 2, 3, 13, 4, 16, 1, 17, 3, 6, 24, 4, 33, 40};
  int count = 0;
  if (!trigon_on_host(ctx)) {
    for (; count < (int)(sizeof few / sizeof *few); count++) n[count] = few[count];
    return count;
  }
  for (; count < 72; count++) n[count] = (count * 29) % 41; /* every order up to 40, in any order */
  n[count++] = 64, n[count++] = 110;
  return count;
}

/* Two calls with the same input store the same bits. */
static void check_bits(int kind, bool arrays) {
  unsigned char *A[most_members], *w[most_members];
  for (int i = 0; i < members; i++) {
    A[i] = malloc(member[i].A.bytes + 1), w[i] = malloc(member[i].w.bytes + 1);
    if (!A[i] || !w[i]) exit(2);
    memcpy(A[i], member[i].A.block, member[i].A.bytes), memcpy(w[i], member[i].w.block, member[i].w.bytes);
    guarded_restore(&member[i].A), guarded_restore(&member[i].w);
  }
  (void)run_ragged(kind, trigon_on_host(ctx) ? 128 : 40, arrays);
  for (int i = 0; i < members; i++) {
    check_that(due[i] != 0 || (memcmp(A[i], member[i].A.block, member[i].A.bytes) == 0 &&
                               memcmp(w[i], member[i].w.block, member[i].w.bytes) == 0),
               "%s: matrix %d has other bits", context_name, i);
    free(A[i]), free(w[i]);
  }
}

static void check_ragged(int kind, trigon_job job, trigon_uplo uplo) {
  int64_t n[most_members];
  const int count = orders_of_test(n);
  const bool lower = uplo == TRIGON_LOWER, device = !trigon_on_host(ctx);
  make_members(kind, job, uplo, n, count);
  spoil(3, n[3] - 1), spoil(7, n[7] > 3 ? 2 : 0), spoil(count - 1, 20);
  (void)run_ragged(kind, device ? 40 : lower ? 0 : 128, device && !lower);
  judge_members(kind, "ragged");
  if (job == TRIGON_VECTORS) check_bits(kind, device);
}

/* Entries that are wrong. */
static void check_entries(int kind) {
  static const int64_t n[] = {3, 6, 5, 4, 2, 9};
  make_members(kind, TRIGON_VECTORS, TRIGON_LOWER, n, 6);
  orders[0] = -1, due[0] = -3;
  due[1] = -4;
  leading[2] = 4, due[2] = -5;
  due[3] = -6;
  due[5] = -3; /* above max_n */
  (void)run_ragged(kind, 8, !trigon_on_host(ctx));
  judge_members(kind, "wrong entries");
}

/* The matrices of a batch a stride apart are parts of one guarded matrix. */
static void check_strided(int kind, trigon_job job, trigon_uplo uplo, int64_t n, int count) {
  static guarded A, w;
  device_operand sentA, sentW;
  const trigon_type type = types[kind];
  const bool there = !trigon_on_host(ctx);
  guarded_shape(&A, type, n, n * count, 2), guarded_shape(&w, real_type_of(type), n, count, 1);
  members = count;
  for (int i = 0; i < count; i++) {
    make_member(i, kind, job, uplo, n);
    for (int64_t j = 0; j < n; j++)
      for (int64_t k = uplo == TRIGON_LOWER ? j : 0; k < (uplo == TRIGON_LOWER ? n : j + 1); k++)
        matrix_put(A.matrix, k, j + i * n, matrix_get(member[i].A.matrix, k, j));
  }
  guarded_snapshot(&A), guarded_snapshot(&w);
  batch_of_solvers b = {.job = job, .uplo = uplo, .count = count, .max_n = n, .ld = A.matrix.ld};
  b.stride = A.matrix.ld * n, b.stride_w = w.matrix.ld;
  b.first = there ? operand_upload(ctx, &sentA, &A) : A.matrix.data;
  b.values = there ? operand_upload(ctx, &sentW, &w) : w.matrix.data;
  b.info = send(info, (size_t)count * 8);
  const trigon_status status = call_strided(kind, &b);
  check_that(status == TRIGON_OK, "%s: strided: status %d: %s", context_name, (int)status, trigon_message(ctx));
  if (there) operand_take_back(ctx, &sentA), operand_take_back(ctx, &sentW);
  take_back(info, b.info, (size_t)count * 8);
  char text[200];
  const char *stray = guarded_stray(&A, (region){REGION_ALL, false}, text, sizeof text);
  check_that(!stray, "%s: strided: %s", context_name, stray);
  for (int i = 0; i < count; i++) {
    for (int64_t j = 0; j < n; j++) {
      matrix_put(member[i].w.matrix, j, 0, matrix_get(w.matrix, j, i));
      for (int64_t k = 0; k < n && job == TRIGON_VECTORS; k++)
        matrix_put(member[i].A.matrix, k, j, matrix_get(A.matrix, k, j + i * n));
    }
    guarded_snapshot(&member[i].A), guarded_snapshot(&member[i].w);
    judge_member(i, kind, "strided");
  }
}

/* Arguments that refuse the call. */
static void check_arguments(void) {
  double a[8] = {2, 1, 1, 2, 3, 0, 0, 3}, w[4];
  int64_t infos[2];
#define REFUSED(job, uplo, count, n, A, lda, strideA, w, strideW, info)                                                \
  check_that(trigon_dsyevd_strided(ctx, job, uplo, count, n, A, lda, strideA, w, strideW, info) ==                     \
                 TRIGON_BAD_ARGUMENT,                                                                                  \
             "%s: line %d was not refused", context_name, __LINE__)
  REFUSED((trigon_job)7, TRIGON_LOWER, 2, 2, a, 2, 4, w, 2, infos);
  REFUSED(TRIGON_VALUES, (trigon_uplo)7, 2, 2, a, 2, 4, w, 2, infos);
  REFUSED(TRIGON_VALUES, TRIGON_LOWER, -1, 2, a, 2, 4, w, 2, infos);
  REFUSED(TRIGON_VALUES, TRIGON_LOWER, 2, -1, a, 2, 4, w, 2, infos);
  REFUSED(TRIGON_VALUES, TRIGON_LOWER, 2, 2, NULL, 2, 4, w, 2, infos);
  REFUSED(TRIGON_VALUES, TRIGON_LOWER, 2, 2, a, 1, 4, w, 2, infos);
  REFUSED(TRIGON_VALUES, TRIGON_LOWER, 2, 2, a, 2, 3, w, 2, infos);
  REFUSED(TRIGON_VALUES, TRIGON_LOWER, 2, 2, a, 2, 4, NULL, 2, infos);
  REFUSED(TRIGON_VALUES, TRIGON_LOWER, 2, 2, a, 2, 4, w, 1, infos);
  REFUSED(TRIGON_VALUES, TRIGON_LOWER, 2, 2, a, 2, 4, w, 2, NULL);
#undef REFUSED
  check_that(trigon_dsyevd_batch(ctx, TRIGON_VALUES, TRIGON_LOWER, 0, 0, NULL, NULL, NULL, NULL, NULL) == TRIGON_OK,
             "%s: an empty batch: %s", context_name, trigon_message(ctx));
}

/* Without memory for a matrix nothing is written; with memory for one thread all is computed. */
static void check_memory(void) {
  static const int64_t n[] = {30, 9, 30, 8, 7, 6, 5, 110, 4, 3, 30, 30};
  int64_t bytes = 0;
  make_members(1, TRIGON_VECTORS, TRIGON_UPPER, n, 12);
  check_that(trigon_eigen_workspace(ctx, TRIGON_D, TRIGON_VECTORS, 110, &bytes) == TRIGON_OK &&
                 trigon_set_workspace(ctx, NULL, bytes) == TRIGON_OK,
             "%s: %s", context_name, trigon_message(ctx));
  (void)run_ragged(1, 0, false);
  judge_members(1, "memory for one thread");
  double a[4] = {2, 1, 1, 2}, w[2];
  int64_t infos[1] = {untouched};
  check_that(trigon_set_workspace(ctx, NULL, 0) == TRIGON_OK &&
                 trigon_dsyevd_strided(ctx, TRIGON_VECTORS, TRIGON_LOWER, 1, 2, a, 2, 4, w, 2, infos) ==
                     TRIGON_NO_MEMORY &&
                 infos[0] == untouched && a[0] == 2,
             "%s: a cap of 0: %s", context_name, trigon_message(ctx));
}

/* A GPU needs a bound of the orders. */
static void check_bound(void) {
  static const int64_t n[] = {3, 6};
  make_members(1, TRIGON_VALUES, TRIGON_LOWER, n, 2);
  double *A[2] = {NULL}, *w[2] = {NULL};
  for (int64_t bound = 0; bound <= 100000; bound += 100000)
    check_that(trigon_dsyevd_batch(ctx, TRIGON_VALUES, TRIGON_LOWER, 2, bound, n, A, leading, w, info) ==
                       TRIGON_NOT_SUPPORTED &&
                   info[0] == untouched,
               "%s: the bound %d was not refused", context_name, (int)bound);
}

/* All hard spectra, of one order. */
static void check_spectra(int kind, int64_t n) {
  random_stream r = {(uint64_t)n};
  int64_t same[most_members];
  for (int i = 0; i < spectra_count; i++) same[i] = n;
  make_members(kind, TRIGON_VECTORS, TRIGON_LOWER, same, spectra_count);
  for (int i = 0; i < spectra_count; i++) {
    dense_free(&matrix[i]);
    matrix[i] = spectrum_matrix(&spectra[i], n, types[kind], &r);
    case_fill(&member[i], &matrix[i], NULL);
    dense_free(&matrix[i]);
    matrix[i] = dense_of_triangle(member[i].A.matrix, TRIGON_LOWER);
  }
  (void)run_ragged(kind, n < 40 ? 40 : n, false);
  judge_members(kind, "hard spectra");
}

/* The classes of large orders of a real GPU. */
static void check_large(void) {
  static const int64_t divided[] = {33, 64, 100, 128}; /* by divide and conquer in a block */
  for (int kind = 0; kind < 4; kind++) {
    for (int64_t n = 4; n < 40; n += n / 2) check_spectra(kind, n);
    check_strided(kind, TRIGON_VECTORS, kind % 2 ? TRIGON_LOWER : TRIGON_UPPER, 63, 2);
    check_strided(kind, TRIGON_VECTORS, kind % 2 ? TRIGON_LOWER : TRIGON_UPPER, 97, 1);
    check_strided(kind, TRIGON_VECTORS, kind % 2 ? TRIGON_UPPER : TRIGON_LOWER, 104, 1);
    check_strided(kind, TRIGON_VECTORS, kind % 2 ? TRIGON_LOWER : TRIGON_UPPER, 131, 1);
    check_strided(kind, TRIGON_VALUES, kind % 2 ? TRIGON_UPPER : TRIGON_LOWER, 131, 1);
    for (int i = 0; i < 4 && kind < 2; i++) check_spectra(kind, divided[i]);
  }
}

static void check_context(const char *name, bool large) {
  context_name = name;
  if (!opens_context(name, &ctx)) return;
  const bool on_host = trigon_on_host(ctx);
  for (int kind = 0; kind < 4; kind++) {
    check_ragged(kind, TRIGON_VECTORS, TRIGON_LOWER), check_ragged(kind, TRIGON_VALUES, TRIGON_UPPER);
    if (on_host) check_ragged(kind, TRIGON_VALUES, TRIGON_LOWER);
    check_ragged(kind, TRIGON_VECTORS, TRIGON_UPPER);
    check_entries(kind);
    if (on_host) check_spectra(kind, 6), check_spectra(kind, 24), check_spectra(kind, 40);
    if (!on_host) check_spectra(kind, 13), check_spectra(kind, 20); /* in shared memory, and not by a warp alone */
    check_strided(kind, TRIGON_VECTORS, TRIGON_LOWER, 3, 70), check_strided(kind, TRIGON_VALUES, TRIGON_UPPER, 4, 5);
    check_strided(kind, TRIGON_VECTORS, TRIGON_UPPER, 11, 9);
    check_strided(kind, TRIGON_VALUES, TRIGON_LOWER, on_host ? 32 : 18, 3);
    check_strided(kind, TRIGON_VECTORS, TRIGON_LOWER, 41, 2); /* on the simulated GPU one after the other */
  }
  if (large) check_large();
  if (!on_host) check_bound();
  if (on_host) check_arguments(), check_memory();
  trigon_destroy(ctx);
}

int main(int argc, char **argv) {
  static const char *const contexts[] = {
      "cpu?dirty=1&threads=2", "cpu?trace=1",          "cpu?arch=avx2&threads=1",  "cpu?arch=portable",
      "sim:0?dirty=1&seed=1",  "sim:0?seed=3&warp=64", "sim:0?arch=sweeps&seed=7", "sim:0?arch=portable&seed=5"};
  const bool large = argc > 1 && strcmp(argv[1], "--large") == 0;
  const int named = argc - 1 - large, count = named > 0 ? named : (int)(sizeof contexts / sizeof *contexts);
  for (int k = 0; k < 4; k++) worst[k].is_sorted = true;
  for (int i = 0; i < count; i++) check_context(named > 0 ? argv[1 + large + i] : contexts[i], large);
  for (int k = 0; k < 4; k++)
    printf("%c: residual %.2f, orthogonality %.2f, values %.2f units of u*sqrt(n)\n", (char)types[k], worst[k].residual,
           worst[k].overlap, worst[k].values);
  for (int i = 0; i < most_members; i++) case_free(&member[i]), dense_free(&matrix[i]);
  return checked();
}

/* device_leaves.c - leaves that the option leaf= forces: where the recursion stops, and how far a NaN spreads. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/device_job.h"

enum { KINDS = TRIGON_LAUUM + 1 };

/* Counts the work of one call of the order n. The context must be traced. */
static void count(trigon_context *ctx, enum tested_routine routine, int64_t n, trigon_count counts[KINDS]) {
  job j;
  job_make_sized(&j, ctx, routine, TRIGON_D, n, n, n, 3);
  job_send(&j);
  job_call(&j);
  job_check(&j, "with a forced leaf");
  accepted(ctx, trigon_trace(ctx, counts, KINDS), "trace");
  job_free(&j);
}

/* A table that is made for dataflow leaves and takes everything whole. */
static bool write_table(char *path) {
  static const char text[] =
      "version 2\ntrsm sdcz * * dataflow *\ntrmm sdcz * * dataflow *\npotrf sdcz * * dataflow *\n"
      "invert sdcz * * dataflow *\nlauum sdcz * * dataflow *\n";
  const int fd = mkstemp(path);
  const bool written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
  if (fd >= 0) close(fd);
  return written;
}

/* With leaf=step the recursion stops where the built-in table says so for steps, and not where a table says so for
 * another variant: one step of a large order takes very long. */
static void stops(const device *d) {
  static const enum tested_routine subjects[] = {TRSM, TRMM, POTRF, TRTRI, LAUUM};
  const int64_t order = d->simulated ? 70 : 700;
  char path[] = "/tmp/trigon-leaves-XXXXXX", options[120];
  check(write_table(path), "a tuning table");
  snprintf(options, sizeof options, "trace=1&tuning=%s", path);
  trigon_context *whole = device_open(d, options);
  snprintf(options, sizeof options, "trace=1&leaf=step&tuning=%s", path);
  trigon_context *step = device_open(d, options);
  trigon_context *builtin = device_open(d, "trace=1&leaf=step&tuning=none");
  for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
    trigon_count counts[3][KINDS];
    const char *name = routines[subjects[i]].name;
    count(whole, subjects[i], order, counts[0]);
    count(step, subjects[i], order, counts[1]);
    count(builtin, subjects[i], order, counts[2]);
    check(counts[0][TRIGON_GEMM].calls == 0, "%s: the table takes the call whole", name);
    check(counts[2][TRIGON_GEMM].calls > 0, "%s: the built-in table cuts steps", name);
    for (int k = 0; k < KINDS; k++)
      check(counts[1][k].calls == counts[2][k].calls && counts[1][k].most == counts[2][k].most,
            "%s: %lld leaves of kind %d, up to %g flops, must be %lld, up to %g", name, (long long)counts[1][k].calls,
            k, counts[1][k].most, (long long)counts[2][k].calls, counts[2][k].most);
  }
  trigon_destroy(builtin);
  trigon_destroy(step);
  trigon_destroy(whole);
  unlink(path);
}

/* ---------------------------------------------------------------------------------------------------- NaN -- */

/* Element (i, j) of a lower triangle, or its mirror image in an upper one. */
static int64_t index_of(trigon_uplo uplo, int64_t n, int64_t i, int64_t j) {
  return uplo == TRIGON_LOWER ? i + j * n : j + i * n;
}

/* L of ones and twos, NaN behind its diagonal, and NaN at (row, col). */
static void fill_triangle(double *L, trigon_uplo uplo, int64_t n, int64_t row, int64_t col) {
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < n; j++)
      L[index_of(uplo, n, i, j)] = j > i || (i == row && j == col) ? NAN : (double)(1 + (i + j) % 2);
}

/* LᴴL has L(row, col) in row `col` left of the diagonal, and in column `col` up to row `row`. These elements are NaN.
 * Leaves also multiply the zeros above L's diagonal, so that elements below, in the same tile, may be NaN, too. All
 * other elements are finite, so no element outside of the triangle was read. */
static void spread(trigon_context *ctx, const char *name, trigon_uplo uplo, int64_t n, int64_t tile, int64_t row,
                   int64_t col) {
  double *const L = malloc((size_t)(n * n) * sizeof *L);
  const trigon_matrix here = {L, TRIGON_D, n, n, n};
  trigon_matrix there = here;
  if (!L) abort();
  fill_triangle(L, uplo, n, row, col);
  accepted(ctx, trigon_alloc(ctx, n * n * (int64_t)sizeof *L, &there.data), "memory");
  accepted(ctx, trigon_upload(ctx, here, there), "upload");
  accepted(ctx, trigon_lauum(ctx, uplo, there), "LAUUM");
  accepted(ctx, trigon_download(ctx, there, here), "download");
  int64_t lost = 0, far = 0;
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j <= i; j++) {
      const bool due = (i == col && j <= col) || (j == col && i >= col && i <= row);
      const bool near = j == col && i > row && i < row + tile, is = isnan(L[index_of(uplo, n, i, j)]);
      lost += due && !is, far += is && !due && !near;
    }
  check(lost == 0 && far == 0, "%s, %c: a NaN at (%lld, %lld) is lost in %lld elements, spreads to %lld others", name,
        (char)uplo, (long long)row, (long long)col, (long long)lost, (long long)far);
  accepted(ctx, trigon_free(ctx, there.data), "free");
  free(L);
}

static void spreads(const device *d, const char *options, int64_t n, int64_t tile) {
  trigon_context *ctx = device_open(d, options);
  char name[200];
  for (int64_t row = 0; row < n; row += n / 7)
    for (int64_t col = 0; col <= row; col += n / 5) {
      spread(ctx, device_name(d, options, name, sizeof name), TRIGON_LOWER, n, tile, row, col);
      spread(ctx, name, TRIGON_UPPER, n, tile, row, col);
    }
  trigon_destroy(ctx);
}

void test_leaves(const device *d) {
  const device cpu = {.name = "cpu"};
  const int64_t order = d->simulated ? 100 : 700, tile = d->simulated ? 32 : 128;
  stops(d);
  spreads(d, "", order, tile);
  spreads(d, "leaf=step&stop=1000", order, tile);
  spreads(d, "leaf=dataflow&stop=1000", order, tile);
  if (d->simulated) spreads(d, "leaf=dataflow&stop=1000&warp=64", order, tile);
  spreads(&cpu, "leaf=packed", 150, 32);
  spreads(&cpu, "leaf=step", 150, 32);
}

/* test_logdet.c - trigon_logdet on a triangle whose elements off the diagonal are NaN, so that a wrong read shows.
 *
 * usage: test_logdet [CONTEXT...]; the default is the CPU and the simulated GPU */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "support/check.h"
#include "support/guarded.h"
#include "support/matrices.h"

static trigon_context *ctx;
static bool device;

/* Counts a check. Prints which case failed. */
static void held(bool ok, const char *what, trigon_type type, int64_t n) {
  char text[200];
  snprintf(text, sizeof text, "%s, type %c, n = %lld: %s", what, (char)type, (long long)n, trigon_message(ctx));
  check(ok, text);
}

static trigon_status call_typed(trigon_matrix A, double *out) {
  switch (A.type) {
  case TRIGON_S: return trigon_slogdet(ctx, A.rows, A.data, A.ld, out);
  case TRIGON_D: return trigon_dlogdet(ctx, A.rows, A.data, A.ld, out);
  case TRIGON_C: return trigon_clogdet(ctx, A.rows, A.data, A.ld, out);
  default: return trigon_zlogdet(ctx, A.rows, A.data, A.ld, out);
  }
}

/* Copies A to the memory of the context. The caller frees *memory. */
static trigon_matrix sent(trigon_matrix A, void **memory) {
  trigon_matrix there = A;
  const int64_t bytes = A.rows > 0 ? A.ld * A.cols * (int64_t)element_size(A.type) : 0;
  *memory = NULL;
  check(trigon_alloc(ctx, bytes, memory) == TRIGON_OK, "memory for a matrix");
  there.data = *memory;
  check(trigon_upload(ctx, A, there) == TRIGON_OK, "upload");
  return there;
}

static double fetched(const double *there) {
  double value = 0;
  const trigon_matrix from = {(void *)there, TRIGON_D, 1, 1, 1}, to = {&value, TRIGON_D, 1, 1, 1};
  check(trigon_download(ctx, from, to) == TRIGON_OK, "download of a logarithm");
  return value;
}

static void set_real(trigon_matrix A, int64_t i, double value) {
  const int64_t parts = is_complex(A.type) ? 2 : 1, at = (i + i * A.ld) * parts;
  if (is_single(A.type))
    ((float *)A.data)[at] = (float)value;
  else
    ((double *)A.data)[at] = value;
}

/* A diagonal of numbers that change sign and run from 2^-100 to 2^100, so that the determinant itself overflows. The
 * imaginary parts are NaN. Both spellings are compared with sums in long double. */
static void known_sums(trigon_type type, int64_t n, double *there) {
  guarded A = {0};
  void *memory;
  char stray[128];
  long double sum = 0, size = 0;
  guarded_shape(&A, type, n, n, 3);
  for (int64_t i = 0; i < n; i++) {
    const double x = ldexp(1 + (double)(i % 7) / 8, (int)(i * 37 % 201) - 100) * (i % 3 == 0 ? -1 : 1);
    const long double logarithm = logl(fabsl((long double)x));
    set_real(A.matrix, i, x);
    sum += 2 * logarithm, size += fabsl(logarithm);
  }
  guarded_snapshot(&A);
  const trigon_matrix M = sent(A.matrix, &memory);
  double first;
  for (int spelling = 0; spelling < 2; spelling++) {
    const trigon_status status = spelling ? call_typed(M, there) : trigon_logdet(ctx, M, there);
    const double found = fetched(there);
    held(status == TRIGON_OK, "a log-determinant", type, n);
    held(fabsl(found - sum) <= 2 * 0x1p-53L * (long double)(n + 2) * size, "the log-determinant's value", type, n);
    if (spelling) held(memcmp(&found, &first, sizeof found) == 0, "both spellings, the same bits", type, n);
    first = found;
  }
  held(!guarded_stray(&A, (region){REGION_NONE, false}, stray, sizeof stray), "A is not written", type, n);
  check(trigon_free(ctx, memory) == TRIGON_OK, "free");
  guarded_free(&A);
}

/* The bound for one element. Only the logarithm itself has an error: n = 1, so the bound is 2·3·2^-53·|log a|. */
static void single_elements(double *there) {
  void *memory;
  double a = 1, worst = 0;
  const trigon_matrix one = {&a, TRIGON_D, 1, 1, 1}, M = sent(one, &memory);
  for (int i = 0; i < 2000; i++) {
    a = 1 + (i % 2 ? 1 : 1e-3) * (sin(i) + 1.01);
    check(trigon_upload(ctx, one, M) == TRIGON_OK && trigon_logdet(ctx, M, there) == TRIGON_OK, "one element");
    const long double exact = logl((long double)a);
    worst = fmax(worst, (double)(fabsl(fetched(there) - 2 * exact) / (0x1p-53L * fabsl(exact))));
  }
  held(worst <= 2 * 3, "the bound for one element", TRIGON_D, 1);
  check(trigon_free(ctx, memory) == TRIGON_OK, "free");
}

/* A zero gives -Inf, an infinity gives +Inf, and a NaN gives NaN. A zero and an infinity together give NaN (`other`
 * is another element). Only the last call decides, whatever the result held before. */
static void special_values(trigon_type type, double *there) {
  enum { n = 70 };
  static const struct {
    double value, other, logdet;
  } cases[] = {{0, 1, -INFINITY},  {-0.0, 1, -INFINITY}, {INFINITY, 1, INFINITY}, {NAN, 1, NAN},
               {0, INFINITY, NAN}, {INFINITY, 0, NAN},   {0, NAN, NAN},           {1, 1, 0}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    guarded A = {0};
    void *memory;
    guarded_shape(&A, type, n, n, 0);
    for (int64_t i = 0; i < n; i++) set_real(A.matrix, i, i == n - 2 ? cases[c].value : i == 3 ? cases[c].other : 1);
    const trigon_matrix M = sent(A.matrix, &memory);
    held(trigon_logdet(ctx, M, there) == TRIGON_OK, "a special value", type, n);
    const double found = fetched(there);
    held(isnan(cases[c].logdet) ? isnan(found) : found == cases[c].logdet, "the log-determinant of a special value",
         type, n);
    check(trigon_free(ctx, memory) == TRIGON_OK, "free");
    guarded_free(&A);
  }
}

/* The log-determinant of a matrix that was factored just before, without a wait between the two calls. A = 4·I +
 * 1·1ᵀ has the determinant 4ⁿ·(1 + n / 4). */
static void after_a_factorization(trigon_uplo uplo, double *there) {
  enum { n = 61 };
  static double A[n * n];
  void *memory;
  for (int i = 0; i < n * n; i++) A[i] = i % (n + 1) == 0 ? 5 : 1;
  const trigon_matrix M = sent((trigon_matrix){A, TRIGON_D, n, n, n}, &memory);
  held(trigon_potrf(ctx, uplo, M, NULL) == TRIGON_OK, "a factorization", TRIGON_D, n);
  held(trigon_logdet(ctx, M, there) == TRIGON_OK, "the log-determinant after a factorization", TRIGON_D, n);
  held(fabs(fetched(there) - (n * log(4.0) + log1p(n / 4.0))) < 1e-11, "the value", TRIGON_D, n);
  int64_t info = -1;
  held(trigon_finish(ctx, &info) == TRIGON_OK && info == 0, "no failure", TRIGON_D, n);
  check(trigon_free(ctx, memory) == TRIGON_OK, "free");
}

static void refused(trigon_status status, trigon_status expected, const char *words) {
  char text[400];
  const char *message = trigon_message(ctx);
  snprintf(text, sizeof text, "status %d, message \"%s\", must hold \"%s\"", (int)status, message, words);
  check(status == expected && strstr(message, words), text);
}

static void bad_arguments(double *there) {
  double A[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  void *memory;
  const trigon_matrix M = sent((trigon_matrix){A, TRIGON_D, 4, 4, 4}, &memory);
  trigon_matrix wrong = M;
  check(trigon_logdet(NULL, M, there) == TRIGON_BAD_ARGUMENT, "no context");
  refused(trigon_logdet(ctx, M, NULL), TRIGON_BAD_ARGUMENT, "argument 2 (logdet) is NULL");
  refused(trigon_dlogdet(ctx, 4, M.data, 4, NULL), TRIGON_BAD_ARGUMENT, "argument 4 (logdet) is NULL");
  refused(trigon_dlogdet(ctx, -1, M.data, 4, there), TRIGON_BAD_ARGUMENT, "argument 1 (n) is -1");
  refused(trigon_dlogdet(ctx, 4, M.data, 3, there), TRIGON_BAD_ARGUMENT, "argument 3 (lda) is 3");
  refused(trigon_dlogdet(ctx, 4, NULL, 4, there), TRIGON_BAD_ARGUMENT, "argument 2 (A) is NULL");
  wrong.cols = 3;
  refused(trigon_logdet(ctx, wrong, there), TRIGON_BAD_ARGUMENT, "argument 1 (A) is 4 × 3, must be 4 × 4");
  wrong = M, wrong.type = (trigon_type)'x';
  refused(trigon_logdet(ctx, wrong, there), TRIGON_BAD_ARGUMENT, "argument 1 (A) has type 120");
  if (device) {
    double on_host = -4711;
    refused(trigon_logdet(ctx, M, &on_host), TRIGON_BAD_ARGUMENT, "argument 2 (logdet)");
    refused(trigon_dlogdet(ctx, 4, M.data, 4, &on_host), TRIGON_BAD_ARGUMENT, "argument 4 (logdet)");
    refused(trigon_logdet(ctx, M, (double *)((char *)there + 4)), TRIGON_BAD_ARGUMENT, "is not aligned to 8 bytes");
    wrong = M, wrong.data = A;
    refused(trigon_logdet(ctx, wrong, there), TRIGON_BAD_ARGUMENT, "argument 1 (A)");
    check(on_host == -4711, "a refused call writes nothing");
  }
  check(trigon_free(ctx, memory) == TRIGON_OK, "free");
}

/* Makes all tests on one context. Returns 0 if the machine has no such context. */
static int try_context(const char *name) {
  static const int64_t sizes[] = {0, 1, 2, 63, 64, 65, 127, 128, 129, 511, 513, 700};
  static const trigon_type types[] = {TRIGON_S, TRIGON_D, TRIGON_C, TRIGON_Z};
  char why[400];
  if (trigon_create(name, &ctx, why, sizeof why) != TRIGON_OK) {
    printf("skipped: %s\n", why);
    return 0;
  }
  void *there;
  device = !trigon_on_host(ctx);
  check(trigon_alloc(ctx, 2 * sizeof(double), &there) == TRIGON_OK, "memory for the logarithm");
  for (int t = 0; t < 4; t++) {
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) known_sums(types[t], sizes[s], there);
    special_values(types[t], there);
  }
  single_elements(there);
  after_a_factorization(TRIGON_LOWER, there);
  after_a_factorization(TRIGON_UPPER, there);
  bad_arguments(there);
  check(trigon_free(ctx, there) == TRIGON_OK, "free");
  trigon_destroy(ctx);
  return 1;
}

/* If a launch fails, the call reports the failure, and the next call computes. The simulated GPU fails on demand. */
static void failing_launch(void) {
  double A[] = {2}, value;
  void *memory, *there;
  if (trigon_create("sim:0?fail=launch:1", &ctx, NULL, 0) != TRIGON_OK) return;
  check(trigon_alloc(ctx, sizeof(double), &there) == TRIGON_OK, "memory for the logarithm");
  const trigon_matrix M = sent((trigon_matrix){A, TRIGON_D, 1, 1, 1}, &memory);
  refused(trigon_logdet(ctx, M, there), TRIGON_DEVICE_FAILED, "the log-determinant failed");
  check(trigon_logdet(ctx, M, there) == TRIGON_OK, "a call after a failed call");
  value = fetched(there);
  check(fabs(value - 2 * log(2.0)) < 1e-15, "its value");
  check(trigon_free(ctx, memory) == TRIGON_OK && trigon_free(ctx, there) == TRIGON_OK, "free");
  trigon_destroy(ctx);
}

int main(int argc, char **argv) {
  static char *all[] = {"cpu", "cpu:libopenblas.so.0?native=1", "cpu?trace=1", "sim:0?seed=1",
                        "sim:0?warp=64&seed=3&native=0&trace=1"};
  const int count = argc > 1 ? argc - 1 : (int)(sizeof all / sizeof *all);
  char **names = argc > 1 ? argv + 1 : all;
  int tried = 0;
  for (int i = 0; i < count; i++) tried += try_context(names[i]);
  if (argc == 1) failing_launch();
  check(tried > 0, "some context is there");
  return checked();
}

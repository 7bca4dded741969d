/* test_large.c - every routine on a device with a matrix of more than 2^31 elements.
 *
 * The results are judged by products with a few vectors.
 *
 * usage: test_large [CONTEXT [N]]
 *
 * The default is sim:0 and a small matrix, because no simulated GPU has memory for a large one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trigon.h"

enum { VECTORS = 40 };
static const double tolerance = 1e-3; /* rounding in single precision leaves about 1e-5 at n = 50000 */
static const trigon_scalar one = {1, 0}, zero = {0, 0}, minus_one = {-1, 0};

static int checks, failures;
static trigon_context *device, *host;

static void require(trigon_status status, trigon_context *ctx, const char *what) {
  if (status == TRIGON_OK) return;
  printf("FAIL %s: %s: %s\n", what, trigon_status_string(status), trigon_message(ctx));
  exit(1);
}

/* Allocates a matrix on the host, or on the device whose context is `on`. */
static trigon_matrix make(trigon_context *on, int64_t rows, int64_t cols) {
  trigon_matrix A = {NULL, TRIGON_S, rows, cols, rows};
  require(trigon_alloc(on, rows * cols * (int64_t)sizeof(float), &A.data), on, "trigon_alloc");
  return A;
}

static float draw(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (float)(*state >> 40) / (float)(1 << 23) - 1;
}

/* Fills A so that the lower triangle, and the symmetric matrix, are well conditioned. Above the diagonal is NaN. */
static void fill_lower(trigon_matrix A) {
  uint64_t state = 1;
  const float size = 0.5f / sqrtf((float)A.rows);
  for (int64_t j = 0; j < A.cols; j++) {
    float *column = (float *)A.data + j * A.ld;
    for (int64_t i = 0; i < j; i++) column[i] = NAN;
    column[j] = 2;
    for (int64_t i = j + 1; i < A.rows; i++) column[i] = size * draw(&state);
  }
}

static void fill(trigon_matrix B) {
  uint64_t state = 2;
  for (int64_t i = 0; i < B.rows * B.cols; i++) ((float *)B.data)[i] = draw(&state);
}

/* Checks that the two matrices on the host are equal up to rounding. The elements are of the order of one. */
static void expect(const char *what, trigon_matrix X, trigon_matrix Y) {
  double error = 0, size = 0;
  for (int64_t i = 0; i < X.rows * X.cols; i++) {
    const double x = ((float *)X.data)[i], y = ((float *)Y.data)[i], e = fabs(x - y);
    if (!(e <= error)) error = e;
    size = fmax(size, fabs(y));
  }
  checks++;
  printf("%-40s %.1e of %.1e\n", what, error, size);
  if (error <= tolerance * size && size > 0) return;
  failures++;
  printf("FAIL %s\n", what);
}

static trigon_matrix onto_device(trigon_matrix from, trigon_matrix to) {
  require(trigon_upload(device, from, to), device, "trigon_upload");
  return to;
}

static trigon_matrix onto_host(trigon_matrix from, trigon_matrix to) {
  require(trigon_download(device, from, to), device, "trigon_download");
  return to;
}

/* on the host: A and B given, X and Y for results; on the device: A, B and C */
typedef struct problem {
  trigon_matrix A, B, X, Y, dA, dB, dC;
} problem;

static void triangular_products(const problem *p) {
  memcpy(p->X.data, p->B.data, sizeof(float) * (size_t)(p->B.rows * p->B.cols));
  require(trigon_trmm(host, TRIGON_LEFT, TRIGON_LOWER, TRIGON_NOTRANS, TRIGON_NONUNIT, one, p->A, p->X), host, "trmm");
  onto_device(p->B, p->dB);
  require(trigon_trmm(device, TRIGON_LEFT, TRIGON_LOWER, TRIGON_NOTRANS, TRIGON_NONUNIT, one, p->dA, p->dB), device,
          "trmm");
  expect("trmm", onto_host(p->dB, p->Y), p->X);
  require(trigon_trsm(device, TRIGON_LEFT, TRIGON_LOWER, TRIGON_NOTRANS, TRIGON_NONUNIT, one, p->dA, p->dB), device,
          "trsm");
  expect("trsm after trmm", onto_host(p->dB, p->Y), p->B);
}

/* Checks C·B before and after C = C - B·Bᵀ. C is in A's memory. */
static void symmetric_products(const problem *p) {
  onto_device(p->B, p->dB);
  require(trigon_symm(device, TRIGON_LEFT, TRIGON_LOWER, one, p->dA, p->dB, zero, p->dC), device, "symm");
  require(trigon_symm(host, TRIGON_LEFT, TRIGON_LOWER, one, p->A, p->B, zero, p->X), host, "symm");
  expect("symm", onto_host(p->dC, p->Y), p->X);

  trigon_matrix gram = make(host, VECTORS, VECTORS);
  require(trigon_gemm(host, TRIGON_TRANS, TRIGON_NOTRANS, one, p->B, p->B, zero, gram), host, "gemm");
  require(trigon_gemm(host, TRIGON_NOTRANS, TRIGON_NOTRANS, minus_one, p->B, gram, one, p->X), host, "gemm");
  require(trigon_syrk(device, TRIGON_LOWER, TRIGON_NOTRANS, minus_one, p->dB, one, p->dA), device, "syrk");
  require(trigon_symm(device, TRIGON_LEFT, TRIGON_LOWER, one, p->dA, p->dB, zero, p->dC), device, "symm");
  expect("symm after syrk", onto_host(p->dC, p->Y), p->X);
  require(trigon_syr2k(device, TRIGON_LOWER, TRIGON_NOTRANS, (trigon_scalar){0.5, 0}, p->dB, p->dB, one, p->dA), device,
          "syr2k");
  require(trigon_symm(device, TRIGON_LEFT, TRIGON_LOWER, one, p->dA, p->dB, zero, p->dC), device, "symm");
  require(trigon_symm(host, TRIGON_LEFT, TRIGON_LOWER, one, p->A, p->B, zero, p->X), host, "symm");
  expect("symm after syr2k", onto_host(p->dC, p->Y), p->X);
  trigon_free(host, gram.data);
}

/* Checks A·X = B by the factor, and by the inverse. */
static void cholesky(const problem *p) {
  int64_t info = -1;
  onto_device(p->A, p->dA);
  onto_device(p->B, p->dB);
  require(trigon_potrf(device, TRIGON_LOWER, p->dA, NULL), device, "potrf");
  require(trigon_potrs(device, TRIGON_LOWER, p->dA, p->dB), device, "potrs");
  require(trigon_finish(device, &info), device, "finish");
  onto_host(p->dB, p->Y);
  require(trigon_symm(host, TRIGON_LEFT, TRIGON_LOWER, one, p->A, p->Y, zero, p->X), host, "symm");
  expect("potrf, potrs", p->X, p->B);
  require(trigon_potri(device, TRIGON_LOWER, p->dA, NULL), device, "potri");
  onto_device(p->B, p->dB);
  require(trigon_symm(device, TRIGON_LEFT, TRIGON_LOWER, one, p->dA, p->dB, zero, p->dC), device, "symm");
  require(trigon_finish(device, &info), device, "finish");
  onto_host(p->dC, p->Y);
  require(trigon_symm(host, TRIGON_LEFT, TRIGON_LOWER, one, p->A, p->Y, zero, p->X), host, "symm");
  expect("potri", p->X, p->B);
}

static trigon_context *open_context(const char *name) {
  char why[400];
  trigon_context *ctx;
  if (trigon_create(name, &ctx, why, sizeof why) == TRIGON_OK) return ctx;
  printf("FAIL %s\n", why);
  exit(1);
}

int main(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "sim:0";
  const int64_t n = argc > 2 ? atoll(argv[2]) : strncmp(name, "sim", 3) == 0 ? 150 : 50000;
  host = open_context("cpu");
  problem p = {make(host, n, n), make(host, n, VECTORS), make(host, n, VECTORS), make(host, n, VECTORS), {0}, {0}, {0}};
  fill_lower(p.A);
  fill(p.B);
  for (int own = 0; own < 2; own++) {
    char full[64];
    snprintf(full, sizeof full, "%s?gemm=%s", name, own ? "own" : "vendor");
    device = open_context(full);
    printf("%s: %s, n = %lld\n", full, trigon_describe(device), (long long)n);
    p.dA = make(device, n, n), p.dB = make(device, n, VECTORS), p.dC = make(device, n, VECTORS);
    onto_device(p.A, p.dA);
    triangular_products(&p);
    symmetric_products(&p);
    cholesky(&p);
    for (int i = 0; i < 3; i++)
      require(trigon_free(device, (void *[]){p.dA.data, p.dB.data, p.dC.data}[i]), device, "trigon_free");
    trigon_destroy(device);
  }
  for (int i = 0; i < 4; i++) trigon_free(host, (void *[]){p.A.data, p.B.data, p.X.data, p.Y.data}[i]);
  trigon_destroy(host);
  printf("%d passed, %d failed\n", checks - failures, failures);
  return failures || !checks;
}

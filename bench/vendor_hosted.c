/* vendor_hosted.c - times what the vendor has for matrices in pinned host memory, as peers of the contexts
 * "cuda:N:host" and "cuda:N-M": cuBLASXt, the best of several block sizes, on one GPU or several; and cuSOLVER with
 * copies, on one. Prints rows of `trigon bench --csv` without the line of names. A product while copies run in both
 * directions tells what overlap costs.
 *
 *   cc -O2 bench/vendor_hosted.c -I$CUDA/include -L$CUDA/lib64 -lcublas -lcusolver -lcudart -lm -o vendor_hosted
 *   vendor_hosted trsm|trmm|syrk M N DEVICES [BLOCK...]   D; left, lower, not transposed; syrk: n = M, k = N
 *   vendor_hosted potrf|potri|potrs M N 1                 D, lower; N right-hand sides
 *   vendor_hosted traffic N                               DGEMM of order N, alone and beside copies
 *
 * scripts/gpu-check hosted builds and runs it. */
#include <cublasXt.h>
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cusolverDn.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "vendor_support.h"

enum { SAMPLES = 3, CHUNK = 1 << 22, MOST_DEVICES = 16 };

/* ------------------------------------------------------------------------------------------------- matrices -- */

/* Random numbers between -1 and 1, the same CHUNK again and again. */
static void fill(double *A, size_t count) {
  static double chunk[CHUNK];
  if (chunk[0] == 0)
    for (int i = 0; i < CHUNK; i++) chunk[i] = 2.0 * rand() / RAND_MAX - 1;
  for (size_t at = 0; at < count; at += CHUNK)
    memcpy(A + at, chunk, (count - at < CHUNK ? count - at : CHUNK) * sizeof *A);
}

static double *pinned(size_t count) {
  void *data;
  CHECK(cudaHostAlloc(&data, count * sizeof(double), cudaHostAllocPortable));
  fill(data, count);
  return data;
}

/* A positive definite matrix, and a triangle whose solves do not grow. */
static void make_dominant(double *A, size_t n) {
  for (size_t j = 0; j < n; j++) A[j + j * n] = 2 * (double)n;
}

typedef struct problem {
  const char *routine;
  size_t m, n;
  int devices;
  double *A, *B, *C, *kept; /* pinned; `kept` is what B, or the factored A, was */
} problem;

static bool is(const problem *p, const char *routine) { return strcmp(p->routine, routine) == 0; }
static bool factors(const problem *p) { return strncmp(p->routine, "potr", 4) == 0; }

static problem make(const char *routine, size_t m, size_t n, int devices) {
  problem p = {.routine = routine, .m = m, .n = n, .devices = devices};
  const bool updates = is(&p, "syrk");
  p.A = pinned(updates ? m * n : m * m);
  if (!updates) make_dominant(p.A, m);
  if (updates)
    p.C = pinned(m * m);
  else if (n > 0)
    p.B = pinned(m * n);
  const size_t count = p.B ? m * n : m * m;
  p.kept = malloc(count * sizeof *p.kept);
  if (!p.kept) fail("malloc", 1);
  memcpy(p.kept, p.B ? p.B : p.C ? p.C : p.A, count * sizeof *p.kept);
  return p;
}

static void restore(const problem *p) {
  if (p->B)
    memcpy(p->B, p->kept, p->m * p->n * sizeof *p->kept);
  else
    memcpy(p->C ? p->C : p->A, p->kept, p->m * p->m * sizeof *p->kept);
}

static double flops_of(const problem *p) {
  const double m = (double)p->m, n = (double)p->n;
  return is(p, "potrf") ? m * m * m / 3 : is(p, "potri") ? m * m * m : is(p, "potrs") ? 2 * m * m * n : m * m * n;
}

static void print_row(const problem *p, const char *impl, double seconds, const char *detail) {
  const char *variant = is(p, "trsm") || is(p, "trmm") ? "LLNN" : is(p, "syrk") ? "LN" : "L";
  char m[24] = "", n[24], k[24] = "";
  snprintf(n, sizeof n, "%zu", is(p, "syrk") || is(p, "potrf") || is(p, "potri") ? p->m : p->n);
  if (is(p, "syrk")) snprintf(k, sizeof k, "%zu", p->n);
  if (is(p, "trsm") || is(p, "trmm") || is(p, "potrs")) snprintf(m, sizeof m, "%zu", p->m);
  printf("%s,d,cuda:0-%d,%s,%s,%s,%s,%s,1,%.6g,%.6g,,,,%s\n", p->routine, p->devices - 1, impl, variant, m, n, k,
         1e3 * seconds, 1e-9 * flops_of(p) / seconds, detail);
  fflush(stdout);
}

/* ------------------------------------------------------------------------------------------------- cuBLASXt -- */

static void run_xt(cublasXtHandle_t xt, const problem *p) {
  const double one = 1, zero = 0;
  if (is(p, "trsm"))
    CHECK(cublasXtDtrsm(xt, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, p->m, p->n,
                        &one, p->A, p->m, p->B, p->m));
  else if (is(p, "trmm"))
    CHECK(cublasXtDtrmm(xt, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, p->m, p->n,
                        &one, p->A, p->m, p->B, p->m, p->B, p->m));
  else
    CHECK(cublasXtDsyrk(xt, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, p->m, p->n, &one, p->A, p->m, &zero, p->C, p->m));
  CHECK(cudaDeviceSynchronize());
}

static double least_of(double a, double b) { return a < b ? a : b; }

static void measure_xt(const problem *p, const int *blocks, int count) {
  cublasXtHandle_t xt;
  int device[MOST_DEVICES], best = 0;
  double seconds = INFINITY;
  char detail[40];
  CHECK(cublasXtCreate(&xt));
  for (int i = 0; i < p->devices; i++) device[i] = i;
  CHECK(cublasXtDeviceSelect(xt, p->devices, device));
  CHECK(cublasXtSetPinningMemMode(xt, CUBLASXT_PINNING_DISABLED)); /* the memory is pinned already */
  for (int b = 0; b < count; b++) {
    double own = INFINITY;
    CHECK(cublasXtSetBlockDim(xt, blocks[b]));
    for (int s = -1; s < SAMPLES; s++) { /* the first call loads the kernels and takes memory */
      restore(p);
      const double begun = now();
      run_xt(xt, p);
      if (s >= 0) own = least_of(own, now() - begun);
    }
    if (own < seconds) seconds = own, best = blocks[b];
  }
  CHECK(cublasXtDestroy(xt));
  snprintf(detail, sizeof detail, "block=%d;pinned=1;least_of=%d", best, SAMPLES);
  print_row(p, "cublasxt", seconds, detail);
}

/* ------------------------------------------------------------------------------------- cuSOLVER with copies -- */

typedef struct on_device {
  cusolverDnHandle_t solver;
  double *A, *B, *work;
  int *info, work_size;
} on_device;

static on_device make_device(const problem *p) {
  on_device d = {0};
  int size;
  const int n = (int)p->m;
  CHECK(cusolverDnCreate(&d.solver));
  CHECK(cudaMalloc((void **)&d.A, p->m * p->m * sizeof(double)));
  if (p->B) CHECK(cudaMalloc((void **)&d.B, p->m * p->n * sizeof(double)));
  CHECK(cudaMalloc((void **)&d.info, sizeof(int)));
  CHECK(cusolverDnDpotrf_bufferSize(d.solver, CUBLAS_FILL_MODE_LOWER, n, d.A, n, &d.work_size));
  CHECK(cusolverDnDpotri_bufferSize(d.solver, CUBLAS_FILL_MODE_LOWER, n, d.A, n, &size));
  if (size > d.work_size) d.work_size = size;
  CHECK(cudaMalloc((void **)&d.work, (size_t)d.work_size * sizeof(double)));
  return d;
}

static void drop_device(on_device *d) {
  CHECK(cudaFree(d->A));
  CHECK(cudaFree(d->B));
  CHECK(cudaFree(d->work));
  CHECK(cudaFree(d->info));
  CHECK(cusolverDnDestroy(d->solver));
}

/* POTRI inverts the matrix itself, and POTRS solves with a factor that is there already: a diagonal that dominates
 * makes a triangle of A as good as one. */
static void run_with_copies(const problem *p, const on_device *d) {
  const int n = (int)p->m, columns = (int)p->n;
  const size_t bytes = p->m * p->m * sizeof(double), columns_bytes = p->m * p->n * sizeof(double);
  CHECK(cudaMemcpyAsync(d->A, p->A, bytes, cudaMemcpyHostToDevice, NULL));
  if (p->B) CHECK(cudaMemcpyAsync(d->B, p->B, columns_bytes, cudaMemcpyHostToDevice, NULL));
  if (p->B)
    CHECK(cusolverDnDpotrs(d->solver, CUBLAS_FILL_MODE_LOWER, n, columns, d->A, n, d->B, n, d->info));
  else
    CHECK(cusolverDnDpotrf(d->solver, CUBLAS_FILL_MODE_LOWER, n, d->A, n, d->work, d->work_size, d->info));
  if (is(p, "potri"))
    CHECK(cusolverDnDpotri(d->solver, CUBLAS_FILL_MODE_LOWER, n, d->A, n, d->work, d->work_size, d->info));
  if (p->B)
    CHECK(cudaMemcpyAsync(p->B, d->B, columns_bytes, cudaMemcpyDeviceToHost, NULL));
  else
    CHECK(cudaMemcpyAsync(p->A, d->A, bytes, cudaMemcpyDeviceToHost, NULL));
  CHECK(cudaDeviceSynchronize());
}

static void measure_with_copies(const problem *p) {
  on_device d = make_device(p);
  double seconds = INFINITY;
  for (int s = -1; s < SAMPLES; s++) {
    restore(p);
    const double begun = now();
    run_with_copies(p, &d);
    if (s >= 0) seconds = least_of(seconds, now() - begun);
  }
  drop_device(&d);
  print_row(p, "cusolver-copies", seconds, is(p, "potri") ? "pinned=1;with_potrf=1" : "pinned=1");
}

/* --------------------------------------------------------------------------- a product beside copies both ways -- */

static void measure_traffic(size_t n) {
  enum { PRODUCTS = 8 };
  const size_t bytes = n * n * sizeof(double);
  double *device[5], *host[2], ms[2] = {0};
  const double one = 1, zero = 0;
  cublasHandle_t blas;
  cudaStream_t stream[3];
  cudaEvent_t mark[2];
  CHECK(cublasCreate(&blas));
  for (int i = 0; i < 3; i++) CHECK(cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking));
  for (int i = 0; i < 2; i++) CHECK(cudaEventCreate(&mark[i]));
  for (int i = 0; i < 2; i++) host[i] = pinned(n * n);
  for (int i = 0; i < 5; i++) CHECK(cudaMalloc((void **)&device[i], bytes));
  for (int i = 0; i < 2; i++) CHECK(cudaMemcpy(device[i], host[i], bytes, cudaMemcpyHostToDevice));
  CHECK(cublasSetStream(blas, stream[0]));
  for (int beside = -1; beside < 2; beside++) { /* the first time warms up */
    float taken;
    const double begun = now();
    for (int i = 0; i < 8 * PRODUCTS && beside == 1; i++) {
      CHECK(cudaMemcpyAsync(device[3], host[0], bytes, cudaMemcpyHostToDevice, stream[1]));
      CHECK(cudaMemcpyAsync(host[1], device[4], bytes, cudaMemcpyDeviceToHost, stream[2]));
    }
    CHECK(cudaEventRecord(mark[0], stream[0]));
    for (int i = 0; i < PRODUCTS; i++)
      CHECK(cublasDgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, (int)n, (int)n, (int)n, &one, device[0], (int)n, device[1],
                        (int)n, &zero, device[2], (int)n));
    CHECK(cudaEventRecord(mark[1], stream[0]));
    CHECK(cudaEventSynchronize(mark[1]));
    CHECK(cudaEventElapsedTime(&taken, mark[0], mark[1]));
    const bool copies_last = beside < 1 || cudaStreamQuery(stream[1]) == cudaErrorNotReady;
    CHECK(cudaDeviceSynchronize());
    if (beside >= 0) ms[beside] = taken / PRODUCTS;
    if (beside == 1)
      printf("# DGEMM %zu: %.4g ms alone, %.4g ms beside copies (%.3f)%s; copies %.1f GB/s both ways together\n", n,
             ms[0], ms[1], ms[1] / ms[0], copies_last ? "" : ", but the copies ended first",
             2e-9 * 8 * PRODUCTS * (double)bytes / (now() - begun));
  }
}

int main(int argc, char **argv) {
  int blocks[8] = {1024, 2048, 4096}, count = 3;
  if (argc == 3 && strcmp(argv[1], "traffic") == 0) {
    measure_traffic(strtoull(argv[2], NULL, 10));
    return 0;
  }
  if (argc < 5 || argc > 13 || atoi(argv[4]) < 1 || atoi(argv[4]) > MOST_DEVICES)
    return fprintf(stderr, "usage: vendor_hosted ROUTINE M N DEVICES [BLOCK...], or vendor_hosted traffic N\n"), 2;
  for (int i = 5; i < argc; i++) blocks[i - 5] = atoi(argv[i]), count = i - 4;
  const problem p = make(argv[1], strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10), atoi(argv[4]));
  if (factors(&p))
    measure_with_copies(&p);
  else
    measure_xt(&p, blocks, count);
  return 0;
}

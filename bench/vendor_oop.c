/* vendor_oop.c - times cuBLAS's TRMM out of place, C = A·B: the routine that Trigon's TRMM in place is compared with,
 * although it takes as much memory again. Prints rows of `trigon bench --csv` without the line of names.
 *
 *   cc -O2 bench/vendor_oop.c -I$CUDA/include -L$CUDA/lib64 -lcublas -lcudart -lm -o vendor_oop
 *   vendor_oop BACKEND M N [M N...]     D, left, lower, not transposed, diagonal not unit
 *
 * scripts/bench-gpu builds and runs it. */
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "vendor_support.h"

enum { SETS = 2, SAMPLES = 7, CHUNK = 1 << 22 };

/* Holds the stream until the host has made its calls, so that events do not measure the host; but only for a while,
 * because a call may wait for the stream. */
static atomic_bool ready;
static void hold(void *unused) {
  const double end = now() + 2e-3;
  (void)unused;
  while (!atomic_load(&ready) && now() < end) {
  }
}

/* Fills a device matrix with random numbers between -1 and 1, the same CHUNK again and again. */
static void fill(const double *chunk, double *A, size_t count) {
  for (size_t at = 0; at < count; at += CHUNK) {
    const size_t part = count - at < CHUNK ? count - at : CHUNK;
    CHECK(cudaMemcpy(A + at, chunk, part * sizeof *A, cudaMemcpyHostToDevice));
  }
}

typedef struct operands {
  double *A, *B, *C;
} operands;

static operands make(const double *chunk, size_t m, size_t n) {
  operands o;
  CHECK(cudaMalloc((void **)&o.A, m * m * sizeof(double)));
  CHECK(cudaMalloc((void **)&o.B, m * n * sizeof(double)));
  CHECK(cudaMalloc((void **)&o.C, m * n * sizeof(double)));
  fill(chunk, o.A, m * m);
  fill(chunk, o.B, m * n);
  for (size_t j = 1; j < m; j++)
    CHECK(cudaMemset(o.A + j * m, 0, j * sizeof(double))); /* for the product that checks */
  return o;
}

static void multiply(cublasHandle_t blas, const operands *o, int m, int n) {
  const double one = 1;
  CHECK(cublasDtrmm(blas, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, m, n, &one, o->A,
                    m, o->B, m, o->C, m));
}

static double time_call(cublasHandle_t blas, cudaEvent_t *mark, const operands *o, int m, int n) {
  float ms;
  atomic_store(&ready, false);
  CHECK(cudaLaunchHostFunc(NULL, hold, NULL));
  CHECK(cudaEventRecord(mark[0], NULL));
  multiply(blas, o, m, n);
  CHECK(cudaEventRecord(mark[1], NULL));
  atomic_store(&ready, true);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaEventElapsedTime(&ms, mark[0], mark[1]));
  return ms;
}

/* |C - A·B| relative to |A|·|B|·sqrt(m + 2), as in trigon bench. Overwrites C. */
static double residual(cublasHandle_t blas, const operands *o, int m, int n) {
  const double one = 1, minus = -1;
  double a, b, c;
  CHECK(cublasDgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, m, n, m, &minus, o->A, m, o->B, m, &one, o->C, m));
  CHECK(cublasDnrm2(blas, m * m, o->A, 1, &a));
  CHECK(cublasDnrm2(blas, m * n, o->B, 1, &b));
  CHECK(cublasDnrm2(blas, m * n, o->C, 1, &c));
  return c / (a * b * sqrt(m + 2.0));
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void measure(const char *backend, cublasHandle_t blas, cudaEvent_t *mark, const double *chunk, int m, int n) {
  operands set[SETS];
  double ms[SAMPLES];
  for (int i = 0; i < SETS; i++) set[i] = make(chunk, (size_t)m, (size_t)n);
  multiply(blas, &set[0], m, n); /* loads the kernels, which waits for the stream */
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < SAMPLES; i++) ms[i] = time_call(blas, mark, &set[(i + 1) % SETS], m, n);
  qsort(ms, SAMPLES, sizeof *ms, compare);
  const double median = ms[SAMPLES / 2], gflops = 1e-6 * m * m * n / median;
  printf("trmm,d,%s,native-oop,LLNN,%d,%d,,1,%.6g,%.6g,%.3e,%.0f,,\n", backend, m, n, median, gflops,
         residual(blas, &set[SAMPLES % SETS], m, n), 8.0 * m * n);
  fflush(stdout);
  for (int i = 0; i < SETS; i++) {
    CHECK(cudaFree(set[i].A));
    CHECK(cudaFree(set[i].B));
    CHECK(cudaFree(set[i].C));
  }
}

int main(int argc, char **argv) {
  cublasHandle_t blas;
  cudaEvent_t mark[2];
  double *chunk = malloc(CHUNK * sizeof *chunk);
  if (argc < 4 || argc % 2 != 0 || !chunk) return fprintf(stderr, "usage: vendor_oop BACKEND M N [M N...]\n"), 2;
  srand(1);
  for (int i = 0; i < CHUNK; i++) chunk[i] = 2.0 * rand() / RAND_MAX - 1;
  CHECK(cublasCreate(&blas));
  for (int i = 0; i < 2; i++) CHECK(cudaEventCreate(&mark[i]));
  for (int i = 2; i < argc; i += 2) measure(argv[1], blas, mark, chunk, atoi(argv[i]), atoi(argv[i + 1]));
  free(chunk);
  return 0;
}

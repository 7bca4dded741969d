/* test_sim_blas.c - the simulated GPU's BLAS: its products, and its rule for workspaces. */
#include "gpu/vendor/vendor.h"
#include "support/check.h"

#include <complex.h>
#include <math.h>
#include <string.h>

static cudaStream_t one;

static void *device_bytes(size_t size) {
  void *p = NULL;
  check(cudaMalloc(&p, size) == cudaSuccess, "an allocation");
  return p;
}

typedef struct precision {
  simblas_batched *gemm;
  size_t size;
  bool wide, paired;
} precision;
static const precision precisions[] = {{cublasSgemmStridedBatched_64, sizeof(float), false, false},
                                       {cublasDgemmStridedBatched_64, sizeof(double), true, false},
                                       {cublasCgemmStridedBatched_64, 2 * sizeof(float), false, true},
                                       {cublasZgemmStridedBatched_64, 2 * sizeof(double), true, true}};

/* Reads and writes element i of an array. The numbers are complex for every type. */
static double complex get(const precision *t, const void *array, int i) {
  const double *d = array;
  const float *f = array;
  if (t->paired) return t->wide ? d[2 * i] + I * d[2 * i + 1] : f[2 * i] + I * f[2 * i + 1];
  return t->wide ? d[i] : f[i];
}

static void put(const precision *t, void *array, int i, double complex x) {
  double d[2] = {creal(x), cimag(x)};
  float f[2] = {(float)d[0], (float)d[1]};
  memcpy((char *)array + (size_t)i * t->size, t->wide ? (void *)d : (void *)f, t->size);
}

static double complex entry(const precision *t, const void *M, cublasOperation_t op, int i, int j, int ld) {
  double complex x = get(t, M, op == CUBLAS_OP_N ? i + j * ld : j + i * ld);
  return op == CUBLAS_OP_C && t->paired ? conj(x) : x;
}

enum { GM = 5, GN = 4, GK = 3, LD = 7, STRIDE = 60, COUNT = 3, TOTAL = STRIDE * COUNT };

static void test_product(const precision *t, cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB) {
  double host[3][2 * TOTAL], result[2 * TOTAL], alpha[2], beta[2], worst = 0;
  void *device[3];
  put(t, alpha, 0, 2 - 3 * I);
  put(t, beta, 0, -1 + 0.5 * I);
  for (int M = 0; M < 3; M++) {
    for (int i = 0; i < TOTAL; i++)
      put(t, host[M], i, (double)((i * 7 + M) % 11 - 5) + I * (double)((i * 3 + M) % 7 - 3));
    device[M] = device_bytes(TOTAL * t->size);
    cudaMemcpy(device[M], host[M], TOTAL * t->size, cudaMemcpyDefault);
  }
  check(t->gemm(handle, opA, opB, GM, GN, GK, alpha, device[0], LD, STRIDE, device[1], LD, STRIDE, beta, device[2], LD,
                STRIDE, COUNT) == CUBLAS_STATUS_SUCCESS,
        "a product");
  alpha[0] = beta[0] = NAN; /* the call has read the scalars already */
  check(cudaStreamSynchronize(one) == cudaSuccess, "the product's end");
  cudaMemcpy(result, device[2], TOTAL * t->size, cudaMemcpyDefault);
  put(t, alpha, 0, 2 - 3 * I);
  put(t, beta, 0, -1 + 0.5 * I);
  for (int at = 0; at < TOTAL; at++) {
    int i = at % STRIDE % LD, j = at % STRIDE / LD;
    double complex wanted = get(t, host[2], at), sum = 0;
    const char *A = (char *)host[0] + (size_t)(at - at % STRIDE) * t->size;
    const char *B = (char *)host[1] + (size_t)(at - at % STRIDE) * t->size;
    for (int k = 0; k < GK && i < GM && j < GN; k++) sum += entry(t, A, opA, i, k, LD) * entry(t, B, opB, k, j, LD);
    if (i < GM && j < GN) wanted = get(t, alpha, 0) * sum + get(t, beta, 0) * wanted;
    worst = fmax(worst, cabs(wanted - get(t, result, at)));
  }
  check(worst == 0, "products of small integers are exact, and nothing else is written");
  for (int M = 0; M < 3; M++) cudaFree(device[M]);
}

static void test_workspace(void) {
  cublasHandle_t handle;
  cublasCreate(&handle);
  double *C = device_bytes(sizeof *C), *workspace = device_bytes(16384), x = 1;
  check(cublasDgemm_64(handle, 0, 0, 1, 1, 1, &x, C, 1, C, 1, &x, C, 1) == CUBLAS_STATUS_ALLOC_FAILED,
        "a product without a workspace fails");
  check(cublasSetWorkspace(handle, workspace, 16383) == CUBLAS_STATUS_SUCCESS, "a small workspace");
  check(cublasDgemm_64(handle, 0, 0, 1, 1, 1, &x, C, 1, C, 1, &x, C, 1) == CUBLAS_STATUS_ALLOC_FAILED,
        "a product with a workspace that is too small fails");
  check(cublasSetWorkspace(handle, &x, sizeof x) == CUBLAS_STATUS_INVALID_VALUE,
        "a workspace in host memory is refused");
  cublasSetWorkspace(handle, workspace, 16384);
  cublasSetStream(handle, one);
  check(cublasDgemm_64(handle, 0, 0, 1, 1, 1, &x, C, 1, C, 1, &x, C, 1) == CUBLAS_STATUS_ALLOC_FAILED,
        "a new stream takes the workspace away");
  cublasSetWorkspace(handle, workspace, 16384);
  cudaMemcpy(workspace + 2047, &x, sizeof x, cudaMemcpyDefault);
  for (int t = 0; t < 4; t++)
    for (int ops = 0; ops < 9; ops++)
      test_product(&precisions[t], handle, (cublasOperation_t)(ops / 3), (cublasOperation_t)(ops % 3));
  cudaMemcpy(&x, workspace + 2047, sizeof x, cudaMemcpyDefault);
  check(isnan(x), "products write their workspace");

  const double zero = 0, bad = NAN;
  cublasDgemm_64(handle, 0, 0, 1, 1, 1, &zero, NULL, 1, NULL, 1, &zero, C, 1);
  cudaStreamSynchronize(one);
  cudaMemcpy(&x, C, sizeof x, cudaMemcpyDefault);
  check(x == 0, "zero scalars read nothing");
  cublasDgemm_64(handle, 0, 0, 1, 1, 0, &zero, C, 1, C, 1, &bad, C, 1);
  cudaStreamSynchronize(one);
  cudaMemcpy(&x, C, sizeof x, cudaMemcpyDefault);
  check(isnan(x), "a scalar that is NaN is not lost");
  check(cublasDgemm_64(handle, 0, 0, 2, 1, 1, &zero, C, 1, C, 1, &zero, C, 2) == CUBLAS_STATUS_INVALID_VALUE,
        "an lda that is too small is refused");
  check(cublasDgemm_64(handle, 0, 0, 2, 1, 1, &zero, C, 2, C, 1, &zero, C, 2) == CUBLAS_STATUS_SUCCESS &&
            cudaStreamSynchronize(one) == cudaErrorIllegalAddress,
        "a product reports a C outside the memory");
  check(sim_configure(0, "blas=0", NULL, 0) == 0 && !simblasOpen(), "a device without a BLAS");
  void *library = NULL;
  check(sim_configure(0, "", NULL, 0) == 0 && (library = simblasOpen()), "a new configuration clears the error");
  check(simblasFind(library, "simblasDgemm_64") && !simblasFind(library, "simblasDtrsm_64"), "a table of functions");
  check(cudaFree(C) == cudaSuccess && cudaFree(workspace) == cudaSuccess, "memory is freed");
  cublasDestroy(handle);
}

int main(void) {
  cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  test_workspace();
  cudaStreamDestroy(one);
  check(sim_allocated(0) == 0 && sim_handles(0) == 0, "nothing is left behind");
  return checked();
}

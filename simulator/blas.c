/* blas.c - the simulated GPU's BLAS: calls the GEMM of the CPU's BLAS for one matrix after the other. */
#include "sim_machine.h"

#include "core/type.h"
#include "cpu/library/blas_table.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

extern gemm_fn sgemm_, dgemm_, cgemm_, zgemm_;

static const size_t least_workspace = 16 << 10;

struct simblas {
  sim_device *device;
  simStream_t stream;
  void *workspace; /* the caller's; NULL: the caller has set no workspace */
  size_t workspace_size;
};

typedef struct precision {
  gemm_fn *gemm;
  size_t size; /* of an element */
  bool wide, complex;
} precision;
static const precision precisions[] = {{sgemm_, sizeof(float), false, false},
                                       {dgemm_, sizeof(double), true, false},
                                       {cgemm_, 2 * sizeof(float), false, true},
                                       {zgemm_, 2 * sizeof(double), true, true}};

/* Equal matrices, as they are stored. The GEMM says how many matrices there are. */
typedef struct stack {
  unsigned char *data;
  int64_t rows, cols, ld, stride;
} stack;

typedef struct gemm {
  const precision *type;
  char op[2];
  int64_t m, n, k, count;
  _Alignas(16) unsigned char alpha[16], beta[16];
  stack A, B, C;
  void *workspace;
  size_t workspace_size;
} gemm;

/* ------------------------------------------------------------------------------------------------- handles -- */

bool simblasIsThere(void) {
  HOLD;
  return !sim_current()->set.no_blas;
}

simblasStatus_t simblasCreate(simblasHandle_t *handle) {
  HOLD;
  sim_device *d = sim_current();
  if (sim_attempt(d, BLAS)) return SIMBLAS_STATUS_NOT_INITIALIZED;
  *handle = malloc(sizeof **handle);
  if (!*handle) return SIMBLAS_STATUS_ALLOC_FAILED;
  **handle = (struct simblas){.device = d, .stream = &d->legacy};
  d->handles++;
  return SIMBLAS_STATUS_SUCCESS;
}

simblasStatus_t simblasDestroy(simblasHandle_t handle) {
  HOLD;
  if (!handle) return SIMBLAS_STATUS_NOT_INITIALIZED;
  handle->device->handles--;
  free(handle);
  return SIMBLAS_STATUS_SUCCESS;
}

simblasStatus_t simblasSetStream(simblasHandle_t handle, simStream_t stream) {
  HOLD;
  if (!handle) return SIMBLAS_STATUS_NOT_INITIALIZED;
  if (sim_attempt(handle->device, BLAS)) return SIMBLAS_STATUS_EXECUTION_FAILED;
  handle->stream = stream ? stream : &handle->device->legacy;
  handle->workspace = NULL;
  return handle->stream->device == handle->device ? SIMBLAS_STATUS_SUCCESS : SIMBLAS_STATUS_INVALID_VALUE;
}

simblasStatus_t simblasSetWorkspace(simblasHandle_t handle, void *workspace, size_t size) {
  HOLD;
  if (!handle) return SIMBLAS_STATUS_NOT_INITIALIZED;
  if (sim_attempt(handle->device, BLAS)) return SIMBLAS_STATUS_EXECUTION_FAILED;
  bool good = !workspace || (sim_owner(workspace, size) == handle->device && (uintptr_t)workspace % 256 == 0);
  handle->workspace = good ? workspace : NULL;
  handle->workspace_size = size;
  return good ? SIMBLAS_STATUS_SUCCESS : SIMBLAS_STATUS_INVALID_VALUE;
}

/* ------------------------------------------------------------------------------------------------- product -- */

static bool owned(const sim_device *d, const stack *M, int64_t count, size_t size) {
  int64_t elements = (M->cols - 1) * M->ld + M->rows, last = (count - 1) * M->stride;
  if (M->rows == 0 || M->cols == 0) return true;
  const unsigned char *begin = M->data + (last < 0 ? last : 0) * (int64_t)size;
  return sim_owner(begin, (size_t)(elements + (last < 0 ? -last : last)) * size) == d;
}

static unsigned char *matrix(const stack *M, int64_t i, size_t size) {
  return M->data ? M->data + i * M->stride * (int64_t)size : NULL; /* A and B may be NULL if alpha = 0 */
}

/* Reads a scalar, or an element of a matrix. */
static trigon_scalar value(const precision *type, const unsigned char *p) {
  double wide[2] = {0, 0};
  float narrow[2] = {0, 0};
  memcpy(type->wide ? (void *)wide : (void *)narrow, p, type->size);
  return type->wide ? (trigon_scalar){wide[0], wide[1]} : (trigon_scalar){narrow[0], narrow[1]};
}

static void set(const precision *type, unsigned char *p, trigon_scalar x) {
  const double wide[2] = {x.re, x.im};
  const float narrow[2] = {(float)x.re, (float)x.im};
  memcpy(p, type->wide ? (const void *)wide : (const void *)narrow, type->size);
}

/* OpenBLAS 0.3.21 treats some scalars that are not finite as 0. So if beta is not finite, C is multiplied by beta here,
 * and the GEMM gets beta = 1. */
static void scale_ahead(gemm *g) {
  const precision *type = g->type;
  const trigon_scalar b = value(type, g->beta);
  if (isfinite(b.re) && isfinite(b.im)) return;
  for (int64_t i = 0; i < g->count * g->n * g->m; i++) {
    int64_t col = i / g->m % g->n, row = i % g->m;
    unsigned char *c = matrix(&g->C, i / g->m / g->n, type->size) + (col * g->C.ld + row) * (int64_t)type->size;
    const trigon_scalar x = value(type, c);
    const double re = type->complex ? b.re * x.re - b.im * x.im : b.re * x.re;
    set(type, c, (trigon_scalar){re, b.re * x.im + b.im * x.re});
  }
  set(type, g->beta, (trigon_scalar){1, 0});
}

static void run_gemm(sim_device *d, void *argument) {
  gemm *g = argument;
  const size_t size = g->type->size;
  if (g->m == 0 || g->n == 0 || g->count == 0) return;
  if (sim_owner(g->workspace, g->workspace_size) != d || !owned(d, &g->C, g->count, size) ||
      (!is_zero(value(g->type, g->alpha)) && (!owned(d, &g->A, g->count, size) || !owned(d, &g->B, g->count, size)))) {
    d->error = simErrorIllegalAddress;
    return;
  }
  memset(g->workspace, sim_unwritten, g->workspace_size);
  scale_ahead(g);
  const blas_int m = {.narrow = (int32_t)g->m}, n = {.narrow = (int32_t)g->n}, k = {.narrow = (int32_t)g->k};
  const blas_int lda = {.narrow = (int32_t)g->A.ld}, ldb = {.narrow = (int32_t)g->B.ld};
  const blas_int ldc = {.narrow = (int32_t)g->C.ld};
  for (int64_t i = 0; i < g->count; i++)
    g->type->gemm(&g->op[0], &g->op[1], &m, &n, &k, g->alpha, matrix(&g->A, i, size), &lda, matrix(&g->B, i, size),
                  &ldb, g->beta, matrix(&g->C, i, size), &ldc, 1, 1);
}

static bool bad_size(const stack *M) { return M->rows < 0 || M->cols < 0 || M->ld < (M->rows > 1 ? M->rows : 1); }

static simblasStatus_t push_gemm(simblasHandle_t handle, gemm *g) {
  if (!handle) return SIMBLAS_STATUS_NOT_INITIALIZED;
  if (g->op[0] == '?' || g->op[1] == '?' || bad_size(&g->A) || bad_size(&g->B) || bad_size(&g->C) || g->count < 0)
    return SIMBLAS_STATUS_INVALID_VALUE;
  const int64_t sizes[] = {g->m, g->n, g->k, g->A.ld, g->B.ld, g->C.ld};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    if (sizes[i] > INT32_MAX) return SIMBLAS_STATUS_NOT_SUPPORTED;
  if (!handle->workspace || handle->workspace_size < least_workspace) return SIMBLAS_STATUS_ALLOC_FAILED;
  if (sim_attempt(handle->device, BLAS)) return SIMBLAS_STATUS_EXECUTION_FAILED;
  if (sim_attempt(handle->device, BLAS_MEMORY)) return SIMBLAS_STATUS_ALLOC_FAILED;
  g->workspace = handle->workspace;
  g->workspace_size = handle->workspace_size;
  simError_t error = sim_push(handle->stream, run_gemm, g, sizeof *g, NULL, 0);
  return error ? SIMBLAS_STATUS_EXECUTION_FAILED : SIMBLAS_STATUS_SUCCESS;
}

static stack stored(simblasOperation_t op, const void *data, int64_t rows, int64_t cols, int64_t ld, int64_t stride) {
  bool transposed = op != SIMBLAS_OP_N;
  return (stack){(unsigned char *)data, transposed ? cols : rows, transposed ? rows : cols, ld, stride};
}

static char op_name(simblasOperation_t op) { return (unsigned)op < 3 ? "NTC"[op] : '?'; }

static simblasStatus_t product(const precision *type, simblasHandle_t handle, simblasOperation_t opA,
                               simblasOperation_t opB, int64_t m, int64_t n, int64_t k, const void *alpha,
                               const void *A, int64_t lda, int64_t strideA, const void *B, int64_t ldb, int64_t strideB,
                               const void *beta, void *C, int64_t ldc, int64_t strideC, int64_t count) {
  HOLD;
  gemm g = {.type = type, .op = {op_name(opA), op_name(opB)}, .m = m, .n = n, .k = k, .count = count};
  g.A = stored(opA, A, m, k, lda, strideA);
  g.B = stored(opB, B, k, n, ldb, strideB);
  g.C = stored(SIMBLAS_OP_N, C, m, n, ldc, strideC);
  memcpy(g.alpha, alpha, type->size);
  memcpy(g.beta, beta, type->size);
  return push_gemm(handle, &g);
}

/* Defines the GEMM and the strided batched GEMM of one precision. */
#define GEMM(letter, type)                                                                                             \
  simblasStatus_t simblas##letter##gemm_64(simblasHandle_t handle, simblasOperation_t opA, simblasOperation_t opB,     \
                                           int64_t m, int64_t n, int64_t k, const void *alpha, const void *A,          \
                                           int64_t lda, const void *B, int64_t ldb, const void *beta, void *C,         \
                                           int64_t ldc) {                                                              \
    return product(type, handle, opA, opB, m, n, k, alpha, A, lda, 0, B, ldb, 0, beta, C, ldc, 0, 1);                  \
  }                                                                                                                    \
  simblasStatus_t simblas##letter##gemmStridedBatched_64(                                                              \
      simblasHandle_t handle, simblasOperation_t opA, simblasOperation_t opB, int64_t m, int64_t n, int64_t k,         \
      const void *alpha, const void *A, int64_t lda, long long strideA, const void *B, int64_t ldb, long long strideB, \
      const void *beta, void *C, int64_t ldc, long long strideC, int64_t count) {                                      \
    return product(type, handle, opA, opB, m, n, k, alpha, A, lda, strideA, B, ldb, strideB, beta, C, ldc, strideC,    \
                   count);                                                                                             \
  }
GEMM(S, &precisions[0])
GEMM(D, &precisions[1])
GEMM(C, &precisions[2])
GEMM(Z, &precisions[3])

/* blas.c - the simulated GPU's BLAS: products, and TRSM of batches, by plain loops, for one matrix after the other. */
#include "sim_machine.h"

#include "core/type.h"
#include <complex.h>
#include <stdlib.h>
#include <string.h>

/* The flags of a solve. */
typedef struct triangle {
  bool right, upper, unit;
  char op;
} triangle;

#define ELEMENT float
#define AT element_s
#define GEMM gemm_s
#define SOLVE solve_s
#define CONJ(x) (x)
#include "gemm.inc"

#define ELEMENT double
#define AT element_d
#define GEMM gemm_d
#define SOLVE solve_d
#define CONJ(x) (x)
#include "gemm.inc"

#define ELEMENT float complex
#define AT element_c
#define GEMM gemm_c
#define SOLVE solve_c
#define CONJ(x) conjf(x)
#include "gemm.inc"

#define ELEMENT double complex
#define AT element_z
#define GEMM gemm_z
#define SOLVE solve_z
#define CONJ(x) conj(x)
#include "gemm.inc"

static const size_t least_workspace = 16 << 10;

struct simblas {
  sim_device *device;
  simStream_t stream;
  void *workspace; /* the caller's; NULL: the caller has set no workspace */
  size_t workspace_size;
};

typedef struct precision {
  void (*gemm)(char opA, char opB, int64_t m, int64_t n, int64_t k, const void *alpha, const void *A, int64_t lda,
               const void *B, int64_t ldb, const void *beta, void *C, int64_t ldc);
  void (*solve)(const triangle *t, int64_t m, int64_t n, const void *alpha, const void *A, int64_t lda, void *B,
                int64_t ldb);
  size_t size; /* of an element */
} precision;
static const precision precisions[] = {{gemm_s, solve_s, sizeof(float)},
                                       {gemm_d, solve_d, sizeof(double)},
                                       {gemm_c, solve_c, sizeof(float complex)},
                                       {gemm_z, solve_z, sizeof(double complex)}};

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

void *simblasOpen(void) {
  HOLD;
  return sim_current()->set.no_blas ? NULL : &sim;
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

/* Whether a scalar is +0. */
static bool is_zero_scalar(const precision *type, const unsigned char *x) {
  static const double complex positive_zero = 0;
  return memcmp(x, &positive_zero, type->size) == 0;
}

static void run_gemm(sim_device *d, void *argument) {
  gemm *g = argument;
  const size_t size = g->type->size;
  if (g->m == 0 || g->n == 0 || g->count == 0) return;
  if (sim_owner(g->workspace, g->workspace_size) != d || !owned(d, &g->C, g->count, size) ||
      (!is_zero_scalar(g->type, g->alpha) && (!owned(d, &g->A, g->count, size) || !owned(d, &g->B, g->count, size)))) {
    d->error = simErrorIllegalAddress;
    return;
  }
  memset(g->workspace, sim_unwritten, g->workspace_size);
  for (int64_t i = 0; i < g->count; i++)
    g->type->gemm(g->op[0], g->op[1], g->m, g->n, g->k, g->alpha, matrix(&g->A, i, size), g->A.ld,
                  matrix(&g->B, i, size), g->B.ld, g->beta, matrix(&g->C, i, size), g->C.ld);
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

/* ----------------------------------------------------------------------------------------- TRSM of batches -- */

typedef struct solves {
  const precision *type;
  triangle t;
  int64_t m, n, lda, ldb, count;
  _Alignas(16) unsigned char alpha[16];
  void *const *A, *const *B; /* arrays of the device */
} solves;

static void run_solves(sim_device *d, void *argument) {
  const solves *s = argument;
  const size_t size = s->type->size, addresses = (size_t)s->count * sizeof(void *);
  const int64_t order = s->t.right ? s->n : s->m;
  if (s->m == 0 || s->n == 0 || s->count == 0) return;
  if (sim_owner(s->A, addresses) != d || sim_owner(s->B, addresses) != d) d->error = simErrorIllegalAddress;
  for (int64_t i = 0; i < s->count && !d->error; i++) {
    const stack A = {s->A[i], order, order, s->lda, 0}, B = {s->B[i], s->m, s->n, s->ldb, 0};
    if (owned(d, &A, 1, size) && owned(d, &B, 1, size))
      s->type->solve(&s->t, s->m, s->n, s->alpha, s->A[i], s->lda, s->B[i], s->ldb);
    else
      d->error = simErrorIllegalAddress;
  }
}

static simblasStatus_t push_solves(simblasHandle_t handle, const solves *s) {
  const int64_t order = s->t.right ? s->n : s->m;
  if (!handle) return SIMBLAS_STATUS_NOT_INITIALIZED;
  if (s->t.op == '?' || s->m < 0 || s->n < 0 || s->count < 0 || s->lda < order || s->ldb < s->m)
    return SIMBLAS_STATUS_INVALID_VALUE;
  if (sim_attempt(handle->device, BLAS)) return SIMBLAS_STATUS_EXECUTION_FAILED;
  return sim_push(handle->stream, run_solves, s, sizeof *s, NULL, 0) ? SIMBLAS_STATUS_EXECUTION_FAILED
                                                                     : SIMBLAS_STATUS_SUCCESS;
}

/* Defines TRSM of a batch in one precision. */
#define TRSM(letter, precision_of)                                                                                     \
  simblasStatus_t simblas##letter##trsmBatched_64(                                                                     \
      simblasHandle_t handle, simblasSideMode_t side, simblasFillMode_t fill, simblasOperation_t op,                   \
      simblasDiagType_t diag, int64_t m, int64_t n, const void *alpha, void *const *A, int64_t lda, void *const *B,    \
      int64_t ldb, int64_t count) {                                                                                    \
    HOLD;                                                                                                              \
    solves s = {.type = (precision_of), .m = m, .n = n, .lda = lda, .ldb = ldb, .count = count, .A = A, .B = B};       \
    s.t = (triangle){side == SIMBLAS_SIDE_RIGHT, fill == SIMBLAS_FILL_MODE_UPPER, diag == SIMBLAS_DIAG_UNIT,           \
                     op_name(op)};                                                                                     \
    memcpy(s.alpha, alpha, s.type->size);                                                                              \
    return push_solves(handle, &s);                                                                                    \
  }
TRSM(S, &precisions[0])
TRSM(D, &precisions[1])
TRSM(C, &precisions[2])
TRSM(Z, &precisions[3])

/* ---------------------------------------------------------------------------------------------------- names -- */

typedef void any_function(void);

void *simblasFind(void *library, const char *name) {
#define NAMED(name)                                                                                                    \
  { "simblas" #name, (any_function *)simblas##name }
#define TYPED(letter) NAMED(letter##gemm_64), NAMED(letter##gemmStridedBatched_64), NAMED(letter##trsmBatched_64)
  static const struct {
    const char *name;
    any_function *function;
  } all[] = {NAMED(Create), NAMED(Destroy), NAMED(SetStream), NAMED(SetWorkspace),
             TYPED(S),      TYPED(D),       TYPED(C),         TYPED(Z)};
  void *found = NULL;
  for (size_t i = 0; i < sizeof all / sizeof *all && library; i++)
    if (strcmp(name, all[i].name) == 0) memcpy(&found, &all[i].function, sizeof found);
  return found;
}

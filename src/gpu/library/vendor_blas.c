/* vendor_blas.c - products by the vendor's BLAS: a table of its functions, its handle, stream and workspace.
 *
 * The library is loaded when a context is created. So one plugin serves several versions of the library, and a machine
 * without the library can load the plugin. */
#include "vendor_blas.h"
#include "common/address.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The routines of the four precisions have one calling sequence, because scalars and matrices are passed by address. */
typedef cublasStatus_t gemm_fn(cublasHandle_t, cublasOperation_t, cublasOperation_t, tg_blas_int m, tg_blas_int n,
                               tg_blas_int k, const void *alpha, const void *A, tg_blas_int lda, const void *B,
                               tg_blas_int ldb, const void *beta, void *C, tg_blas_int ldc);
typedef cublasStatus_t strided_fn(cublasHandle_t, cublasOperation_t, cublasOperation_t, tg_blas_int m, tg_blas_int n,
                                  tg_blas_int k, const void *alpha, const void *A, tg_blas_int lda,
                                  tg_blas_stride stride_A, const void *B, tg_blas_int ldb, tg_blas_stride stride_B,
                                  const void *beta, void *C, tg_blas_int ldc, tg_blas_stride stride_C,
                                  tg_blas_int count);

/* The functions for handles: X(name, type). */
#define HANDLE_FUNCTIONS(X)                                                                                            \
  X(Create, cublasStatus_t (*)(cublasHandle_t *))                                                                      \
  X(Destroy, cublasStatus_t (*)(cublasHandle_t))                                                                       \
  X(SetStream, cublasStatus_t (*)(cublasHandle_t, cudaStream_t))                                                       \
  X(SetWorkspace, cublasStatus_t (*)(cublasHandle_t, void *, size_t))                                                  \
  X(GetVersion, cublasStatus_t (*)(cublasHandle_t, int *))
#define SLOT(name, type) __typeof__(type)(name);
#define FIND(name, type) find(b, TG_BLAS_PREFIX #name TG_BLAS_HANDLE_SUFFIX, &b->name);

struct gpu_blas {
  void *library;
  cublasHandle_t handle;
  HANDLE_FUNCTIONS(SLOT)
  gpu_blas_function *all[BLAS_FUNCTIONS];
  char name[48];
};

/* The routines of the table in the order of their places. */
static const struct family {
  const char *name, *letters, *suffix;
} families[] = {{"gemm", "SDCZ", TG_BLAS_SUFFIX},
                {"gemmStridedBatched", "SDCZ", TG_BLAS_STRIDED_SUFFIX},
#if TG_BLAS_LEAVES
                {"trsm", "SDCZ", TG_BLAS_SUFFIX},
                {"trmm", "SDCZ", TG_BLAS_SUFFIX},
                {"syrk", "SDCZ", TG_BLAS_SUFFIX},
                {"herk", "CZ", TG_BLAS_SUFFIX},
                {"syr2k", "SDCZ", TG_BLAS_SUFFIX},
                {"her2k", "CZ", TG_BLAS_SUFFIX},
                {"symm", "SDCZ", TG_BLAS_SUFFIX},
                {"hemm", "CZ", TG_BLAS_SUFFIX},
                {"gemv", "SDCZ", TG_BLAS_SUFFIX},
                {"trmv", "SDCZ", TG_BLAS_SUFFIX},
                {"trsv", "SDCZ", TG_BLAS_SUFFIX},
                {"ger", "SD", TG_BLAS_SUFFIX},
                {"geru", "CZ", TG_BLAS_SUFFIX},
                {"gerc", "CZ", TG_BLAS_SUFFIX},
                {"syr", "SDCZ", TG_BLAS_SUFFIX},
                {"her", "CZ", TG_BLAS_SUFFIX},
                {"syr2", "SDCZ", TG_BLAS_SUFFIX},
                {"her2", "CZ", TG_BLAS_SUFFIX},
                {"symv", "SDCZ", TG_BLAS_SUFFIX},
                {"hemv", "CZ", TG_BLAS_SUFFIX},
#endif
                {"trsmBatched", "SDCZ", TG_BLAS_STRIDED_SUFFIX}};

cublasOperation_t gpu_blas_operation(trigon_op op) {
  return op == TRIGON_NOTRANS ? CUBLAS_OP_N : op == TRIGON_TRANS ? CUBLAS_OP_T : CUBLAS_OP_C;
}

gpu_scalar gpu_scalar_of(trigon_type type, trigon_scalar x) {
  if (type_is_single(type)) return (gpu_scalar){.f = {(float)x.re, (float)x.im}};
  return (gpu_scalar){.d = {x.re, x.im}};
}

trigon_status gpu_blas_status(cublasStatus_t status, const char *what, reason *why) {
  if (status == CUBLAS_STATUS_SUCCESS) return TRIGON_OK;
  snprintf(why->text, sizeof why->text, "%s failed with status %d of the %s BLAS", what, (int)status, TG_VENDOR);
  if (status == CUBLAS_STATUS_ALLOC_FAILED) return TRIGON_NO_MEMORY;
  return status == CUBLAS_STATUS_NOT_SUPPORTED ? TRIGON_NOT_SUPPORTED : TRIGON_DEVICE_FAILED;
}

/* Stores the function's address in the pointer at `out`: NULL if the library lacks the function. */
static bool find(gpu_blas *b, const char *name, void *out) {
  void *symbol = tg_blas_find(b->library, name);
  memcpy(out, &symbol, sizeof symbol);
  return symbol != NULL;
}

static trigon_status refuse_library(const char *name, reason *why) {
  snprintf(why->text, sizeof why->text, "%s lacks the function %s", TG_BLAS_TITLE, name);
  return TRIGON_NOT_FOUND;
}

static trigon_status find_routines(gpu_blas *b, reason *why) {
  const struct family *f = families;
  for (int place = 0; place < BLAS_FUNCTIONS; f++) {
    for (const char *letter = f->letters; *letter; letter++) {
      char name[48];
      snprintf(name, sizeof name, "%s%c%s%s", TG_BLAS_PREFIX, *letter, f->name, f->suffix);
      if (!find(b, name, &b->all[place++])) return refuse_library(name, why);
    }
  }
  return TRIGON_OK;
}

/* Early versions of hipBLAS have no SetWorkspace, and allocate their memory themselves. */
static trigon_status find_functions(gpu_blas *b, reason *why) {
  HANDLE_FUNCTIONS(FIND)
  if (!b->Create || !b->Destroy || !b->SetStream) return refuse_library(TG_BLAS_PREFIX "Create", why);
  return find_routines(b, why);
}

/* Only cuBLAS tells its version in this way. */
static trigon_status name_library(gpu_blas *b, reason *why) {
  int version = 0;
  snprintf(b->name, sizeof b->name, "%s", TG_BLAS_TITLE);
  if (!b->GetVersion) return TRIGON_OK;
  TRY(gpu_blas_status(b->GetVersion(b->handle, &version), "asking for the version", why));
  snprintf(b->name, sizeof b->name, "%s %d.%d.%d", TG_BLAS_TITLE, version / 10000, version / 100 % 100, version % 100);
  return TRIGON_OK;
}

static trigon_status load(gpu_blas *b, reason *why) {
  b->library = tg_blas_open(why->text, sizeof why->text);
  if (!b->library) return TRIGON_NOT_FOUND;
  TRY(find_functions(b, why));
  TRY(gpu_blas_status(b->Create(&b->handle), "making a handle", why));
  return name_library(b, why);
}

trigon_status gpu_blas_create(gpu_blas **out, reason *why) {
  gpu_blas *b = calloc(1, sizeof *b);
  if (!b) {
    snprintf(why->text, sizeof why->text, "out of memory");
    return TRIGON_NO_MEMORY;
  }
  trigon_status status = load(b, why);
  if (status == TRIGON_OK)
    *out = b;
  else
    gpu_blas_destroy(b);
  return status;
}

void gpu_blas_destroy(gpu_blas *b) {
  if (!b) return;
  if (b->handle) b->Destroy(b->handle);
  free(b);
}

const char *gpu_blas_name(const gpu_blas *b) { return b->name; }
cublasHandle_t gpu_blas_handle(gpu_blas *b) { return b->handle; }
gpu_blas_function *gpu_blas_at(const gpu_blas *b, int place) { return b->all[place]; }
bool gpu_blas_holds(int64_t size) { return size <= TG_BLAS_INT_MAX; }

/* The stream comes first: a new stream makes the BLAS forget its workspace. */
trigon_status gpu_blas_attach(gpu_blas *b, cudaStream_t stream, void *workspace, int64_t bytes, reason *why) {
  TRY(gpu_blas_status(b->SetStream(b->handle, stream), "setting the stream", why));
  if (!b->SetWorkspace) return TRIGON_OK;
  return gpu_blas_status(b->SetWorkspace(b->handle, workspace, (size_t)bytes), "setting the workspace", why);
}

trigon_status gpu_blas_products(gpu_blas *b, const operation *o, int64_t count, const int64_t stride[3], reason *why) {
  const view A = o->A, B = o->B, C = o->C;
  const int t = type_index(C.type);
  const gpu_scalar alpha = gpu_scalar_of(C.type, o->alpha), beta = gpu_scalar_of(C.type, o->beta);
  const cublasOperation_t op = gpu_blas_operation(o->op), opB = gpu_blas_operation(o->opB);
  const tg_blas_int m = (tg_blas_int)C.m, n = (tg_blas_int)C.n, k = (tg_blas_int)sizes_of(o).k;
  const tg_blas_int lda = (tg_blas_int)A.ld, ldb = (tg_blas_int)B.ld, ldc = (tg_blas_int)C.ld;
  void *a = address_of(A), *x = address_of(B), *c = address_of(C);
  gemm_fn *const single_gemm = (gemm_fn *)b->all[BLAS_GEMM + t];
  strided_fn *const strided_gemm = (strided_fn *)b->all[BLAS_STRIDED_GEMM + t];
  const cublasStatus_t status = count == 1
                                    ? single_gemm(b->handle, op, opB, m, n, k, &alpha, a, lda, x, ldb, &beta, c, ldc)
                                    : strided_gemm(b->handle, op, opB, m, n, k, &alpha, a, lda, stride[0], x, ldb,
                                                   stride[1], &beta, c, ldc, stride[2], (tg_blas_int)count);
  return gpu_blas_status(status, "a product", why);
}

trigon_status gpu_blas_gemm(gpu_blas *b, const operation *o, reason *why) {
  const int64_t stride[] = {batch_stride_of(o->A), batch_stride_of(o->B), batch_stride_of(o->C)};
  return gpu_blas_products(b, o, o->C.count, stride, why);
}

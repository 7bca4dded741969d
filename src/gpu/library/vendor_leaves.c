/* vendor_leaves.c - leaves by the vendor's routines: on NVIDIA by cuBLAS here, and by cuSOLVER in vendor_solver.c. The
 * simulated GPU has a cuSOLVER alone, AMD has none. */
#include "common/address.h"
#include "gpu/gpu_leaves.h"

#include <stdio.h>

#if TG_BLAS_LEAVES

#include "vendor_flags.h"

/* Scalars and matrices are passed by address. So the types of a routine have one calling sequence. */
typedef cublasStatus_t trsm_fn(cublasHandle_t, cublasSideMode_t, cublasFillMode_t, cublasOperation_t, cublasDiagType_t,
                               int64_t m, int64_t n, const void *alpha, const void *A, int64_t lda, void *B,
                               int64_t ldb);
typedef cublasStatus_t trmm_fn(cublasHandle_t, cublasSideMode_t, cublasFillMode_t, cublasOperation_t, cublasDiagType_t,
                               int64_t m, int64_t n, const void *alpha, const void *A, int64_t lda, const void *B,
                               int64_t ldb, void *C, int64_t ldc);
typedef cublasStatus_t syrk_fn(cublasHandle_t, cublasFillMode_t, cublasOperation_t, int64_t n, int64_t k,
                               const void *alpha, const void *A, int64_t lda, const void *beta, void *C, int64_t ldc);
typedef cublasStatus_t syr2k_fn(cublasHandle_t, cublasFillMode_t, cublasOperation_t, int64_t n, int64_t k,
                                const void *alpha, const void *A, int64_t lda, const void *B, int64_t ldb,
                                const void *beta, void *C, int64_t ldc);
typedef cublasStatus_t symm_fn(cublasHandle_t, cublasSideMode_t, cublasFillMode_t, int64_t m, int64_t n,
                               const void *alpha, const void *A, int64_t lda, const void *B, int64_t ldb,
                               const void *beta, void *C, int64_t ldc);

/* The index of a type and form among the functions of a routine. */
static int index_of(trigon_type type, trigon_op adjoint) {
  const bool hermitian = adjoint == TRIGON_CONJTRANS && type_is_complex(type);
  return type_index(type) + (hermitian ? 2 : 0);
}

/* B = alpha·op(A)·X, or alpha·X·op(A). */
static cublasStatus_t multiply_triangle(gpu_blas *b, const operation *o, const gpu_scalar *alpha, view X) {
  trmm_fn *const multiply = (trmm_fn *)gpu_blas_at(b, BLAS_TRMM + index_of(o->A.type, TRIGON_TRANS));
  return multiply(gpu_blas_handle(b), side_of(o->side), fill_of(o->uplo), gpu_blas_operation(o->op), diag_of(o->diag),
                  o->B.m, o->B.n, alpha, address_of(o->A), o->A.ld, address_of(X), X.ld, address_of(o->B), o->B.ld);
}

static cublasStatus_t run_block(gpu_blas *b, const operation *o, const gpu_scalar *alpha, const gpu_scalar *beta) {
  cublasHandle_t handle = gpu_blas_handle(b);
  void *A = address_of(o->A), *B = address_of(o->B), *C = address_of(o->C);
  const int64_t m = o->B.m, n = o->B.n, k = sizes_of(o).k, lda = o->A.ld, ldb = o->B.ld, ldc = o->C.ld;
  const int t = index_of(o->A.type, o->adjoint);
  const cublasSideMode_t side = side_of(o->side);
  const cublasFillMode_t fill = fill_of(o->uplo);
  const cublasOperation_t op = gpu_blas_operation(o->op);
  switch (o->routine) {
  case ROUTINE_TRSM:
    return ((trsm_fn *)gpu_blas_at(b, BLAS_TRSM + t))(handle, side, fill, op, diag_of(o->diag), m, n, alpha, A, lda, B,
                                                      ldb);
  case ROUTINE_TRMM: return multiply_triangle(b, o, alpha, o->B);
  case ROUTINE_SYRK:
    return ((syrk_fn *)gpu_blas_at(b, BLAS_SYRK + t))(handle, fill, op, o->C.n, k, alpha, A, lda, beta, C, ldc);
  case ROUTINE_SYR2K:
    return ((syr2k_fn *)gpu_blas_at(b, BLAS_SYR2K + t))(handle, fill, op, o->C.n, k, alpha, A, lda, B, ldb, beta, C,
                                                        ldc);
  default:
    return ((symm_fn *)gpu_blas_at(b, BLAS_SYMM + t))(handle, side, fill, o->C.m, o->C.n, alpha, A, lda, B, ldb, beta,
                                                      C, ldc);
  }
}

static bool cublas_has(routine r) {
  return r == ROUTINE_TRSM || r == ROUTINE_TRMM || r == ROUTINE_SYRK || r == ROUTINE_SYR2K || r == ROUTINE_SYMM;
}

/* CHER2K of cuBLAS 13.1 reads the imaginary parts of C's diagonal, which the contract of a leaf forbids. So they become
 * zero before the call; cudaMemset2DAsync takes leading dimensions up to this one. */
enum { longest_cleared = 1 << 27 };
static bool reads_imaginary_parts(const operation *o) {
  return o->routine == ROUTINE_SYR2K && o->adjoint == TRIGON_CONJTRANS && o->A.type == TRIGON_C;
}
static cudaError_t clear_imaginary_parts(cudaStream_t stream, view C) {
  float *first = (float *)address_of(C) + 1;
  return cudaMemset2DAsync(first, (size_t)(C.ld + 1) * 2 * sizeof *first, 0, sizeof *first, (size_t)C.n, stream);
}

static bool cublas_keeps_contract(const operation *o) { return !reads_imaginary_parts(o) || o->C.ld < longest_cleared; }

/* How many lines of B, its columns or from the right its rows, a strip has. 0: cuBLAS is faster in place at this order
 * (docs/performance.md), strips would be too narrow, or B has columns too long for the copy. */
static int64_t strip_lines(const gpu *g, const operation *o) {
  const gpu_limits *limits = g->queue.arch->limits;
  const int64_t narrowest = limits->strip_lines;
  if (o->A.n > limits->strip_orders[type_index(o->A.type)]) return 0;
  const int64_t element = type_size(o->B.type), lines = o->side == TRIGON_LEFT ? o->B.n : o->B.m;
  const int64_t fit = g->workspace.bytes / (o->A.n * element);
  if (!g->workspace.data || o->B.ld > g->most_pitch / element || (fit < narrowest && fit < lines)) return 0;
  const int64_t strips = (lines + fit - 1) / fit, least = (lines + strips - 1) / strips;
  const int64_t whole = (least + narrowest - 1) / narrowest * narrowest; /* products like round sizes */
  return whole <= fit ? whole : least;
}

/* In place cuBLAS takes up to twice as long as out of place. So strips of B are copied to the workspace, one after the
 * other, and multiplied from there. */
static trigon_status multiply_strips(gpu *g, const operation *o, const gpu_scalar *alpha, int64_t lines) {
  const bool left = o->side == TRIGON_LEFT;
  const int64_t end = left ? o->B.n : o->B.m;
  const size_t element = (size_t)type_size(o->B.type);
  for (int64_t first = 0; first < end; first += lines) {
    const int64_t now = end - first < lines ? end - first : lines;
    operation strip = *o;
    strip.B = left ? block(o->B, 0, first, o->B.m, now) : block(o->B, first, 0, now, o->B.n);
    const view B = strip.B,
               copy = {.base = g->workspace.data, .type = B.type, .m = B.m, .n = B.n, .ld = B.m, .count = 1};
    const size_t column = (size_t)B.m * element;
    TRY(gpu_status(g,
                   cudaMemcpy2DAsync(copy.base, column, address_of(B), (size_t)B.ld * element, column, (size_t)B.n,
                                     cudaMemcpyDeviceToDevice, g->queue.stream),
                   "the copy of a strip"));
    TRY(gpu_blas_status(multiply_triangle(g->blas, &strip, alpha, copy), "a strip of TRMM", g->machine.why));
  }
  return TRIGON_OK;
}

/* Meanwhile cuBLAS has the rest of the leaf buffer as its workspace. If it does not get its own back, the next call
 * attaches it. */
static trigon_status run_strips(gpu *g, const operation *o, const gpu_scalar *alpha, int64_t lines) {
  g->ready = false;
  TRY(gpu_blas_attach(g->blas, g->queue.stream, (char *)g->info_block + info_block_bytes,
                      leaf_buffer_bytes - info_block_bytes, g->machine.why));
  const trigon_status status = multiply_strips(g, o, alpha, lines);
  if (status != TRIGON_OK) return status;
  TRY(gpu_blas_attach(g->blas, g->queue.stream, g->workspace.data, g->workspace.bytes, g->machine.why));
  g->ready = true;
  return TRIGON_OK;
}

static trigon_status run_cublas(gpu *g, const operation *o) {
  const gpu_scalar alpha = gpu_scalar_of(o->A.type, o->alpha), beta = gpu_scalar_of(o->A.type, o->beta);
  const int64_t lines = o->routine == ROUTINE_TRMM && !g->options.native ? strip_lines(g, o) : 0;
  if (lines > 0) return run_strips(g, o, &alpha, lines);
  if (reads_imaginary_parts(o) && !g->options.native)
    TRY(gpu_status(g, clear_imaginary_parts(g->queue.stream, o->C), "clearing the imaginary parts of a diagonal"));
  return gpu_blas_status(run_block(g->blas, o, &alpha, &beta), routine_table[o->routine].name, g->machine.why);
}

trigon_status gpu_vendor_run_on(gpu_blas *b, const operation *o, reason *why) {
  const gpu_scalar alpha = gpu_scalar_of(o->A.type, o->alpha), beta = gpu_scalar_of(o->A.type, o->beta);
  if (o->routine == ROUTINE_GEMM) return gpu_blas_gemm(b, o, why);
  return gpu_blas_status(run_block(b, o, &alpha, &beta), routine_table[o->routine].name, why);
}

#else

static bool cublas_has(routine r) { return (void)r, false; }
trigon_status gpu_vendor_run_on(gpu_blas *b, const operation *o, reason *why) { return gpu_blas_gemm(b, o, why); }
static bool cublas_keeps_contract(const operation *o) { return (void)o, false; }
static trigon_status run_cublas(gpu *g, const operation *o) { return (void)g, (void)o, TRIGON_NOT_SUPPORTED; }

#endif

bool gpu_vendor_multiplies(routine r) { return cublas_has(r) || r == ROUTINE_GEMM; }
bool gpu_vendor_has(routine r) { return cublas_has(r) || gpu_solver_has(r); }

/* These routines break the contract of a leaf. cuSOLVER's POTRF does not stop at a NaN, and leaves the columns before a
 * failure incomplete. cuSOLVER's TRTRI overwrites a unit diagonal. */
static bool keeps_contract(const operation *o) {
  if (o->routine == ROUTINE_INVERT) return gpu_solver_has(ROUTINE_INVERT) && o->diag == TRIGON_NONUNIT;
  return cublas_has(o->routine) && cublas_keeps_contract(o);
}

/* Opening a library may allocate, which would end a capture. */
static trigon_status open_solver(gpu *g) {
  if (g->solver) return TRIGON_OK;
  if (gpu_is_capturing(g))
    return gpu_refuse(g, TRIGON_NO_MEMORY, "the vendor's factorizations cannot be opened while the stream is captured");
  return gpu_solver_create(&g->solver, g->machine.why);
}

static trigon_status prepare(gpu *g, const operation *o) {
  if (!gpu_solver_has(o->routine)) return TRIGON_OK;
  TRY(open_solver(g));
  return gpu_solver_prepare(g->solver, o, gpu_is_capturing(g), g->machine.why);
}

/* A library that does not load is not looked for again. What is only short of memory is. */
trigon_status gpu_vendor_takes(gpu *g, const operation *o, bool *takes) {
  const reason before = *g->machine.why;
  *takes = keeps_contract(o) && !(gpu_solver_has(o->routine) && g->no_solver);
  if (!*takes) return TRIGON_OK;
  const trigon_status status = prepare(g, o);
  *takes = status == TRIGON_OK;
  if (status != TRIGON_NOT_SUPPORTED && status != TRIGON_NO_MEMORY) return status;
  g->no_solver = status == TRIGON_NOT_SUPPORTED && !g->solver;
  *g->machine.why = before;
  return TRIGON_OK;
}

trigon_status gpu_vendor_open(gpu *g, const operation *o) {
  reason *why = g->machine.why;
  if (o->batch && o->routine != ROUTINE_POTRF) return gpu_vendor_open_batch(g, o);
  if (o->batch && (o->batch->A.at || tg_pointer_device(o->batch->info) < 0)) {
    snprintf(why->text, sizeof why->text, "native=1 has POTRF of matrices a stride apart, with infos on the device");
    return TRIGON_NOT_SUPPORTED;
  }
  if (o->routine == ROUTINE_TRTRI && o->diag == TRIGON_UNIT) {
    snprintf(why->text, sizeof why->text, "native=1 has no TRTRI of a unit triangle: cuSOLVER overwrites the diagonal");
    return TRIGON_NOT_SUPPORTED;
  }
  if (gpu_vendor_has(o->routine)) return prepare(g, o);
  if (o->routine == ROUTINE_GEMM) return TRIGON_OK;
  snprintf(why->text, sizeof why->text, "native=1 has no such routine: neither cuBLAS nor cuSOLVER has it");
  return TRIGON_NOT_SUPPORTED;
}

trigon_status gpu_vendor_support(gpu *g) {
  if (cublas_has(ROUTINE_TRSM) || gpu_solver_is_there()) return TRIGON_OK;
  snprintf(g->machine.why->text, sizeof g->machine.why->text, "%s does not support native=1", TG_VENDOR);
  return TRIGON_NOT_SUPPORTED;
}

static trigon_status run_single(gpu *g, const operation *o) {
  if (!gpu_solver_has(o->routine)) return run_cublas(g, o);
  g->may_fail = true;
  return gpu_solver_run(g->solver, o, g->queue, &g->info_block->failure, g->machine.why);
}

trigon_status gpu_vendor_run(gpu *g, const operation *o) {
  for (int64_t i = 0; i < o->A.count; i++) {
    operation block_i = over(o, single(o->A, i), single(o->B, i), single(o->C, i));
    block_i.column += i * o->A.col_step;
    TRY(run_single(g, &block_i));
  }
  return TRIGON_OK;
}

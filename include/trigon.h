/* trigon.h - dense linear algebra on triangular, symmetric and Hermitian matrices, in place.
 *
 * Conventions, the same for every routine:
 *  - Matrices are column-major: element (i, j) stands at data[i + j * ld], i and j from 0. Sizes and leading
 *    dimensions are counted in elements and are 64-bit everywhere.
 *  - Each routine has two spellings: over `trigon_matrix` (trigon_trsm), and with BLAS's or LAPACK's argument list
 *    behind the context (trigon_strsm, _dtrsm, _ctrsm, _ztrsm). s and d take float and double; c and z take complex
 *    scalars as `trigon_scalar` and complex matrices as pointers to pairs (re, im), which is what C's `_Complex`,
 *    C++'s std::complex, Fortran and NumPy store.
 *  - Where `uplo` names a triangle, the opposite triangle is neither read nor written, nor is the diagonal under
 *    TRIGON_UNIT. Rows between the matrix and its leading dimension are never touched.
 *  - On a device matrices are aligned to their elements (16 bytes for z, 8 for d and c, 4 for s) and info to 8 bytes.
 *    An address that is not the device's memory is a bad argument, and so is a matrix whose last element is not; memory
 *    of another device and of the host is refused even where the device could reach it, managed memory is taken. What lies
 *    between the first element and the last is not looked at: neighbouring allocations look like one.
 *  - Operands of one call must not overlap, inputs among themselves excepted.
 *  - alpha == 0: A and B (TRMM, TRSM: A) are not read. beta == 0: C is overwritten without being read. Otherwise NaN
 *    and Inf propagate; NaN is never lost over OpenBLAS, and over another BLAS as far as that keeps it (reference BLAS
 *    skips products with 0). Scalars are rounded to the precision of the matrices first.
 *  - Quick returns as in BLAS: an empty output, or nothing to add (alpha == 0 or k == 0) and beta == 1, changes nothing.
 *    The other sizes do not matter then: they may exceed what the BLAS's integers hold.
 *  - Errors: the returned status says that a call could not run; nothing has been read or written then, and
 *    trigon_message() names the argument, its LAPACK-style position (the context is not counted) and its value;
 *    *info is untouched then. TRIGON_DEVICE_FAILED alone can come in the middle: what the call writes is unspecified
 *    then, and *info untouched.
 *    That the mathematics failed is not an error but an `info` > 0, counted as LAPACK does.
 *  - Memory: a context has a leaf buffer from its creation on, 1 MiB on the CPU, 2 MiB on a device. Beyond it, and beyond
 *    what the BLAS underneath keeps for itself (cuBLAS 13.1 on an H200: 64 MiB a context, nothing where the environment
 *    says CUBLAS_WORKSPACE_CONFIG=:0:0), routines whose comment says "Memory: none" take none on the CPU; on a device, calls
 *    share one workspace of 32 MiB for the vendor's BLAS, allocated by the first that computes: see trigon_set_workspace.
 *    The first call of a thread into a BLAS loaded by name may take 1 KiB for the thread's keys (TRIGON_NO_MEMORY).
 *
 * Row-major data: a row-major matrix is the column-major storage of its transpose. No copy is needed: every routine can
 * be called with other flags and the same memory. docs/row-major.md has the recipe for each. */
#ifndef TRIGON_H
#define TRIGON_H

#include <stddef.h>
#include <stdint.h>

#define TRIGON_VERSION_MAJOR 0
#define TRIGON_VERSION_MINOR 1
#define TRIGON_VERSION_PATCH 0

#if defined(__GNUC__)
#define TRIGON_API __attribute__((visibility("default")))
#else
#define TRIGON_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------- types -- */

/* What became of a call. A mathematical failure is not among these: see `info`. */
typedef enum trigon_status {
  TRIGON_OK = 0,
  TRIGON_BAD_ARGUMENT,  /* an argument is invalid; the message names it and its value */
  TRIGON_NO_MEMORY,     /* an allocation failed */
  TRIGON_NOT_SUPPORTED, /* valid, but this backend cannot do it */
  TRIGON_NOT_FOUND,     /* no such backend, library or device on this machine */
  TRIGON_DEVICE_FAILED  /* the device or its driver reported a failure */
} trigon_status;

/* Flags, with CBLAS's values. */
typedef enum trigon_op { TRIGON_NOTRANS = 111, TRIGON_TRANS = 112, TRIGON_CONJTRANS = 113 } trigon_op;
typedef enum trigon_uplo { TRIGON_UPPER = 121, TRIGON_LOWER = 122 } trigon_uplo;
typedef enum trigon_diag { TRIGON_NONUNIT = 131, TRIGON_UNIT = 132 } trigon_diag;
typedef enum trigon_side { TRIGON_LEFT = 141, TRIGON_RIGHT = 142 } trigon_side;

/* Precision, by LAPACK's letter: float, double, complex float, complex double. */
typedef enum trigon_type { TRIGON_S = 's', TRIGON_D = 'd', TRIGON_C = 'c', TRIGON_Z = 'z' } trigon_type;

/* A scalar of any precision: all four embed exactly. For s and d, im must be 0. */
typedef struct trigon_scalar {
  double re, im;
} trigon_scalar;

/* A stored matrix: rows × cols elements of `type`, column-major, ld >= max(1, rows). Passed by value; the data belong
 * to the caller. Inputs are not written through `data`. */
typedef struct trigon_matrix {
  void *data;
  trigon_type type;
  int64_t rows, cols, ld;
} trigon_matrix;

/* Where and with what to compute. A context serves one thread at a time; contexts are independent of each other. */
typedef struct trigon_context trigon_context;

/* ----------------------------------------------------------------------------------------------- context -- */

/* Creates a context by name and stores it in *ctx.
 *
 *   "cpu"             the BLAS and LAPACK that the library was linked with; data on the host
 *   "cpu:LIBRARY"     any other BLAS with 32-bit integers, a shared library loaded into a namespace of its own, e.g.
 *                     "cpu:libblis.so.4"; LAPACK's routines are taken from it where it has them
 *   "cpu64:LIBRARY"   the same with 64-bit integers (symbols dgemm_64_ or dgemm_), e.g. "cpu64:libopenblas64.so.0";
 *                     the library is asked for its width, and refused under the wrong name. How many libraries fit is
 *                     the loader's limit: usually five or more, and fifteen with GLIBC_TUNABLES=glibc.rtld.nns=16
 *   "cuda:N" "hip:N"  GPU number N, from 0, of NVIDIA or AMD; data in its memory. Loads the library's part for it,
 *                     libtrigon-cuda.so or libtrigon-hip.so, from $TRIGON_BACKEND_PATH (an absolute path) if that is set,
 *                     else from the folder `trigon` beside this library, or where it was to be installed
 *
 * Options follow a question mark, KEY=VALUE separated by '&':
 *
 *   stop=N            the recursion stops at order N (default: the backend's own table)
 *   split=halves      cut n between the fewest blocks that are no larger than N, of equal size: half of them on each
 *                     side (default)
 *   split=power       cut off the largest power of two below n (the papers' rule)
 *   leaf=vendor       leaves by the vendor's routines (BLAS, LAPACK, cuBLAS, cuSOLVER) if it has them; leaf=step: by our own,
 *                     if there are any (on the CPU, of the factorizations). Default: as the backend's own table says
 *   gemm=own          devices: products by kernels of our own, not by the vendor's BLAS (gemm=vendor: the default)
 *   native=1          no recursion: hand every routine whole to the BLAS or LAPACK underneath (for comparison). On NVIDIA to
 *                     cuBLAS and cuSOLVER, without LAUUM and TRTRI of a unit triangle (TRIGON_NOT_SUPPORTED), on AMD not there
 *   trace=1           count what the recursion does: see trigon_trace
 *   dirty=1           for tests: every call finds NaN in the leaf buffer and in the workspace (on devices, in 16 KiB at
 *                     either end of each). Small calls take longer
 *
 * In a process whose address space is limited (RLIMIT_AS, `ulimit -v`), OpenBLAS 0.3.21 asks for ever for a buffer of 128 MiB
 * of addresses if there is no room for the buffer. Therefore OpenBLAS takes a buffer for each context here, and not at the
 * first call; a destroyed context's buffer serves the next context. If there is no room for the buffer, trigon_create
 * returns TRIGON_NO_MEMORY. Under such a limit:
 *  - Beyond 24 contexts at once on one library, OpenBLAS takes no further buffer here, and a call can hang.
 *  - A program that is linked with an OpenBLAS for OpenMP hangs before main if the limit is set before the program starts and
 *    leaves no room for a buffer for each thread. Set OMP_NUM_THREADS=1 (OPENBLAS_NUM_THREADS does not help), or a larger
 *    limit.
 *  - Before a library is loaded by name, nobody knows whether it brings OpenBLAS. Any library is refused (TRIGON_NO_MEMORY)
 *    if the limit leaves less than 192 MiB and 128 MiB for each thread (OMP_NUM_THREADS, or the number of processors).
 *  - A buffer that OpenBLAS has from calls of the program's own does not count: nothing tells of such a buffer. A context that
 *    was made before the program set its limit has no buffer unless it has computed. So make the context and let it
 *    compute something (a product) before the program sets its limit, or make it afterwards with room for a buffer.
 *
 * On failure *ctx is NULL and, where why is not NULL, up to why_size bytes there say what was wrong.
 * Returns TRIGON_OK, TRIGON_BAD_ARGUMENT (a name or option that is none), TRIGON_NOT_FOUND (a backend or device that
 * this build or machine has not, or a library that is no BLAS), TRIGON_NOT_SUPPORTED, TRIGON_NO_MEMORY,
 * TRIGON_DEVICE_FAILED. Libraries loaded by name and the parts for GPUs stay loaded until the process ends: their
 * threads could not survive an unloading. libtrigon itself stays loaded with a library loaded by name:
 * dlclose does not unload it then. No context outlives a reset of its device (cudaDeviceReset).
 *
 * fork(): call it before the first context is made. Afterwards the child lacks the threads of an OpenMP BLAS, and its
 * first call waits for them forever (seen with OpenBLAS 0.3.21). A child that calls exec is safe. So is a child whose
 * parent was started with OMP_NUM_THREADS=1, or computes over a BLAS without threads. No child can use a GPU's context of
 * its parent, nor, once the parent has used a GPU, make one.
 *
 * A program without any shared library (cc -static) has the context "cpu" alone, since it cannot load libraries: other
 * names give TRIGON_NOT_SUPPORTED. */
TRIGON_API trigon_status trigon_create(const char *name, trigon_context **ctx, char *why, size_t why_size);

/* Waits for the context's work, then frees it. NULL is allowed. */
TRIGON_API void trigon_destroy(trigon_context *ctx);

/* Waits until all calls made so far have taken effect; of the routines none waits. Where info is not NULL, *info, which
 * is on the host, gets the first non-zero info of the calls since the last trigon_finish that were given no info
 * pointer of their own; where this fails, *info tells it, or is untouched and the next trigon_finish tells. Returns
 * TRIGON_OK, TRIGON_DEVICE_FAILED, TRIGON_NOT_SUPPORTED while the stream is captured. */
TRIGON_API trigon_status trigon_finish(trigon_context *ctx, int64_t *info);

/* Caps the memory that calls may take beyond their operands and the backend's fixed leaf buffer to `bytes`, taken from
 * `buffer` (which must stay valid until the cap is changed or the context destroyed) or, where that is NULL, allocated
 * when it is first needed. 0 means strictly in place. Every routine works under every cap; without this call the cap is
 * 64 MiB, or 1/16 of the largest operand where that is more. A device that has no memory left for it computes without,
 * until trigon_reserve or this asks again.
 * Waits for the context's work. On the CPU no routine takes memory: neither cap nor buffer is used there. On a device
 * `buffer` is device memory, aligned to 256 bytes; below 2 MiB the leaf buffer serves instead, and bytes = 0 leaves
 * `buffer` unlooked at.
 * Returns TRIGON_BAD_ARGUMENT where bytes < 0, or for a buffer that is not the device's, or not aligned; while the
 * context's stream is captured TRIGON_NOT_SUPPORTED; TRIGON_NO_MEMORY (of the host), TRIGON_DEVICE_FAILED. */
TRIGON_API trigon_status trigon_set_workspace(trigon_context *ctx, void *buffer, int64_t bytes);

/* Allocates now what calls on operands of up to `bytes` bytes each would allocate later, so that they can be captured
 * in a graph, or are not slower for want of memory. (At present that is one size for all operands.) Returns
 * TRIGON_BAD_ARGUMENT where bytes < 0, TRIGON_NO_MEMORY (also where something is missing while the stream is captured),
 * TRIGON_DEVICE_FAILED. */
TRIGON_API trigon_status trigon_reserve(trigon_context *ctx, int64_t bytes);

/* Devices: makes later calls run in `stream`, a cudaStream_t or hipStream_t of the context's device that outlives its
 * use here; NULL: the context's own stream, which orders itself with the legacy default stream as streams do that are
 * created without flags. Work already handed over stays ordered before later calls. A captured stream is allowed: calls
 * on it become part of its graph, in which scalars are constants, and which must not be replayed while other calls of
 * this context run. The memory of the context's that a graph uses stays until the context is destroyed; a buffer of the
 * caller's (trigon_set_workspace) must stay as long as graphs captured with it are replayed.
 * Returns TRIGON_BAD_ARGUMENT for a stream of another device, TRIGON_NOT_SUPPORTED on the CPU (but for NULL), and where
 * calls that nothing has waited for would have to be ordered with a stream that is being captured: call trigon_finish
 * before its capture begins; TRIGON_DEVICE_FAILED. */
TRIGON_API trigon_status trigon_set_stream(trigon_context *ctx, void *stream);

/* What went wrong in the last call on this context ("" if nothing did); valid until the next call on it. */
TRIGON_API const char *trigon_message(const trigon_context *ctx);

/* What the context computes with, on one line: library, version, threads, integer width, where LAPACK comes from.
 * Valid as long as the context. */
TRIGON_API const char *trigon_describe(const trigon_context *ctx);

/* One sentence on what would make this context faster on this machine, or "" if nothing is known. At present that is one
 * thing: an OpenBLAS that takes the CPU for an older one and leaves its vector instructions unused; the sentence names the
 * kernels in use, what the CPU has, and what to set. Takes no memory; valid as long as the context. */
TRIGON_API const char *trigon_advice(const trigon_context *ctx);

/* A status in words; a static string, for any value. */
TRIGON_API const char *trigon_status_string(trigon_status status);

/* The version of the library in use, e.g. "0.1.0"; a static string. */
TRIGON_API const char *trigon_version(void);

/* ------------------------------------------------------------------------------------------------ memory --
 * Matrices live where the context computes: in host memory for the CPU, in its device's memory for a device. These let
 * one program serve both. */

/* 1 where the context's matrices live in host memory, else 0. */
TRIGON_API int trigon_on_host(const trigon_context *ctx);

/* Allocates `bytes` >= 0 bytes where the context's matrices live, aligned to 256 bytes, and stores their address in
 * *data (NULL for 0 bytes, and on failure). Returns TRIGON_BAD_ARGUMENT, TRIGON_NO_MEMORY, TRIGON_DEVICE_FAILED, and while
 * the context's stream is captured TRIGON_NOT_SUPPORTED. */
TRIGON_API trigon_status trigon_alloc(trigon_context *ctx, int64_t bytes, void **data);

/* Frees what trigon_alloc gave, after the context's work is done. NULL is allowed. Returns TRIGON_BAD_ARGUMENT where a
 * device has not allocated `data`, TRIGON_DEVICE_FAILED, and while the context's stream is captured TRIGON_NOT_SUPPORTED. */
TRIGON_API trigon_status trigon_free(trigon_context *ctx, void *data);

/* Copy a matrix from host memory to where the context's matrices live, and back, after the calls made so far. Both wait
 * for the copy. `from` and `to` have one type and shape, each its own ld; they must not overlap; rows between matrix
 * and ld are not touched. Returns TRIGON_BAD_ARGUMENT, also for a matrix that is not where the direction says (a device
 * knows its memory), TRIGON_DEVICE_FAILED, and while the context's stream is captured TRIGON_NOT_SUPPORTED. */
TRIGON_API trigon_status trigon_upload(trigon_context *ctx, trigon_matrix from, trigon_matrix to);
TRIGON_API trigon_status trigon_download(trigon_context *ctx, trigon_matrix from, trigon_matrix to);

/* Copies a matrix within the memory where the context's matrices live, after the calls made so far; waits for nothing. `from`
 * and `to` have one type and shape, each its own ld; they must not overlap; rows between matrix and ld are not touched.
 * Returns TRIGON_BAD_ARGUMENT, also for a matrix that is not in that memory (a device knows), TRIGON_DEVICE_FAILED. */
TRIGON_API trigon_status trigon_copy(trigon_context *ctx, trigon_matrix from, trigon_matrix to);

/* Stores in *bytes how much memory the context holds at present where its matrices live, beyond what trigon_alloc gave:
 * leaf buffer, workspace, and what native=1 takes for the vendor's routines. What a vendor's library keeps for itself is not
 * known. Returns TRIGON_BAD_ARGUMENT if bytes is NULL. */
TRIGON_API trigon_status trigon_memory(const trigon_context *ctx, int64_t *bytes);

/* ------------------------------------------------------------------------------------------------- timer -- */

/* Time the calls between these two: trigon_timer_start marks the place behind all calls made so far, trigon_timer_stop marks the
 * place behind the calls made since, waits for it, and stores the time between the marks, in seconds, in *seconds.
 * On a device the marks are events in the context's stream. There `hold`, from 0 to 1 second, keeps the stream busy for about
 * that long before the first mark: calls that the host makes meanwhile wait in the stream, so that the time their launches
 * take on the host is not measured. On the CPU the time is wall-clock time, and hold is not used.
 * Returns TRIGON_BAD_ARGUMENT (hold is not in its range, seconds is NULL), TRIGON_NOT_SUPPORTED while the context's stream is
 * captured and for a stop without a start, TRIGON_DEVICE_FAILED. */
TRIGON_API trigon_status trigon_timer_start(trigon_context *ctx, double hold);
TRIGON_API trigon_status trigon_timer_stop(trigon_context *ctx, double *seconds);

/* ------------------------------------------------------------------------------------------------- trace -- */

/* The kinds of work that the recursion hands to a backend. The Hermitian forms count with the symmetric ones. */
typedef enum trigon_routine {
  TRIGON_GEMM,
  TRIGON_TRMM,
  TRIGON_TRSM,
  TRIGON_SYRK,
  TRIGON_SYR2K,
  TRIGON_SYMM,
  TRIGON_POTRF,
  TRIGON_TRTRI,
  TRIGON_LAUUM,
  TRIGON_ROUTINES /* how many there are */
} trigon_routine;

/* Work of one kind handed to the backend: calls of the seam, blocks in them (a call may cover several equal blocks
 * along a diagonal), flops (a complex multiply-add counts 8), bytes of operands read and written (each once a block),
 * and the flops of the smallest and the largest block. */
typedef struct trigon_count {
  int64_t calls, blocks;
  double flops, bytes, least, most;
} trigon_count;

/* Stores in counts[0 .. TRIGON_ROUTINES - 1] what the calls since the last trigon_trace handed to the backend, and
 * starts counting anew. TRIGON_NOT_SUPPORTED unless the context was created with trace=1. */
TRIGON_API trigon_status trigon_trace(trigon_context *ctx, trigon_count counts[TRIGON_ROUTINES]);

/* ------------------------------------------------------------------------------------------ general product -- */

/* GEMM: C = alpha·op(A)·op(B) + beta·C. op(A) is m × k, op(B) k × n, C m × n. Reads A and B, overwrites C.
 * Source: BLAS xGEMM. */
TRIGON_API trigon_status trigon_gemm(trigon_context *ctx, trigon_op opA, trigon_op opB, trigon_scalar alpha,
                                     trigon_matrix A, trigon_matrix B, trigon_scalar beta, trigon_matrix C);
TRIGON_API trigon_status trigon_sgemm(trigon_context *ctx, trigon_op opA, trigon_op opB, int64_t m, int64_t n,
                                      int64_t k, float alpha, const float *A, int64_t lda, const float *B, int64_t ldb,
                                      float beta, float *C, int64_t ldc);
TRIGON_API trigon_status trigon_dgemm(trigon_context *ctx, trigon_op opA, trigon_op opB, int64_t m, int64_t n,
                                      int64_t k, double alpha, const double *A, int64_t lda, const double *B,
                                      int64_t ldb, double beta, double *C, int64_t ldc);
TRIGON_API trigon_status trigon_cgemm(trigon_context *ctx, trigon_op opA, trigon_op opB, int64_t m, int64_t n,
                                      int64_t k, trigon_scalar alpha, const void *A, int64_t lda, const void *B,
                                      int64_t ldb, trigon_scalar beta, void *C, int64_t ldc);
TRIGON_API trigon_status trigon_zgemm(trigon_context *ctx, trigon_op opA, trigon_op opB, int64_t m, int64_t n,
                                      int64_t k, trigon_scalar alpha, const void *A, int64_t lda, const void *B,
                                      int64_t ldb, trigon_scalar beta, void *C, int64_t ldc);

/* ---------------------------------------------------------------------------------------- triangular matrices -- */

/* TRMM: B = alpha·op(A)·B (LEFT, A m × m) or B = alpha·B·op(A) (RIGHT, A n × n), B m × n, in place. Reads the triangle
 * `uplo` of A, overwrites B. Memory: none. m²n flops (LEFT).
 * Source: BLAS xTRMM; recursion of Charara, Ltaief, Keyes (Euro-Par 2016), section 4. */
TRIGON_API trigon_status trigon_trmm(trigon_context *ctx, trigon_side side, trigon_uplo uplo, trigon_op op,
                                     trigon_diag diag, trigon_scalar alpha, trigon_matrix A, trigon_matrix B);
TRIGON_API trigon_status trigon_strmm(trigon_context *ctx, trigon_side side, trigon_uplo uplo, trigon_op op,
                                      trigon_diag diag, int64_t m, int64_t n, float alpha, const float *A, int64_t lda,
                                      float *B, int64_t ldb);
TRIGON_API trigon_status trigon_dtrmm(trigon_context *ctx, trigon_side side, trigon_uplo uplo, trigon_op op,
                                      trigon_diag diag, int64_t m, int64_t n, double alpha, const double *A,
                                      int64_t lda, double *B, int64_t ldb);
TRIGON_API trigon_status trigon_ctrmm(trigon_context *ctx, trigon_side side, trigon_uplo uplo, trigon_op op,
                                      trigon_diag diag, int64_t m, int64_t n, trigon_scalar alpha, const void *A,
                                      int64_t lda, void *B, int64_t ldb);
TRIGON_API trigon_status trigon_ztrmm(trigon_context *ctx, trigon_side side, trigon_uplo uplo, trigon_op op,
                                      trigon_diag diag, int64_t m, int64_t n, trigon_scalar alpha, const void *A,
                                      int64_t lda, void *B, int64_t ldb);

/* TRSM: solves op(A)·X = alpha·B (LEFT, A m × m) or X·op(A) = alpha·B (RIGHT, A n × n); X overwrites B, m × n. Reads
 * the triangle `uplo` of A. A singular A is not detected (as in BLAS): the result holds Inf or NaN;
 * so it may for a subnormal diagonal, which some BLAS libraries invert. Memory: none.
 * Source: BLAS xTRSM; recursion of Charara, Ltaief, Keyes (Euro-Par 2016), section 4. */
TRIGON_API trigon_status trigon_trsm(trigon_context *ctx, trigon_side side, trigon_uplo uplo, trigon_op op,
                                     trigon_diag diag, trigon_scalar alpha, trigon_matrix A, trigon_matrix B);
TRIGON_API trigon_status trigon_strsm(trigon_context *ctx, trigon_side side, trigon_uplo uplo, trigon_op op,
                                      trigon_diag diag, int64_t m, int64_t n, float alpha, const float *A, int64_t lda,
                                      float *B, int64_t ldb);
TRIGON_API trigon_status trigon_dtrsm(trigon_context *ctx, trigon_side side, trigon_uplo uplo, trigon_op op,
                                      trigon_diag diag, int64_t m, int64_t n, double alpha, const double *A,
                                      int64_t lda, double *B, int64_t ldb);
TRIGON_API trigon_status trigon_ctrsm(trigon_context *ctx, trigon_side side, trigon_uplo uplo, trigon_op op,
                                      trigon_diag diag, int64_t m, int64_t n, trigon_scalar alpha, const void *A,
                                      int64_t lda, void *B, int64_t ldb);
TRIGON_API trigon_status trigon_ztrsm(trigon_context *ctx, trigon_side side, trigon_uplo uplo, trigon_op op,
                                      trigon_diag diag, int64_t m, int64_t n, trigon_scalar alpha, const void *A,
                                      int64_t lda, void *B, int64_t ldb);

/* TRTRI: A = A⁻¹ for the triangle `uplo` of A, n × n, in place. info = i > 0: A(i, i) is exactly zero (i from 1); the
 * triangle is unchanged then on the CPU, unspecified on a device. Not read nor written under TRIGON_UNIT: the diagonal.
 * Memory: none. Source: LAPACK xTRTRI. */
TRIGON_API trigon_status trigon_trtri(trigon_context *ctx, trigon_uplo uplo, trigon_diag diag, trigon_matrix A,
                                      int64_t *info);
TRIGON_API trigon_status trigon_strtri(trigon_context *ctx, trigon_uplo uplo, trigon_diag diag, int64_t n, float *A,
                                       int64_t lda, int64_t *info);
TRIGON_API trigon_status trigon_dtrtri(trigon_context *ctx, trigon_uplo uplo, trigon_diag diag, int64_t n, double *A,
                                       int64_t lda, int64_t *info);
TRIGON_API trigon_status trigon_ctrtri(trigon_context *ctx, trigon_uplo uplo, trigon_diag diag, int64_t n, void *A,
                                       int64_t lda, int64_t *info);
TRIGON_API trigon_status trigon_ztrtri(trigon_context *ctx, trigon_uplo uplo, trigon_diag diag, int64_t n, void *A,
                                       int64_t lda, int64_t *info);

/* LAUUM: A = LᴴL (LOWER) or UUᴴ (UPPER), where the triangle `uplo` of A holds L or U and receives the same triangle of
 * the product; n × n, in place. For c and z, L's or U's diagonal must be real, as POTRF leaves it. Memory: none.
 * Source: LAPACK xLAUUM. */
TRIGON_API trigon_status trigon_lauum(trigon_context *ctx, trigon_uplo uplo, trigon_matrix A);
TRIGON_API trigon_status trigon_slauum(trigon_context *ctx, trigon_uplo uplo, int64_t n, float *A, int64_t lda);
TRIGON_API trigon_status trigon_dlauum(trigon_context *ctx, trigon_uplo uplo, int64_t n, double *A, int64_t lda);
TRIGON_API trigon_status trigon_clauum(trigon_context *ctx, trigon_uplo uplo, int64_t n, void *A, int64_t lda);
TRIGON_API trigon_status trigon_zlauum(trigon_context *ctx, trigon_uplo uplo, int64_t n, void *A, int64_t lda);

/* -------------------------------------------------------------------------- symmetric and Hermitian products -- */

/* SYRK: C = alpha·A·Aᵀ + beta·C (NOTRANS, A n × k) or alpha·Aᵀ·A + beta·C (TRANS, A k × n). Reads A, overwrites the
 * triangle `uplo` of C, n × n symmetric. CONJTRANS means TRANS for s and d and is refused for c and z. Memory: none.
 * Source: BLAS xSYRK. */
TRIGON_API trigon_status trigon_syrk(trigon_context *ctx, trigon_uplo uplo, trigon_op op, trigon_scalar alpha,
                                     trigon_matrix A, trigon_scalar beta, trigon_matrix C);
TRIGON_API trigon_status trigon_ssyrk(trigon_context *ctx, trigon_uplo uplo, trigon_op op, int64_t n, int64_t k,
                                      float alpha, const float *A, int64_t lda, float beta, float *C, int64_t ldc);
TRIGON_API trigon_status trigon_dsyrk(trigon_context *ctx, trigon_uplo uplo, trigon_op op, int64_t n, int64_t k,
                                      double alpha, const double *A, int64_t lda, double beta, double *C, int64_t ldc);
TRIGON_API trigon_status trigon_csyrk(trigon_context *ctx, trigon_uplo uplo, trigon_op op, int64_t n, int64_t k,
                                      trigon_scalar alpha, const void *A, int64_t lda, trigon_scalar beta, void *C,
                                      int64_t ldc);
TRIGON_API trigon_status trigon_zsyrk(trigon_context *ctx, trigon_uplo uplo, trigon_op op, int64_t n, int64_t k,
                                      trigon_scalar alpha, const void *A, int64_t lda, trigon_scalar beta, void *C,
                                      int64_t ldc);

/* HERK: C = alpha·A·Aᴴ + beta·C (NOTRANS, A n × k) or alpha·Aᴴ·A + beta·C (CONJTRANS, A k × n), alpha and beta real.
 * Reads A, overwrites the triangle `uplo` of C, n × n Hermitian; imaginary parts of C's diagonal are taken as zero and
 * set to zero (but for quick returns). Over s and d it is SYRK; TRANS is refused for c and z. Memory: none.
 * Source: BLAS xHERK. */
TRIGON_API trigon_status trigon_herk(trigon_context *ctx, trigon_uplo uplo, trigon_op op, double alpha, trigon_matrix A,
                                     double beta, trigon_matrix C);
TRIGON_API trigon_status trigon_cherk(trigon_context *ctx, trigon_uplo uplo, trigon_op op, int64_t n, int64_t k,
                                      float alpha, const void *A, int64_t lda, float beta, void *C, int64_t ldc);
TRIGON_API trigon_status trigon_zherk(trigon_context *ctx, trigon_uplo uplo, trigon_op op, int64_t n, int64_t k,
                                      double alpha, const void *A, int64_t lda, double beta, void *C, int64_t ldc);

/* SYR2K: C = alpha·A·Bᵀ + alpha·B·Aᵀ + beta·C (NOTRANS, A and B n × k) or alpha·Aᵀ·B + alpha·Bᵀ·A + beta·C (TRANS,
 * A and B k × n). Reads A and B, overwrites the triangle `uplo` of C, n × n symmetric. CONJTRANS as for SYRK.
 * Memory: none. Source: BLAS xSYR2K. */
TRIGON_API trigon_status trigon_syr2k(trigon_context *ctx, trigon_uplo uplo, trigon_op op, trigon_scalar alpha,
                                      trigon_matrix A, trigon_matrix B, trigon_scalar beta, trigon_matrix C);
TRIGON_API trigon_status trigon_ssyr2k(trigon_context *ctx, trigon_uplo uplo, trigon_op op, int64_t n, int64_t k,
                                       float alpha, const float *A, int64_t lda, const float *B, int64_t ldb,
                                       float beta, float *C, int64_t ldc);
TRIGON_API trigon_status trigon_dsyr2k(trigon_context *ctx, trigon_uplo uplo, trigon_op op, int64_t n, int64_t k,
                                       double alpha, const double *A, int64_t lda, const double *B, int64_t ldb,
                                       double beta, double *C, int64_t ldc);
TRIGON_API trigon_status trigon_csyr2k(trigon_context *ctx, trigon_uplo uplo, trigon_op op, int64_t n, int64_t k,
                                       trigon_scalar alpha, const void *A, int64_t lda, const void *B, int64_t ldb,
                                       trigon_scalar beta, void *C, int64_t ldc);
TRIGON_API trigon_status trigon_zsyr2k(trigon_context *ctx, trigon_uplo uplo, trigon_op op, int64_t n, int64_t k,
                                       trigon_scalar alpha, const void *A, int64_t lda, const void *B, int64_t ldb,
                                       trigon_scalar beta, void *C, int64_t ldc);

/* HER2K: C = alpha·A·Bᴴ + conj(alpha)·B·Aᴴ + beta·C (NOTRANS, A and B n × k) or alpha·Aᴴ·B + conj(alpha)·Bᴴ·A + beta·C
 * (CONJTRANS, A and B k × n), beta real. Reads A and B, overwrites the triangle `uplo` of C, n × n Hermitian; C's
 * diagonal and the flags as for HERK. Memory: none. Source: BLAS xHER2K. */
TRIGON_API trigon_status trigon_her2k(trigon_context *ctx, trigon_uplo uplo, trigon_op op, trigon_scalar alpha,
                                      trigon_matrix A, trigon_matrix B, double beta, trigon_matrix C);
TRIGON_API trigon_status trigon_cher2k(trigon_context *ctx, trigon_uplo uplo, trigon_op op, int64_t n, int64_t k,
                                       trigon_scalar alpha, const void *A, int64_t lda, const void *B, int64_t ldb,
                                       float beta, void *C, int64_t ldc);
TRIGON_API trigon_status trigon_zher2k(trigon_context *ctx, trigon_uplo uplo, trigon_op op, int64_t n, int64_t k,
                                       trigon_scalar alpha, const void *A, int64_t lda, const void *B, int64_t ldb,
                                       double beta, void *C, int64_t ldc);

/* SYMM: C = alpha·A·B + beta·C (LEFT, A m × m) or alpha·B·A + beta·C (RIGHT, A n × n), B and C m × n. A is symmetric,
 * only its triangle `uplo` is read. Reads B, overwrites C. Memory: none. Source: BLAS xSYMM. */
TRIGON_API trigon_status trigon_symm(trigon_context *ctx, trigon_side side, trigon_uplo uplo, trigon_scalar alpha,
                                     trigon_matrix A, trigon_matrix B, trigon_scalar beta, trigon_matrix C);
TRIGON_API trigon_status trigon_ssymm(trigon_context *ctx, trigon_side side, trigon_uplo uplo, int64_t m, int64_t n,
                                      float alpha, const float *A, int64_t lda, const float *B, int64_t ldb, float beta,
                                      float *C, int64_t ldc);
TRIGON_API trigon_status trigon_dsymm(trigon_context *ctx, trigon_side side, trigon_uplo uplo, int64_t m, int64_t n,
                                      double alpha, const double *A, int64_t lda, const double *B, int64_t ldb,
                                      double beta, double *C, int64_t ldc);
TRIGON_API trigon_status trigon_csymm(trigon_context *ctx, trigon_side side, trigon_uplo uplo, int64_t m, int64_t n,
                                      trigon_scalar alpha, const void *A, int64_t lda, const void *B, int64_t ldb,
                                      trigon_scalar beta, void *C, int64_t ldc);
TRIGON_API trigon_status trigon_zsymm(trigon_context *ctx, trigon_side side, trigon_uplo uplo, int64_t m, int64_t n,
                                      trigon_scalar alpha, const void *A, int64_t lda, const void *B, int64_t ldb,
                                      trigon_scalar beta, void *C, int64_t ldc);

/* HEMM: SYMM with a Hermitian A, whose diagonal's imaginary parts are taken as zero. Over s and d it is SYMM. Memory: none.
 * Source: BLAS xHEMM. */
TRIGON_API trigon_status trigon_hemm(trigon_context *ctx, trigon_side side, trigon_uplo uplo, trigon_scalar alpha,
                                     trigon_matrix A, trigon_matrix B, trigon_scalar beta, trigon_matrix C);
TRIGON_API trigon_status trigon_chemm(trigon_context *ctx, trigon_side side, trigon_uplo uplo, int64_t m, int64_t n,
                                      trigon_scalar alpha, const void *A, int64_t lda, const void *B, int64_t ldb,
                                      trigon_scalar beta, void *C, int64_t ldc);
TRIGON_API trigon_status trigon_zhemm(trigon_context *ctx, trigon_side side, trigon_uplo uplo, int64_t m, int64_t n,
                                      trigon_scalar alpha, const void *A, int64_t lda, const void *B, int64_t ldb,
                                      trigon_scalar beta, void *C, int64_t ldc);

/* ------------------------------------------------------------------------------------------ Cholesky family --
 * `info` lives where A lives, aligned to 8 bytes, and gets 0 or the failure's position, counted from 1 (the meaning
 * stands at each routine). Where it is NULL, trigon_finish returns the first non-zero one. One on a device is read like a
 * matrix of the same size: trigon_download of 1 × 1 elements of TRIGON_D into an int64_t. */

/* POTRF: A = LLᴴ (LOWER) or UᴴU (UPPER) of the symmetric or Hermitian positive definite A, n × n, in place: reads the
 * triangle `uplo` and overwrites it by L or U; imaginary parts of the diagonal are taken as zero.
 * info = i > 0: the leading minor of order i is not positive definite (or not a number); columns (LOWER) or rows
 * (UPPER) before i hold the factor, the rest of the triangle is unspecified. Memory: none. n³/3 flops.
 * Source: LAPACK xPOTRF. */
TRIGON_API trigon_status trigon_potrf(trigon_context *ctx, trigon_uplo uplo, trigon_matrix A, int64_t *info);
TRIGON_API trigon_status trigon_spotrf(trigon_context *ctx, trigon_uplo uplo, int64_t n, float *A, int64_t lda,
                                       int64_t *info);
TRIGON_API trigon_status trigon_dpotrf(trigon_context *ctx, trigon_uplo uplo, int64_t n, double *A, int64_t lda,
                                       int64_t *info);
TRIGON_API trigon_status trigon_cpotrf(trigon_context *ctx, trigon_uplo uplo, int64_t n, void *A, int64_t lda,
                                       int64_t *info);
TRIGON_API trigon_status trigon_zpotrf(trigon_context *ctx, trigon_uplo uplo, int64_t n, void *A, int64_t lda,
                                       int64_t *info);

/* POTRS: solves A·X = B with the factor of A that POTRF left in the triangle `uplo` of A, n × n; X overwrites B,
 * n × nrhs. Memory: none. Source: LAPACK xPOTRS. */
TRIGON_API trigon_status trigon_potrs(trigon_context *ctx, trigon_uplo uplo, trigon_matrix A, trigon_matrix B);
TRIGON_API trigon_status trigon_spotrs(trigon_context *ctx, trigon_uplo uplo, int64_t n, int64_t nrhs, const float *A,
                                       int64_t lda, float *B, int64_t ldb);
TRIGON_API trigon_status trigon_dpotrs(trigon_context *ctx, trigon_uplo uplo, int64_t n, int64_t nrhs, const double *A,
                                       int64_t lda, double *B, int64_t ldb);
TRIGON_API trigon_status trigon_cpotrs(trigon_context *ctx, trigon_uplo uplo, int64_t n, int64_t nrhs, const void *A,
                                       int64_t lda, void *B, int64_t ldb);
TRIGON_API trigon_status trigon_zpotrs(trigon_context *ctx, trigon_uplo uplo, int64_t n, int64_t nrhs, const void *A,
                                       int64_t lda, void *B, int64_t ldb);

/* POSV: POTRF of A, then POTRS: solves A·X = B; the factor overwrites the triangle `uplo` of A, n × n, and X overwrites
 * B, n × nrhs. info as POTRF's; where it is > 0, B is unchanged on the CPU, unspecified on a device. Memory: none.
 * Source: LAPACK xPOSV. */
TRIGON_API trigon_status trigon_posv(trigon_context *ctx, trigon_uplo uplo, trigon_matrix A, trigon_matrix B,
                                     int64_t *info);
TRIGON_API trigon_status trigon_sposv(trigon_context *ctx, trigon_uplo uplo, int64_t n, int64_t nrhs, float *A,
                                      int64_t lda, float *B, int64_t ldb, int64_t *info);
TRIGON_API trigon_status trigon_dposv(trigon_context *ctx, trigon_uplo uplo, int64_t n, int64_t nrhs, double *A,
                                      int64_t lda, double *B, int64_t ldb, int64_t *info);
TRIGON_API trigon_status trigon_cposv(trigon_context *ctx, trigon_uplo uplo, int64_t n, int64_t nrhs, void *A,
                                      int64_t lda, void *B, int64_t ldb, int64_t *info);
TRIGON_API trigon_status trigon_zposv(trigon_context *ctx, trigon_uplo uplo, int64_t n, int64_t nrhs, void *A,
                                      int64_t lda, void *B, int64_t ldb, int64_t *info);

/* POTRI: the triangle `uplo` of A⁻¹ from the factor that POTRF left there, n × n, in place (TRTRI, then LAUUM).
 * info = i > 0: the factor's element (i, i) is exactly zero; the triangle is unchanged then on the CPU, unspecified on
 * a device. Memory: none. 2n³/3 flops. Source: LAPACK xPOTRI. */
TRIGON_API trigon_status trigon_potri(trigon_context *ctx, trigon_uplo uplo, trigon_matrix A, int64_t *info);
TRIGON_API trigon_status trigon_spotri(trigon_context *ctx, trigon_uplo uplo, int64_t n, float *A, int64_t lda,
                                       int64_t *info);
TRIGON_API trigon_status trigon_dpotri(trigon_context *ctx, trigon_uplo uplo, int64_t n, double *A, int64_t lda,
                                       int64_t *info);
TRIGON_API trigon_status trigon_cpotri(trigon_context *ctx, trigon_uplo uplo, int64_t n, void *A, int64_t lda,
                                       int64_t *info);
TRIGON_API trigon_status trigon_zpotri(trigon_context *ctx, trigon_uplo uplo, int64_t n, void *A, int64_t lda,
                                       int64_t *info);

/* LOGDET: the natural logarithm of the determinant of a symmetric or Hermitian positive definite matrix, from the factor
 * that POTRF left in A, n × n: *logdet = 2·Σ log|a_ii|, in double precision for all types. Reads the diagonal of A alone;
 * imaginary parts are taken as zero. *logdet lives where A lives, aligned to 8 bytes, as info does; it is 0 if n is 0, -Inf
 * if the diagonal holds a zero, Inf if the diagonal holds an infinity, NaN if the diagonal holds a NaN or a zero and an
 * infinity. After a failed POTRF *logdet is unspecified. The error is at most 2·(n + 2)·2^-53·Σ|log a_ii| beyond that of
 * the factor, if each logarithm's error is at most 1 ulp (CUDA's; glibc's is smaller). On a device the sum has a fixed
 * order and the call waits for nothing. Memory: none. Source: no routine of LAPACK; log det A = 2·log det L. */
TRIGON_API trigon_status trigon_logdet(trigon_context *ctx, trigon_matrix A, double *logdet);
TRIGON_API trigon_status trigon_slogdet(trigon_context *ctx, int64_t n, const float *A, int64_t lda, double *logdet);
TRIGON_API trigon_status trigon_dlogdet(trigon_context *ctx, int64_t n, const double *A, int64_t lda, double *logdet);
TRIGON_API trigon_status trigon_clogdet(trigon_context *ctx, int64_t n, const void *A, int64_t lda, double *logdet);
TRIGON_API trigon_status trigon_zlogdet(trigon_context *ctx, int64_t n, const void *A, int64_t lda, double *logdet);

#ifdef __cplusplus
}
#endif

#endif /* TRIGON_H */

/* trigon_eigen.h - eigenvalues and eigenvectors of symmetric and Hermitian matrices.
 *
 * All conventions of trigon.h hold: column-major matrices, the context's memory, statuses, messages, info. The contexts
 * of the CPU and of one GPU have an eigensolver. Those of matrices in host memory that GPUs compute ("cuda:0:host")
 * return TRIGON_NOT_SUPPORTED. On a GPU w and info are device memory, and calls do not wait.
 *
 *  - Values are real and ascend. Vectors are orthonormal, and stand in A's columns in the order of the values. The
 *    signs (for C and Z: the phases) of vectors are arbitrary, and the same in each call with the same input, context
 *    and number of threads.
 *  - The imaginary parts of the diagonal of a Hermitian matrix are taken as zero.
 *  - Without vectors, the triangle `uplo` of A, with the diagonal, is overwritten by intermediate results, and the
 *    other triangle is untouched. With vectors, all of A is overwritten.
 *  - info = i > 0: column i of the triangle holds a NaN or an infinity, or i elements of an intermediate tridiagonal
 *    matrix did not converge to zero. Then the values, and A, are unspecified.
 *  - Matrices whose elements are near the ends of the range of the type are scaled by powers of two, as LAPACK does.
 *  - Memory: trigon_eigen_workspace tells how many bytes of workspace a call takes, beside those of products
 *    (trigon.h). They are allocated for the call (a GPU keeps them for the next one), or taken from the buffer of
 *    trigon_set_workspace. A call in a captured stream allocates nothing: make one of the same size before, or give a
 *    buffer. If the cap of trigon_set_workspace is smaller, the call returns TRIGON_NO_MEMORY, and nothing was written.
 *  - Products go through the context, so that trigon_set_fp64 concerns them, too. */
#ifndef TRIGON_EIGEN_H
#define TRIGON_EIGEN_H

#include <trigon.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is asked for: LAPACK's jobz. */
typedef enum trigon_job { TRIGON_VALUES = 151, TRIGON_VECTORS = 152 } trigon_job;

/* Which values: LAPACK's range. */
typedef enum trigon_range {
  TRIGON_RANGE_ALL = 161,
  TRIGON_RANGE_INTERVAL = 162, /* in (vl, vu] */
  TRIGON_RANGE_INDICES = 163   /* the il-th to the iu-th smallest, from 1 */
} trigon_range;

/* *bytes: the workspace that SYEVD, SYEVDX or SYGVD (HEEVD, ...) take for matrices of this type and order in this
 * context. A buffer of so many bytes suffices at any address. On the CPU about n² + 60·n elements for values, and not
 * more than 38·n elements and 10 MiB; 2·n² elements for vectors of S and D, and 1.5·n² for C and Z. On a GPU at most
 * 400·n elements for values; 3·n² elements for vectors of S and D, and 1.5·n² for C and Z. INT64_MAX for orders above
 * 2^28. Returns TRIGON_BAD_ARGUMENT, TRIGON_NOT_SUPPORTED. */
TRIGON_API trigon_status trigon_eigen_workspace(trigon_context *ctx, trigon_type type, trigon_job job, int64_t n,
                                                int64_t *bytes);

/* SYEVD, HEEVD: all eigenvalues of a symmetric or Hermitian matrix, and with TRIGON_VECTORS its eigenvectors:
 * A·x = λ·x. A is n × n; reads its triangle `uplo`, overwrites A as told above. w receives n values. The matrix is
 * reduced to tridiagonal form (LAPACK xSYTRD); then QL iterations find the values, or divide and conquer finds values
 * and vectors (LAPACK xSTEDC). Source: LAPACK xSYEVD, xHEEVD. */
TRIGON_API trigon_status trigon_ssyevd(trigon_context *ctx, trigon_job job, trigon_uplo uplo, int64_t n, float *A,
                                       int64_t lda, float *w, int64_t *info);
TRIGON_API trigon_status trigon_dsyevd(trigon_context *ctx, trigon_job job, trigon_uplo uplo, int64_t n, double *A,
                                       int64_t lda, double *w, int64_t *info);
TRIGON_API trigon_status trigon_cheevd(trigon_context *ctx, trigon_job job, trigon_uplo uplo, int64_t n, void *A,
                                       int64_t lda, float *w, int64_t *info);
TRIGON_API trigon_status trigon_zheevd(trigon_context *ctx, trigon_job job, trigon_uplo uplo, int64_t n, void *A,
                                       int64_t lda, double *w, int64_t *info);

/* SYEVD and HEEVD of a batch: the eigenproblems of `count` matrices, A[b] of order n[b] (or all of order n), as SYEVD
 * computes each of them. w[b] receives n[b] values. Arrays, strides, max_n, and errors of matrices are those of POTRF
 * of a batch (trigon_spotrf_batch); w is an array of addresses, and in functions _strided the values of matrix b begin
 * b·strideW numbers behind w, strideW >= n. info[b] is positive as in SYEVD: then the values and vectors of matrix b
 * are unspecified. It is negative if an entry is wrong, and then matrix b is not touched: n -3, A -4, lda -5, w -6. The
 * other matrices are computed. Without vectors the triangle of A[b] is unspecified afterwards.
 *
 * On the CPU each thread computes whole matrices, and several real ones of orders up to 32 at once. Memory: for each
 * thread the workspace of the largest matrix (trigon_eigen_workspace), or 142 KiB for types s and d if that is more. If
 * the cap of trigon_set_workspace is smaller, matrices are computed one by one, and fewer threads compute; if one
 * thread does not have enough, the call returns TRIGON_NO_MEMORY, and nothing was written.
 *
 * On one GPU a thread computes a matrix of an order up to 4, a block of threads a larger one up to order 512: in its
 * shared memory up to order 128 (64 on GPUs before Hopper; of type z 104 and 32), above in the place of A. Such calls
 * take no workspace, and wait for nothing if arrays lie on the device. Only the device knows the orders of functions
 * _batch, so that these need 0 < max_n <= 512, or return TRIGON_NOT_SUPPORTED. Functions _strided compute larger
 * matrices one after the other, as SYEVD does, with its workspace.
 * Source: LAPACK xSYEVD, xHEEVD; H. Rutishauser (Numer. Math. 9, 1966). */
TRIGON_API trigon_status trigon_ssyevd_batch(trigon_context *ctx, trigon_job job, trigon_uplo uplo, int64_t count,
                                             int64_t max_n, const int64_t *n, float *const *A, const int64_t *lda,
                                             float *const *w, int64_t *info);
TRIGON_API trigon_status trigon_dsyevd_batch(trigon_context *ctx, trigon_job job, trigon_uplo uplo, int64_t count,
                                             int64_t max_n, const int64_t *n, double *const *A, const int64_t *lda,
                                             double *const *w, int64_t *info);
TRIGON_API trigon_status trigon_cheevd_batch(trigon_context *ctx, trigon_job job, trigon_uplo uplo, int64_t count,
                                             int64_t max_n, const int64_t *n, void *const *A, const int64_t *lda,
                                             float *const *w, int64_t *info);
TRIGON_API trigon_status trigon_zheevd_batch(trigon_context *ctx, trigon_job job, trigon_uplo uplo, int64_t count,
                                             int64_t max_n, const int64_t *n, void *const *A, const int64_t *lda,
                                             double *const *w, int64_t *info);
TRIGON_API trigon_status trigon_ssyevd_strided(trigon_context *ctx, trigon_job job, trigon_uplo uplo, int64_t count,
                                               int64_t n, float *A, int64_t lda, int64_t strideA, float *w,
                                               int64_t strideW, int64_t *info);
TRIGON_API trigon_status trigon_dsyevd_strided(trigon_context *ctx, trigon_job job, trigon_uplo uplo, int64_t count,
                                               int64_t n, double *A, int64_t lda, int64_t strideA, double *w,
                                               int64_t strideW, int64_t *info);
TRIGON_API trigon_status trigon_cheevd_strided(trigon_context *ctx, trigon_job job, trigon_uplo uplo, int64_t count,
                                               int64_t n, void *A, int64_t lda, int64_t strideA, float *w,
                                               int64_t strideW, int64_t *info);
TRIGON_API trigon_status trigon_zheevd_strided(trigon_context *ctx, trigon_job job, trigon_uplo uplo, int64_t count,
                                               int64_t n, void *A, int64_t lda, int64_t strideA, double *w,
                                               int64_t strideW, int64_t *info);

/* SYEVDX, HEEVDX: a part of the values, and of the vectors; the rest as in SYEVD. vl and vu are read for
 * TRIGON_RANGE_INTERVAL (vl < vu), il and iu for TRIGON_RANGE_INDICES (1 <= il <= iu <= n, or n == 0). *found, if
 * found is not NULL, receives how many values were found; like info it is where A is. w must have room for n values,
 * and begins with those found. The vectors are the first *found columns of A, which must have n columns; the others are
 * unspecified. With few vectors, the product with the reflectors and the last merge of divide and conquer take less
 * time in proportion. On a GPU, TRIGON_RANGE_INTERVAL takes the time of all vectors, because nothing waits for their
 * number. Source: LAPACK xSYEVR's arguments,
 * MAGMA's xSYEVDX. */
TRIGON_API trigon_status trigon_ssyevdx(trigon_context *ctx, trigon_job job, trigon_range range, trigon_uplo uplo,
                                        int64_t n, float *A, int64_t lda, float vl, float vu, int64_t il, int64_t iu,
                                        int64_t *found, float *w, int64_t *info);
TRIGON_API trigon_status trigon_dsyevdx(trigon_context *ctx, trigon_job job, trigon_range range, trigon_uplo uplo,
                                        int64_t n, double *A, int64_t lda, double vl, double vu, int64_t il, int64_t iu,
                                        int64_t *found, double *w, int64_t *info);
TRIGON_API trigon_status trigon_cheevdx(trigon_context *ctx, trigon_job job, trigon_range range, trigon_uplo uplo,
                                        int64_t n, void *A, int64_t lda, float vl, float vu, int64_t il, int64_t iu,
                                        int64_t *found, float *w, int64_t *info);
TRIGON_API trigon_status trigon_zheevdx(trigon_context *ctx, trigon_job job, trigon_range range, trigon_uplo uplo,
                                        int64_t n, void *A, int64_t lda, double vl, double vu, int64_t il, int64_t iu,
                                        int64_t *found, double *w, int64_t *info);

/* SYGST, HEGST: reduces a generalized problem to a standard one, in place: A = L⁻¹·A·L⁻ᴴ (itype 1) or Lᴴ·A·L (itype 2
 * and 3), with B = L·Lᴴ or Uᴴ·U factored by POTRF. A and B are n × n; reads the triangle `uplo` of both, overwrites
 * that of A. Needs an eigensolver's context, as the other functions here. Memory: none on the CPU, and min(n, 1024)²
 * elements on a GPU. Source: LAPACK xSYGST, xHEGST. */
TRIGON_API trigon_status trigon_ssygst(trigon_context *ctx, int itype, trigon_uplo uplo, int64_t n, float *A,
                                       int64_t lda, const float *B, int64_t ldb);
TRIGON_API trigon_status trigon_dsygst(trigon_context *ctx, int itype, trigon_uplo uplo, int64_t n, double *A,
                                       int64_t lda, const double *B, int64_t ldb);
TRIGON_API trigon_status trigon_chegst(trigon_context *ctx, int itype, trigon_uplo uplo, int64_t n, void *A,
                                       int64_t lda, const void *B, int64_t ldb);
TRIGON_API trigon_status trigon_zhegst(trigon_context *ctx, int itype, trigon_uplo uplo, int64_t n, void *A,
                                       int64_t lda, const void *B, int64_t ldb);

/* SYGVD, HEGVD: all values, and with TRIGON_VECTORS the vectors, of A·x = λ·B·x (itype 1), A·B·x = λ·x (2) or
 * B·A·x = λ·x (3). A is symmetric or Hermitian, B positive definite, both n × n; reads the triangle `uplo` of both.
 * Overwrites A as SYEVD does, and B by its Cholesky factor: a caller with several matrices A and one B factors B once,
 * and calls SYGST, SYEVD, and TRSM (or, for itype 3, TRMM) for the vectors. They are normalized so that xᴴ·B·x = 1
 * (itypes 1 and 2) or xᴴ·B⁻¹·x = 1 (itype 3). info = n + i: the leading block of order i of B is not positive definite;
 * then A is untouched on the CPU, and unspecified on a GPU, which does not wait for that. Source: LAPACK xSYGVD,
 * xHEGVD. */
TRIGON_API trigon_status trigon_ssygvd(trigon_context *ctx, int itype, trigon_job job, trigon_uplo uplo, int64_t n,
                                       float *A, int64_t lda, float *B, int64_t ldb, float *w, int64_t *info);
TRIGON_API trigon_status trigon_dsygvd(trigon_context *ctx, int itype, trigon_job job, trigon_uplo uplo, int64_t n,
                                       double *A, int64_t lda, double *B, int64_t ldb, double *w, int64_t *info);
TRIGON_API trigon_status trigon_chegvd(trigon_context *ctx, int itype, trigon_job job, trigon_uplo uplo, int64_t n,
                                       void *A, int64_t lda, void *B, int64_t ldb, float *w, int64_t *info);
TRIGON_API trigon_status trigon_zhegvd(trigon_context *ctx, int itype, trigon_job job, trigon_uplo uplo, int64_t n,
                                       void *A, int64_t lda, void *B, int64_t ldb, double *w, int64_t *info);

/* SYEVD, SYEVDX, SYGST and SYGVD over matrices: A and B are n × n, of any type, and Hermitian for C and Z. w points to
 * room for n values of the real type of A's precision. All else is as in the functions with LAPACK's arguments. */
TRIGON_API trigon_status trigon_syevd(trigon_context *ctx, trigon_job job, trigon_uplo uplo, trigon_matrix A, void *w,
                                      int64_t *info);
TRIGON_API trigon_status trigon_syevdx(trigon_context *ctx, trigon_job job, trigon_range range, trigon_uplo uplo,
                                       trigon_matrix A, double vl, double vu, int64_t il, int64_t iu, int64_t *found,
                                       void *w, int64_t *info);
TRIGON_API trigon_status trigon_sygst(trigon_context *ctx, int itype, trigon_uplo uplo, trigon_matrix A,
                                      trigon_matrix B);
TRIGON_API trigon_status trigon_sygvd(trigon_context *ctx, int itype, trigon_job job, trigon_uplo uplo, trigon_matrix A,
                                      trigon_matrix B, void *w, int64_t *info);

/* STEDC: all eigenvalues of a real symmetric tridiagonal matrix T, and with TRIGON_VECTORS its eigenvectors, by divide
 * and conquer. d has the n elements of the diagonal, and receives the values; e has the n - 1 elements beside the
 * diagonal, and is not changed. Z is n × n, is only written, and receives the vectors; with TRIGON_VALUES Z is not
 * touched, and may be NULL. The vectors of A = Q·T·Qᴴ are Q·Z. info = i > 0: row i holds a NaN or an infinity, or i
 * elements of e did not converge to zero. Memory: at most what trigon_eigen_workspace tells for n and this job. Source:
 * LAPACK xSTEDC with compz = 'N' or 'I'. */
TRIGON_API trigon_status trigon_sstedc(trigon_context *ctx, trigon_job job, int64_t n, float *d, const float *e,
                                       float *Z, int64_t ldz, int64_t *info);
TRIGON_API trigon_status trigon_dstedc(trigon_context *ctx, trigon_job job, int64_t n, double *d, const double *e,
                                       double *Z, int64_t ldz, int64_t *info);

/* STEBZ: a part of the eigenvalues of such a matrix. d and e are not changed; range, vl, vu, il, iu, found and w are as
 * in SYEVDX, info and the memory as in STEDC. On a GPU by bisection, on the CPU by QL iterations. Source: LAPACK
 * xSTEBZ. */
TRIGON_API trigon_status trigon_sstebz(trigon_context *ctx, trigon_range range, int64_t n, float vl, float vu,
                                       int64_t il, int64_t iu, const float *d, const float *e, int64_t *found, float *w,
                                       int64_t *info);
TRIGON_API trigon_status trigon_dstebz(trigon_context *ctx, trigon_range range, int64_t n, double vl, double vu,
                                       int64_t il, int64_t iu, const double *d, const double *e, int64_t *found,
                                       double *w, int64_t *info);

#ifdef __cplusplus
}
#endif

#endif

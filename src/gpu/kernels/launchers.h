/* launchers.h - the launchers of all kernels, callable from C.
 *
 * A kernel knows one case: lower, forward, on the left. The other cases become this case by other strides: see
 * common/fold.h. An operand has a stride along rows, a stride along columns, and a flag for the conjugate. Strides may
 * be negative.
 *
 * Launches are asynchronous and take no memory. Sizes are >= 0. If the output is empty, nothing is launched. A launcher
 * returns the error of the launch. Its kernels are loaded already (registry.h). */
#ifndef TRIGON_LAUNCHERS_H
#define TRIGON_LAUNCHERS_H

#include "common/fold_flags.h"
#include "common/panel_schedule.h"
#include "core/matrix_batch.h"
#include "core/tile_shape.h"
#include "gpu/arch/arch.h"
#include "gpu/vendor/vendor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Streams for launches that may run beside those of a queue's own stream (launch.h). `begun` orders a side stream
 * behind the queue's stream. `done` orders the queue's stream behind a side stream. */
enum { sides_of_queue = 2 };
typedef struct side_streams {
  cudaEvent_t begun;
  struct {
    cudaStream_t stream;
    cudaEvent_t done;
  } side[sides_of_queue];
} side_streams;

/* The stream of a launch, which kernels its device has, and the tables from which launchers choose. */
typedef struct queue {
  cudaStream_t stream;
  gpu_features has;
  const gpu_arch *arch;
  const side_streams *sides; /* NULL: there are none */
} queue;

cudaError_t launch_gemm(queue, trigon_type, const product *);

cudaError_t launch_trsm(queue, trigon_type, const triangular *);

/* Words in device memory by which the blocks of a launch wait for each other (vendor.h). They hold zeros between calls.
 * Most launches leave zeros behind, and use the words alone. Those of POTRF, TRSM, TRTRI and POTRI of batches do not:
 * the words hold the sizes of their lists from launch to launch, and several launches use the words at once. */
enum { dataflow_flags = 10000 };
typedef struct dataflow_words {
  unsigned *ticket, *arrived, *flags; /* dataflow_flags flags */
} dataflow_words;

/* Of dataflow leaves. On matrix units tiles have this shape (core/tile_shape.h). If the rows are 0, or if the routine
 * has no such tiles, the launcher chooses the shape. */
typedef struct dataflow_setup {
  dataflow_words words;
  void *space; /* device memory that nobody else uses during the launch, and its size */
  int64_t space_bytes;
  tile_shape shape;
} dataflow_setup;
cudaError_t launch_trsm_dataflow(queue, trigon_type, const triangular *, const dataflow_setup *);
cudaError_t launch_trsm_mma(queue, const triangular *, const dataflow_setup *); /* of doubles, on matrix units */
cudaError_t launch_trmm_dataflow(queue, trigon_type, const triangular *, const dataflow_setup *);

/* Products and updates with vectors, which read or write a matrix once. There is one matrix. The rows or the columns of
 * the large matrix should be neighbours in memory, in either order; a vector may have any stride. The setup's shape
 * names tiles by their rows alone.
 *
 * The product's B and C have one column. alpha is not 0, k is not 0, and there is no A2. */
cudaError_t launch_product_vector(queue, trigon_type, const product *, const dataflow_setup *);
/* The product with a symmetric or Hermitian A whose B and C have a few columns: more than one, and no more than
 * symm_most_columns. alpha is not 0, the order is not 0, and there is one matrix. */
enum { symm_most_columns = 64 };
cudaError_t launch_symm_columns(queue, trigon_type, const product *, const dataflow_setup *);
/* TRMM of one column. */
cudaError_t launch_trmm_vector(queue, trigon_type, const triangular *, const dataflow_setup *);
/* The product's k is 1. C is computed as a whole, or its lower triangle. */
cudaError_t launch_update_vectors(queue, trigon_type, const product *, const dataflow_setup *);

/* Whether the plugin has kernels for matrix units that run on the device, which is the current device. */
cudaError_t find_mma(int device, bool *has);
cudaError_t find_int8_mma(int device, bool *has); /* products of bytes on matrix units */
cudaError_t launch_trmm(queue, trigon_type, const triangular *);

/* The lower triangles A, of order n, of `count` matrices are overwritten. POTRF: by the Cholesky factor L, A = L·Lᴴ.
 * TRTRI: by the inverse X, with a small residual X·A - I. LAUUM: by the lower triangle of Aᴴ·A. */
typedef struct factor {
  int64_t n, count;
  bool unit;
  operand A;
  /* POTRF and the check of a diagonal record the first column that fails, unless *failure is smaller. The first column
   * of matrix b has the number column + b·column_step + 1. */
  unsigned long long *failure;
  int64_t column, column_step;
} factor;
cudaError_t launch_potrf(queue, trigon_type, const factor *);

/* What rows of a kind of GPU can name: the kernels of batched routines for a type, and the tiles of dataflow leaves on
 * matrix units. NULL: there are no more than `at`. */
const batch_kernel *potrf_batch_kernel(trigon_type, int at);
const batch_kernel *posv_batch_kernel(trigon_type, int at);
const batch_kernel *inverse_batch_kernel(trigon_type, int at);
const batch_kernel *trsm_batch_kernel(trigon_type, int at);
const tile_shape *trsm_dataflow_tile(int at);
const tile_shape *trmm_dataflow_tile(int at);
const tile_shape *trtri_dataflow_tile(int at);
const tile_shape *lauum_dataflow_tile(int at);

/* Whether a class of orders may end with this one (kernels/batch/batch_bins.h). */
bool batch_bin_ends(int64_t order);

/* A batched call of a routine, as far as it has these flags and scalars. The launches below leave out the matrices
 * whose info is not 0, unless the batch has no infos. No batch is empty. */
typedef struct batch_task {
  matrix_batch of;
  trigon_side side;
  trigon_uplo uplo;
  trigon_op op, opB, adjoint;
  trigon_diag diag;
  trigon_scalar alpha, beta;
  int64_t done;       /* POTRF, inverses: orders up to this one are done already. TRSM: those with few columns are */
  bool twice;         /* TRSM: solves with op(A), and then with its adjoint; alpha is 1 */
  bool product, both; /* launch_invert_batch */
} batch_task;

/* Stores an info for each matrix: what is wrong with its entries, or 0. */
cudaError_t launch_check_batch(queue, trigon_type, const batch_task *);

/* The Cholesky factors of a batch, and the infos. If the entries are checked, matrices whose info is not 0 are left
 * out. The setup's space is for lists of matrices; the flags are used as words. */
cudaError_t launch_potrf_batch(queue, trigon_type, const batch_task *, const dataflow_setup *);

/* POTRF of a batch by the paper's schedules SSDE and DSSE. Factors the matrices of orders up to `most`, and leaves the
 * others as they are. The entries are checked already. Each iteration is a launch, and each row of a panel has a
 * thread, so that `most` is at most potrf_panel_rows. */
enum { potrf_panel_rows = TG_TILE(96, 1024) };
cudaError_t launch_potrf_panels(queue, trigon_type, const batch_task *, anchoring, int64_t most);

/* POTRF of a batch by launches from the device (only if TG_DEVICE_LAUNCHES is 1). Factors the matrices of orders up to
 * potrf_device_rows: what the host allows kernels beyond TG_SHARED_BYTES need not hold for launches from the device,
 * and a row takes 64 bytes. `parents` threads launch, or one for each matrix if that is 0, and for no more than
 * `together` matrices at once. If a launch fails, the matrix's info becomes -100, and its contents are unspecified. */
enum { potrf_device_rows = TG_SHARED_BYTES / 64 };
cudaError_t launch_potrf_from_device(queue, trigon_type, const batch_task *, int64_t parents, int64_t together);

/* The highest order that a matrix may have. */
static inline int64_t most_order(const matrix_batch *b) {
  return !b->n.of ? b->n.all : b->max_n > 0 ? b->max_n : INT64_MAX;
}

/* POSV of the matrices up to the order that is stored in t->done, and the infos of all; the entries are checked then.
 * Matrices with more than posv_columns right-hand sides are only factored. If no matrix can have such an order, nothing
 * is launched, and the entries are not checked. The word `ticket` is zero, and stays so. */
cudaError_t launch_posv_batch(queue, trigon_type, batch_task *t, unsigned *ticket);

/* B = alpha·op(A)⁻¹·B and alpha·op(A)·B, or from the right; alpha is not 0. TRSM stores the infos of wrong entries,
 * too, unless the entries are checked or there are no infos. Its setup is that of launch_potrf_batch. */
cudaError_t launch_trsm_batch(queue, trigon_type, const batch_task *, const dataflow_setup *);
cudaError_t launch_trmm_batch(queue, trigon_type, const batch_task *);

/* C = alpha·op(A)·opB(B) + beta·C; or, if the batch has no B, the triangle of C = alpha·A·Aᴴ + beta·C. */
cudaError_t launch_product_batch(queue, trigon_type, const batch_task *);

/* TRTRI: the inverses of triangles. If a diagonal that is not unit holds an exact zero, the triangle stays as it is,
 * and its info becomes the zero's number, from 1. With `product`, POTRI: the triangles of LᴴL or UUᴴ of the inverses,
 * and with `both` also the other triangles. Infos of wrong entries are stored, too, unless the entries are checked. The
 * setup is that of launch_potrf_batch. */
cudaError_t launch_invert_batch(queue, trigon_type, const batch_task *, const dataflow_setup *);
/* Its steps for orders above `done`, for every type on every GPU: the inverses; the products; the adjoints of triangles
 * in the other triangles. The entries are checked. */
cudaError_t launch_trtri_batch(queue, trigon_type, const batch_task *);
cudaError_t launch_lauum_batch(queue, trigon_type, const batch_task *);
cudaError_t launch_mirror_batch(queue, trigon_type, const batch_task *);
cudaError_t launch_potrf_dataflow(queue, trigon_type, const factor *, const dataflow_setup *);
cudaError_t launch_trtri(queue, trigon_type, const factor *);
cudaError_t launch_lauum(queue, trigon_type, const factor *);

/* TRTRI and LAUUM as dataflow leaves. Matrices of too many tiles for the flags go to the leaves above. */
cudaError_t launch_trtri_dataflow(queue, trigon_type, const factor *, const dataflow_setup *);
cudaError_t launch_lauum_dataflow(queue, trigon_type, const factor *, const dataflow_setup *);

/* Records the first exact zero on the diagonals. */
cudaError_t launch_check_diagonal(queue, trigon_type, const factor *);

/* Copies a triangle, which is not empty. */
cudaError_t launch_copy_triangle(queue, trigon_type, const triangle_copy *);

/* *logdet = 2·Σ log|real part| over the diagonal of A, of order n; 0 if n is 0. */
typedef struct log_sum {
  int64_t n;
  operand A;
  double *logdet;
} log_sum;
cudaError_t launch_logdet(queue, trigon_type, const log_sum *);

/* The value of *failure if no column has failed. */
static const unsigned long long no_failure = ~0ull;

/* Ends a call. *info gets the failure, or 0. If info is NULL, *kept gets the failure, unless *kept holds an earlier
 * one. *failure becomes no_failure. */
typedef struct outcome {
  unsigned long long *failure;
  int64_t *info, *kept;
} outcome;
cudaError_t launch_outcome(queue, const outcome *);

/* If the info of a vendor's factorization is positive, records it in *failure as POTRF records a failure. */
typedef struct vendor_info {
  const int *info;
  int64_t column; /* is added to *info */
  unsigned long long *failure;
} vendor_info;
cudaError_t launch_vendor_info(queue, const vendor_info *);

/* A batch for the vendor's routine: stores the addresses of all matrices and clears the vendor's infos, and afterwards
 * turns those into infos. */
typedef struct vendor_batch {
  batch_operand A;
  int64_t count;
  void **addresses;
  int *infos;
  int64_t *info;
} vendor_batch;
cudaError_t launch_vendor_addresses(queue, const vendor_batch *);
cudaError_t launch_vendor_infos(queue, const vendor_batch *);

/* Keeps the stream busy for about this number of nanoseconds. */
typedef struct delay {
  unsigned long long nanoseconds;
} delay;
cudaError_t launch_delay(queue, const delay *);

#ifdef __cplusplus
}
#endif

#endif

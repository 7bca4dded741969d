/* batch_members.h - the matrices of a batch in kernels: the block that computes a matrix folds it to a leaf's problem.
 *
 * Blocks take the matrices in turn. If the batch has few matrices, several blocks share each of them: the blocks take
 * the parts of a matrix in turn. */
#ifndef TRIGON_BATCH_MEMBERS_H
#define TRIGON_BATCH_MEMBERS_H

#include "launch.h"
#include "operand.h"

/* A batched call, and how many blocks share a matrix. */
struct member_task {
  batch_task batch;
  int64_t share;

  /* Calls work(matrix, first part, distance to the next part) for the block's share of all matrices that are left. */
  template <class Work> __device__ void each(Work work) const {
    const matrix_batch &b = batch.of;
    for (int64_t at = blockIdx.x; at < b.count * share; at += gridDim.x) {
      const int64_t i = at / share;
      if (!b.info || b.info[i] == 0) work(i, at % share, share);
    }
  }
};

/* Reads sizes and addresses of matrix i from the arrays, so that later no load waits for another one. */
__device__ inline void read_entries(const matrix_batch &b, int64_t i) {
  int64_t n = size_at(&b.n, i), k = size_at(&b.k, i), lda = ld_at(&b.A, i), ldb = ld_at(&b.B, i);
  int64_t first = reinterpret_cast<int64_t>(address_at(&b.A, i)),
          other = reinterpret_cast<int64_t>(address_at(&b.B, i));
  tg_forget(n), tg_forget(k), tg_forget(lda), tg_forget(ldb), tg_forget(first), tg_forget(other);
}

__device__ inline operand stored_operand(const batch_operand &X, int64_t i) {
  return {address_at(&X, i), 1, ld_at(&X, i), 0, false};
}

template <class T> __device__ inline triangular triangular_of(const batch_task &t, trigon_op op, int64_t i) {
  const matrix_batch &b = t.of;
  triangular p = {};
  p.n = size_named(&b, b.A.rows, i), p.width = size_named(&b, t.side == TRIGON_LEFT ? b.B.cols : b.B.rows, i);
  p.count = 1, p.unit = t.diag == TRIGON_UNIT, p.alpha = t.alpha;
  p.L = stored_operand(b.A, i), p.B = stored_operand(b.B, i);
  return fold_triangle_flags(sizeof(T), t.side, t.uplo, op, p);
}

/* The first exact zero on the diagonal of A, or n. All threads of the block call this. Ends with a barrier. */
template <class T> __device__ inline int64_t first_zero(unsigned long long *word, const matrix<T> &A, int64_t n) {
  if (threadIdx.x == 0) *word = static_cast<unsigned long long>(n);
  __syncthreads();
  for (int64_t i = threadIdx.x; i < n; i += blockDim.x)
    if (is_zero(*A.at(i, i))) tg_atomic_min(word, static_cast<unsigned long long>(i));
  __syncthreads();
  const int64_t found = static_cast<int64_t>(*word);
  __syncthreads();
  return found;
}

/* The adjoint of op(A), if op(A) is A or its adjoint. */
__device__ inline trigon_op adjoint_of(trigon_op op) {
  return op == TRIGON_NOTRANS ? TRIGON_CONJTRANS : TRIGON_NOTRANS;
}

/* An upper triangle becomes the lower one of Aᵀ. */
__device__ inline factor factor_of(const batch_task &t, int64_t i) {
  const operand A = stored_operand(t.of.A, i);
  factor p = {};
  p.n = size_named(&t.of, t.of.A.rows, i), p.count = 1, p.unit = t.diag == TRIGON_UNIT;
  p.A = t.uplo == TRIGON_LOWER ? A : transposed(A);
  return p;
}

/* m = 0: there is nothing to compute. */
__device__ inline product product_of(const batch_task &t, int64_t i) {
  const matrix_batch &b = t.of;
  const bool update = b.B.position == 0, none = t.alpha.re == 0 && t.alpha.im == 0;
  product p = {};
  p.m = size_named(&b, b.C.rows, i), p.n = size_named(&b, b.C.cols, i), p.k = none ? 0 : size_at(&b.k, i), p.count = 1;
  p.alpha = t.alpha, p.beta = t.beta;
  p.A = stored_operand(b.A, i), p.B = stored_operand(update ? b.A : b.B, i), p.C = stored_operand(b.C, i);
  if (p.k == 0 && t.beta.re == 1 && t.beta.im == 0) p.m = 0;
  return update ? fold_update_flags(t.uplo, t.op, t.adjoint, false, p) : fold_gemm_flags(t.op, t.opB, p);
}

/* Launches a kernel whose blocks take matrices, with SHARED bytes of shared memory. `shares`: several blocks may share
 * a matrix. */
template <class G, void (*KERNEL)(member_task), size_t SHARED = sizeof(typename G::workspace)>
inline cudaError_t launch_members(queue q, const batch_task *t, bool shares) {
  constexpr int64_t ENOUGH = 1024; /* blocks that keep a GPU busy */
  const member_task task = {*t, shares ? (ENOUGH + t->of.count - 1) / t->of.count : 1};
  const int64_t all = blocks_for(t->of.count * task.share, G::THREADS);
  return launch_kernel(q, registered<KERNEL, SHARED>(), all, G::THREADS, task);
}

#endif

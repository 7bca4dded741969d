/* trtri_step.cu - the leaf kernel of TRTRI: one block of threads takes a matrix, tile by tile, in place. */
#include "gpu/kernels/batch_members.h"
#include "gpu/kernels/diagonal/triangular_step.h"

/* L is the diagonal tile of A at (j0, j0). Solves X·L = -A21 for the rows below the tile, and X·L = I for the tile
 * itself. The transposed problem, with rows and columns reversed, is a forward solve from the left. */
template <class T>
__device__ inline void invert_column(typename leaf<T>::workspace &shared, const matrix<T> &A, bool unit, int64_t j0,
                                     int64_t j_end, int64_t n) {
  using G = leaf<T>;
  const int64_t order = j_end - j0;
  const matrix<T> tile = A.from(j_end - 1, j_end - 1);
  const matrix<T> L = {tile.data, -tile.col, -tile.row, false, FULL, false};
  const matrix<T> below = A.from(j_end, j_end - 1), rows = {below.data, -below.col, below.row, false, FULL, false};
  const matrix<T> own = A.from(j0, j_end - 1), own_rows = {own.data, -own.col, own.row, false, FULL, false};
  const T minus = make(T{}, real_of<T>(-1), real_of<T>(0));
  for (int64_t r = 0; r < n - j_end; r += G::WIDTH)
    solve_step<leaf<T>>(shared, L, rows, unit, minus, 0, order, r, n - j_end);

  finish_diagonal<T>(shared.triangle, begin_diagonal(L, unit, 0, order));
  each<G::WIDTH, G::ORDER, G::THREADS>(true,
                                       [&](int f, int s) { shared.tile[s][f] = f == order - 1 - s ? one<T>() : T{}; });
  solve_tile<leaf<T>>(shared);
  each<G::WIDTH, G::ORDER, G::THREADS>(false, [&](int r, int s) {
    const int64_t c = order - 1 - s; /* the tile's column */
    if (r < order && c >= 0 && (unit ? r > c : r >= c)) *own_rows.at(s, r) = shared.tile[s][r];
  });
  __syncthreads();
}

/*   [ A11     ]⁻¹   from the last tile to the first:   A21 = A22⁻¹·A21, with A22⁻¹ in place already
 *   [ A21 A22 ]                                        A21 = -A21·A11⁻¹, A11 = A11⁻¹ by substitution with A11 */
template <class T> __device__ inline void trtri(typename leaf<T>::workspace &shared, const factor &p, int64_t b) {
  using G = leaf<T>;
  const matrix<T> A = matrix_of<T>(p.A, b);
  for (int64_t j0 = (p.n - 1) / G::ORDER * G::ORDER; j0 >= 0; j0 -= G::ORDER) {
    const int64_t j_end = least(j0 + G::ORDER, p.n), below = p.n - j_end;
    if (below > 0) {
      const matrix<T> A22 = A.from(j_end, j_end), A21 = A.from(j_end, j0);
      for (int64_t i = (below - 1) / G::ORDER * G::ORDER; i >= 0; i -= G::ORDER)
        multiply_step<typename G::base>(shared.stage, shared.tile, A22, A21, p.unit, one<T>(), i,
                                        least(i + G::ORDER, below), 0, j_end - j0);
    }
    invert_column<T>(shared, A, p.unit, j0, j_end, p.n);
  }
}

template <class T> __global__ void __launch_bounds__(leaf<T>::THREADS) trtri_kernel(factor p) {
  typename leaf<T>::workspace &shared = *tg_shared<typename leaf<T>::workspace>();
  for (int64_t b = blockIdx.x; b < p.count; b += gridDim.x) trtri<T>(shared, p, b);
}

/* A triangle with a zero on its diagonal stays as it is, and its info says where. */
template <class T> __global__ void __launch_bounds__(leaf<T>::THREADS) trtri_batch_kernel(member_task t) {
  typename leaf<T>::workspace &shared = *tg_shared<typename leaf<T>::workspace>();
  t.each([&](int64_t i, int64_t, int64_t) {
    const factor p = factor_of(t.batch, i);
    if (p.n <= t.batch.done) return;
    const matrix<T> A = matrix_of<T>(p.A, 0);
    const int64_t zero = p.unit ? p.n : first_zero(reinterpret_cast<unsigned long long *>(&shared), A, p.n);
    if (zero == p.n)
      trtri<T>(shared, p, 0);
    else if (threadIdx.x == 0)
      t.batch.of.info[i] = zero + 1;
  });
}

cudaError_t launch_trtri(queue q, trigon_type type, const factor *p) {
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    return launch_matrices<leaf<T>, trtri_kernel<T>>(q, p);
  });
}

cudaError_t launch_trtri_batch(queue q, trigon_type type, const batch_task *t) {
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    return launch_members<leaf<T>, trtri_batch_kernel<T>>(q, t, false);
  });
}

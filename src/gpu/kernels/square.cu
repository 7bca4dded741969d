/* square.cu - the leaves of POTRF, TRTRI and LAUUM: one block of threads to a matrix, tile by tile, in place. */
#include "launch.h"
#include "triangular_step.h"

/* ---------------------------------------------------------------------------------------------------- POTRF -- */

/* The Cholesky factor of the diagonal tile, whose element (row, col) stands in shared.tile[col][row], col <= row < order:
 * row by lane, column by column. Stores what it has where a pivot is not positive. Returns, to every thread of the first
 * warp, the column of the first such pivot, or -1. Only that warp calls it. */
template <class T> __device__ TG_NOINLINE int factor_tile(typename leaf<T>::workspace &shared, int order) {
  using G = leaf<T>;
  static_assert(G::ORDER <= TG_LEAST_WARP, "each row of the tile has a lane");
  const int lane = static_cast<int>(threadIdx.x);
  const bool has_row = lane < order;
  int failed = -1;
  T row[G::ORDER];
#pragma unroll
  for (int j = 0; j < G::ORDER; j++) row[j] = has_row && j <= lane ? shared.tile[j][lane] : T{};
#pragma unroll
  for (int j = 0; j < G::ORDER; j++) {
    if (j >= order || failed >= 0) continue;
    const real_of<T> pivot = shuffle(real(row[j]), j);
    if (!(pivot > 0)) {
      failed = j;
      continue;
    }
    const real_of<T> root = sqrt(pivot);
    row[j] = lane == j ? make(T{}, root, real_of<T>(0)) : divide(row[j], root);
#pragma unroll
    for (int k = j + 1; k < G::ORDER; k++) row[k] = subtract(row[k], multiply(row[j], conjugate(shuffle(row[j], k))));
  }
#pragma unroll
  for (int j = 0; j < G::ORDER; j++)
    if (has_row && j <= lane) shared.tile[j][lane] = row[j];
  return failed;
}

/*   [ A11         ]        A11 = L11·L11ᴴ is done
 *   [ A21 A22     ]        A22 = A22 - L21·L21ᴴ = L22·L22ᴴ: the diagonal tile
 *   [ A31 A32 A33 ]        A32 = (A32 - L31·L21ᴴ)·L22⁻ᴴ: a solve with conj(L) from the left for the rows of A as columns        */
template <class T> __device__ inline void potrf(typename leaf<T>::workspace &shared, const square &p, int64_t b) {
  using G = leaf<T>;
  const matrix<T> A = matrix_of<T>(p.A, b), rows = A.transposed();
  matrix<T> L = A;
  L.conjugated = true;
  for (int64_t j0 = 0; j0 < p.n; j0 += G::ORDER) {
    const int64_t j_end = least(j0 + G::ORDER, p.n);
    typename G::sums sum = {};
    accumulate<typename G::base>(sum, shared.stage, L, rows, j0, j_end, j0, j_end, 0, j0);
    stage_tile<G::WIDTH, G::ORDER, G::THREADS>(shared.tile, A.as(LOWER), j0, j0, j_end, j_end);
    __syncthreads();
    each_sum<typename G::base>(
        sum, [&](int row, int col, T s) { shared.tile[row][col] = subtract(shared.tile[row][col], s); });
    __syncthreads();
    if (static_cast<int>(threadIdx.x) < tg_warp()) {
      const int failed = factor_tile<T>(shared, static_cast<int>(j_end - j0));
      if (failed >= 0 && threadIdx.x == 0)
        tg_atomic_min(p.failure, static_cast<unsigned long long>(p.first + b * p.step + j0 + failed + 1));
    }
    __syncthreads();
    store_tile<G::WIDTH, G::ORDER, G::THREADS>(shared.tile, A.as(LOWER), j0, j0, j_end, j_end);
    __syncthreads();
    for (int64_t r = j_end; r < p.n; r += G::WIDTH) solve_step<T>(shared, L, rows, false, one<T>(), j0, j_end, r, p.n);
  }
}

/* ---------------------------------------------------------------------------------------------------- TRTRI -- */

/* X·L = -A for the rows of A21 below the tile L of A at (j0, j0), and X·L = I for the tile itself. Transposed, and counted
 * from the end, this is a forward solve from the left. */
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
  for (int64_t r = 0; r < n - j_end; r += G::WIDTH) solve_step<T>(shared, L, rows, unit, minus, 0, order, r, n - j_end);

  finish_diagonal<T>(shared, begin_diagonal(L, unit, 0, order));
  each<G::WIDTH, G::ORDER, G::THREADS>(true,
                                       [&](int f, int s) { shared.tile[s][f] = f == order - 1 - s ? one<T>() : T{}; });
  solve_tile<T>(shared);
  each<G::WIDTH, G::ORDER, G::THREADS>(false, [&](int r, int s) {
    const int64_t c = order - 1 - s; /* the column in the tile */
    if (r < order && c >= 0 && (unit ? r > c : r >= c)) *own_rows.at(s, r) = shared.tile[s][r];
  });
  __syncthreads();
}

/*   [ A11     ]⁻¹   from the last tile to the first:   A21 = A22⁻¹·A21, with the inverse that stands there
 *   [ A21 A22 ]                                        A21 = -A21·A11⁻¹, A11 = A11⁻¹ by substitution with A11               */
template <class T> __device__ inline void trtri(typename leaf<T>::workspace &shared, const square &p, int64_t b) {
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

/* ---------------------------------------------------------------------------------------------------- LAUUM -- */

/* The tile row i0 of AᴴA needs the rows of A from i0 on alone: row after row, each element is read before it is overwritten. */
template <class T> __device__ inline void lauum(typename leaf<T>::workspace &shared, const square &p, int64_t b) {
  using G = leaf<T>;
  static_assert(G::WIDTH % G::ORDER == 0,
                "a slab that ended in a diagonal tile would overwrite columns that the next slab reads");
  const matrix<T> A = matrix_of<T>(p.A, b).as(LOWER);
  for (int64_t i0 = 0; i0 < p.n; i0 += G::ORDER) {
    const int64_t i_end = least(i0 + G::ORDER, p.n);
    for (int64_t j0 = 0; j0 < i_end; j0 += G::WIDTH) {
      typename G::sums sum = {};
      accumulate<typename G::base>(sum, shared.stage, A.adjoint(), A, i0, i_end, j0, i_end, i0, p.n);
      each_sum<typename G::base>(
          sum, [&](int row, int col, T s) { shared.tile[row][col] = i0 + row == j0 + col ? only_real(s) : s; });
      __syncthreads();
      store_tile<G::WIDTH, G::ORDER, G::THREADS>(shared.tile, A.transposed(), j0, i0, i_end, i_end);
      __syncthreads();
    }
  }
}

template <class T, factorization WHAT> __global__ void __launch_bounds__(leaf<T>::THREADS) square_kernel(square p) {
  typename leaf<T>::workspace &shared = *tg_shared<typename leaf<T>::workspace>();
  for (int64_t b = blockIdx.x; b < p.count; b += gridDim.x) {
    if (WHAT == FACTOR_POTRF) potrf<T>(shared, p, b);
    if (WHAT == FACTOR_TRTRI) trtri<T>(shared, p, b);
    if (WHAT == FACTOR_LAUUM) lauum<T>(shared, p, b);
  }
}

template <class T, factorization WHAT> static cudaError_t launch(queue q, const square *p) {
  using G = leaf<T>;
  if (q.load) return tg_load(square_kernel<T, WHAT>);
  if (p->n == 0 || p->count == 0) return cudaSuccess;
  return tg_launch(q.stream, square_kernel<T, WHAT>, blocks_for(p->count, G::THREADS), G::THREADS,
                   sizeof(typename G::workspace), *p);
}

template <class T> static cudaError_t launch_typed(queue q, const square *p) {
  switch (p->what) {
  case FACTOR_POTRF: return launch<T, FACTOR_POTRF>(q, p);
  case FACTOR_TRTRI: return launch<T, FACTOR_TRTRI>(q, p);
  default: return launch<T, FACTOR_LAUUM>(q, p);
  }
}

cudaError_t launch_square(queue q, trigon_type type, const square *p) {
  return with_type(type, [&](auto zero) { return launch_typed<decltype(zero)>(q, p); });
}

/* potrf_flow.cu - POTRF as a dataflow leaf (flow_factor.h): one launch, in which each block computes a tile of L.
 *
 * There are two kernels: for doubles on matrix units (potrf_units.h), and for every type on every GPU, here. */
#include "factor_tile.h"
#include "flow_factor.h"
#if TG_MATRIX_UNITS
#include "potrf_units.h"
#endif

/* The portable kernel has the tiles of the leaf `step`. As there, rows of A are columns of B, and conj(L) is on the
 * left. */
template <class T> struct potrf_tile : leaf<T> {
  static constexpr int TALL = 1; /* tiles of a block */
  using typename leaf<T>::base;
  struct workspace {
    typename leaf<T>::workspace step;
    unsigned word;
  };
};

/* sum += conj(L)·B for B's columns r0 .. r_end - 1 and the tiles left of tile column `col`, as they become final;
 * own += the same for the diagonal tile of these rows, if DIAGONAL. */
template <class T, bool DIAGONAL>
__device__ inline void add_tiles(typename potrf_tile<T>::workspace &shared, typename leaf<T>::sums &sum,
                                 typename leaf<T>::sums &own, const matrix<T> &A, int64_t n, const flow_place &place,
                                 unsigned row, unsigned col) {
  using G = leaf<T>;
  matrix<T> L = A;
  L.conjugated = true;
  const int64_t j0 = static_cast<int64_t>(col) * G::ORDER, r0 = static_cast<int64_t>(row) * G::ORDER;
  const int64_t r_end = least(r0 + G::ORDER, n);
  flow_progress upper = place.progress(col), left = place.progress(row);
  for (unsigned k = 0; k < col;) {
    upper.await(k + 1);
    left.await(k + 1);
    const unsigned known = upper.known < left.known ? upper.known : left.known, ready = known < col ? known : col;
    const int64_t k0 = static_cast<int64_t>(k) * G::ORDER, k1 = static_cast<int64_t>(ready) * G::ORDER;
    accumulate<typename G::base>(sum, shared.step.stage, L, A.transposed(), j0, j0 + G::ORDER, r0, r_end, k0, k1);
    if (DIAGONAL) accumulate<typename G::base>(own, shared.step.stage, L, A.transposed(), r0, r_end, r0, r_end, k0, k1);
    k = ready;
  }
}

/* shared.step.tile = A(rows from r0 on, columns from j0 on)ᵀ - sum. Ends with a barrier. */
template <class T>
__device__ inline void subtract_sums(typename potrf_tile<T>::workspace &shared, const typename leaf<T>::sums &sum,
                                     const matrix<T> &A, int64_t r0, int64_t j0, int64_t n) {
  using G = leaf<T>;
  stage_tile<G::WIDTH, G::ORDER, G::THREADS>(shared.step.tile, A.as(LOWER), r0, j0, least(r0 + G::ORDER, n), n);
  __syncthreads();
  each_sum<typename G::base>(
      sum, [&](int row, int col, T s) { shared.step.tile[row][col] = subtract(shared.step.tile[row][col], s); });
  __syncthreads();
}

/* L(i, j), i > j, of which `sum` holds the products: into shared.step.tile and A. Ends with a barrier. */
template <class T>
__device__ inline void finish_below(typename potrf_tile<T>::workspace &shared, const typename leaf<T>::sums &sum,
                                    const matrix<T> &A, int64_t n, const flow_place &place, unsigned row,
                                    unsigned col) {
  using G = leaf<T>;
  matrix<T> L = A;
  L.conjugated = true;
  const int64_t j0 = static_cast<int64_t>(col) * G::ORDER, r0 = static_cast<int64_t>(row) * G::ORDER;
  place.progress(col).await(col + 1);
  subtract_sums<T>(shared, sum, A, r0, j0, n);
  finish_diagonal<T>(shared.step, begin_diagonal(L, false, j0, j0 + G::ORDER));
  solve_tile<T>(shared.step);
  store_tile<G::WIDTH, G::ORDER, G::THREADS>(shared.step.tile, A, r0, j0, least(r0 + G::ORDER, n), j0 + G::ORDER);
  place.publish(row, col + 1);
}

/* own += conj(X)·Xᵀ for X = L(i, i - 1), which is in shared.step.tile. Ends with a barrier. */
template <class T>
__device__ inline void add_neighbour(typename potrf_tile<T>::workspace &shared, typename leaf<T>::sums &own) {
  using G = leaf<T>;
  each<G::ORDER, G::ORDER, G::THREADS>(
      true, [&](int f, int s) { shared.step.diagonal[s][f] = conjugate(shared.step.tile[s][f]); });
  __syncthreads();
  multiply_staged<typename G::base>(own, shared.step.diagonal, shared.step.tile, static_cast<int>(threadIdx.x));
  __syncthreads();
}

template <class T>
__device__ inline void potrf_portable(typename potrf_tile<T>::workspace &shared, const factor &p, int64_t b,
                                      const flow_place &place) {
  using G = leaf<T>;
  const matrix<T> A = matrix_of<T>(p.A, b);
  typename G::sums sum = {}, own = {};
  if (place.row != place.col) {
    add_tiles<T, false>(shared, sum, own, A, p.n, place, place.row, place.col);
    finish_below<T>(shared, sum, A, p.n, place, place.row, place.col);
    return;
  }
  const unsigned i = place.row;
  const int64_t i0 = static_cast<int64_t>(i) * G::ORDER;
  if (i > 0) {
    add_tiles<T, true>(shared, sum, own, A, p.n, place, i, i - 1);
    finish_below<T>(shared, sum, A, p.n, place, i, i - 1);
    add_neighbour<T>(shared, own);
  }
  subtract_sums<T>(shared, own, A, i0, i0, p.n);
  if (static_cast<int>(threadIdx.x) < tg_warp()) {
    const int failed = factor_tile<T>(shared.step, static_cast<int>(least(p.n - i0, G::ORDER)));
    if (failed >= 0 && threadIdx.x == 0) record_failure(p, b, i0 + failed);
  }
  __syncthreads();
  store_tile<G::WIDTH, G::ORDER, G::THREADS>(shared.step.tile, A.as(LOWER), i0, i0, least(i0 + G::ORDER, p.n), p.n);
  place.publish(i, i + 1);
}

/* Without the number of blocks the compiler keeps too few registers, and spills pairs of floats. */
template <class T> __global__ void __launch_bounds__(leaf<T>::THREADS, 2) potrf_flow_kernel(flow_factor f) {
  typename potrf_tile<T>::workspace &shared = *tg_shared<typename potrf_tile<T>::workspace>();
  flow_factor_run<potrf_tile<T>::TALL>(
      f, &shared.word, [&](int64_t b, const flow_place &place) { potrf_portable<T>(shared, f.p, b, place); });
}

/* ------------------------------------------------------------------------------------------------ launches -- */

/* Launches a kernel whose blocks take tiles of G::ORDER rows and columns: once, or several times if there are more tile
 * rows than flags. An order with more tile rows than flags fills the memory of today's GPUs; `step` takes it. */
template <class G>
static cudaError_t launch_factor(queue q, void (*kernel)(flow_factor), trigon_type type, const factor *p,
                                 const flow_words *words) {
  if (q.load) return tg_load(kernel, sizeof(typename G::workspace));
  const int64_t tiles = (p->n + G::ORDER - 1) / G::ORDER;
  if (tiles * p->count == 0) return cudaSuccess;
  if (tiles > flow_flags) return launch_potrf(q, type, p);
  const int64_t most = flow_flags / tiles, places = flow_places(tiles, G::TALL);
  for (int64_t first = 0; first < p->count; first += most) {
    const int64_t now = p->count - first < most ? p->count - first : most;
    const flow_factor task = {*p, *words, first, static_cast<unsigned>(now), static_cast<unsigned>(tiles)};
    cudaError_t error = tg_launch(q.stream, kernel, places * now, G::THREADS, sizeof(typename G::workspace), task);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

#if TG_MATRIX_UNITS
template <class G> __global__ void __launch_bounds__(G::THREADS, G::RESIDENT) potrf_units_kernel(flow_factor f) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  typename G::workspace &shared = *tg_shared<typename G::workspace>();
  flow_factor_run<G::TALL>(f, &shared.word,
                           [&](int64_t b, const flow_place &place) { potrf_units<G>(shared, f, b, place); });
#endif
}

static cudaError_t launch_units(queue q, const factor *p, const flow_words *words) {
  using G = factor_tile_units<TG_TILE(2, 4)>;
  return launch_factor<G>(q, potrf_units_kernel<G>, TRIGON_D, p, words);
}
#else
static cudaError_t launch_units(queue, const factor *, const flow_words *) { return cudaErrorInvalidValue; }
#endif

cudaError_t launch_potrf_flow(queue q, trigon_type type, const factor *p, const flow_setup *s) {
  if (type == TRIGON_D && q.units) return launch_units(q, p, &s->words);
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    return launch_factor<potrf_tile<T>>(q, potrf_flow_kernel<T>, type, p, &s->words);
  });
}

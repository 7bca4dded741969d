/* panel_products.cu - kernels for what the reduction to a band does with a panel beside its factorization: it is
 * brought up to date, and its reflectors v become columns of W.
 *
 *     X = X - V1·W2ᴴ - W1·V2ᴴ     W = P·T - V1·(W1ᴴv·T) - W1·(V1ᴴv·T) - ½·v·M
 *
 *     M = Tᴴ·(vᴴP - (V1ᴴv)ᴴ·(W1ᴴv) - (W1ᴴv)ᴴ·(V1ᴴv))·T     T = (strict upper triangle of vᴴv + diag(1 / tau))⁻¹
 *
 * V1 and W1 belong to the group's panels before, and P = A·v with the A before all of them. P stands where W will be.
 * So [V1 v] and [W1 P] are one matrix each, and three launches do all of it:
 *
 *   1. dots: [V1 v]ᴴv and [W1 P]ᴴv. The rows are cut into parts; a tile's last block adds its parts in their order,
 *   2. coefficients: what [V1 v] and [W1 P] are multiplied by; a block has a tile,
 *   3. columns: W = [V1 v]·(coefficients) + [W1 P]·(coefficients). A block has some rows, and reads them before it
 *      stores them.
 *
 * Source: algo/eigen/reduce_to_band.c has the formulas. */
#include "gpu/kernels/launch.h"
#include "gpu/kernels/products/tile_gemm.h"
#include "panel_elements.h"

enum {
  TILE = band_width,
  MOST_PARTS = 32,                /* of the rows: the last block of a tile reads them all */
  PART_ROWS = TG_TILE(8, 128),    /* at least, in each */
  ENOUGH_BLOCKS = TG_TILE(6, 264) /* of the first launch: twice as many as a large GPU has multiprocessors */
};

/* A block has a tile of the result. It takes so many terms of the sums together as fit the memory of every GPU. */
template <class T>
using panel_tile = geometry<T, TILE, TILE, TG_TILE(4, sizeof(T) == 16 ? 16 : 32), TG_TILE(2, 4), TG_TILE(1, 2)>;

/* The tiles of [V1 v], then those of [W1 P]. */
struct panel_task {
  panel_products of;
  int tiles, parts; /* of each of the two matrices; of the rows */
  int64_t part_rows;
  void *space;

  __device__ int columns() const { return of.done + of.reflectors; }
  __device__ int64_t height() const { return int64_t{tiles} * TILE; } /* of dots and coefficients */
  template <class T> __device__ matrix<T> side(int which) const {
    T *const first = static_cast<T *>(const_cast<void *>(which == 0 ? of.V : of.W));
    return {first, 1, of.ld, false, FULL, false};
  }
  template <class T> __device__ matrix<T> reflectors() const { return side<T>(0).from(0, of.done); }
  /* In the space: dots of both sides, coefficients of both sides, parts. */
  template <class T> __device__ matrix<T> dots(int which) const {
    return {static_cast<T *>(space) + which * height() * TILE, 1, height(), false, FULL, false};
  }
  template <class T> __device__ matrix<T> coefficients(int which) const { return dots<T>(2 + which); }
  template <class T> __device__ T *part(int tile, int number) const {
    return static_cast<T *>(space) + (4 * int64_t{tiles} + int64_t{tile} * parts + number) * TILE * TILE;
  }
};

/* ------------------------------------------------------------------------------------------------------- dots -- */

template <class T> struct dots_shared {
  typename panel_tile<T>::stage stage;
  unsigned word;
};

/* The loads of several parts do not wait for each other. */
template <class T> __device__ static void add_parts(const panel_task &p, int tile, const matrix<T> &to) {
  enum { SHARE = TILE * TILE / panel_tile<T>::THREADS };
  const int t = static_cast<int>(threadIdx.x);
  T all[SHARE] = {};
#pragma unroll 4
  for (int k = 0; k < p.parts; k++)
#pragma unroll
    for (int e = 0; e < SHARE; e++) all[e] = add(all[e], p.part<T>(tile, k)[t + e * panel_tile<T>::THREADS]);
#pragma unroll
  for (int e = 0; e < SHARE; e++) {
    const int at = t + e * panel_tile<T>::THREADS;
    *to.at(at % TILE, at / TILE) = all[e];
  }
}

template <class T> __global__ void __launch_bounds__(panel_tile<T>::THREADS) panel_dots_kernel(panel_task p) {
  using G = panel_tile<T>;
  auto &shared = *tg_shared<dots_shared<T>>();
  const int tile = static_cast<int>(blockIdx.x) / p.parts, number = static_cast<int>(blockIdx.x) % p.parts;
  const int which = tile / p.tiles, column = tile % p.tiles * TILE;
  const int64_t first = number * p.part_rows, end = least(p.of.m, first + p.part_rows);
  typename G::sums sum = {};
  accumulate<G>(sum, shared.stage, p.side<T>(which).adjoint(), p.reflectors<T>(), column, p.columns(), 0,
                p.of.reflectors, first, end);
  T *const mine = p.part<T>(tile, number);
  each_sum<G>(sum, [&](int i, int j, T x) { mine[i + j * TILE] = x; });
  if (!tg_last_block(p.of.counters + tile, static_cast<unsigned>(p.parts), &shared.word)) return;
  add_parts(p, tile, p.dots<T>(which).from(column, 0));
}

/* ----------------------------------------------------------------------------------------------- coefficients -- */

/* Tiles by rows, so that the terms of a product with the tile to their left are neighbours in its columns. */
template <class T> struct coefficients_shared {
  using G = panel_tile<T>;
  typedef T square[TILE][TILE + G::PAD];
  union {
    typename G::stage stage;
    square left; /* by columns */
  };
  square t; /* S, then T */
};

/* S, whose other triangle is zero. S has no rows and columns behind the reflectors: there it is the identity. */
template <class T> __device__ static void load_factor(const panel_task &p, coefficients_shared<T> &shared) {
  const matrix<T> dots = p.dots<T>(0).from(p.of.done, 0);
  const int k = p.of.reflectors;
  for (int e = static_cast<int>(threadIdx.x); e < TILE * TILE; e += panel_tile<T>::THREADS) {
    const int i = e % TILE, j = e / TILE;
    const T tau = i == j && i < k ? static_cast<const T *>(p.of.taus)[i] : one<T>();
    shared.t[i][j] = i == j ? tau : i < j && j < k ? *dots.at(i, j) : T{};
  }
  __syncthreads();
}

/* The sum of a(k)·b(k), k < COUNT. Two sums do not wait for each other. */
template <int COUNT, class T, class A, class B> __device__ static T sum_of_products(A a, B b) {
  T sums[2] = {};
#pragma unroll
  for (int k = 0; k < COUNT; k++) sums[k % 2] = multiply_add(a(k), b(k), sums[k % 2]);
  return add(sums[0], sums[1]);
}

/* S becomes its inverse, whose diagonal is there: blocks of order 1, 2, 4, ... are inverted in pairs. The block beside
 * a pair becomes -T11·S12·T22. T11 and T22 have zeros below their diagonals. */
template <int HALF, class T> __device__ static void invert_factor(coefficients_shared<T> &shared) {
  if constexpr (HALF > 1) invert_factor<HALF / 2>(shared);
  const auto each_beside = [&](auto visit) { /* row and column in the block of the pair that begins at `first` */
                                             for (int e = static_cast<int>(threadIdx.x); e < TILE / 2 * HALF;
                                                  e += panel_tile<T>::THREADS)
                                               visit(e / (HALF * HALF) * 2 * HALF, e / HALF % HALF, e % HALF);
  };
  each_beside([&](int first, int i, int j) {
    shared.left[first + i][first + HALF + j] =
        sum_of_products<HALF, T>([&](int k) { return shared.t[first + i][first + HALF + k]; },
                                 [&](int k) { return shared.t[first + HALF + k][first + HALF + j]; });
  });
  __syncthreads();
  each_beside([&](int first, int i, int j) {
    const T sum = sum_of_products<HALF, T>([&](int k) { return shared.t[first + i][first + k]; },
                                           [&](int k) { return shared.left[first + k][first + HALF + j]; });
    shared.t[first + i][first + HALF + j] = subtract(T{}, sum);
  });
  __syncthreads();
}

/* Keeps a matrix as the left factor of a product. Begins and ends with a barrier. */
template <class T, class Visit> __device__ static void put_left(coefficients_shared<T> &shared, Visit each) {
  __syncthreads();
  each([&](int i, int j, T x) { shared.left[j][i] = x; });
  __syncthreads();
}

/* sum += a·b. The code is short: it runs once, and waits for its instructions. */
template <class T>
__device__ static void multiply_squares(typename panel_tile<T>::sums &sum,
                                        const typename coefficients_shared<T>::square &a,
                                        const typename coefficients_shared<T>::square &b) {
  using G = panel_tile<T>;
#pragma unroll 4
  for (int k = 0; k < TILE; k++)
#pragma unroll
    for (int i = 0; i < G::ITEM_ROWS; i++)
#pragma unroll
      for (int j = 0; j < G::ITEM_COLS; j++)
        sum.of[i][j] = multiply_add(a[k][G::row(i)], b[k][G::col(j)], sum.of[i][j]);
}

/* The coefficients of a tile of V1 or W1: -D·T, with the dots D of the other side. */
template <class T> __device__ static void multiply_dots(const panel_task &p, int tile, coefficients_shared<T> &shared) {
  using G = panel_tile<T>;
  const int which = tile / (p.tiles - 1), row = tile % (p.tiles - 1) * TILE, t = static_cast<int>(threadIdx.x);
  const matrix<T> dots = p.dots<T>(1 - which).from(row, 0), to = p.coefficients<T>(which).from(row, 0);
  put_left(shared, [&](auto put) {
    for (int e = t; e < TILE * TILE; e += G::THREADS) put(e % TILE, e / TILE, *dots.at(e % TILE, e / TILE));
  });
  typename G::sums sum = {};
  multiply_squares<T>(sum, shared.left, shared.t);
  each_sum<G>(sum, [&](int i, int j, T x) { *to.at(i, j) = subtract(T{}, x); });
}

/* Those of v and P: -½·M and T. M = Tᴴ·X·T = (X·T)ᴴ·T, because X is Hermitian. */
template <class T> __device__ static void make_middle(const panel_task &p, coefficients_shared<T> &shared) {
  using G = panel_tile<T>;
  const matrix<T> P = p.dots<T>(1).from(p.of.done, 0).adjoint(); /* vᴴP = (Pᴴv)ᴴ */
  const matrix<T> of_v = p.coefficients<T>(0).from(p.of.done, 0), of_p = p.coefficients<T>(1).from(p.of.done, 0);
  const int k = p.of.reflectors, t = static_cast<int>(threadIdx.x);
  for (int e = t; e < TILE * TILE; e += G::THREADS) *of_p.at(e % TILE, e / TILE) = shared.t[e % TILE][e / TILE];
  __syncthreads(); /* nobody reads what `stage` overwrites any more */
  typename G::sums inner = {}, right = {}, sum = {};
#pragma unroll 1
  for (int which = 0; which < 2; which++)
    accumulate<G>(inner, shared.stage, p.dots<T>(which).adjoint(), p.dots<T>(1 - which), 0, k, 0, k, 0, p.of.done);
  put_left(shared, [&](auto put) {
    each_sum<G>(inner, [&](int i, int j, T x) { put(i, j, i < k && j < k ? subtract(P.load(i, j), x) : T{}); });
  });
  multiply_squares<T>(right, shared.left, shared.t);
  put_left(shared, [&](auto put) { each_sum<G>(right, [&](int i, int j, T x) { put(j, i, conjugate(x)); }); });
  multiply_squares<T>(sum, shared.left, shared.t);
  each_sum<G>(sum, [&](int i, int j, T x) { *of_v.at(i, j) = scale(x, real_of<T>(-0.5)); });
}

/* The first block has the most to do. */
template <class T> __global__ void __launch_bounds__(panel_tile<T>::THREADS) panel_coefficients_kernel(panel_task p) {
  auto &shared = *tg_shared<coefficients_shared<T>>();
  load_factor(p, shared);
  invert_factor<TILE / 2>(shared);
  if (blockIdx.x == 0)
    make_middle(p, shared);
  else
    multiply_dots(p, static_cast<int>(blockIdx.x) - 1, shared);
}

/* ---------------------------------------------------------------------------------------------------- columns -- */

template <class T> __global__ void __launch_bounds__(panel_tile<T>::THREADS) panel_columns_kernel(panel_task p) {
  using G = panel_tile<T>;
  auto &stage = *tg_shared<typename G::stage>();
  const int64_t row = static_cast<int64_t>(blockIdx.x) * TILE;
  typename G::sums sum = {};
#pragma unroll 1
  for (int which = 0; which < 2; which++)
    accumulate<G>(sum, stage, p.side<T>(which), p.coefficients<T>(which), row, p.of.m, 0, p.of.reflectors, 0,
                  p.columns());
  const matrix<T> to = p.side<T>(1).from(row, p.of.done);
  each_sum<G>(sum, [&](int i, int j, T x) {
    if (row + i < p.of.m && j < p.of.reflectors) *to.at(i, j) = x;
  });
}

cudaError_t launch_panel_products(queue q, trigon_type type, const panel_products *p) {
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    using G = panel_tile<T>;
    const int tiles = p->done / TILE + 1, both = 2 * tiles;
    const int64_t fit = p->space_bytes / static_cast<int64_t>(both * TILE * TILE * sizeof(T)) - 2;
    const int64_t wanted = least(least(p->m / PART_ROWS, ENOUGH_BLOCKS / both + 1), least(MOST_PARTS, fit));
    const int64_t parts = wanted > 1 ? wanted : 1;
    const int64_t rows = (p->m + parts - 1) / parts, part_rows = (rows + G::DEPTH - 1) / G::DEPTH * G::DEPTH;
    const panel_task task = {*p, tiles, static_cast<int>(parts), part_rows, p->space};
    cudaError_t error =
        launch_kernel(q, registered<panel_dots_kernel<T>, sizeof(dots_shared<T>)>(), both * parts, G::THREADS, task);
    if (error == cudaSuccess)
      error = launch_kernel(q, registered<panel_coefficients_kernel<T>, sizeof(coefficients_shared<T>)>(), both - 1,
                            G::THREADS, task);
    if (error != cudaSuccess) return error;
    return launch_kernel(q, registered<panel_columns_kernel<T>, sizeof(typename G::stage)>(), (p->m + TILE - 1) / TILE,
                         G::THREADS, task);
  });
}

/* ----------------------------------------------------------------------------------------------------- update -- */

template <class T> __global__ void __launch_bounds__(panel_tile<T>::THREADS) update_panel_kernel(updated_panel p) {
  using G = panel_tile<T>;
  auto &stage = *tg_shared<typename G::stage>();
  const int64_t row = static_cast<int64_t>(blockIdx.x) * TILE;
  const matrix<T> V = {static_cast<T *>(const_cast<void *>(p.V)), 1, p.ld, false, FULL, false};
  const matrix<T> W = {static_cast<T *>(const_cast<void *>(p.W)), 1, p.ld, false, FULL, false};
  typename G::sums sum = {};
#pragma unroll 1
  for (int which = 0; which < 2; which++)
    accumulate<G>(sum, stage, which ? W : V, (which ? V : W).adjoint(), row, p.of.m, 0, p.of.cols, 0, p.done);
  each_sum<G>(sum, [&](int i, int j, T x) {
    const int64_t at = row + i;
    if (at >= p.of.m || j >= p.of.cols || at < j) return;
    const T updated = subtract(load_element<T>(p.of, at, j), x);
    store_element(p.of, at, j, at == j ? only_real(updated) : updated);
  });
}

cudaError_t launch_update_panel(queue q, trigon_type type, const updated_panel *p) {
  return with_type(type, [&](auto zero) {
    using G = panel_tile<decltype(zero)>;
    return launch_kernel(q, registered<update_panel_kernel<decltype(zero)>, sizeof(typename G::stage)>(),
                         (p->of.m + TILE - 1) / TILE, G::THREADS, *p);
  });
}

/* potrf_tiles.h - the tiles of the dataflow POTRF for every type on every GPU.
 *
 *     S = A(i, j) - Σ L(i, k)·L(j, k)ᴴ, k < j          L(i, j) = S·L(j, j)⁻ᴴ, or the factor of S on the diagonal
 *
 * A block computes the sums of two tiles, one below the other, so that two products read L(j, k) once. They are the
 * sums of L(i, j) and L(i + 1, j), i > j. If the block takes L(i, i - 1) and L(i, i), they are the sums of L(i, i - 1)ᴴ
 * and L(i, i), so that the columns are tile row i here, too. */
#ifndef TRIGON_POTRF_TILES_H
#define TRIGON_POTRF_TILES_H

#include "gpu/kernels/diagonal/factor_tile.h"
#include "gpu/kernels/products/row_stream.h"
#include "potrf_tickets.h"
#if TG_HAS_MMA
#include "gpu/kernels/products/complex_mma.h"
#endif

/* Large tiles make the path short, because it has fewer hand-overs. A diagonal tile and two others fit into the shared
 * memory of every GPU. */
template <class T> constexpr int potrf_order() { return TG_TILE(8, sizeof(T) == 4 ? 64 : 32); }
template <class T> constexpr int potrf_items() { return TG_TILE(2, sizeof(T) == 4 ? 8 : 4); }
template <class T>
using potrf_sums =
    geometry<T, 2 * potrf_order<T>(), potrf_order<T>(), TG_TILE(4, 8), potrf_items<T>(), potrf_items<T>()>;

/* The tile, for a geometry of its sums. */
template <class Sums, int STAGES_, int RESIDENT_, size_t SHARED_ = TG_SHARED_MOST> struct potrf_tile : Sums {
  using base = Sums;
  using T = typename Sums::T;
  static constexpr int ORDER = base::COLS, TALL = 2, LD = ORDER + base::PAD, RESIDENT = RESIDENT_;
  static constexpr int WIDTH = TG_TILE(4, 16); /* columns that are solved at a time */
  struct workspace {
    union {
      alignas(16) T two_tiles[ORDER][base::ROWS + base::PAD]; /* [column][row]; so are the others */
      struct {
        alignas(16) T tile[ORDER][LD], own[ORDER][LD]; /* L(i, i - 1), L(i, i) */
      };
    };
    union {
      row_ring<base, STAGES_> ring;
      struct {
        alignas(16) T diagonal[ORDER][LD]; /* L(j, j), of which only the lower triangle is there */
        real_of<T> reciprocal[ORDER];      /* of the diagonal's elements, or 0: see reciprocal */
      };
    };
    unsigned long long vote;
    unsigned words[TALL + 1];
    __device__ workspace() {}
  };
  static_assert(sizeof(workspace) <= SHARED_, "so many blocks fit");

  /* Functions find shared memory here, so that the compiler knows that it is shared. */
  __device__ static workspace &shared() { return *tg_shared<workspace>(); }
};
/* How many blocks share a multiprocessor: as many as the registers allow without a spill. */
template <class T> constexpr int potrf_resident() { return sizeof(T) == 4 ? 3 : sizeof(real_of<T>) == 4 ? 4 : 2; }
template <class T> using potrf_portable = potrf_tile<potrf_sums<T>, sizeof(T) == 16 ? 2 : 4, potrf_resident<T>()>;
#if TG_HAS_MMA
using potrf_any_type_tile =
    potrf_tile<complex_mma<TG_TILE(32, 64), TG_TILE(16, 32)>, 2, 2, TG_SHARED_HOPPER / 2 - 1024>;
#endif

/* Where the diagonal tile is factored. */
template <class G> struct potrf_own : factor_workspace<typename G::T, G::ORDER, G::THREADS> {
  __device__ static typename G::T &at(int col, int row) { return G::shared().own[col][row]; }
};

/* ---------------------------------------------------------------------------------------------------- sums -- */

/* Which sums a block computes. */
struct two_tiles_coord {
  int64_t i0, j0;                    /* in A */
  unsigned first, right, cols, rows; /* tile rows and columns; `rows` tile rows from the first one on are awaited */
};

template <class G, class Coord> __device__ inline two_tiles_coord two_tiles_of(const Coord &coord, unsigned tiles) {
  const bool next = coord.row == coord.col;
  return {(static_cast<int64_t>(coord.row) - next) * G::ORDER,
          static_cast<int64_t>(coord.col) * G::ORDER,
          coord.row - next,
          coord.col,
          next && coord.row == 0 ? 0 : coord.col - next,
          next || coord.row + 1 == tiles ? 1u : 2u};
}

/* The element of a tile of ROWS × ORDER elements that the thread takes first, and the step to its next element.
 * Neighbouring threads take elements that are neighbours in memory. */
template <class G, int ROWS> struct share_of_tile {
  static constexpr int COUNT = ROWS * G::ORDER / G::THREADS;
  int r, c, r_step, c_step;
  __device__ share_of_tile(bool fast) {
    const int thread = static_cast<int>(threadIdx.x);
    r = fast ? thread % ROWS : thread / G::ORDER, r_step = fast ? 0 : G::THREADS / G::ORDER;
    c = fast ? thread / ROWS : thread % G::ORDER, c_step = fast ? G::THREADS / ROWS : 0;
  }
};

/* Begins to copy A(i0 + r, j0 + c) to to[c][r] for ROWS rows, or those with r >= c. Behind the end of A there are
 * zeros. */
template <class G, int ROWS, int LD>
__device__ inline void begin_copy(typename G::T (&to)[G::ORDER][LD], const matrix<typename G::T> &A, int64_t i0,
                                  int64_t j0, int64_t n, bool lower) {
  share_of_tile<G, ROWS> at(along_rows(A));
  const int rows = static_cast<int>(least(n - i0, ROWS)), cols = static_cast<int>(least(n - j0, G::ORDER));
  const typename G::T *from = A.at(i0 + at.r, j0 + at.c);
  const int64_t step = at.r_step * A.row + at.c_step * A.col;
#pragma unroll 8
  for (int e = 0; e < at.COUNT; e++, from += step) {
    if (!lower || at.r >= at.c) tg_copy_async_one(&to[at.c][at.r], from, at.r < rows && at.c < cols);
    at.r += at.r_step, at.c += at.c_step;
  }
  tg_commit_copies();
}

/* Begins to copy what the sums will be subtracted from. It is there after add_item. */
template <class G, class Coord>
__device__ inline void begin_item(const matrix<typename G::T> &A, int64_t n, const Coord &coord) {
  typename G::workspace &shared = G::shared();
  const int64_t i0 = static_cast<int64_t>(coord.row) * G::ORDER, j0 = static_cast<int64_t>(coord.col) * G::ORDER;
  if (coord.row != coord.col) return begin_copy<G, G::ROWS>(shared.two_tiles, A, i0, j0, n, false);
  if (coord.row > 0) begin_copy<G, G::ORDER>(shared.tile, A, i0, j0 - G::ORDER, n, false);
  begin_copy<G, G::ORDER>(shared.own, A, i0, j0, n, true);
}

/* sum += the products of the tile rows, for the tiles before column `cols`, as they become final. */
template <class G, class Coord>
__device__ inline void add_item(typename G::sums &sum, const matrix<typename G::T> &A, int64_t n, const Coord &coord,
                                const two_tiles_coord &at) {
  typename G::workspace &shared = G::shared();
  enum { STAGES = G::ORDER / G::DEPTH };
  const auto ready = [&](int stage) {
    const unsigned due = static_cast<unsigned>(stage) / STAGES + 1;
    const unsigned known = coord.await_rows(at.first, at.rows, at.right, due, shared.words);
    return static_cast<int>(known < at.cols ? known : at.cols) * STAGES;
  };
  add_row_products<typename G::base>(sum, shared.ring, row_stream<typename G::base, G::ROWS>(A, at.i0, n, 0),
                                     row_stream<typename G::base, G::COLS>(A, at.j0, n, 0),
                                     static_cast<int>(at.cols) * STAGES, ready);
}

/* Subtracts the sums from shared.two_tiles, or from shared.tile and shared.own. Behind the end of A the diagonal gets
 * ones. */
template <class G> __device__ inline void subtract_item(const typename G::sums &sum, bool next, int64_t rows) {
  using T = typename G::T;
  typename G::workspace &shared = G::shared();
  each_sum<typename G::base>(sum, [&](int r, int c, T s) {
    const int own = r - G::ORDER;
    T &x = !next ? shared.two_tiles[c][r] : own < 0 ? shared.tile[r][c] : shared.own[c][own];
    x = next && own == c && c >= rows ? one<T>() : subtract(x, next && own < 0 ? conjugate(s) : s);
  });
}

/* ------------------------------------------------------------------------------------------------- solving -- */

/* Copies the lower triangle of L(j, j) to shared.diagonal, and makes the reciprocals. Behind the end of A the diagonal
 * gets ones. Returns whether all reciprocals are there. Ends with a barrier. */
template <class G> __device__ inline bool stage_corner(const matrix<typename G::T> &A, int64_t j0, int64_t n) {
  typename G::workspace &shared = G::shared();
  using T = typename G::T;
  using R = real_of<T>;
  const int left = static_cast<int>(least(n - j0, G::ORDER)), thread = static_cast<int>(threadIdx.x);
  begin_copy<G, G::ORDER>(shared.diagonal, A, j0, j0, n, true);
  tg_await_copies<0>();
  __syncthreads();
  R inverse = 1;
  if (thread < G::ORDER) {
    inverse = reciprocal(thread < left ? real(shared.diagonal[thread][thread]) : R(1));
    shared.reciprocal[thread] = inverse;
  }
  return !tg_any(is_zero(inverse), &shared.vote);
}

/* A(i0 + r, j0 + c) = from[c][r] for ROWS rows, or those with r >= c. */
template <class G, int ROWS, int LD>
__device__ inline void store_tiles(const typename G::T (&from)[G::ORDER][LD], const matrix<typename G::T> &A,
                                   int64_t i0, int64_t j0, int64_t n, bool lower) {
  using T = typename G::T;
  share_of_tile<G, ROWS> at(along_rows(A));
  const int rows = static_cast<int>(least(n - i0, ROWS)), cols = static_cast<int>(least(n - j0, G::ORDER));
  T *to = A.at(i0 + at.r, j0 + at.c);
  const int64_t step = at.r_step * A.row + at.c_step * A.col;
#pragma unroll 8
  for (int e = 0; e < at.COUNT; e++, to += step) {
    if (at.r < rows && at.c < cols && (!lower || at.r >= at.c)) *to = from[at.c][at.r];
    at.r += at.r_step, at.c += at.c_step;
  }
}

/* The tile that is to be solved: L(i, i - 1), or L(i, j) and L(i + 1, j). */
template <bool NEXT, class S> __device__ inline auto &solved(S &shared) {
  if constexpr (NEXT)
    return shared.tile;
  else
    return shared.two_tiles;
}

/* Columns c0 .. c0 + WIDTH - 1 of the tile -= the products of the columns before. A thread has a rectangle, because
 * each element that a thread loads should serve several products. Ends with a barrier. */
template <class G, bool NEXT> __device__ inline void subtract_before(int c0) {
  using T = typename G::T;
  typename G::workspace &shared = G::shared();
  auto &tile = solved<NEXT>(shared);
  constexpr int ROWS = NEXT ? G::ORDER : G::ROWS, SHARE = ROWS * G::WIDTH / G::THREADS;
  constexpr int HIGH = SHARE >= 8 ? 4 : SHARE >= 2 ? 2 : 1, WIDE = SHARE / HIGH, ACROSS = ROWS / HIGH;
  static_assert(ACROSS * (G::WIDTH / WIDE) == G::THREADS, "threads have equal shares");
  const int row = static_cast<int>(threadIdx.x) % ACROSS * HIGH;
  const int col = c0 + static_cast<int>(threadIdx.x) / ACROSS * WIDE;
  T sum[WIDE][HIGH] = {};
#pragma unroll 1
  for (int k0 = 0; k0 < c0; k0 += G::WIDTH)
#pragma unroll
    for (int k = k0; k < k0 + G::WIDTH; k++) {
      T x[HIGH];
#pragma unroll
      for (int i = 0; i < HIGH; i++) x[i] = tile[k][row + i];
#pragma unroll
      for (int j = 0; j < WIDE; j++) {
        const T l = conjugate(shared.diagonal[k][col + j]);
#pragma unroll
        for (int i = 0; i < HIGH; i++) sum[j][i] = multiply_add(x[i], l, sum[j][i]);
      }
    }
#pragma unroll
  for (int j = 0; j < WIDE; j++)
#pragma unroll
    for (int i = 0; i < HIGH; i++) tile[col + j][row + i] = subtract(tile[col + j][row + i], sum[j][i]);
  __syncthreads();
}

/* tile = tile·L⁻ᴴ by substitution, WIDTH columns at a time. All reciprocals must be there. Begins and ends with a
 * barrier. */
template <class G, bool NEXT> __device__ inline void solve_pair() {
  using T = typename G::T;
  typename G::workspace &shared = G::shared();
  auto &tile = solved<NEXT>(shared);
  const int row = static_cast<int>(threadIdx.x);
  __syncthreads();
#pragma unroll 1
  for (int c0 = 0; c0 < G::ORDER; c0 += G::WIDTH) {
    if (c0 > 0) subtract_before<G, NEXT>(c0);
    if (row < (NEXT ? G::ORDER : G::ROWS)) {
      T x[G::WIDTH];
#pragma unroll
      for (int c = 0; c < G::WIDTH; c++) x[c] = tile[c0 + c][row];
#pragma unroll
      for (int k = 0; k < G::WIDTH; k++) {
        x[k] = scale(x[k], shared.reciprocal[c0 + k]);
#pragma unroll
        for (int c = k + 1; c < G::WIDTH; c++)
          x[c] = subtract_product(x[c], x[k], conjugate(shared.diagonal[c0 + k][c0 + c]));
      }
#pragma unroll
      for (int c = 0; c < G::WIDTH; c++) tile[c0 + c][row] = x[c];
    }
    __syncthreads();
  }
}

/* Solves with the diagonal tile by division, because a reciprocal is missing (0). The case is rare, so the code is
 * short. */
template <class G, bool NEXT> __device__ inline void solve_pair_by_division(int left) {
  using T = typename G::T;
  typename G::workspace &shared = G::shared();
  auto &tile = solved<NEXT>(shared);
  const int row = static_cast<int>(threadIdx.x);
  __syncthreads();
#pragma unroll 1
  for (int k = 0; row < (NEXT ? G::ORDER : G::ROWS) && k < G::ORDER; k++) {
    const real_of<T> pivot = k < left ? real(shared.diagonal[k][k]) : 1;
    const T x = divide(tile[k][row], pivot);
    tile[k][row] = x;
#pragma unroll 1
    for (int c = k + 1; c < G::ORDER; c++)
      tile[c][row] = subtract_product(tile[c][row], x, conjugate(shared.diagonal[k][c]));
  }
  __syncthreads();
}

/* tile = tile·L⁻ᴴ for the diagonal tile L at (j0, j0). Ends with a barrier. */
template <class G, bool NEXT> __device__ inline void solve_with(const matrix<typename G::T> &A, int64_t j0, int64_t n) {
  if (stage_corner<G>(A, j0, n))
    solve_pair<G, NEXT>();
  else
    solve_pair_by_division<G, NEXT>(static_cast<int>(least(n - j0, G::ORDER)));
}

/* --------------------------------------------------------------------------------------------------- tiles -- */

/* own(r, c) -= (X·Xᴴ)(r, c) for X in shared.tile, in a square of SQUARE × SQUARE elements that begins there. */
template <class G, int SQUARE> __device__ inline void subtract_rows(int r, int c) {
  using T = typename G::T;
  typename G::workspace &shared = G::shared();
  T sum[SQUARE][SQUARE] = {};
#pragma unroll 8
  for (int k = 0; k < G::ORDER; k++) {
    T a[SQUARE], b[SQUARE];
#pragma unroll
    for (int i = 0; i < SQUARE; i++) a[i] = shared.tile[k][r + i], b[i] = conjugate(shared.tile[k][c + i]);
#pragma unroll
    for (int j = 0; j < SQUARE; j++)
#pragma unroll
      for (int i = 0; i < SQUARE; i++) sum[j][i] = multiply_add(a[i], b[j], sum[j][i]);
  }
#pragma unroll
  for (int j = 0; j < SQUARE; j++)
#pragma unroll
    for (int i = 0; i < SQUARE; i++) shared.own[c + j][r + i] = subtract(shared.own[c + j][r + i], sum[j][i]);
}

/* The lower triangle of shared.own -= X·Xᴴ. Each thread has a square. Then the threads share the elements of the few
 * squares that are left. Ends with a barrier. */
template <class G> __device__ inline void subtract_square() {
  enum { SQUARES = TG_TILE(4, 16), SQUARE = G::ORDER / SQUARES, SIZE = SQUARE * SQUARE };
  const folded_square first(threadIdx.x, SQUARES), rest(G::THREADS + threadIdx.x / SIZE, SQUARES);
  const int element = static_cast<int>(threadIdx.x) % SIZE;
  static_assert((SQUARES / 2 * (SQUARES + 1) - G::THREADS) * SIZE <= G::THREADS, "each element has a thread");
  if (first.exists) subtract_rows<G, SQUARE>(SQUARE * first.row, SQUARE * first.col);
  if (rest.exists) subtract_rows<G, 1>(SQUARE * rest.row + element % SQUARE, SQUARE * rest.col + element / SQUARE);
  __syncthreads();
}

/* L(i, j) and L(i + 1, j). */
template <class G, class Coord>
__device__ inline void take_below(const matrix<typename G::T> &A, int64_t n, const Coord &coord, unsigned tiles) {
  typename G::workspace &shared = G::shared();
  const int64_t i0 = static_cast<int64_t>(coord.row) * G::ORDER, j0 = static_cast<int64_t>(coord.col) * G::ORDER;
  coord.await_row(coord.col, coord.col + 1);
  solve_with<G, false>(A, j0, n);
  store_tiles<G, G::ROWS>(shared.two_tiles, A, i0, j0, n, false);
  coord.publish(coord.row, coord.col + 1);
  if (coord.row + 1 < tiles) coord.publish(coord.row + 1, coord.col + 1);
}

/* L(i, i - 1) and L(i, i). One thread calls record(column) for the first column whose pivot is not positive. */
template <class G, class Coord, class Record>
__device__ inline void take_next(const matrix<typename G::T> &A, int64_t n, const Coord &coord, Record record) {
  typename G::workspace &shared = G::shared();
  const unsigned i = coord.row;
  const int64_t i0 = static_cast<int64_t>(i) * G::ORDER, j0 = i0 - G::ORDER;
  if (i > 0) {
    coord.await_row(i - 1, i);
    solve_with<G, true>(A, j0, n);
    store_tiles<G, G::ORDER>(shared.tile, A, i0, j0, n, false);
    coord.publish(i, i);
    subtract_square<G>();
  }
  const int failed = factor_tile<potrf_own<G>>();
  if (failed >= 0 && threadIdx.x == 0) record(i0 + failed);
  store_tiles<G, G::ORDER>(shared.own, A, i0, i0, n, true);
  coord.publish(i, i + 1);
}

/* The tiles of one block, of `tiles` tile rows of the matrix A of order n. */
template <class G, class Coord, class Record>
__device__ inline void potrf_item(const matrix<typename G::T> &A, int64_t n, unsigned tiles, const Coord &coord,
                                  Record record) {
  const bool next = coord.row == coord.col;
  typename G::sums sum = {};
  begin_item<G>(A, n, coord);
  add_item<G>(sum, A, n, coord, two_tiles_of<G>(coord, tiles));
  subtract_item<G>(sum, next, n - static_cast<int64_t>(coord.col) * G::ORDER);
  if (next)
    take_next<G>(A, n, coord, record);
  else
    take_below<G>(A, n, coord, tiles);
}

#endif

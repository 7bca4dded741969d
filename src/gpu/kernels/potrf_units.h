/* potrf_units.h - the tiles of the dataflow POTRF for doubles, on matrix units (tg_mma).
 *
 *     S = A(i, j) - Σ L(i, k)·L(j, k)ᵀ, k < j          L(i, j) = S·L(j, j)⁻ᵀ, or the factor of S on the diagonal
 *
 * A block computes the sums of two tiles, one below the other, so that two products read L(j, k) once. The sums stay in
 * registers while L streams through shared memory.
 *
 * A diagonal tile becomes final, and is published, by panels of 16 columns (factor_units.h). The blocks that solve with
 * it follow panel by panel. So on the path from one diagonal tile to the next lie the factor, and one hand-over and one
 * solve of the last panel. A row's flag counts panels. */
#ifndef TRIGON_POTRF_UNITS_H
#define TRIGON_POTRF_UNITS_H

#include "factor_units.h"

template <int WARPS_> struct factor_tile_units : unit_geometry<32 * WARPS_, 16 * WARPS_, WARPS_, 1, 4> {
  using base = unit_geometry<32 * WARPS_, 16 * WARPS_, WARPS_, 1, 4>;
  static constexpr int WARPS = WARPS_, ORDER = 16 * WARPS, TALL = 2, LD = ORDER + 4, RESIDENT = 2;
  static_assert(base::ROWS == TALL * ORDER && base::COLS == ORDER, "a block computes two tiles");

  struct workspace {
    union {
      typename base::ring ring;
      struct {
        union {
          alignas(16) double pair[ORDER][base::ROWS + 4]; /* [column][row]; so are the others */
          struct {
            double tile[ORDER][LD], own[ORDER][LD]; /* L(i, i - 1), L(i, i) */
          };
        };
        alignas(16) packed_triangle<WARPS> diagonal;
        alignas(16) double reciprocal[ORDER];
      };
    };
    unsigned long long vote;
    unsigned words[3], word;
    __device__ workspace() {}
  };
  static_assert(sizeof(workspace) + 1024 <= TG_SHARED_HOPPER / RESIDENT, "so many blocks fit");
};

/* ------------------------------------------------------------------------------------------------- solving -- */

/* 1 / x, or 0 if x is not far from the ends of the range. The caller must divide if the result is 0. */
__device__ inline double plain_reciprocal(double x) {
  const double size = magnitude(x);
  return size >= 0x1p-1000 && size <= 0x1p1000 ? tg_reciprocal_normal(x) : 0;
}

/* Copies the panels first .. end - 1 of the diagonal tile at (j0, j0), and computes the reciprocals of their diagonal.
 * There are rows below this tile, so that it is whole. What lies above its diagonal is copied, but not used. A thread
 * has one, two or more elements of a block of 16 × 16. It sees its own copies ahead of the barrier. */
template <class G>
__device__ TG_NOINLINE void copy_panels(typename G::workspace &shared, const matrix<double> &A, int64_t j0, int first,
                                        int end) {
  const matrix<double> L = A.from(j0, j0);
  const bool fast = along_rows(A), pairs = A.row == 1 && A.col % 2 == 0 &&
                                           reinterpret_cast<uintptr_t>(L.data) % 16 == 0;
  const int run = pairs ? 2 : 1, begin = static_cast<int>(threadIdx.x) * run, step = G::THREADS * run;
  const auto row_of = [&](int e) { return fast ? e % 16 : e / 16; };
  const auto col_of = [&](int e) { return fast ? e / 16 : e % 16; };
  const int64_t down = 16 * A.row;
#pragma unroll 1
  for (int e = begin; e < 16 * 16; e += step) {
    const int row = row_of(e), col = col_of(e);
    const double *across = L.at(row, col);
#pragma unroll
    for (int c = 0; c < G::WARPS; c++, across += down + 16 * A.col) {
      if (c < first || c >= end) continue;
      const double *from = across;
#pragma unroll
      for (int r = c; r < G::WARPS; r++, from += down) {
        double *to = &shared.diagonal.at(r, c)[col][row];
        if (pairs)
          tg_copy_async_pair(to, from, 2);
        else
          tg_copy_async(to, from, true);
      }
    }
  }
  tg_commit_copies();
  tg_await_copies<0>();
#pragma unroll 1
  for (int e = begin; e < 16 * 16; e += step) {
    const int col = col_of(e), before = col - row_of(e);
    if (before < 0 || before >= run) continue;
    for (int c = first; c < end; c++)
      shared.reciprocal[16 * c + col] = plain_reciprocal(shared.diagonal.at(c, c)[col][col]);
  }
}

/* Subtracts from the REST panels behind panel p the products with X(p): tile(q) -= X(p)·L(q, p)ᵀ, q > p. Each warp has
 * HEIGHT fragments of 16 rows. All panels are in work at once. */
template <class G, int HEIGHT, int REST, int LD>
__device__ inline void subtract_solved(typename G::workspace &shared, double (*tile)[LD], int p) {
  const int row = 16 * HEIGHT * unit_warp();
  double a[HEIGHT][8], sum[REST][HEIGHT][2][4];
  double(*const next)[LD] = tile + 16 * (p + 1);
#pragma unroll
  for (int i = 0; i < HEIGHT; i++) load_left<LD>(a[i], tile[16 * p] + row + 16 * i);
#pragma unroll
  for (int q = 0; q < REST; q++)
#pragma unroll
    for (int h = 0; h < 2; h++) {
      double b[4];
      load_right_by_rows<BLOCK_LD>(b, &shared.diagonal.at(p + 1 + q, p)[0][8 * h]);
#pragma unroll
      for (int i = 0; i < HEIGHT; i++) {
        each_of_fragment(sum[q][i][h], [&](int r, int c, double &x) { x = -next[16 * q + 8 * h + c][row + 16 * i + r]; });
        tg_mma(sum[q][i][h], a[i], b);
      }
    }
#pragma unroll
  for (int q = 0; q < REST; q++)
#pragma unroll
    for (int h = 0; h < 2; h++)
#pragma unroll
      for (int i = 0; i < HEIGHT; i++)
        each_of_fragment(sum[q][i][h], [&](int r, int c, double x) { next[16 * q + 8 * h + c][row + 16 * i + r] = -x; });
}

/* The same for all panels behind panel p. */
template <class G, int HEIGHT, int LD, int REST = G::WARPS - 1>
__device__ inline void subtract_from_rest(typename G::workspace &shared, double (*tile)[LD], int p) {
  if (p + 1 + REST == G::WARPS)
    subtract_solved<G, HEIGHT, REST>(shared, tile, p);
  else if constexpr (REST > 1)
    subtract_from_rest<G, HEIGHT, LD, REST - 1>(shared, tile, p);
}

/* A row of a panel by divisions, where a reciprocal is no normal number. This is the rare case. */
template <class G, int LD>
__device__ TG_NOINLINE void divide_panel(typename G::workspace &shared, double (*tile)[LD], int row, int p) {
  const double(&L)[16][BLOCK_LD] = shared.diagonal.at(p, p);
#pragma unroll 1
  for (int j = 0; j < 16; j++) {
    const double by = shared.reciprocal[16 * p + j], s = tile[16 * p + j][row], x = is_zero(by) ? s / L[j][j] : s * by;
    tile[16 * p + j][row] = x;
#pragma unroll 1
    for (int k = j + 1; k < 16; k++) tile[16 * p + k][row] -= x * L[j][k];
  }
}

/* Solves for 16 columns of a row, by substitution, and stores them. */
template <class G, int LD>
__device__ inline void solve_panel(typename G::workspace &shared, double (*tile)[LD], int row, int p,
                                   const row_target &target) {
  const double(&L)[16][BLOCK_LD] = shared.diagonal.at(p, p);
  double x[16];
  bool safe = true;
#pragma unroll
  for (int j = 0; j < 16; j++) x[j] = tile[16 * p + j][row];
#pragma unroll
  for (int j = 0; j < 16; j++) {
    const double by = shared.reciprocal[16 * p + j];
    safe = safe && !is_zero(by);
    x[j] *= by;
#pragma unroll
    for (int k = j + 1; k < 16; k++) x[k] -= x[j] * L[j][k];
  }
  if (safe) {
#pragma unroll
    for (int j = 0; j < 16; j++) tile[16 * p + j][row] = x[j];
  } else {
    divide_panel<G>(shared, tile, row, p);
#pragma unroll
    for (int j = 0; j < 16; j++) x[j] = tile[16 * p + j][row];
  }
  double *to = target.to + 16 * p * target.step;
#pragma unroll
  for (int j = 0; j < 16; j++, to += target.step)
    if (target.exists) *to = x[j];
}

/* tile = tile·L⁻ᵀ for ROWS rows and the diagonal tile L of tile column `col`, panel by panel as L becomes final. Stores
 * the tile. Warps that have no rows call meanwhile(p) while panel p is solved; all call solved(p) behind the products
 * that the next panel needs. The caller has passed a barrier since the tile was written. */
template <class G, int ROWS, int LD, class Meanwhile, class Solved>
__device__ inline void solve_rows(typename G::workspace &shared, double (*tile)[LD], const matrix<double> &A, int64_t n,
                                  const flow_place &place, unsigned col, Meanwhile meanwhile, Solved solved) {
  const int64_t i0 = static_cast<int64_t>(place.row) * G::ORDER, j0 = static_cast<int64_t>(col) * G::ORDER;
  const int row = static_cast<int>(threadIdx.x);
  const unsigned before = G::WARPS * col;
  const row_target target = {A.at(i0 + row, j0), A.col, i0 + row < n};
  flow_progress progress = place.progress(col);
  int loaded = 0;
#pragma unroll 1
  for (int p = 0; p < G::WARPS; p++) {
    if (p == loaded) {
      progress.await(before + static_cast<unsigned>(p) + 1);
      loaded = static_cast<int>(progress.known - before);
      copy_panels<G>(shared, A, j0, p, loaded);
    }
    __syncthreads();
    if (row < ROWS)
      solve_panel<G>(shared, tile, row, p, target);
    else
      meanwhile(p);
    __syncthreads();
    subtract_from_rest<G, ROWS / G::ORDER>(shared, tile, p);
    solved(p);
  }
}

/* The products X·Xᵀ that the diagonal tile loses, X = shared.tile. The warps without rows of X have them, in fragments
 * of 16 × 8. */
template <class G> struct own_products {
  static constexpr int HELPERS = G::WARPS / 2, SHARE = G::WARPS * (G::WARPS + 1) / HELPERS;
  double of[SHARE][4];
  const int helper = unit_warp() - HELPERS;

  /* Calls visit(first row, first column, fragment) for the warp's fragments. */
  template <class Visit> __device__ void each(Visit visit) {
    int block = 0, strip = helper;
#pragma unroll
    for (int e = 0; e < SHARE; e++) {
      visit(16 * (strip / 2 + block), 8 * strip, of[e]);
      if (++block + strip / 2 == G::WARPS) block = 0, strip += HELPERS;
    }
  }

  __device__ void load(const typename G::workspace &shared) {
    each([&](int row, int col, double(&c)[4]) {
      each_of_fragment(c, [&](int i, int j, double &x) { x = -shared.own[col + j][row + i]; });
    });
  }
  __device__ void add(const typename G::workspace &shared, int p) {
    each([&](int row, int col, double(&c)[4]) {
      double a[8], b[4];
      load_left<G::LD>(a, shared.tile[16 * p] + row);
      load_right_by_rows<G::LD>(b, shared.tile[16 * p] + col);
      tg_mma(c, a, b);
    });
  }
  __device__ void store(typename G::workspace &shared) {
    each([&](int row, int col, double(&c)[4]) {
      each_of_fragment(c, [&](int i, int j, double x) { shared.own[col + j][row + i] = -x; });
    });
  }
};

/* --------------------------------------------------------------------------------------------------- tiles -- */

/* The sums of a block, one tile below the other. They are those of L(i, j) and L(i + 1, j), i > j. If the block takes
 * L(i, i - 1) and L(i, i), they are those of L(i, i - 1)ᵀ, without the tile L(i, i - 1) itself in that of L(i, i). So
 * the columns are tile row `right` in either case. */
struct sums_place {
  int64_t i0, j0;                    /* in A */
  unsigned first, right, cols, rows; /* tile rows and columns; `rows` tile rows from the first one on are awaited */
  bool turned;                       /* whether they are those of L(i, i - 1)ᵀ and L(i, i) */
};

template <class G> __device__ inline sums_place sums_of(const flow_place &place, unsigned tiles) {
  const bool next = place.row == place.col;
  const unsigned first = place.row - next, cols = next && place.row == 0 ? 0 : place.col - next;
  return {(static_cast<int64_t>(place.row) - next) * G::ORDER,
          static_cast<int64_t>(place.col) * G::ORDER,
          first,
          place.col,
          cols,
          next || place.row + 1 == tiles ? 1u : 2u,
          next};
}

/* sum = -A, or its transpose in L(i, i - 1)ᵀ. A is read ahead of the first wait. Warps have whole tiles' rows, so that
 * an element's address needs few instructions. What lies above the diagonal of A is read, but not used. */
template <class G>
__device__ inline void begin_sums(typename G::sums &sum, const matrix<double> &A, int64_t n, const sums_place &at) {
  const bool turned = at.turned && unit_row<G>() < G::ORDER;
  const matrix<double> from = turned ? A.transposed().from(at.i0, at.j0) : A.from(at.i0, at.j0);
  const int rows = turned && at.i0 < 0 ? 0 : static_cast<int>(least(n - at.i0, G::ROWS));
  const int cols = static_cast<int>(least(n - at.j0, G::COLS));
  const int row = unit_row<G>() + unit_lane() / 4, col = unit_lane() % 4 * 2;
#pragma unroll
  for (int i = 0; i < 2 * G::HEIGHT; i++) {
    const bool exists = row + 8 * i < rows;
    const double *p = from.at(row + 8 * i, col);
#pragma unroll
    for (int j = 0; j < G::WIDTH; j++, p += 8 * from.col)
#pragma unroll
      for (int e = 0; e < 2; e++)
        sum.of[i / 2][j][i % 2 * 2 + e] = exists && col + 8 * j + e < cols ? -p[e * from.col] : 0;
  }
}

/* sum += the products of the tile rows, for the tiles before column `cols`, as they become final. */
template <class G>
__device__ inline void add_rows(typename G::workspace &shared, typename G::sums &sum, const matrix<double> &A,
                                int64_t n, const flow_place &place, const sums_place &at) {
  static_assert(G::TERMS == 16, "a stage is a panel");
  const int64_t end = static_cast<int64_t>(at.cols) * G::ORDER;
  const auto ready = [&](int64_t stage) {
    const auto flag = [&](unsigned row) { return place.flags + (row < at.rows ? at.first + row : at.right); };
    return static_cast<int64_t>(tg_await_least(flag, at.rows + 1, static_cast<unsigned>(stage) + 1, shared.words));
  };
  add_streams<G>(sum, shared.ring, unit_stream<G, G::ROWS>(A, at.i0, n, 0, end),
                 unit_stream<G, G::COLS>(A, at.j0, n, 0, end), static_cast<int64_t>(at.cols) * G::WARPS, ready);
}

/* Puts what is to be solved, or factored, into shared.pair, or into shared.tile and shared.own. Behind the end of A the
 * diagonal gets ones. Ends with a barrier. */
template <class G>
__device__ inline void put_sums(typename G::workspace &shared, typename G::sums &sum, bool next, int rows) {
  const int row = unit_row<G>() + unit_lane() / 4, col = unit_lane() % 4 * 2;
  const bool is_own = next && row >= G::ORDER, is_tile = next && !is_own;
  double *to = is_own ? shared.own[0] + (row - G::ORDER) : is_tile ? shared.tile[row] : shared.pair[0] + row;
  const int down = is_tile ? G::LD : 1, across = is_own ? G::LD : is_tile ? 1 : G::ROWS + 4;
  to += col * across;
#pragma unroll
  for (int i = 0; i < 2 * G::HEIGHT; i++, to += 8 * down) {
    double *p = to;
#pragma unroll
    for (int j = 0; j < G::WIDTH; j++, p += 8 * across)
#pragma unroll
      for (int e = 0; e < 2; e++) p[e * across] = -sum.of[i / 2][j][i % 2 * 2 + e];
  }
  __syncthreads();
  const int thread = static_cast<int>(threadIdx.x);
  if (!next || rows >= G::ORDER) return;
  if (thread >= rows && thread < G::ORDER) shared.own[thread][thread] = 1;
  __syncthreads();
}

/* L(i, j) and L(i + 1, j). The path waits for the first of these tiles if they are the first of their column. A panel is
 * published when its stores have had time to arrive. */
template <class G>
__device__ inline void solve_below(typename G::workspace &shared, const matrix<double> &A, int64_t n,
                                   const flow_place &place, unsigned tiles) {
  const bool hurries = place.row == place.col + 2;
  const unsigned rows = place.row + 1 < tiles ? 2 : 1, before = G::WARPS * place.col;
  solve_rows<G, G::ROWS>(shared, shared.pair, A, n, place, place.col, [](int) {}, [&](int p) {
    if (hurries || p + 1 == G::WARPS)
      tg_publish_rows(place.flags + place.row, rows, before + static_cast<unsigned>(p) + 1);
  });
}

/* L(i, i - 1), and shared.own without its products but those of the last panel. */
template <class G>
__device__ inline void solve_next(typename G::workspace &shared, const matrix<double> &A, int64_t n,
                                  const flow_place &place) {
  const unsigned i = place.row;
  own_products<G> products;
  const auto add_before = [&](int p) {
    if (p == 0)
      products.load(shared);
    else
      products.add(shared, p - 1);
    if (p + 1 == G::WARPS) products.store(shared);
  };
  solve_rows<G, G::ORDER>(shared, shared.tile, A, n, place, i - 1, add_before, [&](int p) {
    if (p + 1 < G::WARPS)
      tg_publish_by(place.flags + i, G::WARPS * (i - 1) + static_cast<unsigned>(p) + 1, G::THREADS - 32);
  });
}

/* L(i, i - 1) and L(i, i). */
template <class G>
__device__ TG_NOINLINE void factor_next(typename G::workspace &shared, const factor &p, int64_t b,
                                        const matrix<double> &A, const flow_place &place) {
  const unsigned i = place.row;
  const int64_t i0 = static_cast<int64_t>(i) * G::ORDER;
  const int row = static_cast<int>(threadIdx.x);
  const double(*x)[G::LD] = i > 0 ? shared.tile + 16 * (G::WARPS - 1) : nullptr;
  if (i > 0) {
    solve_next<G>(shared, A, p.n, place);
    subtract_strip<G, 2>(shared.own, x, unit_warp() % 2, unit_warp() / 2, G::WARPS / 2);
  }
  const row_target target = {A.at(i0 + row, i0), A.col, i0 + row < p.n};
  const int failed = factor_units<G>(shared, target, {place.flags + i, G::WARPS * i}, x);
  if (failed >= 0 && threadIdx.x == 0) record_failure(p, b, i0 + failed);
}

template <class G>
__device__ inline void potrf_units(typename G::workspace &shared, const flow_factor &f, int64_t b,
                                   const flow_place &place) {
  const matrix<double> A = matrix_of<double>(f.p.A, b);
  const bool next = place.row == place.col;
  const sums_place at = sums_of<G>(place, f.tiles);
  typename G::sums sum;
  begin_sums<G>(sum, A, f.p.n, at);
  if (at.cols > 0) add_rows<G>(shared, sum, A, f.p.n, place, at);
  put_sums<G>(shared, sum, next, static_cast<int>(least(f.p.n - at.j0, G::ORDER)));
  if (next)
    factor_next<G>(shared, f.p, b, A, place);
  else
    solve_below<G>(shared, A, f.p.n, place, f.tiles);
}

#endif

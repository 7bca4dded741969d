/* potrf_mma.h - the tiles of the dataflow POTRF for doubles, on matrix units (tg_mma).
 *
 *     S = A(i, j) - Σ L(i, k)·L(j, k)ᵀ, k < j          L(i, j) = S·L(j, j)⁻ᵀ, or the factor of S on the diagonal
 *
 * A block computes the sums of two tiles, one below the other, so that two products read L(j, k) once. The sums stay in
 * registers while L streams through shared memory.
 *
 * A diagonal tile becomes final, and is published, by panels of 16 columns (factor_mma.h). The blocks that solve with
 * it follow panel by panel. So on the path from one diagonal tile to the next lie the factor, and one hand-over and one
 * solve of the last panel. A row's flag counts panels. */
#ifndef TRIGON_POTRF_MMA_H
#define TRIGON_POTRF_MMA_H

#include "gpu/kernels/diagonal/factor_mma.h"
#include "gpu/kernels/products/mma_products.h"

template <int WARPS_> struct factor_tile_mma : mma_geometry<32 * WARPS_, 16 * WARPS_, WARPS_, 1, 4> {
  using base = mma_geometry<32 * WARPS_, 16 * WARPS_, WARPS_, 1, 4>;
  static constexpr int WARPS = WARPS_, ORDER = 16 * WARPS, TALL = 2, LD = ORDER + 4, RESIDENT = 2;
  static_assert(base::ROWS == TALL * ORDER && base::COLS == ORDER, "a block computes two tiles");

  struct workspace {
    union {
      typename base::ring ring;
      struct {
        union {
          alignas(16) double two_tiles[ORDER][base::ROWS + 4]; /* [column][row]; so are the others */
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

/* Copies panels of a diagonal tile, and computes the reciprocals of its diagonal. There are rows below this tile, so
 * that it is whole. What lies above its diagonal is copied, but not used. A thread has the same elements of each block
 * of 16 × 16, in runs of one or two, and knows their addresses ahead of the wait. */
template <class G> struct panel_copy {
  const double *from;
  int64_t down, across, next; /* from block to block, and from run to run */
  int row, col, pace;         /* in the block; `pace` rows or columns from run to run */
  bool fast, pairs;

  __device__ panel_copy(const matrix<double> &A, int64_t j0) {
    const double *first = A.at(j0, j0);
    fast = along_rows(A), pairs = A.row == 1 && A.col % 2 == 0 && reinterpret_cast<uintptr_t>(first) % 16 == 0;
    const int e = static_cast<int>(threadIdx.x) * (pairs ? 2 : 1), f = e % 16, s = e / 16;
    row = fast ? f : s, col = fast ? s : f;
    pace = G::THREADS * (pairs ? 2 : 1) / 16;
    down = 16 * A.row, across = 16 * A.col, next = pace * (fast ? A.col : A.row);
    from = first + row * A.row + col * A.col;
  }

  /* Begins to copy panel c. */
  __device__ void begin(typename G::workspace &shared, int c) const {
    const double *block = from + c * (down + across);
#pragma unroll 1
    for (int r = c; r < G::WARPS; r++, block += down) {
      double *to = &shared.diagonal.at(r, c)[col][row];
      if (pairs) {
#pragma unroll
        for (int e = 0; e < 128 / G::THREADS; e++) tg_copy_async_pair(to + e * pace * BLOCK_LD, block + e * next, 2);
      } else {
#pragma unroll
        for (int e = 0; e < 256 / G::THREADS; e++)
          tg_copy_async(to + e * pace * (fast ? BLOCK_LD : 1), block + e * next, true);
      }
    }
  }

  /* After the thread's own copies of panel c, ahead of a barrier. */
  __device__ void invert_diagonal(typename G::workspace &shared, int c) const {
    const int runs = (pairs ? 128 : 256) / G::THREADS;
#pragma unroll 1
    for (int e = 0; e < runs; e++) {
      const int r = row + (fast ? 0 : e * pace), s = col + (fast ? e * pace : 0);
      if (s == r || (pairs && s == r + 1))
        shared.reciprocal[16 * c + s] = plain_reciprocal(shared.diagonal.at(c, c)[s][s]);
    }
  }
};

/* Subtracts from the columns behind panel p the products with X(p): tile(q) -= X(p)·L(q, p)ᵀ, q > p. Each warp has
 * HEIGHT fragments of 16 rows. */
template <class G, int HEIGHT, int LD>
__device__ inline void subtract_solved(typename G::workspace &shared, double (*tile)[LD], int p) {
  const int row = 16 * HEIGHT * mma_warp();
  double a[HEIGHT][8];
#pragma unroll
  for (int i = 0; i < HEIGHT; i++) load_left<LD>(a[i], tile[16 * p] + row + 16 * i);
#pragma unroll 1
  for (int q = p + 1; q < G::WARPS; q++) {
    double sum[HEIGHT][2][4], b[2][4];
#pragma unroll
    for (int h = 0; h < 2; h++) {
      load_right_by_rows<BLOCK_LD>(b[h], &shared.diagonal.at(q, p)[0][8 * h]);
#pragma unroll
      for (int i = 0; i < HEIGHT; i++)
        each_of_fragment(sum[i][h], [&](int r, int c, double &x) { x = -tile[16 * q + 8 * h + c][row + 16 * i + r]; });
    }
#pragma unroll
    for (int h = 0; h < 2; h++)
#pragma unroll
      for (int i = 0; i < HEIGHT; i++) tg_mma(sum[i][h], a[i], b[h]);
#pragma unroll
    for (int h = 0; h < 2; h++)
#pragma unroll
      for (int i = 0; i < HEIGHT; i++)
        each_of_fragment(sum[i][h], [&](int r, int c, double x) { tile[16 * q + 8 * h + c][row + 16 * i + r] = -x; });
  }
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

/* Solves for 16 columns of a row, by substitution, and stores them unless BY_ROWS; `to` is their first element. */
template <class G, bool BY_ROWS, int LD>
__device__ inline void solve_panel(typename G::workspace &shared, double (*tile)[LD], int row, int p,
                                   const tile_target &target) {
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
  if (BY_ROWS || row >= target.rows) return;
  double *to = target.first + row * target.row + 16 * p * target.col;
#pragma unroll
  for (int j = 0; j < 16; j++, to += target.col) *to = x[j];
}

/* tile = tile·L⁻ᵀ for ROWS rows and the diagonal tile L of tile column `col`, panel by panel as L becomes final. Stores
 * the tile; if BY_ROWS, the rows of A are contiguous. Threads that have no row call meanwhile(p) while panel p is
 * solved. Then all call solved(p). The caller has passed a barrier since the tile was written. */
template <class G, bool BY_ROWS, int ROWS, int LD, class Meanwhile, class Solved>
__device__ inline void solve_by_panels(typename G::workspace &shared, double (*tile)[LD], const matrix<double> &A,
                                       int64_t n, const tile_coord &coord, unsigned col, Meanwhile meanwhile,
                                       Solved solved) {
  const int64_t i0 = static_cast<int64_t>(coord.row) * G::ORDER, j0 = static_cast<int64_t>(col) * G::ORDER;
  const int row = static_cast<int>(threadIdx.x);
  const unsigned before = G::WARPS * col;
  const tile_target target(A, i0, j0, n, ROWS);
  const panel_copy<G> copy(A, j0);
  int loaded = 0;
#pragma unroll 1
  for (int p = 0; p < G::WARPS; p++) {
    if (p == loaded) {
      const auto flag = [&](unsigned) { return coord.flags + col; };
      loaded = static_cast<int>(tg_await_least(flag, 1, before + static_cast<unsigned>(p) + 1, shared.words) - before);
#pragma unroll 1
      for (int c = p; c < loaded; c++) copy.begin(shared, c);
      tg_commit_copies();
      tg_await_copies<0>();
#pragma unroll 1
      for (int c = p; c < loaded; c++) copy.invert_diagonal(shared, c);
    }
    __syncthreads();
    if (row < ROWS)
      solve_panel<G, BY_ROWS>(shared, tile, row, p, target);
    else
      meanwhile(p);
    __syncthreads();
    if (BY_ROWS) store_by_rows<16, G::THREADS>(tile + 16 * p, target, 16 * p, false);
    solved(p);
    if (p + 1 < G::WARPS) subtract_solved<G, ROWS / G::ORDER>(shared, tile, p);
  }
}

/* The products X·Xᵀ that the diagonal tile loses, X = shared.tile. The warps without rows of X have them, in fragments
 * of 16 × 8. */
template <class G> struct own_products {
  static constexpr int HELPERS = G::WARPS / 2, SHARE = G::WARPS * (G::WARPS + 1) / HELPERS;
  double of[SHARE][4];
  const int helper = mma_warp() - HELPERS;

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
struct sums_coord {
  int64_t i0, j0;                    /* in A */
  unsigned first, right, cols, rows; /* tile rows and columns; `rows` tile rows from the first one on are awaited */
  bool transposed;                   /* whether they are those of L(i, i - 1)ᵀ and L(i, i) */
};

template <class G> __device__ inline sums_coord sums_of(const tile_coord &coord, unsigned tiles) {
  const bool next = coord.row == coord.col;
  const unsigned first = coord.row - next, cols = next && coord.row == 0 ? 0 : coord.col - next;
  return {(static_cast<int64_t>(coord.row) - next) * G::ORDER,
          static_cast<int64_t>(coord.col) * G::ORDER,
          first,
          coord.col,
          cols,
          next || coord.row + 1 == tiles ? 1u : 2u,
          next};
}

/* sum = -A, or its transpose in L(i, i - 1)ᵀ. A is read ahead of the first wait. Warps have whole tiles' rows, so that
 * an element's address needs few instructions. What lies above the diagonal of A is read, but not used. */
template <class G>
__device__ inline void begin_sums(typename G::sums &sum, const matrix<double> &A, int64_t n, const sums_coord &at) {
  const bool transposed = at.transposed && mma_row<G>() < G::ORDER;
  const matrix<double> from = transposed ? A.transposed().from(at.i0, at.j0) : A.from(at.i0, at.j0);
  const int rows = transposed && at.i0 < 0 ? 0 : static_cast<int>(least(n - at.i0, G::ROWS));
  const int cols = static_cast<int>(least(n - at.j0, G::COLS));
  const int row = mma_row<G>() + mma_lane() / 4, col = mma_lane() % 4 * 2;
  const auto load = [&](auto exists) {
#pragma unroll
    for (int i = 0; i < 2 * G::HEIGHT; i++) {
      const double *p = from.at(row + 8 * i, col);
#pragma unroll
      for (int j = 0; j < G::WIDTH; j++, p += 8 * from.col)
#pragma unroll
        for (int e = 0; e < 2; e++)
          sum.of[i / 2][j][i % 2 * 2 + e] = exists(row + 8 * i, col + 8 * j + e) ? -p[e * from.col] : 0;
    }
  };
  if (rows == G::ROWS && cols == G::COLS)
    load([](int, int) { return true; }); /* all elements are under way before the first one is used */
  else
    load([&](int r, int c) { return r < rows && c < cols; });
}

/* sum += the products of the tile rows, for the tiles before column `cols`, as they become final. */
template <class G, class Layouts>
__device__ inline void add_rows(typename G::workspace &shared, typename G::sums &sum, const matrix<double> &A,
                                int64_t n, const tile_coord &coord, const sums_coord &at) {
  static_assert(G::TERMS == 16, "a stage is a panel");
  const int64_t end = static_cast<int64_t>(at.cols) * G::ORDER;
  const auto ready = [&](int stage, int) {
    const auto flag = [&](unsigned row) { return coord.flags + (row < at.rows ? at.first + row : at.right); };
    return static_cast<int64_t>(tg_await_least(flag, at.rows + 1, static_cast<unsigned>(stage) + 1, shared.words));
  };
  add_streams<G, Layouts>(sum, shared.ring, {A, at.i0, n, 0, end}, {A, at.j0, n, 0, end},
                          static_cast<int64_t>(at.cols) * G::WARPS, ready);
}

/* Negates the sums into shared memory. The thread's first element goes to *to. */
template <class G, int DOWN, int ACROSS> __device__ inline void put_negated(double *to, const typename G::sums &sum) {
#pragma unroll
  for (int i = 0; i < G::HEIGHT; i++)
#pragma unroll
    for (int j = 0; j < G::WIDTH; j++)
#pragma unroll
      for (int e = 0; e < 4; e++) to[(16 * i + e / 2 * 8) * DOWN + (8 * j + e % 2) * ACROSS] = -sum.of[i][j][e];
}

/* Puts the negative sums into shared.two_tiles, whose two tiles will be solved, or, if `next`, into shared.tile, which
 * will be solved, and shared.own, the diagonal tile, which will be factored. Behind the end of A the diagonal gets
 * ones. Ends with a barrier. */
template <class G>
__device__ inline void put_sums(typename G::workspace &shared, typename G::sums &sum, bool next, int rows) {
  const int row = mma_row<G>() + mma_lane() / 4, col = mma_lane() % 4 * 2, thread = static_cast<int>(threadIdx.x);
  if (!next)
    put_negated<G, 1, G::ROWS + 4>(&shared.two_tiles[col][row], sum);
  else if (row < G::ORDER)
    put_negated<G, G::LD, 1>(&shared.tile[row][col], sum);
  else
    put_negated<G, 1, G::LD>(&shared.own[col][row - G::ORDER], sum);
  __syncthreads();
  if (!next || rows >= G::ORDER) return;
  if (thread >= rows && thread < G::ORDER) shared.own[thread][thread] = 1;
  __syncthreads();
}

/* Solves for L(i, j) and L(i + 1, j). The critical path waits for the first two tiles of a column below its diagonal
 * tile, so each of their panels is published at once. */
template <class G, bool BY_ROWS>
__device__ inline void solve_below(typename G::workspace &shared, const matrix<double> &A, int64_t n,
                                   const tile_coord &coord, unsigned tiles) {
  const bool on_critical_path = coord.row == coord.col + 2;
  const unsigned rows = coord.row + 1 < tiles ? 2 : 1, before = G::WARPS * coord.col;
  solve_by_panels<G, BY_ROWS, G::ROWS>(
      shared, shared.two_tiles, A, n, coord, coord.col, [](int) {},
      [&](int p) {
        if (on_critical_path || p + 1 == G::WARPS)
          tg_publish_rows(coord.flags + coord.row, rows, before + static_cast<unsigned>(p) + 1);
      });
}

/* Solves for L(i, i - 1), and subtracts its products from shared.own, but for those of the last panel. */
template <class G, bool BY_ROWS>
__device__ inline void solve_next(typename G::workspace &shared, const matrix<double> &A, int64_t n,
                                  const tile_coord &coord) {
  const unsigned i = coord.row;
  own_products<G> products;
  const auto add_before = [&](int p) {
    if (p == 0)
      products.load(shared);
    else
      products.add(shared, p - 1);
    if (p + 1 == G::WARPS) products.store(shared);
  };
  solve_by_panels<G, BY_ROWS, G::ORDER>(shared, shared.tile, A, n, coord, i - 1, add_before, [&](int p) {
    tg_publish_by(coord.flags + i, G::WARPS * (i - 1) + static_cast<unsigned>(p) + 1, G::THREADS - 32);
  });
}

/* Computes L(i, i - 1) and L(i, i). */
template <class G, bool BY_ROWS>
__device__ TG_NOINLINE void factor_next(typename G::workspace &shared, const factor &p, int64_t b,
                                        const matrix<double> &A, const tile_coord &coord) {
  const unsigned i = coord.row;
  const int64_t i0 = static_cast<int64_t>(i) * G::ORDER;
  const double(*x)[G::LD] = i > 0 ? shared.tile + 16 * (G::WARPS - 1) : nullptr;
  if (i > 0) {
    solve_next<G, BY_ROWS>(shared, A, p.n, coord);
    subtract_strip<G, 2>(shared.own, x, mma_warp() % 2, mma_warp() / 2, G::WARPS / 2);
  }
  const tile_target target(A, i0, i0, p.n, G::ORDER);
  const int failed = factor_mma<G, BY_ROWS>(shared, target, 2 * G::WARPS, x, [&](unsigned panels) {
    tg_publish_by(coord.flags + i, G::WARPS * i + panels, G::THREADS - 32);
  });
  if (failed >= 0 && threadIdx.x == 0) record_failure(p, b, i0 + failed);
}

template <class G, class Layouts>
__device__ inline void potrf_mma(typename G::workspace &shared, const dataflow_matrices &f, int64_t b,
                                 const tile_coord &coord) {
  const matrix<double> A = matrix_of<double>(f.p.A, b);
  const bool next = coord.row == coord.col;
  const sums_coord at = sums_of<G>(coord, f.flags_of_each);
  typename G::sums sum;
  begin_sums<G>(sum, A, f.p.n, at);
  if (at.cols > 0) add_rows<G, Layouts>(shared, sum, A, f.p.n, coord, at);
  put_sums<G>(shared, sum, next, static_cast<int>(least(f.p.n - at.j0, G::ORDER)));
  if (next)
    factor_next<G, Layouts::A_TERMS>(shared, f.p, b, A, coord);
  else
    solve_below<G, Layouts::A_TERMS>(shared, A, f.p.n, coord, f.flags_of_each);
}

#endif

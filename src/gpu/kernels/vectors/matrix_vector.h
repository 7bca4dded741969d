/* matrix_vector.h - products of a matrix and a vector. The matrix P is read once, at the speed of memory.
 *
 *     y = alpha·P·x + beta·y     row sums: rows of P meet x
 *     y = alpha·Pᵀ·x + beta·y    column sums: columns of P meet x
 *     both sums at once          P is the lower triangle of a symmetric matrix; the diagonal counts once
 *
 * A block of threads takes a tile of P and goes through the tile in passes (word_tile.h). Row sums stay in registers
 * while the block walks to the right. Column sums stay there while the block walks down. In a triangle all blocks walk
 * to the right, and hand over their column sums after each pass.
 *
 * y has segments. If several blocks share a segment, each leaves its part of the sums in device memory. The last block
 * that arrives at the segment's counter adds the parts in their order, and writes y. So the order of the blocks changes
 * no bit of the result. In a triangle y may be x: a block arrives at the counters of both segments that belong to its
 * tile, so a segment of y is written when all blocks have read this segment of x. No block waits. */
#ifndef TRIGON_MATRIX_VECTOR_H
#define TRIGON_MATRIX_VECTOR_H

#include "gpu/kernels/dataflow/dataflow_triangles.h"
#include "word_tile.h"

template <bool TRIANGLE_, bool ROW_SUMS_, bool COLUMN_SUMS_> struct vector_mode {
  static constexpr bool TRIANGLE = TRIANGLE_, ROW_SUMS = ROW_SUMS_, COLUMN_SUMS = COLUMN_SUMS_;
  static constexpr bool WALKS_DOWN = !TRIANGLE && COLUMN_SUMS;
};

/* A launch: the segments first .. first + segments - 1 of y. In a triangle: these tile rows of P. */
struct matrix_vector_task {
  int64_t rows, cols; /* of P */
  operand P, x, y;
  trigon_scalar alpha, beta;
  bool hermitian, unit; /* of a triangle */
  bool words;           /* the words of P are aligned */
  int64_t first;
  unsigned segments;
  unsigned shares;   /* blocks that share a segment; in a triangle only whether there are several */
  int64_t length;    /* without TRIANGLE: the columns, or rows, of a block */
  unsigned *arrived; /* a counter for each segment */
  void *parts;       /* row sums of all tiles, and then column sums of all tiles */
};

template <class G, class M> struct matrix_vector_workspace {
  using T = typename G::T;
  static constexpr int SEGMENT = M::WALKS_DOWN ? G::COLS : G::ROWS; /* elements of y */
  static constexpr int COLUMNS = M::WALKS_DOWN ? G::COLS : M::COLUMN_SUMS ? G::ROWS : 1;
  static_assert(!M::TRIANGLE || G::ROWS % G::COLS == 0, "a tile of a triangle is a square of whole passes");

  union {
    T rows[M::ROW_SUMS ? G::GROUPS : 1][G::ROWS]; /* of each group */
    T shares[G::THREADS];
  };
  T columns[COLUMNS];
  unsigned last[2];
  __device__ matrix_vector_workspace() {}
};

/* The tile of a block: rows i0 .. i1 - 1 and columns j0 .. j1 - 1. Segments are counted from `first`, but in a triangle
 * from the first one of all. */
template <class G, class M> struct vector_tile {
  unsigned segment, other; /* other: the share of the segment; in a triangle the tile column */
  int64_t i0, i1, j0, j1;

  __device__ vector_tile(const matrix_vector_task &f) {
    const unsigned number = blockIdx.x;
    if (M::TRIANGLE) {
      const triangle_coord c = triangle_coord_of<1>(number + tiles_of_triangle<1>(static_cast<unsigned>(f.first)));
      segment = c.row, other = c.col;
      i0 = segment * int64_t{G::ROWS}, j0 = other * int64_t{G::ROWS};
    } else if (M::ROW_SUMS) {
      segment = number % f.segments, other = number / f.segments;
      i0 = (f.first + segment) * G::ROWS, j0 = other * f.length;
    } else {
      segment = number / f.shares, other = number % f.shares;
      i0 = other * f.length, j0 = (f.first + segment) * G::COLS;
    }
    i1 = least(i0 + (M::WALKS_DOWN ? f.length : G::ROWS), f.rows);
    j1 = least(j0 + (M::TRIANGLE ? G::ROWS : M::ROW_SUMS ? f.length : G::COLS), f.cols);
  }
  __device__ bool on_diagonal() const { return M::TRIANGLE && segment == other; }
};

/* ---------------------------------------------------------------------------------------------------- sums -- */

/* An element of P that is conjugated: conj(p)·x = conj(p·conj(x)). So x and the sums are conjugated instead. */
__device__ inline bool conjugates_rows(const matrix_vector_task &f) { return f.P.conjugate; }
__device__ inline bool conjugates_columns(const matrix_vector_task &f) { return f.P.conjugate != f.hermitian; }

/* x as row sums and column sums take it. */
template <class T> struct vector_x {
  matrix<T> for_rows, for_columns;
  __device__ vector_x(const matrix_vector_task &f) : for_rows(matrix_of<T>(f.x, 0)), for_columns(for_rows) {
    for_rows.conjugated ^= conjugates_rows(f), for_columns.conjugated ^= conjugates_columns(f);
  }
};

template <class G, class M> struct vector_sums {
  using T = typename G::T;
  typename G::rows row = {};
  typename G::columns column = {};

  /* Adds the products of a pass. Above the diagonal nothing is added, not even a zero: an infinity in x would turn the
   * zero into a NaN. */
  template <bool MEETS_DIAGONAL>
  __device__ void add_words(const typename G::words &p, const word_pass<G> &pass, const matrix_vector_task &f,
                            const typename G::columns &right, const typename G::rows &down) {
    each_element_of_words<G>([&](int s, int c, int e) {
      const int below = MEETS_DIAGONAL ? pass.below(s, c, e) : 1;
      T a = p[s][c][e];
      if (below == 0) a = f.unit ? one<T>() : f.hermitian ? only_real(a) : a;
      if (M::ROW_SUMS && below >= 0) row[s][e] = multiply_add(a, right[c], row[s][e]);
      if (M::COLUMN_SUMS && below >= (M::ROW_SUMS ? 1 : 0)) column[c] = multiply_add(a, down[s][e], column[c]);
    });
  }

  /* Stores the column sums of a pass, and begins new ones. */
  __device__ void put_columns(T *to, const word_coord<G> &at) {
    add_lanes<G::COLUMNS, G::LANES>(column);
#pragma unroll
    for (int c = 0; c < G::COLUMNS; c++) {
      if (c * G::LANES < G::COLUMNS && spread_owner<G::COLUMNS, G::LANES>())
        to[at.col(spread_number<G::COLUMNS, G::LANES>(c))] = column[c];
      column[c] = T{};
    }
  }

  /* Adds the row sums of the lanes that have the same rows, and stores those of the group. */
  __device__ void put_rows(T *to, const word_coord<G> &at) {
    each_row_of_words<G>([&](int s, int e) {
#pragma unroll
      for (int bit = G::LANES; bit < GROUP; bit *= 2)
        row[s][e] = add(row[s][e], group_shuffle(row[s][e], group_lane() ^ bit));
      if (group_lane() < G::LANES) to[at.row(s, e)] = row[s][e];
    });
  }
};

/* A pass of a block's walk, at (i, j). The loads of P begin first. A walk to the right meets the same rows of x in all
 * passes. */
template <class G, class M>
__device__ inline void add_pass(vector_sums<G, M> &sum, typename G::rows &down, const matrix_vector_task &f,
                                const vector_tile<G, M> &tile, const vector_x<typename G::T> &x, int64_t i, int64_t j) {
  const word_pass<G> pass(f.P, i, j, tile.i1, tile.j1);
  const bool whole = f.words && pass.has_rows() && !tile.on_diagonal();
  typename G::words words;
  typename G::columns right;
  whole ? pass.load_words(words) : pass.load_elements(words, M::TRIANGLE ? f.unit : G::ANYWHERE);
  if (M::ROW_SUMS) pass.load_columns(right, x.for_rows.from(j, 0));
  if (M::COLUMN_SUMS && (M::WALKS_DOWN || j == tile.j0)) pass.load_rows(down, x.for_columns.from(i, 0));
  whole ? sum.template add_words<false>(words, pass, f, right, down)
        : sum.template add_words<M::TRIANGLE>(words, pass, f, right, down);
}

/* Leaves the sums of the tile in shared memory. Ends with a barrier. */
template <class G, class M>
__device__ inline void add_tile(matrix_vector_workspace<G, M> &shared, const matrix_vector_task &f,
                                const vector_tile<G, M> &tile) {
  const word_coord<G> at(f.P.row < 0);
  const vector_x<typename G::T> x(f);
  vector_sums<G, M> sum;
  typename G::rows down = {};
  int64_t i = tile.i0, j = tile.j0;
#pragma unroll 1
  while (i < tile.i1 && j < tile.j1) {
    add_pass(sum, down, f, tile, x, i, j);
    if (M::COLUMN_SUMS && !M::WALKS_DOWN) sum.put_columns(shared.columns + (j - tile.j0), at);
    (M::WALKS_DOWN ? i : j) += M::WALKS_DOWN ? G::ROWS : G::COLS;
  }
  if (M::WALKS_DOWN) sum.put_columns(shared.columns, at);
  if (M::ROW_SUMS) sum.put_rows(shared.rows[group_number()], at);
  __syncthreads();
}

/* A sum of the block's tile. */
template <class G, class M>
__device__ inline typename G::T row_sum(const matrix_vector_workspace<G, M> &shared, const matrix_vector_task &f,
                                        int r) {
  typename G::T sum = shared.rows[0][r];
#pragma unroll
  for (int g = 1; g < G::GROUPS; g++) sum = add(sum, shared.rows[g][r]);
  return conjugates_rows(f) ? conjugate(sum) : sum;
}
template <class G, class M>
__device__ inline typename G::T column_sum(const matrix_vector_workspace<G, M> &shared, const matrix_vector_task &f,
                                           int c) {
  return conjugates_columns(f) ? conjugate(shared.columns[c]) : shared.columns[c];
}

/* ------------------------------------------------------------------------------------------------- segments -- */

/* The parts of a segment's sums, in the order in which they are added. Each tile has a part of its row sums, and one of
 * its column sums, as far as the mode has them. */
template <class G, class M> struct segment_parts {
  using T = typename G::T;
  static constexpr int SEGMENT = matrix_vector_workspace<G, M>::SEGMENT;
  const matrix_vector_task &f;
  unsigned segment;

  __device__ static T *of_rows(const matrix_vector_task &f, unsigned tile) {
    return static_cast<T *>(f.parts) + static_cast<int64_t>(tile) * SEGMENT;
  }
  __device__ static T *of_columns(const matrix_vector_task &f, unsigned tile) {
    return of_rows(f, tile + (M::ROW_SUMS ? gridDim.x : 0));
  }

  __device__ unsigned first() const { return static_cast<unsigned>(f.first); }
  __device__ unsigned end() const { return first() + f.segments; }
  __device__ bool is_new() const { return !M::TRIANGLE || segment >= first(); } /* no earlier launch has added to it */

  /* How many blocks arrive at the segment's counter. */
  __device__ unsigned blocks() const { return !M::TRIANGLE ? f.shares : is_new() ? end() : f.segments; }

  /* In a triangle: the tiles of the segment's tile row, and those of its tile column. */
  __device__ unsigned across() const { return M::ROW_SUMS && is_new() ? segment + 1 : 0; }
  __device__ unsigned top() const { return is_new() ? segment : first(); }
  __device__ unsigned count() const { return M::TRIANGLE ? across() + (M::COLUMN_SUMS ? end() - top() : 0) : f.shares; }

  __device__ const T *at(unsigned part) const {
    if (!M::TRIANGLE && M::ROW_SUMS) return of_rows(f, part * f.segments + segment);
    if (!M::TRIANGLE) return of_columns(f, segment * f.shares + part);
    const unsigned before = tiles_of_triangle<1>(first());
    if (part < across()) return of_rows(f, tiles_of_triangle<1>(segment) + part - before);
    return of_columns(f, tiles_of_triangle<1>(top() + part - across()) + segment - before);
  }
};

/* y(i) = alpha·sum + beta·y(i) for element r of a segment. If an earlier launch has written the segment, beta is 1. */
template <class G, class M> __device__ inline void store_sum(const segment_parts<G, M> &of, int r, typename G::T sum) {
  using T = typename G::T;
  const matrix_vector_task &f = of.f;
  const matrix<T> y = matrix_of<T>(f.y, 0);
  const int64_t i = (of.segment + (M::TRIANGLE ? 0 : f.first)) * of.SEGMENT + r;
  if (i >= (M::WALKS_DOWN ? f.cols : f.rows)) return;
  const T beta = of.is_new() ? element_of<T>(f.beta) : one<T>();
  T result = scalar_times(element_of<T>(f.alpha), sum);
  if (!is_zero(beta)) result = add(scalar_times(beta, y.load(i, 0)), result);
  *y.at(i, 0) = y.conjugated ? conjugate(result) : result;
}

/* Adds the parts of a segment. Threads share the parts of an element, and several loads are under way at once. */
template <class G, class M>
__device__ inline void finish_segment(matrix_vector_workspace<G, M> &shared, const segment_parts<G, M> &of) {
  using T = typename G::T;
  constexpr int SEGMENT = segment_parts<G, M>::SEGMENT, SHARES = G::THREADS > SEGMENT ? G::THREADS / SEGMENT : 1,
                AHEAD = 8;
  const int thread = static_cast<int>(threadIdx.x);
  const unsigned share = thread / SEGMENT, count = of.count();
  if (count == 0) return;
  for (int r = thread % SEGMENT; r < SEGMENT; r += G::THREADS) {
    T sum{};
    for (unsigned part = share; part < count; part += SHARES * AHEAD) {
      T x[AHEAD];
#pragma unroll
      for (int a = 0; a < AHEAD; a++)
        x[a] = part + a * SHARES < count ? tg_load_fresh(of.at(part + a * SHARES) + r) : T{};
#pragma unroll
      for (int a = 0; a < AHEAD; a++) sum = add(sum, x[a]);
    }
    if (SHARES > 1) {
      shared.shares[thread] = sum;
      __syncthreads();
#pragma unroll
      for (int s = 1; s < SHARES; s++) sum = add(sum, shared.shares[(s * SEGMENT + thread) % G::THREADS]);
      __syncthreads();
    }
    if (share == 0) store_sum(of, r, sum);
  }
}

/* ---------------------------------------------------------------------------------------------------- block -- */

/* Leaves the sums of the tile as parts, and arrives at the counters. */
template <class G, class M>
__device__ inline void share_segments(matrix_vector_workspace<G, M> &shared, const matrix_vector_task &f,
                                      const vector_tile<G, M> &tile) {
  using parts = segment_parts<G, M>;
  for (int r = static_cast<int>(threadIdx.x); r < parts::SEGMENT; r += G::THREADS) {
    if (M::ROW_SUMS && r < tile.i1 - tile.i0) parts::of_rows(f, blockIdx.x)[r] = row_sum(shared, f, r);
    if (M::COLUMN_SUMS && r < tile.j1 - tile.j0) parts::of_columns(f, blockIdx.x)[r] = column_sum(shared, f, r);
  }
  const auto segment = [&](unsigned i) { return i == 0 ? tile.segment : tile.other; };
  const unsigned counters = M::TRIANGLE && !tile.on_diagonal() ? 2 : 1;
  tg_last_blocks(
      counters, [&](unsigned i) { return f.arrived + segment(i); },
      [&](unsigned i) {
        return parts{f, segment(i)}.blocks();
      },
      shared.last);
#pragma unroll 1
  for (unsigned i = 0; i < counters; i++)
    if (shared.last[i]) finish_segment(shared, parts{f, segment(i)});
}

template <class G, class M> __device__ inline void run_matrix_vector(const matrix_vector_task &f) {
  using T = typename G::T;
  matrix_vector_workspace<G, M> &shared = *tg_shared<matrix_vector_workspace<G, M>>();
  const vector_tile<G, M> tile(f);
  add_tile(shared, f, tile);
  if (f.shares > 1) return share_segments(shared, f, tile);
  for (int r = static_cast<int>(threadIdx.x); r < matrix_vector_workspace<G, M>::SEGMENT; r += G::THREADS) {
    T sum{};
    if (M::ROW_SUMS) sum = row_sum(shared, f, r);
    if (M::COLUMN_SUMS) sum = M::ROW_SUMS ? add(sum, column_sum(shared, f, r)) : column_sum(shared, f, r);
    store_sum(segment_parts<G, M>{f, tile.segment}, r, sum);
  }
}

template <class G, class M>
__global__ void __launch_bounds__(G::THREADS, 3) matrix_vector_kernel(matrix_vector_task f) {
  run_matrix_vector<G, M>(f);
}

#endif

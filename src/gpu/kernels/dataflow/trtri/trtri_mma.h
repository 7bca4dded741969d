/* trtri_mma.h - a tile of the dataflow TRTRI for doubles, on matrix units (tg_mma). See trtri_dataflow.cu.
 *
 * A tile column has ORDER columns. Off the diagonal a block takes LINES rows of the tile column. On the diagonal a
 * block takes the whole tile of ORDER × ORDER, because all blocks of the tile column read that tile. */
#ifndef TRIGON_TRTRI_MMA_H
#define TRIGON_TRTRI_MMA_H

#include "gpu/kernels/dataflow/dataflow_triangles.h"
#include "gpu/kernels/diagonal/mma_solve.h"

/* A matrix in which the tile with its last element at (end - 1, end - 1) is at (i0, i0), transposed and with rows and
 * columns in reverse order. Then the solve with the tile from the right is a forward solve from the left. */
__device__ inline matrix<double> reversed_tile(const matrix<double> &A, int64_t end, int64_t i0, bool unit) {
  const matrix<double> last = A.from(end - 1, end - 1);
  return matrix<double>{last.data, -last.col, -last.row, false, LOWER, unit}.from(-i0, -i0);
}

/* How a matrix is cut: into tile columns of ORDER columns, and tile rows of LINES rows, HIGH of which are as high as a
 * diagonal tile. Counted from the last ones, a tile column c has below(c) tile rows below its diagonal tile. */
template <class G> struct inverse_grid {
  static constexpr int HIGH = G::ORDER / G::LINES;
  int cols, rows, rest; /* rest: of the tile rows, those in the last diagonal tile */

  __host__ __device__ explicit inverse_grid(int64_t n)
      : cols(static_cast<int>((n + G::ORDER - 1) / G::ORDER)), rows(static_cast<int>((n + G::LINES - 1) / G::LINES)),
        rest(rows - HIGH * (cols - 1)) {}

  /* The tiles below the diagonal tiles of the columns before column c: they have one flag each. */
  __host__ __device__ int tiles_before(int c) const {
    return c == 0 ? 0 : (c - 1) * rest + HIGH * ((c - 1) * (c - 2) / 2);
  }
  __device__ int below(int c) const { return c == 0 ? 0 : rest + HIGH * (c - 1); }
  __host__ __device__ int tasks() const { return tiles_before(cols) + cols; }

  /* Counted from the last one: the diagonal tile whose rows have tile row `line`. */
  __device__ int row_of(int line) const { return line < rest ? 0 : 1 + (line - rest) / HIGH; }

  /* The tasks with c + row < sum. */
  __device__ int tasks_before(int sum) const {
    const int beyond = 2 * cols - 1 - sum, least_cols = sum < cols ? sum : cols;
    const int pairs = sum <= cols ? sum * sum / 4 : cols * (cols - 1) / 2 - beyond * beyond / 4;
    const int diagonals = (sum + 1) / 2 < cols ? (sum + 1) / 2 : cols;
    return HIGH * pairs + diagonals - (HIGH - rest) * (least_cols > 0 ? least_cols - 1 : 0);
  }
};

/* A task: tile column `col`, and tile row `line`, or the diagonal tile; all counted from the last ones. */
struct inverse_coord {
  int col, row, line; /* row: of the diagonal tiles */
};

/* The tasks go along the antidiagonals, c + row = 0, 1, ... A tile waits for tiles of earlier antidiagonals, and for
 * those of the tile rows below it. Long sums begin long before the short ones above them, which wait until the long
 * ones have read L: column by column, blocks with short sums would wait as long as others compute. */
template <class G> __device__ inline inverse_coord find_coord(const inverse_grid<G> &grid, int task) {
  constexpr int HIGH = inverse_grid<G>::HIGH;
  int sum = 0;
  for (int end = 2 * grid.cols - 1; sum + 1 < end;) {
    const int middle = (sum + end) / 2;
    (grid.tasks_before(middle) <= task ? sum : end) = middle;
  }
  int at = task - grid.tasks_before(sum), col = sum < grid.cols ? sum : grid.cols - 1, row = sum - col;
  const int first = row == 0 ? grid.rest : HIGH; /* tasks of the first pair */
  if (row < col && at >= first) {
    at -= first;
    col -= 1 + at / HIGH, row += 1 + at / HIGH, at %= HIGH;
  }
  return {col, row, row == col ? -1 : grid.below(row) + at};
}

/* The flags of a matrix: how many tiles of X in each tile row are ready, from the diagonal on; and of each tile below
 * the diagonal, how many tiles of L its block has read. A block that has the matrix alone needs no flags. */
struct inverse_flags {
  unsigned *ready, *read;
  bool alone;
};

/* Waits until the first `below` tile rows of a column have read tile row `row` of L, counted in diagonal tiles. */
template <class G>
__device__ inline void await_readers(const inverse_grid<G> &grid, inverse_flags flags, int col, int row, int below) {
  if (flags.alone) return;
  tg_await_each(flags.read + grid.tiles_before(col), static_cast<unsigned>(below),
                [&](unsigned line) { return static_cast<unsigned>(row - grid.row_of(static_cast<int>(line)) + 1); });
}

/* A tile column: its first column, its order, and the diagonal tile for a solve from the right, at (shift, shift). */
template <class G> struct inverse_column {
  int64_t j0, order, shift;
  matrix<double> L;

  __device__ inverse_column(const factor &p, const matrix<double> &A, const inverse_grid<G> &grid, int col)
      : j0(static_cast<int64_t>(grid.cols - 1 - col) * G::ORDER), order(least(G::ORDER, p.n - j0)), shift(p.n - order),
        L(reversed_tile(A, j0 + order, shift, p.unit)) {}

  /* Makes shared.inverse. Returns whether products may use it. */
  __device__ bool invert(typename G::workspace &shared, int64_t n) const {
    return invert_diagonal<G>(shared, L, shift, n);
  }
};

/* X(j, j). The inverse is in place, or it is found by substitution. */
template <class G>
__device__ inline void invert_on_diagonal(typename G::workspace &shared, const factor &p, const matrix<double> &A,
                                          const inverse_grid<G> &grid, const inverse_column<G> &column,
                                          inverse_coord at, inverse_flags flags, bool inverted) {
  constexpr int HIGH = inverse_grid<G>::HIGH;
  const int j = grid.cols - 1 - at.col, order = static_cast<int>(column.order);
  if (!inverted) {
    each<G::ORDER, G::ORDER, G::THREADS>(true, [&](int r, int c) { shared.tile[c][r] = r == c ? 1 : 0; });
    substitute_mma<G>(shared, shared.spare, G::ORDER, column.L, column.shift, p.n);
  }
  await_readers<G>(grid, flags, at.col, at.col - 1, grid.below(at.col));
  each<G::ORDER, G::ORDER, G::THREADS>(along_rows(A), [&](int r, int c) {
    const int from = order - 1 - c, to = order - 1 - r; /* row and column of the reversed tile */
    if (r >= order || r < c || (r == c && p.unit)) return;
    *A.at(column.j0 + r, column.j0 + c) = inverted ? shared.inverse.element(from, to) : shared.tile[to][from];
  });
  for (int i = HIGH * j; i < grid.rows && i < HIGH * (j + 1) && !flags.alone; i++) tg_publish(flags.ready + i, 1);
}

/* Publishes, on the way of a tile through its factors, how many tiles of L its block has read, but `most` at most: the
 * last tile does not count if it is read again. */
struct inverse_reader {
  unsigned *flag;
  unsigned most, published;

  __device__ void publish(unsigned tiles) {
    const unsigned now = tiles < most ? tiles : most;
    if (now > published) tg_publish(flag, now);
    published = now > published ? now : published;
  }
};

/* sum = Σ X(i, k)·L(k, j) over the columns k of tile row i from the last one down to those of tile column j + 1, as the
 * tiles of X become ready. L is copied ahead of the wait, so that the reader publishes ahead, too. */
template <class G, class Layouts>
__device__ inline void add_row(typename G::workspace &shared, typename G::sums &sum, const factor &p,
                               const matrix<double> &A, int64_t i0, int64_t j0, dataflow_progress progress,
                               inverse_reader reader) {
  constexpr int PACE = 128 / G::ORDER; /* tiles from word to word: each costs time */
  const int64_t i_end = least(i0 + G::LINES, p.n), top = i0 / G::ORDER * G::ORDER;
  const int own = static_cast<int>((i_end - top + G::TERMS - 1) / G::TERMS); /* stages of the diagonal tile */
  const int64_t s0 = top + int64_t{own - 1} * G::TERMS, stages = own + (top - j0 - G::ORDER) / G::TERMS;
  const auto tiles_in = [&](int done) { return done < own ? 0 : 1 + static_cast<unsigned>((done - own) / G::STEPS); };
  const auto ready = [&](int stage, int ahead) {
    const unsigned due = tiles_in(stage) + 1;
    if (progress.known < due) {
      tg_await_copies<0>();
      reader.publish(tiles_in(ahead));
      progress.await(due);
    }
    return own + (progress.known - int64_t{1}) * G::STEPS;
  };
  const auto landed = [&](int stage) {
    const int done = stage + 1;
    if (done == stages || (done >= own && (done - own) % (PACE * G::STEPS) == 0)) reader.publish(tiles_in(done));
  };
  add_streams<G, Layouts, mma_order<true, true>>(sum, shared.ring, {A.as(LOWER, p.unit), i0, i_end, s0, i_end},
                                                 {A.transposed(), j0, j0 + G::ORDER, s0, i_end}, stages, ready, landed);
}

/* X(i, j) off the diagonal. If products may not use the inverse, the block reads L(j, j) a second time. Returns whether
 * shared.inverse is still there. */
template <class G, class Layouts>
__device__ inline bool invert_off_diagonal(typename G::workspace &shared, const factor &p, const matrix<double> &A,
                                           const inverse_grid<G> &grid, const inverse_column<G> &column,
                                           inverse_coord at, inverse_flags flags, bool inverted) {
  const int i = grid.rows - 1 - at.line;
  const int64_t i0 = static_cast<int64_t>(i) * G::LINES, j0 = column.j0;
  const unsigned solved = static_cast<unsigned>(at.col - at.row); /* the row's tiles before this one */
  unsigned *const read = flags.read + grid.tiles_before(at.col) + at.line;
  typename G::sums sum = {};
  add_row<G, Layouts>(shared, sum, p, A, i0, j0, {flags.ready + i, &shared.word, flags.alone ? ~0u : 0},
                      {read,
                       flags.alone ? 0
                       : inverted  ? solved
                                   : solved - 1,
                       0});

  bool nonfinite = false;
  each_mma_sum<G>(sum, [&](int r, int c, double s) {
    shared.tile[r][G::ORDER - 1 - c] = -s;
    nonfinite = nonfinite || !is_finite(s);
  });
  const auto before = [&] {
    if (!inverted && !flags.alone) tg_publish(read, solved);
    await_readers<G>(grid, flags, at.col, at.row, at.line);
  };
  const solution_target to = {A.at(i0, j0 + G::ORDER - 1), -A.col, A.row, G::ORDER,
                              static_cast<int>(least(p.n - i0, G::LINES))};
  const bool kept = solve_lines<G>(shared, column.L, column.shift, p.n, inverted, nonfinite, to, before);
  if (!flags.alone) tg_publish(flags.ready + i, solved + 1);
  return kept;
}

template <class G, class Layouts>
__device__ inline void invert_mma(typename G::workspace &shared, const factor &p, int64_t b, unsigned task,
                                  unsigned *words) {
  const matrix<double> A = matrix_of<double>(p.A, b);
  const inverse_grid<G> grid(p.n);
  const inverse_flags flags = {words, words + grid.rows, false};
  const inverse_coord at = find_coord<G>(grid, static_cast<int>(task));
  const inverse_column<G> column(p, A, grid, at.col);
  const bool inverted = column.invert(shared, p.n);
  if (at.row < at.col)
    invert_off_diagonal<G, Layouts>(shared, p, A, grid, column, at, flags, inverted);
  else
    invert_on_diagonal<G>(shared, p, A, grid, column, at, flags, inverted);
}

/* All tasks of a matrix by one block: tile column by tile column, and from the last row of each to the first, so that
 * no task waits. The inverse of a diagonal tile serves its whole column. */
template <class G, class Layouts> __device__ inline void invert_matrix(typename G::workspace &shared, const factor &p) {
  const matrix<double> A = matrix_of<double>(p.A, 0);
  const inverse_grid<G> grid(p.n);
  const inverse_flags flags = {NULL, NULL, true};
#pragma unroll 1
  for (int col = 0; col < grid.cols; col++) {
    const inverse_column<G> column(p, A, grid, col);
    bool inverted = column.invert(shared, p.n), kept = true;
#pragma unroll 1
    for (int line = 0; line <= grid.below(col); line++) {
      const bool last = line == grid.below(col);
      const inverse_coord at = {col, last ? col : grid.row_of(line), last ? -1 : line};
      if (inverted && !kept) inverted = column.invert(shared, p.n);
      if (last)
        invert_on_diagonal<G>(shared, p, A, grid, column, at, flags, inverted);
      else
        kept = invert_off_diagonal<G, Layouts>(shared, p, A, grid, column, at, flags, inverted);
      __syncthreads();
    }
  }
}

#endif

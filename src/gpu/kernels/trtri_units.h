/* trtri_units.h - a tile of the dataflow TRTRI for doubles, on matrix units (tg_mma). See trtri_flow.cu.
 *
 * A tile column has ORDER columns. Off the diagonal a block takes ROWS rows of the tile column. On the diagonal a block
 * takes the whole tile of ORDER × ORDER, because all blocks of the tile column read that tile. */
#ifndef TRIGON_TRTRI_UNITS_H
#define TRIGON_TRTRI_UNITS_H

#include "flow_matrices.h"
#include "unit_triangle.h"

/* `high` rows on real GPUs: 32 or 64. */
template <int high>
using inverse_geometry =
    unit_geometry<high / TG_TILE(2, 1), TG_TILE(32, 64), TG_TILE(1, high / 32), TG_TILE(2, 128 / high), TG_TILE(3, 5)>;

template <int high> struct inverse_tile : inverse_geometry<high> {
  using base = inverse_geometry<high>;
  static constexpr int ORDER = base::COLS, WARPS = ORDER / 16, HIGH = ORDER / base::ROWS, RESIDENT = 2;
  static constexpr int LD = ORDER + 4, STEPS = ORDER / base::TERMS;
  static_assert(base::THREADS == 32 * WARPS, "unit_triangle.h");
  static_assert(base::STAGES > STEPS, "a tile of L is copied ahead");

  struct workspace {
    packed_triangle<WARPS> inverse; /* of the diagonal tile */
    union {
      typename base::ring ring;
      struct {
        packed_triangle<WARPS> diagonal;
        double tile[ORDER][LD];
      };
    };
    double reciprocal[ORDER], sums[2][ORDER];
    unsigned long long vote;
    unsigned word;
    __device__ workspace() {}
  };
  static_assert(sizeof(workspace) + 1024 <= TG_SHARED_HOPPER / RESIDENT, "so many blocks fit");
};

/* A matrix in which the tile with its last element at (end - 1, end - 1) is at (i0, i0), transposed and with rows and
 * columns in reverse order. Then the solve with the tile from the right is a forward solve from the left. */
__device__ inline matrix<double> reversed_tile(const matrix<double> &A, int64_t end, int64_t i0, bool unit) {
  const matrix<double> last = A.from(end - 1, end - 1);
  return matrix<double>{last.data, -last.col, -last.row, false, LOWER, unit}.from(-i0, -i0);
}

/* A warp's part of V·shared.tile: some of the tile's columns. */
template <class G> struct inverse_product {
  static constexpr int GROUPS = G::ROWS / G::WARPS / 8;
  static_assert(G::ROWS % (8 * G::WARPS) == 0, "warps have whole fragments");
  double of[G::WARPS][GROUPS][4];
};

template <class G> __device__ inline void multiply_inverse(inverse_product<G> &result, typename G::workspace &shared) {
  constexpr int GROUPS = inverse_product<G>::GROUPS;
#pragma unroll
  for (int k = 0; k < G::WARPS; k++) {
    double a[8], b[GROUPS][4];
#pragma unroll
    for (int g = 0; g < GROUPS; g++) load_right<G::LD>(b[g], &shared.tile[8 * (unit_warp() * GROUPS + g)][16 * k]);
#pragma unroll
    for (int r = k; r < G::WARPS; r++) {
      load_left<BLOCK_LD>(a, shared.inverse.at(r, k)[0]);
#pragma unroll
      for (int g = 0; g < GROUPS; g++) tg_mma(result.of[r][g], a, b[g]);
    }
  }
}

/* Calls visit(row, column, x) for the lane's elements. */
template <class G, class Visit> __device__ inline void each_product(inverse_product<G> &result, Visit visit) {
  constexpr int GROUPS = inverse_product<G>::GROUPS;
#pragma unroll
  for (int r = 0; r < G::WARPS; r++)
#pragma unroll
    for (int g = 0; g < GROUPS; g++)
      each_of_fragment(result.of[r][g],
                       [&](int i, int c, double x) { visit(16 * r + i, 8 * (unit_warp() * GROUPS + g) + c, x); });
}

/* The flags of a matrix. */
struct inverse_flags {
  unsigned *ready,
      *read; /* of each tile row: tiles of X that are ready, from the diagonal on; tiles that have read L */
};

/* X(j, j). The inverse is in place, or it is found by substitution. */
template <class G>
__device__ inline void invert_on_diagonal(typename G::workspace &shared, const factor &p, const matrix<double> &A,
                                          unsigned j, unsigned rows, inverse_flags flags) {
  const int64_t j0 = static_cast<int64_t>(j) * G::ORDER, j_end = least(j0 + G::ORDER, p.n), shift = p.n - (j_end - j0);
  const int order = static_cast<int>(j_end - j0);
  const matrix<double> L = reversed_tile(A, j_end, shift, p.unit);
  const unsigned below = G::HIGH * (j + 1);
  const bool inverted = invert_diagonal<G>(shared, L, shift, p.n);
  if (!inverted) {
    each<G::ORDER, G::ORDER, G::THREADS>(true, [&](int r, int c) { shared.tile[c][r] = r == c ? 1 : 0; });
    substitute_units<G>(shared, L, shift, p.n);
  }
  if (rows > below) tg_await_each(flags.read + below, rows - below, [&](unsigned r) { return r / G::HIGH + 1; });
  each<G::ORDER, G::ORDER, G::THREADS>(along_rows(A), [&](int r, int c) {
    const int from = order - 1 - c, to = order - 1 - r; /* row and column of the reversed tile */
    if (r >= order || r < c || (r == c && p.unit)) return;
    *A.at(j0 + r, j0 + c) = inverted ? shared.inverse.element(from, to) : shared.tile[to][from];
  });
  for (unsigned r = G::HIGH * j; r < rows && r < below; r++) tg_publish(flags.ready + r, 1);
}

/* sum = Σ X(i, k)·L(k, j) over the columns k of tile row i from the last one down to those of tile column j + 1, in
 * stages. L is there from the start, and X comes tile by tile. So L is copied ahead of X, as far as the ring goes: the
 * whole last tile, before the block waits for the last tile of X. Then the block calls read_all(), once. Begins with
 * shared memory free; ends with a barrier. */
template <class G> struct row_sum {
  typename G::ring &ring;
  const matrix<double> &A;
  int64_t i0, i_end, top; /* the tile row, and the first column of its diagonal tile */
  int64_t own, stages;    /* stages of the diagonal tile; all stages */
  unit_stream<G, G::ROWS> left;
  unit_stream<G, G::COLS> right;
  int64_t begun, right_begun, known;

  __device__ row_sum(typename G::ring &r, const factor &p, const matrix<double> &of, int64_t first, int64_t j0)
      : ring(r), A(of), i0(first), i_end(least(first + G::ROWS, p.n)), top(first / G::ORDER * G::ORDER),
        own((i_end - top + G::TERMS - 1) / G::TERMS), stages(own + (top - j0 - G::ORDER) / G::TERMS),
        left(of.as(LOWER, p.unit), i0, i_end, top + (own - 1) * G::TERMS, i_end, -G::TERMS),
        right(of.transposed(), j0, j0 + G::ORDER, top + (own - 1) * G::TERMS, i_end, -G::TERMS), begun(0),
        right_begun(0), known(0) {}

  __device__ typename G::stage &place(int64_t stage) { return ring.of[static_cast<int>(stage % G::STAGES)]; }

  __device__ void begin_right() { right.begin(place(right_begun++).b); }

  __device__ void begin() {
    if (begun < known) {
      if (begun == own) left = {A, i0, i_end, top - G::TERMS, top, -G::TERMS};
      left.begin(place(begun).a);
      if (right_begun == begun) begin_right();
      begun++;
    }
    tg_commit_copies(); /* also without copies: the groups are counted */
  }

  /* Waits for the next tile of X. */
  template <class ReadAll> __device__ void await(flow_progress &progress, ReadAll read_all) {
    while (right_begun < least(begun + G::STAGES - 1, stages)) begin_right();
    tg_commit_copies();
    if (right_begun == stages) {
      tg_await_copies<0>();
      read_all();
    }
    progress.await(begun < own ? 1 : static_cast<unsigned>((begun - own) / G::STEPS) + 2);
    known = own + (progress.known - int64_t{1}) * G::STEPS;
  }
};

template <class G, class ReadAll>
__device__ inline void add_row(typename G::sums &sum, row_sum<G> row, flow_progress progress, ReadAll read_all) {
  bool told = false;
  const auto tell = [&] {
    if (!told) read_all();
    told = true;
  };
  for (int64_t at = 0; at < row.stages; at++) {
    if (at == row.begun) {
      row.await(progress, tell);
      for (int i = 1; i < G::STAGES; i++) row.begin();
    }
    tg_await_copies<G::STAGES - 2>();
    __syncthreads(); /* all have the stage, and nobody reads the stage before it any more */
    row.begin();
    multiply_stage<G>(sum, row.place(at));
  }
  tg_await_copies<0>();
  __syncthreads();
  tell();
}

/* shared.tile = V·shared.tile, one thread for each column. No zero of V is multiplied, so that a NaN or an infinity
 * spreads as in a substitution. This is the rare case. Begins and ends with a barrier. */
template <class G> __device__ TG_NOINLINE void multiply_wild(typename G::workspace &shared) {
  const int column = static_cast<int>(threadIdx.x);
  __syncthreads();
#pragma unroll 1
  for (int i = G::ORDER - 1; column < G::ROWS && i >= 0; i--) {
    double sum = 0;
#pragma unroll 1
    for (int k = 0; k <= i; k++) sum += shared.inverse.element(i, k) * shared.tile[column][k];
    shared.tile[column][i] = sum;
  }
  __syncthreads();
}

/* X(i, j) off the diagonal. If products may not use the inverse, the block reads L(j, j) a second time. */
template <class G>
__device__ inline void invert_off_diagonal(typename G::workspace &shared, const factor &p, const matrix<double> &A,
                                           unsigned i, unsigned j, unsigned rows, inverse_flags flags) {
  const int64_t i0 = static_cast<int64_t>(i) * G::ROWS, j0 = static_cast<int64_t>(j) * G::ORDER, shift = p.n - G::ORDER;
  const unsigned solved = i / G::HIGH - j; /* the row's tiles before this one */
  const matrix<double> L = reversed_tile(A, j0 + G::ORDER, shift, p.unit);
  const auto read_all = [&] {
    if (solved > 1) tg_await(flags.read + i, solved - 1); /* the values of a flag ascend */
    tg_publish(flags.read + i, solved);
    tg_await_each(flags.read + i + 1, rows - i - 1, [&](unsigned r) { return (i + 1 + r) / G::HIGH - j; });
  };
  const bool inverted = invert_diagonal<G>(shared, L, shift, p.n);
  typename G::sums sum = {};
  add_row<G>(sum, {shared.ring, p, A, i0, j0}, {flags.ready + i, &shared.word, 0}, [&] {
    if (inverted) read_all();
  });

  bool wild = false;
  each_unit_sum<G>(sum, [&](int r, int c, double s) {
    shared.tile[r][G::ORDER - 1 - c] = -s;
    wild = wild || !is_finite(s);
  });
  wild = tg_any(wild, &shared.vote);
  const auto store = [&](int c, int r, double x) {
    if (i0 + r < p.n) *A.at(i0 + r, j0 + G::ORDER - 1 - c) = x;
  };
  if (inverted && !wild) {
    inverse_product<G> result = {};
    multiply_inverse<G>(result, shared);
    each_product<G>(result, store);
  } else {
    if (inverted) {
      multiply_wild<G>(shared);
    } else {
      substitute_units<G>(shared, L, shift, p.n);
      read_all();
    }
    each<G::ORDER, G::ROWS, G::THREADS>(false, [&](int c, int r) { store(c, r, shared.tile[r][c]); });
  }
  tg_publish(flags.ready + i, solved + 1);
}

/* The tasks of a matrix: tile columns from last to first, each of them from its last tile row to its diagonal tile. */
template <class G>
__device__ inline void invert_units(typename G::workspace &shared, const factor &p, int64_t b, unsigned task,
                                    unsigned *words) {
  const matrix<double> A = matrix_of<double>(p.A, b);
  const unsigned rows = static_cast<unsigned>((p.n + G::ROWS - 1) / G::ROWS);
  const inverse_flags flags = {words, words + rows};
  unsigned j = static_cast<unsigned>((p.n - 1) / G::ORDER), below = 0;
  for (; task > below; j--) {
    task -= below + 1;
    below = rows - G::HIGH * j;
  }
  if (task < below)
    invert_off_diagonal<G>(shared, p, A, rows - 1 - task, j, rows, flags);
  else
    invert_on_diagonal<G>(shared, p, A, j, rows, flags);
}

#endif

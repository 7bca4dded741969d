/* trtri_units.h - a tile of the dataflow TRTRI for doubles, on matrix units (tg_mma). See trtri_flow.cu.
 *
 * A tile column has ORDER columns. Off the diagonal a block takes ROWS rows of the tile column. On the diagonal a block
 * takes the whole tile of ORDER × ORDER, because all blocks of the tile column read that tile. */
#ifndef TRIGON_TRTRI_UNITS_H
#define TRIGON_TRTRI_UNITS_H

#include "flow_factor.h"
#include "unit_triangle.h"

/* `high` rows on real GPUs: 32 or 64. */
template <int high>
using inverse_geometry =
    unit_geometry<high / TG_TILE(2, 1), TG_TILE(32, 64), TG_TILE(1, high / 32), TG_TILE(2, 128 / high), TG_TILE(3, 4)>;

template <int high> struct inverse_tile : inverse_geometry<high> {
  using base = inverse_geometry<high>;
  static constexpr int ORDER = base::COLS, WARPS = ORDER / 16, HIGH = ORDER / base::ROWS, RESIDENT = 2;
  static constexpr int LD = ORDER + 4, STEPS = ORDER / base::TERMS;
  static_assert(base::THREADS == 32 * WARPS, "unit_triangle.h");

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

/* sum = Σ X(i, k)·L(k, j) over the tile columns k from the diagonal of tile row i down to j + 1. */
template <class G>
__device__ inline void add_row(typename G::sums &sum, typename G::workspace &shared, const factor &p,
                               const matrix<double> &A, int64_t i0, int64_t j0, flow_progress progress) {
  const int64_t top = i0 / G::ORDER * G::ORDER, i_end = least(i0 + G::ROWS, p.n), j_end = j0 + G::ORDER;
  for (int part = 0; part < 2; part++) {
    const bool own = part == 0; /* the columns of the diagonal tile */
    const matrix<double> X = own ? A.as(LOWER, p.unit) : A;
    const int64_t k0 = own ? top : top - G::TERMS, k_end = own ? i_end : top;
    const int step = own ? G::TERMS : -G::TERMS;
    const unit_stream<G, G::ROWS> left(X, i0, i_end, k0, k_end, step);
    const unit_stream<G, G::COLS> right(A.transposed(), j0, j_end, k0, k_end, step);
    const int64_t stages = own ? (i_end - top + G::TERMS - 1) / G::TERMS : (top - j_end) / G::TERMS;
    add_streams<G>(sum, shared.ring, left, right, stages, [&](int64_t s) -> int64_t {
      progress.await(own ? 1 : static_cast<unsigned>(s / G::STEPS) + 2);
      return own ? stages : (progress.known - int64_t{1}) * G::STEPS;
    });
  }
}

/* X(i, j) off the diagonal. */
template <class G>
__device__ inline void invert_off_diagonal(typename G::workspace &shared, const factor &p, const matrix<double> &A,
                                           unsigned i, unsigned j, unsigned rows, inverse_flags flags) {
  const int64_t i0 = static_cast<int64_t>(i) * G::ROWS, j0 = static_cast<int64_t>(j) * G::ORDER, shift = p.n - G::ORDER;
  const unsigned solved = i / G::HIGH - j; /* the row's tiles before this one */
  const matrix<double> L = reversed_tile(A, j0 + G::ORDER, shift, p.unit);
  const bool inverted = invert_diagonal<G>(shared, L, shift, p.n);
  typename G::sums sum = {};
  add_row<G>(sum, shared, p, A, i0, j0, {flags.ready + i, &shared.word, 0});

  bool wild = false;
  each_unit_sum<G>(sum, [&](int r, int c, double s) {
    shared.tile[r][G::ORDER - 1 - c] = -s;
    wild = wild || !is_finite(s);
  });
  /* A product with the zeros of the inverse would spread a NaN or an infinity to other columns. */
  const bool multiplies = !tg_any(wild, &shared.vote) && inverted;
  if (!multiplies) substitute_units<G>(shared, L, shift, p.n);
  tg_publish(flags.read + i, solved);
  const auto store = [&](int c, int r, double x) {
    if (i0 + r < p.n) *A.at(i0 + r, j0 + G::ORDER - 1 - c) = x;
  };
  const auto await_readers = [&] {
    tg_await_each(flags.read + i + 1, rows - i - 1, [&](unsigned r) { return (i + 1 + r) / G::HIGH - j; });
  };
  if (multiplies) {
    inverse_product<G> result = {};
    multiply_inverse<G>(result, shared);
    await_readers();
    each_product<G>(result, store);
  } else {
    await_readers();
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

/* tiles_real.h - the tiles of POTRF of a large matrix of reals of a batch on matrix units: what doubles (tiles_d.h) and
 * floats (tiles_s.h) have in common.
 *
 * The matrix consists of square tiles, which blocks take column by column, from the diagonal one down (batch_share.h).
 * The products of the columns before are added as soon as these columns are done. The diagonal tile is then factored in
 * shared memory (small_smem.h). In the others a warp solves with it for 16 rows, in registers. */
#ifndef TRIGON_TILES_REAL_H
#define TRIGON_TILES_REAL_H

#include "gpu/kernels/batch/batch_share.h"
#include "gpu/kernels/diagonal/inverse_rule.h"
#include "small_smem.h"

/* Shared memory: what a block copies for its sums, and what it has of a diagonal tile. (If the second part is a base
 * class, nvcc 13.0 does not know any more that its members are in shared memory.) */
template <class Copies, class Strips_> struct tile_workspace {
  using Strips = Strips_;
  using T = typename Strips::T;
  static constexpr int INVERSE_LD = 10;
  Copies copies;
  typename Strips::workspace diagonal;
  T reciprocal[Strips::ORDER], row_sum[Strips::ORDER]; /* of the diagonal, or 0; of the blocks of 8 × 8 on it */
  T inverse[Strips::ORDER * INVERSE_LD];               /* of these blocks: of L, L⁻ᵀ as [row][column] */
  unsigned long long vote;
  unsigned word;
  __device__ tile_workspace() {}
};

/* Inverts the blocks of 8 × 8 on the diagonal of the tile L. Returns whether an inverse X breaks the rule for blocks
 * (inverse_rule.h), by the column sums of |Lᵀ|·|X|. All blocks of threads find the same inverses. Begins and ends
 * with a barrier. */
template <class Workspace> __device__ inline bool invert_small_blocks(Workspace &shared) {
  using Strips = typename Workspace::Strips;
  using T = typename Strips::T;
  const int thread = static_cast<int>(threadIdx.x), strip = thread / 8, row = thread % 8, ld = Strips::ld(strip);
  const T *L = shared.diagonal.own + Strips::at(strip) + 8 * strip;
  __syncthreads();
  if (thread < Strips::ORDER) {
    const T root = L[row * ld + row];
    T sum = 0;
    for (int j = 0; j <= row; j++) sum += magnitude(L[j * ld + row]);
    shared.reciprocal[thread] = root > 0 ? 1 / root : 0, shared.row_sum[thread] = sum;
  }
  __syncthreads();
  bool ill_conditioned = false;
  if (thread < Strips::ORDER) { /* a row of the inverse of L is a column of X */
    T x[8], bound = 0, *to = shared.inverse + 8 * strip * shared.INVERSE_LD + row;
#pragma unroll
    for (int j = 0; j < 8; j++) x[j] = row == j ? 1 : 0;
#pragma unroll
    for (int j = 7; j >= 0; j--) {
      x[j] *= shared.reciprocal[8 * strip + j];
#pragma unroll
      for (int k = 0; k < j; k++) x[k] -= x[j] * L[k * ld + j];
      bound += magnitude(x[j]) * shared.row_sum[8 * strip + j];
      to[j * shared.INVERSE_LD] = x[j];
    }
    ill_conditioned = !(bound <= BLOCK_LIMIT);
  }
  return tg_any(ill_conditioned, &shared.vote);
}

/* Factors the diagonal tile of n rows and columns. Returns the first column whose pivot is not positive, or -1. Ends
 * with a barrier. */
template <class Strips> __device__ inline int factor_diagonal(typename Strips::workspace &diagonal, int n) {
  const int strips = (n + Strips::WIDTH - 1) / Strips::WIDTH;
  if (n % Strips::WIDTH != 0) {
    __syncthreads();
    fill_behind<Strips>(diagonal.own, n);
  }
  factor_strips<Strips>(diagonal, Strips::WIDTH * strips, strips);
  return diagonal.failed;
}

/* The tile of ROWS rows whose first element is (i, j), of a lower triangle A of order n. */
template <class T> struct tile_of_triangle {
  const matrix<T> A;
  int64_t n, i, j;
  template <int ROWS> __device__ int rows() const { return static_cast<int>(least(n - i, ROWS)); }
};

/* The tiles of a matrix, for tile_share. The members hold what a block knows of a diagonal tile. A Tile has
 *
 *   stored(A)               A, with the strides that are known
 *   add(sum, at, share)     adds the products of the columns before
 *   keep(sum)               stores what is to be factored to workspace.diagonal
 *   solve(sum, at, exact)   solves with the diagonal tile, if `exact` by substitution, and stores */
template <class Tile> struct real_tiles {
  using T = typename Tile::T;
  using order = tile_order<1, 0>;
  using workspace = typename Tile::workspace;
  using strips = typename Tile::strips;
  static constexpr bool MMA = true;
  static constexpr int ORDER = strips::ORDER, THREADS = strips::THREADS, RESIDENT = Tile::RESIDENT;

  int present = -1, inverted = -1; /* the column whose diagonal tile is here, and whose inverses are */
  bool ill_conditioned = false;

  __device__ static workspace &shared() { return *tg_shared<workspace>(); }
  __device__ static unsigned *word() { return &shared().word; }

  /* The tile of an item of the lower triangle of order n. One thread calls record(column) for the first column whose
   * pivot is not positive. */
  template <class Record>
  __device__ void take(const matrix<T> &triangle, int64_t n, tile_share<order> &share, Record record) {
    const int col = static_cast<int>(share.col());
    const int64_t i = int64_t{share.row()} * ORDER, j = int64_t{col} * ORDER;
    const tile_of_triangle<T> at = {Tile::stored(triangle), n, i, j};
    typename Tile::sums sum;
    Tile::add(sum, at, share);
    if (i == j) {
      Tile::keep(sum);
      const int rows = at.template rows<ORDER>(), failed = factor_diagonal<strips>(shared().diagonal, rows);
      if (threadIdx.x == 0 && failed >= 0) record(j + failed);
      store_strips<strips>(at.A.from(j, j), shared().diagonal.own, rows);
    } else {
      share.await_diagonal();
      if (present != col) {
        __syncthreads();
        load_strips<strips>(shared().diagonal.own, at.A.from(j, j), ORDER);
      }
      if (inverted != col) ill_conditioned = invert_small_blocks(shared());
      inverted = col;
      Tile::solve(sum, at, ill_conditioned);
    }
    present = col;
  }
};

#endif

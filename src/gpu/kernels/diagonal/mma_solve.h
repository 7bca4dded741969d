/* mma_solve.h - the solve with a diagonal tile of doubles on matrix units: the last part of the tiles of the dataflow
 * TRTRI, and of TRSM in slabs of 64 or 128 columns.
 *
 * A block computes LINES lines of X·L = S, or of L·X = S, in a tile of ORDER unknowns. The sums S are products of
 * streams (mma_products.h), with the factor X on the left, so that L, which needs no waiting, is copied ahead. The
 * tile holds the sums line by line, with the unknowns of a line in the order in which a forward substitution finds
 * them. */
#ifndef TRIGON_MMA_SOLVE_H
#define TRIGON_MMA_SOLVE_H

#include "gpu/kernels/products/mma_products.h"
#include "mma_diagonal.h"

/* The sums of a block: LINES × ORDER, by ORDER / 16 warps. */
template <int LINES, int ORDER> struct solve_geometry_of;
template <> struct solve_geometry_of<TG_TILE(16, 32), TG_TILE(32, 64)> {
  using type = mma_geometry<TG_TILE(16, 32), TG_TILE(32, 64), 1, TG_TILE(2, 4), TG_TILE(4, 6)>;
};
template <> struct solve_geometry_of<TG_TILE(32, 64), TG_TILE(32, 64)> {
  using type = mma_geometry<TG_TILE(32, 64), TG_TILE(32, 64), TG_TILE(1, 2), 2, TG_TILE(4, 5)>;
};
template <> struct solve_geometry_of<TG_TILE(32, 64), TG_TILE(64, 128)> {
  using type = mma_geometry<TG_TILE(32, 64), TG_TILE(64, 128), 2, TG_TILE(2, 4), 4>;
};
template <> struct solve_geometry_of<TG_TILE(64, 128), TG_TILE(64, 128)> {
  using type = mma_geometry<TG_TILE(64, 128), TG_TILE(64, 128), 4, TG_TILE(1, 2), TG_TILE(3, 4)>;
};
template <int LINES_, int ORDER_> struct mma_solve : solve_geometry_of<LINES_, ORDER_>::type {
  using base = typename solve_geometry_of<LINES_, ORDER_>::type;
  static constexpr int LINES = LINES_, ORDER = ORDER_, WARPS = ORDER / 16, LD = ORDER + 4;
  static constexpr int RESIDENT = ORDER > TG_TILE(32, 64) ? 1 : 2, STEPS = ORDER / base::TERMS;
  static_assert(base::THREADS == 32 * WARPS, "mma_diagonal.h");

  struct workspace {
    union {
      packed_triangle<WARPS> inverse; /* of the diagonal tile */
      packed_triangle<WARPS> spare;   /* the diagonal tile itself, for substitution */
    };
    union {
      typename base::ring ring;
      packed_triangle<WARPS> diagonal;
      double tile[ORDER][LD]; /* the first LINES lines, or the identity: [line][unknown] */
    };
    double reciprocal[ORDER], sums[2][ORDER];
    unsigned long long vote;
    unsigned word;
    __device__ workspace() {}
  };
  static_assert(sizeof(workspace) + 1024 <= TG_SHARED_HOPPER / RESIDENT, "so many blocks fit");
};

/* A warp's part of V·shared.tile: all unknowns of 8·GROUPS lines. */
template <class G> struct inverse_product {
  static constexpr int GROUPS = G::LINES / G::WARPS / 8;
  static_assert(G::LINES % (8 * G::WARPS) == 0, "warps have whole fragments");
  double of[G::WARPS][GROUPS][4];
};

template <class G> __device__ inline void multiply_inverse(inverse_product<G> &result, typename G::workspace &shared) {
  constexpr int GROUPS = inverse_product<G>::GROUPS;
#pragma unroll
  for (int k = 0; k < G::WARPS; k++) {
    double a[8], b[GROUPS][4];
#pragma unroll
    for (int g = 0; g < GROUPS; g++) load_right<G::LD>(b[g], &shared.tile[8 * (mma_warp() * GROUPS + g)][16 * k]);
#pragma unroll
    for (int r = k; r < G::WARPS; r++) {
      load_left<BLOCK_LD>(a, shared.inverse.at(r, k)[0]);
#pragma unroll
      for (int g = 0; g < GROUPS; g++) tg_mma(result.of[r][g], a, b[g]);
    }
  }
}

/* Where the solution goes: the first element, the distances of unknowns and of lines, and how many of each exist. */
struct solution_target {
  double *to;
  int64_t down, across;
  int unknowns, lines;
};

template <class G> __device__ inline void store_product(inverse_product<G> &result, const solution_target &at) {
  constexpr int GROUPS = inverse_product<G>::GROUPS;
  const int u = mma_lane() / 4, line = 8 * (mma_warp() * GROUPS) + mma_lane() % 4 * 2;
  double *to = at.to + u * at.down + line * at.across;
  if (at.unknowns >= G::ORDER && at.lines >= G::LINES)
    return store_fragments<G::WARPS, GROUPS>(to, at.down, at.across, [&](int a, int b) { return result.of[a][b]; });
#pragma unroll
  for (int r = 0; r < G::WARPS; r++)
#pragma unroll
    for (int g = 0; g < GROUPS; g++)
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const int below = 16 * r + e / 2 * 8, beside = 8 * g + e % 2;
        if (u + below < at.unknowns && line + beside < at.lines)
          to[below * at.down + beside * at.across] = result.of[r][g][e];
      }
}

/* Solves the lines of shared.tile with the diagonal tile at (i0, i0) of L, which is lower, and stores them.
 * `inverted`: products may use shared.inverse; `nonfinite`: the thread has put a NaN or an infinity into the tile.
 * before() is called before anything is stored. Returns whether shared.inverse is still there. Begins with a barrier.
 * */
template <class G, class Before>
__device__ inline bool solve_lines(typename G::workspace &shared, const matrix<double> &L, int64_t i0, int64_t n,
                                   bool inverted, bool nonfinite, const solution_target &at, Before before) {
  nonfinite = tg_any(nonfinite, &shared.vote);
  if (inverted && !nonfinite) {
    inverse_product<G> result = {};
    multiply_inverse<G>(result, shared);
    before();
    store_product<G>(result, at);
    return true;
  }
  /* A product with the zeros of V would spread a NaN or an infinity to rows above. */
  substitute_mma<G>(shared, shared.spare, G::LINES, L, i0, n);
  before();
  each<G::ORDER, G::LINES, G::THREADS>(false, [&](int u, int line) {
    if (u < at.unknowns && line < at.lines) at.to[u * at.down + line * at.across] = shared.tile[line][u];
  });
  return false;
}

#endif

/* chase_blocks.h - the product with the Q of bulge chasing by blocks on matrix units: which reflectors are a block, in
 * which order blocks come, and where their factors lie.
 *
 * The reflectors of 8 neighbouring sweeps at one hop change b + 7 neighbouring rows of Z. Together they are
 *
 *     H(s)·H(s+1)···H(s+7) = I - Y·Vᴴ      Y = V·T, T an upper triangle of order 8
 *
 * A pass takes GROUPS such blocks of sweeps down the hops, the last sweeps first, as reflector (s, k) must come after
 * (s + 1, k) and (s + 1, k - 1).
 *
 * Matrix units multiply doubles, of all types: a float becomes a double before, and complex numbers are pairs of real
 * tiles. V and Y are stored as fragments in the order of use: for each tile of rows a pair of a lane's numbers for each
 * part, real and imaginary, of V, and then the same of Y. */
#ifndef TRIGON_CHASE_BLOCKS_H
#define TRIGON_CHASE_BLOCKS_H

#include "chase_reflectors.h"
#include "gpu/kernels/launch.h"

enum {
  SWEEPS = 8,                       /* of a block: the inner size of a product */
  TILES = (band_width + 7) / 8 + 1, /* of 8 rows, which a block changes */
  MOVED = band_width / 8,           /* tiles by which the window moves from hop to hop */
  PAIR_ELEMENTS = 2 * 32            /* two numbers of each lane */
};

/* GROUPS: blocks of a hop, so many that the window still fits into the registers. */
template <class T_> struct block_form {
  using T = T_;
  static constexpr bool is_complex = sizeof(T) > sizeof(real_of<T>);
  enum {
    PARTS = is_complex ? 2 : 1, /* real and imaginary */
    GROUPS = TG_TILE(4, is_complex ? 4 : 12),
    WINDOW = GROUPS - 1 + TILES,                       /* tiles */
    BLOCK_ELEMENTS = 2 * TILES * PARTS * PAIR_ELEMENTS /* doubles */
  };
  static_assert(band_width % 8 == 0 && GROUPS * SWEEPS % band_width == 0, "windows of passes are whole hops apart");

  __host__ __device__ static int64_t first_sweep(int64_t pass) { return pass * (GROUPS * SWEEPS); }
  __host__ __device__ static int64_t passes(int64_t n) { return (n - 1 + GROUPS * SWEEPS - 1) / (GROUPS * SWEEPS); }

  /* The hops of a pass: those of its first sweep. */
  __host__ __device__ static int64_t hops_of(int64_t n, int64_t pass) {
    return (n - 1 - first_sweep(pass) + band_width - 1) / band_width;
  }
  /* Doubles for the factors of a pass. */
  __host__ __device__ static int64_t elements_of(int64_t n, int64_t pass) {
    return hops_of(n, pass) * (GROUPS * BLOCK_ELEMENTS);
  }
};

/* The row of a tile that a lane has as element e of two: the lane's t is its number modulo 4. Lanes that are neighbours
 * have rows that are neighbours. */
__host__ __device__ inline int tile_row(int t, int e) { return t + 4 * e; }

/* Passes first .. end - 1 of the product. Their factors lie in `factors`, the last pass first. */
struct chase_passes {
  chase_product of;
  int64_t first, end;
  double *factors;
};

/* Computes the factors of the passes: so many blocks (pack_chase.cu). */
cudaError_t launch_pack_chase(queue, trigon_type, const chase_passes &, int64_t blocks);

#endif

/* find_bounds.cu - bounds of the elements of |A|·|B| from products of ceilings, on any GPU, and the choice of a
 * kernel for matrix units. */
#include "element_bounds.h"
#include "gpu/kernels/launch.h"
#include "int8_launchers.h"
#include "residue_tile.h"

__device__ static void bound_tile(const emulation &e, tile::stage &s, int64_t i0, int64_t j0) {
  const int row = static_cast<int>(threadIdx.x) % tile::SIDE * tile::ITEMS;
  const int col = static_cast<int>(threadIdx.x) / tile::SIDE * tile::ITEMS;
  tile::sums sum = {};
  add_terms(sum, s, e.A.planes, e.B.planes, i0, j0, row, col, 0, e.k, residue_blocks(e.k));
  element_bounds of_rows[tile::ITEMS], of_cols[tile::ITEMS];
  for (int i = 0; i < tile::ITEMS; i++)
    for (int j = 0; j < tile::ITEMS; j++) {
      if (i0 + row + i >= e.A.present || j0 + col + j >= e.B.present) continue;
      const bound_line a = bound_row(e.A.stats[e.A.first + i0 + row + i], static_cast<unsigned>(e.k));
      const bound_line b = bound_col(e.B.stats[e.B.first + j0 + col + j]);
      add_bounds(of_rows[i], of_cols[j], sum.of[i][j], a, b);
    }
  for (int i = 0; i < tile::ITEMS; i++) {
    if (i0 + row + i < e.A.present) raise_bounds(e.A, e.A.first + i0 + row + i, e.B.first + j0 + col, of_rows[i]);
    if (j0 + col + i < e.B.present) raise_bounds(e.B, e.B.first + j0 + col + i, e.A.first + i0 + row, of_cols[i]);
  }
}

__global__ static void __launch_bounds__(tile::THREADS) find_bounds_kernel(emulation e) {
  tile::stage &s = *tg_shared<tile::stage>();
  const int64_t rows = (e.A.present + tile::LINES - 1) / tile::LINES,
                cols = (e.B.present + tile::LINES - 1) / tile::LINES;
  if (is_hopeless(&e)) return;
  for (int64_t at = blockIdx.x; at < rows * cols; at += gridDim.x) {
    const int64_t i0 = at % rows * tile::LINES, j0 = at / rows * tile::LINES;
    if (computes_tile(&e, (e.A.first + i0) / fp64_tile, (e.B.first + j0) / fp64_tile)) bound_tile(e, s, i0, j0);
  }
}

cudaError_t launch_find_bounds(queue q, const emulation *e) {
#if TG_HAS_HOPPER
  if (q.has.int8_wgmma) return launch_find_bounds_hopper(q, e);
#endif
#if TG_HAS_MMA
  if (q.has.int8_mma) return launch_find_bounds_mma(q, e);
#endif
  const int64_t rows = (e->A.present + tile::LINES - 1) / tile::LINES;
  const int64_t cols = (e->B.present + tile::LINES - 1) / tile::LINES;
  return launch_kernel(q, registered<find_bounds_kernel, sizeof(tile::stage)>(), blocks_for(rows * cols, tile::THREADS),
                       tile::THREADS, *e);
}

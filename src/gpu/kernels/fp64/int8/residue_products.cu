/* residue_products.cu - products modulo several moduli on any GPU, and the choice of a kernel for matrix
 * units. */
#include "gpu/kernels/launch.h"
#include "residue_divisor.h"
#include "residue_products.h"
#include "residue_tile.h"

/* The four residues of a column at neighbouring rows. */
__device__ static void load_sums(tile::sums &sum, int j, unsigned word) {
  for (int i = 0; i < tile::ITEMS; i++) sum.of[i][j] = tg_signed_byte(word, i);
}

__device__ static void compute_tile(const residue_products &p, tile::stage &s, int t, int64_t i0, int64_t j0) {
  const int row = static_cast<int>(threadIdx.x) % tile::SIDE * tile::ITEMS;
  const int col = static_cast<int>(threadIdx.x) / tile::SIDE * tile::ITEMS;
  const residue_divisor by = divisor_of(residue_modulus(t));
  const int64_t rows = i0 + row < p.m ? tile::ITEMS : 0;
  const auto word_at = [&](int j) {
    return reinterpret_cast<unsigned *>(p.C + t * p.c_plane + (j0 + col + j) * p.ldc + i0 + row);
  };
  tile::sums sum = {};
  for (int j = 0; p.adds && rows && j < tile::ITEMS && j0 + col + j < p.n; j++) load_sums(sum, j, *word_at(j));
  for (int64_t term = 0; term < p.k; term += residue_terms_of_sum) {
    for (int i = 0; term > 0 && i < tile::ITEMS * tile::ITEMS; i++) {
      int &x = sum.of[i / tile::ITEMS][i % tile::ITEMS];
      x = tg_signed_byte(reduce_sum(x, by), 0);
    }
    add_terms(sum, s, p.A + t * p.a_plane, p.B + t * p.b_plane, i0, j0, row, col, term,
              term + residue_terms_of_sum < p.k ? term + residue_terms_of_sum : p.k, residue_blocks(p.k));
  }
  for (int j = 0; rows && j < tile::ITEMS && j0 + col + j < p.n; j++) {
    unsigned word = 0;
    for (int i = 0; i < tile::ITEMS; i++) word |= (reduce_sum(sum.of[i][j], by) & 255) << 8 * i;
    *word_at(j) = word;
  }
}

__global__ static void __launch_bounds__(tile::THREADS) residue_product_kernel(residue_products p) {
  tile::stage &s = *tg_shared<tile::stage>();
  const int64_t rows = (p.m + tile::LINES - 1) / tile::LINES, cols = (p.n + tile::LINES - 1) / tile::LINES;
  const int64_t tiles = rows * cols * *p.moduli;
  for (int64_t at = blockIdx.x; at < tiles; at += gridDim.x) {
    const int64_t i0 = at % rows * tile::LINES, j0 = at / rows % cols * tile::LINES;
    if (part_meets(&p.part, i0, j0, tile::LINES, tile::LINES))
      compute_tile(p, s, static_cast<int>(at / (rows * cols)), i0, j0);
  }
}

cudaError_t launch_residue_products(queue q, const residue_products *p) {
  const int64_t rows = (p->m + tile::LINES - 1) / tile::LINES, cols = (p->n + tile::LINES - 1) / tile::LINES;
  if (rows * cols * p->most == 0) return cudaSuccess;
#if TG_HAS_HOPPER
  if (p->k > 0 && q.has.int8_wgmma) return launch_residue_products_hopper(q, p);
#endif
#if TG_HAS_MMA
  if (p->k > 0 && q.has.int8_mma) return launch_residue_products_mma(q, p);
#endif
  return launch_kernel(q, registered<residue_product_kernel, sizeof(tile::stage)>(),
                       blocks_for(rows * cols * p->most, tile::THREADS), tile::THREADS, *p);
}

/* residue_products.cu - products modulo several moduli on any GPU, and the choice of Hopper's kernel. */
#include "launch.h"
#include "residue_divisor.h"
#include "residue_products.h"

/* A tile of C has LINES rows and columns, a thread ITEMS × ITEMS elements at neighbouring lines. A stage holds WORDS
 * words of four terms of each line. */
namespace tile {
enum { SIDE = TG_TILE(4, 16), ITEMS = 4, LINES = SIDE * ITEMS, THREADS = SIDE * SIDE, WORDS = 8, ROW = WORDS + 1 };
struct stage {
  unsigned a[LINES][ROW], b[LINES][ROW];
};
struct sums {
  int of[ITEMS][ITEMS];
}; /* of[row][column] */
} // namespace tile

struct residue_chunk_words {
  unsigned of[4];
};

/* Copies the terms from `term` on of the tile's lines. The planes hold zeros up to a multiple of the block. */
__device__ static void load_lines(unsigned (&to)[tile::LINES][tile::ROW], const int8_t *plane, int64_t line,
                                  int64_t term, int64_t blocks) {
  enum { CHUNKS = 4 * tile::WORDS / residue_chunk };
  for (int at = static_cast<int>(threadIdx.x); at < tile::LINES * CHUNKS; at += tile::THREADS) {
    const int row = at / CHUNKS, chunk = at % CHUNKS;
    const int8_t *from = plane + residue_place(line + row, term + chunk * residue_chunk, blocks);
    const residue_chunk_words words = *reinterpret_cast<const residue_chunk_words *>(from);
    for (int w = 0; w < 4; w++) to[row][4 * chunk + w] = words.of[w];
  }
}

__device__ static void add_products(tile::sums &sum, const tile::stage &s, int row, int col) {
  for (int w = 0; w < tile::WORDS; w++) {
    unsigned a[tile::ITEMS], b[tile::ITEMS];
#pragma unroll
    for (int i = 0; i < tile::ITEMS; i++) a[i] = s.a[row + i][w], b[i] = s.b[col + i][w];
#pragma unroll
    for (int i = 0; i < tile::ITEMS; i++)
#pragma unroll
      for (int j = 0; j < tile::ITEMS; j++) sum.of[i][j] = tg_dot4(a[i], b[j], sum.of[i][j]);
  }
}

__device__ static void compute_tile(const residue_products &p, tile::stage &s, int t, int64_t i0, int64_t j0) {
  const int row = static_cast<int>(threadIdx.x) % tile::SIDE * tile::ITEMS;
  const int col = static_cast<int>(threadIdx.x) / tile::SIDE * tile::ITEMS;
  const residue_divisor by = divisor_of(residue_modulus(t));
  const int64_t blocks = residue_blocks(p.k);
  tile::sums sum = {};
  for (int64_t term = 0; term < p.k; term += 4 * tile::WORDS) {
    if (term > 0 && term % residue_terms_of_sum == 0)
      for (int i = 0; i < tile::ITEMS * tile::ITEMS; i++) {
        int &x = sum.of[i / tile::ITEMS][i % tile::ITEMS];
        x = tg_signed_byte(reduce_sum(x, by), 0);
      }
    load_lines(s.a, p.A + t * p.a_plane, i0, term, blocks);
    load_lines(s.b, p.B + t * p.b_plane, j0, term, blocks);
    __syncthreads();
    add_products(sum, s, row, col);
    __syncthreads();
  }
  if (i0 + row >= p.m) return;
  for (int j = 0; j < tile::ITEMS && j0 + col + j < p.n; j++) {
    unsigned word = 0;
    for (int i = 0; i < tile::ITEMS; i++) word |= (reduce_sum(sum.of[i][j], by) & 255) << 8 * i;
    *reinterpret_cast<unsigned *>(p.C + t * p.c_plane + (j0 + col + j) * p.ldc + i0 + row) = word;
  }
}

__global__ static void __launch_bounds__(tile::THREADS) residue_product_kernel(residue_products p) {
  tile::stage &s = *tg_shared<tile::stage>();
  const int64_t rows = (p.m + tile::LINES - 1) / tile::LINES, cols = (p.n + tile::LINES - 1) / tile::LINES;
  const int64_t tiles = rows * cols * *p.moduli;
  for (int64_t at = blockIdx.x; at < tiles; at += gridDim.x)
    compute_tile(p, s, static_cast<int>(at / (rows * cols)), at % rows * tile::LINES, at / rows % cols * tile::LINES);
}

#ifdef TRIGON_VENDOR_CUDA
/* Code for sm_90a runs on compute capability 9.0 alone. */
static bool takes_hopper(queue q) {
  int device = 0;
  return q.units && cudaGetDevice(&device) == cudaSuccess && tg_compute_capability(device) == 90;
}
#else
static bool takes_hopper(queue) { return false; }
cudaError_t launch_residue_products_hopper(queue, const residue_products *) { return cudaErrorInvalidValue; }
#endif

cudaError_t launch_residue_products(queue q, const residue_products *p) {
  if (q.load) {
    const cudaError_t error = tg_load(residue_product_kernel);
    return error == cudaSuccess && takes_hopper(q) ? launch_residue_products_hopper(q, p) : error;
  }
  const int64_t rows = (p->m + tile::LINES - 1) / tile::LINES, cols = (p->n + tile::LINES - 1) / tile::LINES;
  if (rows * cols * p->most == 0) return cudaSuccess;
  if (p->k > 0 && takes_hopper(q)) return launch_residue_products_hopper(q, p);
  return tg_launch(q.stream, residue_product_kernel, blocks_for(rows * cols * p->most, tile::THREADS), tile::THREADS,
                   sizeof(tile::stage), *p);
}

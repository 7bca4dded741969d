/* lauum_dataflow.cu - LAUUM as a dataflow leaf (dataflow_triangles.h): one launch, in which each block computes a tile
 * of Aᴴ·A.
 *
 * Tile (i, j) is Σ A(k, i)ᴴ·A(k, j) over k >= i. Its factors are elements of A as they were before the launch, so no
 * block waits before it reads. A block waits before it writes, for the readers of its tile:
 *
 *   - tiles (r, j) with r < i, and (i, j) itself, read A(i, j) as the right factor,
 *   - tiles (r, ·) with columns r among the columns of tile (i, j) read A(i, j) as the left factor; with r = i these
 *     are the tiles of the own row, and (i, j) is the last tile of the row.
 *
 * So tile rows go from first to last. In the portable kernel a tile row has one flag, which counts the tiles that have
 * read their factors. Tile (i, j) waits for the rows from the first one in its columns up to row i - 1. The last tile
 * of a row waits for row i, too. On matrix units each tile has a flag: how many tile rows of A its block has read:
 * blocks with short sums wait only for the part of the long sums that they need.
 *
 * There are two kernels: for doubles on matrix units, and for every type on every GPU. */
#include "gpu/kernels/dataflow/dataflow_triangles.h"
#include "gpu/kernels/dataflow/mma_tiles.h"
#include "gpu/kernels/diagonal/triangular_step.h"
#if TG_HAS_MMA
#include "lauum_mma.h"
#endif

/* Waits until every block that reads the tile has read it. A tile is WIDE times as wide as high. */
template <int WIDE> __device__ inline void await_readers(unsigned *flags, triangle_coord at) {
  const unsigned first = at.col * WIDE, last = at.row / WIDE == at.col ? at.row + 1 : at.row;
  tg_count(flags + at.row);
  tg_await_each(flags + first, last > first ? last - first : 0, [&](unsigned r) { return (first + r) / WIDE + 1; });
}

template <class T> struct lauum_tile : leaf<T> {
  static constexpr int WIDE = leaf<T>::WIDTH / leaf<T>::ORDER;
  static constexpr bool FLAG_FOR_TILE = false;
  static_assert(leaf<T>::WIDTH % leaf<T>::ORDER == 0, "one tile holds the diagonal of a tile row");
  struct workspace {
    typename leaf<T>::workspace step;
    unsigned word;
  };
};

template <class T>
__device__ inline void multiply_portable(typename lauum_tile<T>::workspace &shared, const factor &p, int64_t b,
                                         triangle_coord at, unsigned *flags) {
  using G = leaf<T>;
  const matrix<T> A = matrix_of<T>(p.A, b).as(LOWER);
  const int64_t i0 = static_cast<int64_t>(at.row) * G::ORDER, i_end = least(i0 + G::ORDER, p.n),
                j0 = static_cast<int64_t>(at.col) * G::WIDTH;
  auto &tile = shared.step.tile;
  typename G::sums sum = {};
  accumulate<typename G::base>(sum, shared.step.stage, A.adjoint(), A, i0, i_end, j0, i_end, i0, p.n);
  each_sum<typename G::base>(sum, [&](int r, int c, T s) { tile[r][c] = i0 + r == j0 + c ? only_real(s) : s; });
  await_readers<lauum_tile<T>::WIDE>(flags, at);
  store_tile<G::WIDTH, G::ORDER, G::THREADS>(tile, A.transposed(), j0, i0, i_end, i_end);
}

template <class T> __global__ void __launch_bounds__(leaf<T>::THREADS) lauum_dataflow_kernel(dataflow_matrices f) {
  using G = lauum_tile<T>;
  typename G::workspace &shared = *tg_shared<typename G::workspace>();
  dataflow_run_matrices(f, &shared.word, [&](int64_t b, unsigned task, unsigned *flags) {
    multiply_portable<T>(shared, f.p, b, triangle_coord_of<G::WIDE>(task), flags);
  });
}

/* ------------------------------------------------------------------------------------------------ launches -- */

/* Launches a kernel whose tiles have ROWS rows. */
template <class G, int ROWS>
static cudaError_t launch_triangle(queue q, trigon_type type, const kernel_of<dataflow_matrices> &k, const factor *p,
                                   const dataflow_setup *s) {
  const int64_t rows = (p->n + ROWS - 1) / ROWS, tasks = tiles_of_triangle<G::WIDE>(rows);
  const int64_t flags = G::FLAG_FOR_TILE ? tasks : rows;
  if (!dataflow_holds<G>(tasks, flags)) return launch_lauum(q, type, p);
  return launch_dataflow_matrices<G>(q, k, p, &s->words, tasks, flags);
}

template <class T>
static cudaError_t launch_portable(queue q, trigon_type type, const factor *p, const dataflow_setup *s) {
  using G = lauum_tile<T>;
  const auto &k = registered<lauum_dataflow_kernel<T>, sizeof(typename G::workspace)>();
  return launch_triangle<G, G::ORDER>(q, type, k, p, s);
}

#if TG_HAS_MMA
/* ------------------------------------------------------------------------------------------- matrix units -- */

template <class G, class Layouts>
__global__ void __launch_bounds__(G::THREADS, G::RESIDENT) lauum_mma_kernel(dataflow_matrices f) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  typename G::workspace &shared = *tg_shared<typename G::workspace>();
  dataflow_run_matrices(f, &shared.word, [&](int64_t b, unsigned task, unsigned *flags) {
    multiply_mma<G, Layouts>(shared, f.p, b, triangle_coord_of<G::WIDE>(task), flags);
  });
#endif
}

template <class G> static cudaError_t launch_mma(queue q, const factor *p, const dataflow_setup *s) {
  return with_layouts<MMA_ALIKE>(is_by_terms(p->A.col), false, [&](auto layouts) {
    const auto &k = registered<lauum_mma_kernel<G, decltype(layouts)>, sizeof(typename G::workspace), NEEDS_MMA>();
    return launch_triangle<G, G::ROWS>(q, TRIGON_D, k, p, s);
  });
}

static const mma_tile<factor> mma_tiles[] = {{{64, 64}, launch_mma<lauum_small>},
                                             {{128, 128}, launch_mma<lauum_large>}};
const tile_shape *lauum_dataflow_tile(int at) { return tile_number(mma_tiles, at); }
#else
const tile_shape *lauum_dataflow_tile(int) { return NULL; }
#endif

cudaError_t launch_lauum_dataflow(queue q, trigon_type type, const factor *p, const dataflow_setup *s) {
#if TG_HAS_MMA
  if (type == TRIGON_D && q.has.fp64_mma) return launch_mma_tile(mma_tiles, TILES_LAUUM, q, p, s);
#endif
  return with_type(type, [&](auto zero) { return launch_portable<decltype(zero)>(q, type, p, s); });
}

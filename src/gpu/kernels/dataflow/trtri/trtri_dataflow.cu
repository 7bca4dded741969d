/* trtri_dataflow.cu - TRTRI as a dataflow leaf (dataflow_triangles.h): one launch; each block computes a tile of X =
 * L⁻¹.
 *
 * The residual X·L - I is small if substitution finds each row of X from its last column to its first:
 *
 *     X(i, j) = -(Σ X(i, k)·L(k, j))·L(j, j)⁻¹ over j < k <= i        X(j, j) = L(j, j)⁻¹
 *
 * So tile columns go from last to first. Within a tile column, tile rows go from last to first, too: X(i, j) overwrites
 * L(i, j), which the tiles below read. Tile rows need nothing else from each other, and a tile row has two flags: how
 * many of its tiles are ready, and how many have read their factors of L. A block waits for the first flag of its row
 * before it reads, and for the second flags of the rows below before it writes.
 *
 * There are two kernels: for doubles on matrix units (trtri_mma.h), and for every type on every GPU, here. */
#include "gpu/kernels/dataflow/dataflow_tile.h"
#include "gpu/kernels/dataflow/dataflow_triangles.h"
#include "gpu/kernels/dataflow/mma_tiles.h"
#if TG_HAS_MMA
#include "trtri_mma.h"
#endif

/* The portable kernel sees rows and columns in reverse order, and the transpose: then L·X = I, and tile row a of L is
 * solved for the slabs b of columns of X, from the first to the slab that holds the diagonal. */
template <class T> struct trtri_tile : dataflow_tile<T> {
  static constexpr int WIDE = leaf<T>::WIDTH / leaf<T>::ORDER;
  static_assert(leaf<T>::WIDTH % leaf<T>::ORDER == 0, "one tile holds the diagonal of a tile row");
};

template <class T>
__device__ inline void invert_portable(typename dataflow_tile<T>::workspace &shared, const factor &p, int64_t b,
                                       triangle_coord at, unsigned *flags) {
  using G = trtri_tile<T>;
  const matrix<T> A = matrix_of<T>(p.A, b).from(p.n - 1, p.n - 1), L = {A.data, -A.col, -A.row, false, FULL, false},
                  X = L.as(LOWER, p.unit);
  const int64_t i0 = static_cast<int64_t>(at.row) * G::ORDER, i_end = least(i0 + G::ORDER, p.n),
                j0 = static_cast<int64_t>(at.col) * G::WIDTH;
  const unsigned begun = at.col * G::WIDE,
                 solved = at.row - begun; /* the slab's first tile row; tiles above this one */
  unsigned *const ready = flags, *const read = flags + (p.n + G::WIDTH - 1) / G::WIDTH;
  dataflow_progress progress = {ready + at.col, &shared.word, 0};

  const bool inverted = invert_tile<T>(shared, L, p.unit, i0, i_end, p.n);
  typename G::sums sum = {};
  for (unsigned j = 0; j < solved;) {
    progress.await(j + 1);
    const unsigned now = progress.known < solved ? progress.known : solved;
    accumulate<typename G::base>(sum, shared.step.stage, L, X, i0, i_end, j0, i_end,
                                 static_cast<int64_t>(begun + j) * G::ORDER,
                                 static_cast<int64_t>(begun + now) * G::ORDER);
    j = now;
  }
  bool nonfinite = false;
  each_sum<typename G::base>(sum, [&](int r, int c, T s) {
    shared.step.tile[r][c] = subtract(i0 + r == j0 + c ? one<T>() : T{}, s);
    nonfinite = nonfinite || !is_finite(s);
  });
  /* A product with the zeros of the inverse would spread a NaN or an infinity to rows above. */
  if (!tg_any(nonfinite, &shared.vote) && inverted) {
    multiply_by_inverse<T>(shared);
  } else {
    finish_diagonal<T>(shared.step.triangle, begin_diagonal(L, p.unit, i0, i_end));
    solve_tile<leaf<T>>(shared.step);
  }
  tg_publish(read + at.col, solved + 1);
  tg_await_each(read, at.col, [&](unsigned s) { return at.row - s * G::WIDE + 1; });
  store_tile<G::WIDTH, G::ORDER, G::THREADS>(shared.step.tile, X.transposed(), j0, i0, i_end, i_end);
  tg_publish(ready + at.col, solved + 1);
}

template <class T>
__global__ void __launch_bounds__(leaf<T>::THREADS, sizeof(T) == 16 ? 2 : 3)
    trtri_dataflow_kernel(dataflow_matrices f) {
  using G = trtri_tile<T>;
  typename G::workspace &shared = *tg_shared<typename G::workspace>();
  dataflow_run_matrices(f, &shared.word, [&](int64_t b, unsigned task, unsigned *flags) {
    invert_portable<T>(shared, f.p, b, triangle_coord_of<G::WIDE>(task), flags);
  });
}

/* ------------------------------------------------------------------------------------------------ launches -- */

template <class T>
static cudaError_t launch_portable(queue q, trigon_type type, const factor *p, const dataflow_setup *s) {
  using G = trtri_tile<T>;
  const int64_t rows = (p->n + G::ORDER - 1) / G::ORDER, slabs = (p->n + G::WIDTH - 1) / G::WIDTH,
                tasks = tiles_of_triangle<G::WIDE>(rows);
  if (!dataflow_holds<G>(tasks, 2 * slabs)) return launch_trtri(q, type, p);
  const auto &k = registered<trtri_dataflow_kernel<T>, sizeof(typename G::workspace)>();
  return launch_dataflow_matrices<G>(q, k, p, &s->words, tasks, 2 * slabs);
}

#if TG_HAS_MMA
template <class G, class Layouts>
__global__ void __launch_bounds__(G::THREADS, G::RESIDENT) trtri_mma_kernel(dataflow_matrices f) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  typename G::workspace &shared = *tg_shared<typename G::workspace>();
  dataflow_run_matrices(f, &shared.word, [&](int64_t b, unsigned task, unsigned *flags) {
    invert_mma<G, Layouts>(shared, f.p, b, task, flags);
  });
#endif
}

/* A tile has ORDER columns and ROWS rows. */
template <int ORDER, int ROWS> static cudaError_t launch_mma(queue q, const factor *p, const dataflow_setup *s) {
  using G = mma_solve<ROWS, ORDER>;
  return with_layouts<MMA_CROSSED>(is_by_terms(p->A.row), false, [&](auto layouts) {
    const auto &k = registered<trtri_mma_kernel<G, decltype(layouts)>, sizeof(typename G::workspace), NEEDS_MMA>();
    if (p->n == 0) return cudaSuccess;
    const inverse_grid<G> grid(p->n);
    const int64_t tasks = grid.tasks(), flags = grid.rows + grid.tiles_before(grid.cols);
    if (!dataflow_holds<G>(tasks, flags)) return launch_trtri(q, TRIGON_D, p);
    return launch_dataflow_matrices<G>(q, k, p, &s->words, tasks, flags);
  });
}

static const mma_tile<factor> mma_tiles[] = {{{64, 32}, launch_mma<TG_TILE(32, 64), TG_TILE(16, 32)>},
                                             {{64, 64}, launch_mma<TG_TILE(32, 64), TG_TILE(32, 64)>},
                                             {{128, 64}, launch_mma<TG_TILE(64, 128), TG_TILE(32, 64)>}};
const tile_shape *trtri_dataflow_tile(int at) { return tile_number(mma_tiles, at); }
#else
const tile_shape *trtri_dataflow_tile(int) { return NULL; }
#endif

cudaError_t launch_trtri_dataflow(queue q, trigon_type type, const factor *p, const dataflow_setup *s) {
#if TG_HAS_MMA
  if (type == TRIGON_D && q.has.fp64_mma) return launch_mma_tile(mma_tiles, TILES_TRTRI, q, p, s);
#endif
  return with_type(type, [&](auto zero) { return launch_portable<decltype(zero)>(q, type, p, s); });
}

/* trsm_dataflow.cu - TRSM as a dataflow leaf (dataflow_slabs.h): one launch, in which each block computes a tile of X.
 *
 * There are three kinds of kernels: for 1, 2 or 4 columns (trsm_vectors.h), for doubles on matrix units
 * (trsm_dataflow_mma.cu), and for every type on every GPU, here. */
#include "gpu/kernels/dataflow/dataflow_tile.h"
#include "gpu/kernels/dataflow/mma_tiles.h"
#include "gpu/kernels/vectors/trsm_vectors.h"

/* B2 = L22⁻¹·(alpha·B2 - L21·B1) for tile row `row` and the slab at column j0. */
template <class T, class Product>
__device__ inline void solve_portable(typename dataflow_tile<T>::workspace &shared, const triangular &t, int64_t b,
                                      unsigned row, int64_t j0, dataflow_progress &progress) {
  using G = dataflow_tile<T>;
  const matrix<T> L = matrix_of<T>(t.L, b), B = matrix_of<T>(t.B, b);
  const T alpha = element_of<T>(t.alpha);
  const int64_t i0 = static_cast<int64_t>(row) * G::ORDER, i_end = least(i0 + G::ORDER, t.n);
  const bool inverted = invert_tile<T>(shared, L, t.unit, i0, i_end, t.n);
  stream<leaf_tile<T>, G::WIDTH, G::ORDER> right(B.transposed(), j0, t.width, i0, i_end);
  right.fetch();
  typename Product::sums sum = {};
  for (unsigned j = 0; j < row;) {
    progress.await(j + 1);
    const unsigned ready = progress.known < row ? progress.known : row;
    accumulate<Product>(sum, shared.template stage_of<Product>(), L, B, i0, i_end, j0, t.width,
                        static_cast<int64_t>(j) * G::ORDER, static_cast<int64_t>(ready) * G::ORDER);
    j = ready;
  }
  right.put(shared.step.tile);
  __syncthreads();
  bool nonfinite = false;
  each_sum<Product>(sum, [&](int r, int c, T s) {
    const T x = subtract(scalar_times(alpha, shared.step.tile[r][c]), s);
    shared.step.tile[r][c] = x;
    nonfinite = nonfinite || !is_finite(x);
  });
  /* A product with the zeros of V would spread a NaN or an infinity to rows above. */
  if (!tg_any(nonfinite, &shared.vote) && inverted) {
    multiply_by_inverse<T, Product>(shared);
  } else {
    finish_diagonal<T>(shared.step.triangle, begin_diagonal(L, t.unit, i0, i_end));
    solve_tile<leaf<T>>(shared.step);
  }
  store_tile<G::WIDTH, G::ORDER, G::THREADS>(shared.step.tile, B.transposed(), j0, i0, t.width, i_end);
}

/* With a third block in each multiprocessor, the kernel for complex doubles would spill registers. */
template <class T, class Product>
__global__ void __launch_bounds__(leaf<T>::THREADS, sizeof(T) == 16 ? 2 : 3) trsm_dataflow_kernel(dataflow_task f) {
  using G = dataflow_tile<T>;
  typename G::workspace &shared = *tg_shared<typename G::workspace>();
  dataflow_run(f, G::WIDTH, &shared.word, [&](unsigned row, int64_t b, int64_t j0, dataflow_progress &progress) {
    solve_portable<T, Product>(shared, f.t, b, row, j0, progress);
  });
}

template <class G, bool ACROSS> __global__ void __launch_bounds__(G::THREADS, 1) trsm_vectors_kernel(vectors_task f) {
  run_vectors<G, ACROSS>(*tg_shared<typename G::workspace>(), f);
}

/* ------------------------------------------------------------------------------------------------ launches -- */

/* How many slabs a launch for few columns can have: as many as there are flags and cells for. */
template <class G> static int64_t vectors_slabs(int64_t rows, int64_t bytes) {
  const int64_t cells = static_cast<int64_t>(sizeof(tg_cell<typename G::T>)) * G::ORDER * G::COLS;
  const int64_t flags = dataflow_flags / rows, space = bytes / (rows * cells);
  return flags < space ? flags : space;
}

/* Launches the kernel for few columns: once, or several times if there are more slabs than flags or cells. */
template <class G, bool ACROSS>
static cudaError_t launch_vectors_of(queue q, const triangular *t, const dataflow_setup *s) {
  const auto &k = registered<trsm_vectors_kernel<G, ACROSS>, sizeof(typename G::workspace)>();
  const int64_t rows = (t->n + G::ORDER - 1) / G::ORDER, slabs = (t->width + G::COLS - 1) / G::COLS * t->count;
  const int64_t fit = vectors_slabs<G>(rows, s->space_bytes), launches = (slabs + fit - 1) / fit;
  const int64_t most = launches > 0 ? (slabs + launches - 1) / launches : 0; /* equal launches */
  return launch_in_parts(slabs, most, [&](int64_t first, int64_t now) {
    const vectors_task task = {{*t, s->words, first, static_cast<unsigned>(now)}, s->space};
    return launch_kernel(q, k, rows * now, G::THREADS, task);
  });
}

/* With few columns the tiles of a slab form a chain that takes longer than their sums. */
template <class T> static cudaError_t launch_portable(queue q, const triangular *t, const dataflow_words *words) {
  using G = dataflow_tile<T>;
  constexpr size_t shared = sizeof(typename G::workspace);
  const auto launch = [&](const auto &k) { return launch_tiles<G>(q, k, G::WIDTH, t, words); };
  if constexpr (G::HAS_MMA)
    if (q.has.fp64_mma)
      return launch(registered<trsm_dataflow_kernel<T, typename G::mma_product>, shared, NEEDS_MMA>());
  if constexpr (G::IS_SINGLE)
    if (t->width <= q.arch->limits->trsm_deep_width)
      return launch(registered<trsm_dataflow_kernel<T, typename G::deep_product>, shared>());
  return launch(registered<trsm_dataflow_kernel<T, typename G::base>, shared>());
}

template <class T, int COLS>
static cudaError_t launch_vectors_cols(queue q, const triangular *t, const dataflow_setup *s) {
  using G = vectors_tile<T, COLS>;
  const bool along = t->L.row == 1 || t->L.row == -1;
  return along ? launch_vectors_of<G, false>(q, t, s) : launch_vectors_of<G, true>(q, t, s);
}

/* The tiles of the kernel for few columns. */
template <class G> static tile_counts vectors_counts(const tile_problem *p, tile_shape) {
  const int64_t rows = (p->order + G::ORDER - 1) / G::ORDER, slabs = (p->width + G::COLS - 1) / G::COLS * p->count;
  return {rows * slabs, 0};
}

/* Whether the kernel for few columns takes the solve. With up to four columns the kernel is the fastest one for every
 * order. With more columns its blocks are several to each tile row, and other kernels, which take more columns at once,
 * are faster from some number of blocks on. */
template <class T> static bool takes_vectors(queue q, const triangular *t, const dataflow_setup *s, bool mma) {
  using G = vectors_tile<T, 4>;
  const int64_t rows = (t->n + G::ORDER - 1) / G::ORDER, slabs = (t->width + G::COLS - 1) / G::COLS * t->count;
  if (s->shape.rows > 0 || t->n == 0) return false;
  const int64_t fit = vectors_slabs<G>(rows, s->space_bytes);
  if (fit == 0 || t->width <= G::COLS) return fit > 0;
  tile_problem p = problem_of(t, mma);
  p.counts = vectors_counts<G>;
  return (!mma || slabs <= fit) && gpu_choose_tile(q.arch->tiles[TILES_TRSM_VECTORS], &p).cols > 0;
}

template <class T> static cudaError_t launch_vectors(queue q, const triangular *t, const dataflow_setup *s) {
  return t->width <= 1   ? launch_vectors_cols<T, 1>(q, t, s)
         : t->width <= 2 ? launch_vectors_cols<T, 2>(q, t, s)
                         : launch_vectors_cols<T, 4>(q, t, s);
}

cudaError_t launch_trsm_dataflow(queue q, trigon_type type, const triangular *t, const dataflow_setup *s) {
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    const bool mma = type == TRIGON_D && q.has.fp64_mma;
    if (takes_vectors<T>(q, t, s, mma)) return launch_vectors<T>(q, t, s);
#if TG_HAS_MMA
    if (mma) return launch_trsm_mma(q, t, s);
#endif
    return launch_portable<T>(q, t, &s->words);
  });
}

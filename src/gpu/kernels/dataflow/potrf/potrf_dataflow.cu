/* potrf_dataflow.cu - POTRF as a dataflow leaf (potrf_tickets.h): one launch, in which each block computes a tile of L.
 *
 * There are three kernels: for doubles on matrix units (potrf_mma.h), for complex doubles on matrix units, and for
 * every type on every GPU (both potrf_tiles.h). */
#include "potrf_tiles.h"
#if TG_HAS_MMA
#include "potrf_mma.h"
#endif

template <class G> __device__ inline void run_pairs(const dataflow_matrices &f) {
  dataflow_factor_run<G::TALL>(f, G::shared().words, [&](int64_t b, const tile_coord &coord) {
    const auto record = [&](int64_t column) { record_failure(f.p, b, column); };
    potrf_item<G>(matrix_of<typename G::T>(f.p.A, b), f.p.n, f.flags_of_each, coord, record);
  });
}

template <class G>
__global__ void __launch_bounds__(G::THREADS, G::RESIDENT) potrf_dataflow_kernel(dataflow_matrices f) {
  run_pairs<G>(f);
}

/* ------------------------------------------------------------------------------------------------ launches -- */

/* Launches a kernel whose blocks take tiles of G::ORDER rows and columns. An order with more tile rows than flags fills
 * the memory of today's GPUs; `step` takes it. */
template <class G>
static cudaError_t launch_factor(queue q, const kernel_of<dataflow_matrices> &k, trigon_type type, const factor *p,
                                 const dataflow_words *words) {
  const int64_t tiles = (p->n + G::ORDER - 1) / G::ORDER;
  const int64_t blocks = blocks_of_tiles<G::TALL>(tiles);
  if (!dataflow_holds<G>(blocks, tiles)) return launch_potrf(q, type, p);
  return launch_dataflow_matrices<G>(q, k, p, words, blocks, tiles);
}

#if TG_HAS_MMA
template <class G, class Layouts>
__global__ void __launch_bounds__(G::THREADS, G::RESIDENT) potrf_mma_kernel(dataflow_matrices f) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  typename G::workspace &shared = *tg_shared<typename G::workspace>();
  dataflow_factor_run<G::TALL>(f, &shared.word,
                               [&](int64_t b, const tile_coord &coord) { potrf_mma<G, Layouts>(shared, f, b, coord); });
#endif
}

static cudaError_t launch_mma(queue q, const factor *p, const dataflow_words *words) {
  using G = factor_tile_mma<TG_TILE(2, 4)>;
  return with_layouts<MMA_ALIKE>(is_by_terms(p->A.row), false, [&](auto layouts) {
    const auto &k = registered<potrf_mma_kernel<G, decltype(layouts)>, sizeof(typename G::workspace), NEEDS_MMA>();
    return launch_factor<G>(q, k, TRIGON_D, p, words);
  });
}

/* For complex doubles on matrix units. */
template <class G>
__global__ void __launch_bounds__(G::THREADS, G::RESIDENT) potrf_complex_mma_kernel(dataflow_matrices f) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  run_pairs<G>(f);
#endif
}

static cudaError_t launch_complex_mma(queue q, const factor *p, const dataflow_words *words) {
  using G = potrf_any_type_tile;
  const auto &k = registered<potrf_complex_mma_kernel<G>, sizeof(typename G::workspace), NEEDS_MMA>();
  return launch_factor<G>(q, k, TRIGON_Z, p, words);
}
#endif

cudaError_t launch_potrf_dataflow(queue q, trigon_type type, const factor *p, const dataflow_setup *s) {
#if TG_HAS_MMA
  if (type == TRIGON_D && q.has.fp64_mma) return launch_mma(q, p, &s->words);
  if (type == TRIGON_Z && q.has.fp64_mma) return launch_complex_mma(q, p, &s->words);
#endif
  return with_type(type, [&](auto zero) {
    using G = potrf_portable<decltype(zero)>;
    const auto &k = registered<potrf_dataflow_kernel<G>, sizeof(typename G::workspace)>();
    return launch_factor<G>(q, k, type, p, &s->words);
  });
}

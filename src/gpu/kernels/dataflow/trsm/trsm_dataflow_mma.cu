/* trsm_dataflow_mma.cu - TRSM of doubles as a dataflow leaf (dataflow_slabs.h), on matrix units.
 *
 * There are two kinds of kernels: for slabs of 8 to 32 columns (trsm_slab8_32.h), and of 64 or 128 columns
 * (trsm_slab64_128.h). */
#include "gpu/kernels/dataflow/dataflow_slabs.h"
#include "gpu/kernels/dataflow/mma_tiles.h"
#if TG_HAS_MMA
#include "trsm_slab64_128.h"
#include "trsm_slab8_32.h"

template <class G, bool BY_TERMS>
__global__ void __launch_bounds__(G::THREADS, G::RESIDENT) trsm_slab8_32_kernel(dataflow_task f) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  typename G::workspace &shared = *tg_shared<typename G::workspace>();
  dataflow_run(f, G::COLS, &shared.word, [&](unsigned row, int64_t b, int64_t j0, dataflow_progress &progress) {
    solve_mma<G, BY_TERMS>(shared, f.t, b, row, j0, progress);
  });
#endif
}

template <class G, class Layouts>
__global__ void __launch_bounds__(G::THREADS, G::RESIDENT) trsm_slab64_128_kernel(slab64_128_task w) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  run_slab64_128<G, Layouts>(*tg_shared<typename G::workspace>(), w);
#endif
}

/* With many slabs, blocks share the inverses of one matrix, if the space holds them. */
template <class G>
static int64_t shared_inverses(const gpu_limits *limits, const triangular *t, const dataflow_setup *s, int64_t rows) {
  const int64_t bytes = rows * static_cast<int64_t>(sizeof(packed_triangle<G::WARPS>));
  return t->count == 1 && t->width >= limits->trsm_sharing_slabs * G::LINES && bytes <= s->space_bytes &&
                 rows < dataflow_flags / 2
             ? rows
             : 0;
}

template <class G, class Layouts>
static cudaError_t launch_slab64_128_of(queue q, const triangular *t, const dataflow_setup *s) {
  const auto &k = registered<trsm_slab64_128_kernel<G, Layouts>, sizeof(typename G::workspace), NEEDS_MMA>();
  const int64_t rows = (t->n + G::ORDER - 1) / G::ORDER, inverses = shared_inverses<G>(q.arch->limits, t, s, rows);
  return launch_slabs_of<G>(t, &s->words, G::LINES, inverses, [&](const dataflow_task &task, int64_t tiles) {
    return launch_kernel(q, k, inverses + tiles, G::THREADS, slab64_128_task{task, inverses > 0 ? s->space : NULL});
  });
}

/* The kernels by their tiles. On the simulated GPU a tile has half of the rows, and of the columns
 * if they are many. */
template <int COLS> static cudaError_t launch_slab64_128(queue q, const triangular *t, const dataflow_setup *s) {
  using G = mma_solve<TG_TILE(COLS / 2, COLS), TG_TILE(64, 128)>;
  return with_layouts<MMA_ANY>(is_by_terms(t->B.col), is_by_terms(t->L.row),
                               [&](auto layouts) { return launch_slab64_128_of<G, decltype(layouts)>(q, t, s); });
}
template <int COLS, bool BY_TERMS> static const kernel_of<dataflow_task> &slab8_32_row() {
  using G = slab8_32<TG_TILE(4, 8), COLS / 8>;
  return registered<trsm_slab8_32_kernel<G, BY_TERMS>, sizeof(typename G::workspace), NEEDS_MMA>();
}
template <int COLS> static cudaError_t launch_slab8_32(queue q, const triangular *t, const dataflow_setup *s) {
  using G = slab8_32<TG_TILE(4, 8), COLS / 8>;
  const auto &k = is_by_terms(t->L.row) ? slab8_32_row<COLS, true>() : slab8_32_row<COLS, false>();
  return launch_tiles<G>(q, k, COLS, t, &s->words);
}
static const mma_tile<triangular> mma_tiles[] = {{{128, 8}, launch_slab8_32<8>},
                                                 {{128, 16}, launch_slab8_32<16>},
                                                 {{128, 32}, launch_slab8_32<32>},
                                                 {{128, 64}, launch_slab64_128<64>},
                                                 {{128, 128}, launch_slab64_128<128>}};

const tile_shape *trsm_dataflow_tile(int at) { return tile_number(mma_tiles, at); }

cudaError_t find_mma(int device, bool *has) { return tg_has_mma(device, slab8_32_row<8, false>().function, has); }

cudaError_t launch_trsm_mma(queue q, const triangular *t, const dataflow_setup *s) {
  return launch_mma_tile(mma_tiles, TILES_TRSM, q, t, s);
}

#else
const tile_shape *trsm_dataflow_tile(int) { return NULL; }

cudaError_t find_mma(int, bool *has) {
  *has = false;
  return cudaSuccess;
}
#endif

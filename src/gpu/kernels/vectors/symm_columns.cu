/* symm_columns.cu - SYMM and HEMM with a few columns: the form without matrix units, and the launcher. */
#include "symm_columns.h"
#if TG_HAS_MMA
#include "gpu/kernels/products/complex_mma.h"
#include "symm_strips.h"
#endif

/* The tile of a band without matrix units. */
template <class T>
using symm_tile =
    geometry<T, TG_TILE(16, 64), TG_TILE(8, 32), TG_TILE(4, sizeof(T) == 16 ? 8 : 16), TG_TILE(2, 4), TG_TILE(1, 4)>;

template <class G> struct symm_workspace {
  typename G::stage stage;
  unsigned last;
};

/* Adds the products of stages of which all tiles are stored, or all are mirrored, or all are one on the diagonal.
 * Returns the stage behind them. */
template <class G>
__device__ inline int add_symm_stages(typename G::sums &sum, symm_workspace<G> &shared, const symm_task &f,
                                      const symm_place<G> &at, int stage) {
  using T = typename G::T;
  const bool hermitian = f.p.A_is == STRUCTURE_HERMITIAN;
  const unsigned tile = at.tile(stage), end = tile < at.band ? at.band : tile == at.band ? tile + 1 : at.bands;
  const int run = static_cast<int>(end - tile) * at.STAGES_OF_TILE - stage % at.STAGES_OF_TILE;
  const int behind = stage + run < at.end ? stage + run : at.end;
  const int64_t k0 = at.column(stage), k1 = least(k0 + (behind - stage) * G::DEPTH, f.p.m);
  const matrix<T> A = matrix_of<T>(f.p.A, 0), B = matrix_of<T>(f.p.B, 0);
  const matrix<T> left = tile < at.band    ? A
                         : tile == at.band ? A.as(hermitian ? HERMITIAN : SYMMETRIC)
                         : hermitian       ? A.adjoint()
                                           : A.transposed();
  accumulate<G>(sum, shared.stage, left, B, at.i0, f.p.m, at.j0, f.p.n, k0, k1);
  return behind;
}

template <class G> __global__ void __launch_bounds__(G::THREADS) symm_columns_kernel(symm_task f) {
  symm_workspace<G> &shared = *tg_shared<symm_workspace<G>>();
  const symm_place<G> at(f);
  typename G::sums sum = {};
#pragma unroll 1
  for (int stage = at.first; stage < at.end;) stage = add_symm_stages(sum, shared, f, at, stage);
  finish_symm(f, at, &shared.last, [&](auto visit) { each_sum<G>(sum, visit); });
}

template <class G, unsigned NEEDS = 0> static cudaError_t launch(queue q, const product *p, const dataflow_setup *s) {
  enum { RESIDENT_THREADS = 512 }; /* fewer wait for their own loads */
  return launch_symm<G>(q, registered<symm_columns_kernel<G>, sizeof(symm_workspace<G>), NEEDS>(), p, s,
                        RESIDENT_THREADS / G::THREADS);
}

#if TG_HAS_MMA
enum { NARROW = TG_TILE(8, 16), WIDE = TG_TILE(16, 32) }; /* columns of a slab of doubles */

static cudaError_t launch_on_mma(queue q, trigon_type type, const product *p, const dataflow_setup *s) {
  if (type == TRIGON_Z) return launch<complex_mma<TG_TILE(16, 64), TG_TILE(8, 32), TG_TILE(1, 2)>, NEEDS_MMA>(q, p, s);
  if (takes_strips<symm_strip<true>>(q, p, s))
    return p->A.row == 1 ? launch_strips<symm_strip<true>>(q, p, s) : launch_strips<symm_strip<false>>(q, p, s);
  return p->n <= NARROW ? launch_symm_mma<NARROW>(q, p, s) : launch_symm_mma<WIDE>(q, p, s);
}
#endif

cudaError_t launch_symm_columns(queue q, trigon_type type, const product *p, const dataflow_setup *s) {
#if TG_HAS_MMA
  if (q.has.fp64_mma && (type == TRIGON_D || type == TRIGON_Z)) return launch_on_mma(q, type, p, s);
#endif
  return with_type(type, [&](auto zero) { return launch<symm_tile<decltype(zero)>>(q, p, s); });
}

/* emulation_steps.h - the steps of an emulated product, which a machine may have (docs/fp64.md). */
#ifndef TRIGON_EMULATION_STEPS_H
#define TRIGON_EMULATION_STEPS_H

#include "core/engine.h"
#include "fp64/int8/emulation.h"

/* The steps of a product by integers, in this order, and a product by pairs of floats, which is one step. The engine
 * computes natively what falls back; its machine does the rest. Each step works on all lines, or on the present block.
 * Calls are asynchronous. */
typedef struct emulation_steps {
  /* In the guaranteed grade first `probes`: if the product is_hopeless, nothing else is done before `choose`. Then
   * A.stats and B.stats, which may be the same; clears `upper`, `need` and `largest`. If the emulation `packs`, also
   * the ceilings of all lines: pack_ceilings is left out then. */
  trigon_status (*find_lines)(engine *, const emulation *);
  /* The ceilings of the block's lines; `upper` and `need` of the block. */
  trigon_status (*pack_ceilings)(engine *, const emulation *, const line_set *);
  trigon_status (*find_bounds)(engine *, const emulation *);
  /* log, headroom_bits, *choice */
  trigon_status (*choose)(engine *, const emulation *);
  /* The residues of the block's lines; those of C, added to what is there unless this is the first block of terms; and
   * C itself. */
  trigon_status (*make_residues)(engine *, const emulation *, const line_set *);
  trigon_status (*multiply)(engine *, const emulation *);
  trigon_status (*finish)(engine *, const emulation *);
  /* The tiles that fall back, by the formula of native arithmetic. */
  trigon_status (*run_natively)(engine *, const emulation *);
  /* A GEMM of type TRIGON_D or TRIGON_Z by pairs of floats, in blocks that fit the workspace. The workspace has
   * double_float_least_workspace bytes or more (fp64/double_float/double_float_lines.h). */
  trigon_status (*multiply_double_float)(engine *, const operation *, void *workspace, int64_t bytes);
} emulation_steps;

#endif

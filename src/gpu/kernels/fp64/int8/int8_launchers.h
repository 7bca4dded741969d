/* int8_launchers.h - the launchers of the steps of an emulated product (fp64/int8/emulation.h), callable from C. */
#ifndef TRIGON_INT8_LAUNCHERS_H
#define TRIGON_INT8_LAUNCHERS_H

#include "fp64/int8/emulation_rules.h"
#include "residue_products.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The tiles that fail at a look, and the statistics of the lines of A and B. */
cudaError_t launch_find_lines(queue, const emulation *);
cudaError_t launch_probe_tiles(queue, const emulation *);

/* The planes of the present block of A (`first`) or B, in the layout of fp64/int8/residue_layout.h. Ceilings are stored
 * less 128, so that products of signed bytes serve them, too. */
typedef struct packing {
  emulation e;
  bool first;
} packing;
cudaError_t launch_pack_ceilings(queue, const packing *);
cudaError_t launch_make_residues(queue, const packing *);

/* `upper` and `need` of the block, by products of the ceilings. launch_find_bounds chooses
 * Hopper's kernel if the queue has int8_wgmma, else that of matrix units if it has int8_mma. Only builds with
 * TG_HAS_HOPPER have launch_find_bounds_hopper, and only those with TG_HAS_MMA have launch_find_bounds_mma. */
cudaError_t launch_find_bounds(queue, const emulation *);
cudaError_t launch_find_bounds_hopper(queue, const emulation *);
cudaError_t launch_find_bounds_mma(queue, const emulation *);

/* log, headroom_bits and *choice. */
cudaError_t launch_choose(queue, const emulation *);

/* The present block of C. */
cudaError_t launch_finish_product(queue, const emulation *);

#ifdef __cplusplus
}
#endif

static TRIGON_HOST_DEVICE inline const line_set *side_of(const packing *p) { return p->first ? &p->e.A : &p->e.B; }

#endif

/* stage_ring.h - the order in which stages go through a ring in shared memory by asynchronous copies. */
#ifndef TRIGON_STAGE_RING_H
#define TRIGON_STAGE_RING_H

#include "gpu/kernels/element.h"

/* Takes `stages` stages through a ring of STAGES: begin(slot) begins to copy the next stage, and multiply(slot) uses
 * the stage that is there. ready(s) waits until stage s may be read, and returns how many stages may be read; all
 * threads call ready, and only when all begun stages are multiplied. Ends with a barrier.
 *
 * What begin changes from stage to stage belongs into the function object itself (a mutable lambda that captures by
 * value). If begin refers to variables of the caller, nvcc 13.0 may spill more registers. */
template <int STAGES, class Ready, class Begin, class Multiply>
__device__ inline void through_ring(int stages, Ready ready, Begin begin, Multiply multiply) {
  int begun = 0, known = 0, slot = 0, free_slot = 0;
  const auto go_on = [&] {
    if (begun < known) {
      begin(free_slot);
      free_slot = free_slot + 1 < STAGES ? free_slot + 1 : 0;
      begun++;
    }
    tg_commit_copies(); /* also without copies: the groups are counted */
  };
  for (int at = 0; at < stages; at++) {
    if (at == begun) {
      __syncthreads();
      known = ready(at);
      for (int i = 1; i < STAGES; i++) go_on();
    }
    tg_await_copies<STAGES - 2>();
    __syncthreads(); /* all have the stage, and nobody reads the stage before it any more */
    go_on();
    multiply(slot);
    slot = slot + 1 < STAGES ? slot + 1 : 0;
  }
  tg_await_copies<0>();
  __syncthreads();
}

#endif

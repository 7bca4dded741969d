/* emulation_support.h - what a machine offers for emulated arithmetic (docs/fp64.md). */
#ifndef TRIGON_EMULATION_SUPPORT_H
#define TRIGON_EMULATION_SUPPORT_H

#include "emulation_steps.h"
#include "fp64/int8/product_times.h"

/* The public calls for matrices of pairs of floats. A matrix of pairs is a view of type TRIGON_C, which has the same
 * memory. No matrix is empty. Calls are asynchronous. */
typedef struct pair_calls {
  trigon_status (*gemm)(machine *, const operation *);  /* of real numbers */
  trigon_status (*copy)(machine *, view from, view to); /* doubles become pairs, or pairs doubles */
} pair_calls;

/* The mode `auto` decides by `doubles` or `floats`. NULL: emulated products of this precision never pay. */
struct emulation_support {
  const emulation_steps *steps;
  const pair_calls *pairs;
  const product_times *doubles, *floats;
};

#endif

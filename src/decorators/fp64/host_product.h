/* host_product.h - products of doubles by integer products: one product, and the decorator that replaces the products
 * of an engine. */
#ifndef TRIGON_HOST_PRODUCT_H
#define TRIGON_HOST_PRODUCT_H

#include "fp64/emulation_support.h"

/* FP64_FIXED alone reads `moduli`. most_native: see `emulation`. */
typedef struct fp64_settings {
  fp64_grade grade;
  int moduli;
  double most_native;
} fp64_settings;

/* Where the machine's data live: table[N] has the constants of the first N moduli; the choice of the last product. */
typedef struct fp64_memory {
  const crt *table;
  emulation_choice *choice;
} fp64_memory;

/* Emulated arithmetic on the host. The data are in the host's memory, and the engine computes what falls back. No times
 * are known, so `auto` computes natively. */
extern const emulation_support fp64_host_support;
trigon_status fp64_host_fallback(engine *native, const emulation *);

static inline const emulation_support *fp64_support(const machine *m) {
  return m->emulation ? m->emulation : &fp64_host_support;
}

/* Fills table[0] .. table[most_moduli]. */
void fp64_make_table(crt *table);

/* The real product for a GEMM of these sizes, and for a GEMM, SYRK, SYR2K or SYMM. */
emulated_size fp64_size(trigon_type, sizes);
emulated_size fp64_size_of(const operation *);

/* A workspace in bytes with which a product is computed in one block. */
int64_t fp64_best_workspace(const fp64_settings *, const emulated_size *);

/* The least one. The guaranteed grade needs all terms of 128 rows and columns at once. */
int64_t fp64_least_workspace(const fp64_settings *, const emulated_size *);

/* Why a product is computed natively if its blocks do not fit the workspace. */
extern const char fp64_no_room[];

/* Why a GEMM, SYRK, SYR2K or SYMM cannot be emulated, whatever the workspace is, or NULL. */
const char *fp64_obstacle(const operation *, const fp64_settings *);

/* `why` says why everything was computed natively, or is NULL if the machine decides. Then there are so many tiles. */
typedef struct fp64_outcome {
  const char *why;
  int64_t tiles;
} fp64_outcome;

/* Computes a GEMM, SYRK, SYR2K (HER2K only if alpha is real) or SYMM. The engine computes what falls back. `begins`
 * says that it is the first product of a call. The result does not depend on threads nor on the workspace, unless the
 * workspace is too small for anything. */
trigon_status fp64_multiply(engine *native, const operation *, const fp64_settings *, const fp64_memory *,
                            void *workspace, int64_t bytes, bool begins, fp64_outcome *);

#endif

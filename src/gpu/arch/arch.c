/* arch.c - the list of the kinds of GPUs, and which of them serves a device. */
#include "arch.h"

#include <stddef.h>
#include <string.h>

#include "core/type.h"

const gpu_arch *const gpu_archs[] = {
    &gpu_arch_blackwell_rtx, &gpu_arch_blackwell,
    &gpu_arch_hopper,        &gpu_arch_ada,
    &gpu_arch_ampere_rtx,    &gpu_arch_ampere,
#ifdef TRIGON_VENDOR_SIM
    &gpu_arch_simulated,     &gpu_arch_sweeps,
#endif
    &gpu_arch_portable,      NULL,
};

/* From this ratio on, products of bytes win for every product of some size. */
enum { weak_doubles = 32 };

/* The rows of a kind with matrix units choose kernels for them. So the kind serves no GPU on which these do not run. A
 * Hopper with a plugin for older GPUs is nearer to an A100 than to a GPU for graphics. */
static bool serves(const gpu_arch *a, const gpu_traits *t) {
  if (a->capability == 0) return true;
  return a->capability <= t->capability && (t->mma || !a->has.fp64_mma) &&
         (!a->weak_doubles || t->floats_to_doubles >= weak_doubles);
}

const gpu_arch *gpu_arch_find(const char *name, const gpu_traits *t) {
  const gpu_arch *const *a = gpu_archs;
  while (*a && !(*name ? strcmp(name, (*a)->name) == 0 : serves(*a, t))) a++;
  return *a;
}

/* Code for 90a runs on compute capability 9.0 alone. All other kernels run on later GPUs, too. */
gpu_features gpu_features_of(const gpu_arch *a, const gpu_traits *t) {
  return (gpu_features){.fp64_mma = a->has.fp64_mma && t->mma,
                        .int8_wgmma = a->has.int8_wgmma && t->mma && t->capability == a->capability,
                        .early_launches = a->has.early_launches && t->mma,
                        .int8_mma = a->has.int8_mma && t->int8_mma};
}

const batch_class *gpu_classes_of(const gpu_arch *a, gpu_features has, batch_table table, trigon_type type) {
  return (a->has.fp64_mma && !has.fp64_mma ? &gpu_arch_portable : a)->batches[table][type_index(type)];
}

/* ---------------------------------------------------------------------------------------- times of products -- */

/* A model, in units of the time of a flop in double: 15 products by dp4a, of four times the floats' rate. No such
 * device was measured. */
const product_times gpu_weak_doubles = {
    .native_flop = 1, .integer_flop = 1.0 / (4 * weak_doubles), .moduli = 15, .least_size = 128};

const product_times *gpu_double_times(const gpu_arch *a, const gpu_traits *t) {
  if (t->floats_to_doubles >= weak_doubles) return &gpu_weak_doubles;
  return gpu_features_of(a, t).int8_wgmma ? a->doubles : NULL;
}

const product_times *gpu_float_times(const gpu_arch *a, const gpu_traits *t) {
  return gpu_features_of(a, t).int8_wgmma ? a->floats : NULL;
}

/* arch_neon.c - AArch64 processors. Their times were never measured, so that an installed BLAS computes large calls. */
#include "cpu_arch.h"

extern const kernels *const neon_kernels[TYPES];

static bool runs_here(void) { return true; }

const cpu_arch cpu_arch_neon = {"neon", runs_here, neon_kernels, &small_solvers_portable, NULL};

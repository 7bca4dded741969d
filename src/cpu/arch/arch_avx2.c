/* arch_avx2.c - x86-64 processors with AVX2 and FMA. */
#include "cpu_arch.h"

extern const kernels *const avx2_kernels[TYPES];

static bool runs_here(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }

/* Measured on 2 cores of an AMD EPYC (Zen 3): docs/notebook/cpu-kernels.md. */
static const cpu_rows rows = {"AVX2", ""};

const cpu_arch cpu_arch_avx2 = {"avx2", runs_here, avx2_kernels, &small_solvers_avx2, &rows};

/* arch_avx512.c - x86-64 processors with AVX-512 F, DQ, VL and BW. */
#include "cpu_arch.h"

extern const kernels *const avx512_kernels[TYPES];

static bool runs_here(void) {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
}

/* Measured on 2 cores of a Xeon: docs/notebook/cpu-kernels.md. */
static const cpu_rows rows = {"AVX-512", ""};

const cpu_arch cpu_arch_avx512 = {"avx512", runs_here, avx512_kernels, &small_solvers_avx512, &rows};

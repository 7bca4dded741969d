/* arch_avx512.c - x86-64 processors with AVX-512 F, DQ, VL and BW. */
#include "cpu_arch.h"

extern const kernels *const avx512_kernels[TYPES];

static bool runs_here(void) {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
}

/* Where OpenBLAS's routine is faster than ours, it takes the operation whole. Measured on a Xeon with OpenBLAS 0.3.21
 * and 0.3.26: docs/notebook/cpu-kernels.md. */
static const cpu_rows beside_openblas = {"AVX-512 beside OpenBLAS", "trmm   sdcz w2048   256 packed       *\n"
                                                                    "trmm   sdcz w2048     * vendor       *\n"
                                                                    "syrk   sdcz *      1024 packed       *\n"
                                                                    "syrk   sdcz *         * vendor       *\n"
                                                                    "syr2k  sdcz *       256 packed       *\n"
                                                                    "syr2k  sdcz *         * vendor       *\n"
                                                                    "symm   sdcz *       256 packed       *\n"
                                                                    "symm   sdcz *         * vendor       *\n"};

const cpu_arch cpu_arch_avx512 = {"avx512", runs_here, avx512_kernels, &beside_openblas};

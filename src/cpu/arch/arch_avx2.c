/* arch_avx2.c - x86-64 processors with AVX2 and FMA. */
#include "cpu_arch.h"

extern const kernels *const avx2_kernels[TYPES];

static bool runs_here(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }

/* Where OpenBLAS's routine is faster than ours, it takes the operation whole. Measured on 2 cores of an AMD EPYC (Zen
 * 3) with OpenBLAS 0.3.21: docs/notebook/cpu-kernels.md. */
static const cpu_rows beside_openblas = {"AVX2 beside OpenBLAS", "gemm   sdcz *       512 packed       *\n"
                                                                 "gemm   sdcz *         * vendor       *\n"
                                                                 "trmm   sdcz w64     128 packed       *\n"
                                                                 "trmm   sdcz w64       * vendor       *\n"
                                                                 "trmm   sdcz w512    256 packed       *\n"
                                                                 "trmm   sdcz w512      * vendor       *\n"
                                                                 "trmm   sdcz w2048   256 packed       *\n"
                                                                 "trmm   sdcz w2048     * vendor       *\n"
                                                                 "trsm   sdcz w64     128 packed       *\n"
                                                                 "trsm   sdcz w64       * vendor       *\n"
                                                                 "trsm   dcz  w512      * packed     512\n"
                                                                 "trsm   dcz  w2048     * packed     512\n"
                                                                 "trsm   s    w512    256 packed       *\n"
                                                                 "trsm   s    w512      * vendor       *\n"
                                                                 "trsm   s    w2048   256 packed       *\n"
                                                                 "trsm   s    w2048     * vendor       *\n"
                                                                 "syr2k  sdcz *       256 packed       *\n"
                                                                 "syr2k  sdcz *         * vendor       *\n"
                                                                 "symm   sdcz *       256 packed       *\n"
                                                                 "symm   sdcz *         * vendor       *\n"};

const cpu_arch cpu_arch_avx2 = {"avx2", runs_here, avx2_kernels, &beside_openblas};

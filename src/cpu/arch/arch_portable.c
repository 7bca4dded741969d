/* arch_portable.c - any processor: kernels in the compiler's vectors, and the rows from which the other kinds
 * differ. */
#include "cpu_arch.h"

extern const kernels *const portable_kernels[TYPES];

static bool runs_here(void) { return true; }

const cpu_arch cpu_arch_portable = {"portable", runs_here, portable_kernels, &small_solvers_portable, NULL};

/* The recursion cuts above the orders up to which OpenBLAS's routines are as fast as the recursion
 * (docs/notebook/cpu-kernels.md). */
const cpu_rows cpu_rows_any_blas = {"any BLAS", "trmm   sdcz *         * vendor    1024\n"
                                                "trsm   sdcz *         * vendor    1024\n"
                                                "syrk   sdcz *         * vendor    1024\n"
                                                "syr2k  sdcz *         * vendor    2048\n"
                                                "symm   sdcz *         * vendor    1024\n"
                                                "potrf  sdcz *         * vendor     128\n"
                                                "invert sdcz *         * vendor     256\n"
                                                "lauum  sdcz *         * vendor    1024\n"};

const cpu_rows cpu_rows_found_blas = {"an installed BLAS", "trmm   sdcz *       128 packed       *\n"
                                                           "trmm   sdcz *         * vendor    1024\n"
                                                           "trsm   sdcz *       128 packed       *\n"
                                                           "trsm   sdcz *         * vendor    1024\n"
                                                           "syrk   sdcz *         * vendor    1024\n"
                                                           "syr2k  sdcz *         * vendor    2048\n"
                                                           "symm   sdcz *         * vendor    1024\n"
                                                           "potrf  sdcz *       128 packed       *\n"
                                                           "potrf  sdcz *         * vendor     128\n"
                                                           "invert sdcz *       128 packed       *\n"
                                                           "invert sdcz *         * vendor     256\n"
                                                           "lauum  sdcz *       128 packed       *\n"
                                                           "lauum  sdcz *         * vendor    1024\n"};

const cpu_rows cpu_rows_packed = {"register kernels", "gemm   sdcz *         * packed       *\n"
                                                      "trmm   sdcz w16       * packed       *\n"
                                                      "trmm   sdcz w64       * packed       *\n"
                                                      "trmm   sdcz w512      * packed    1024\n"
                                                      "trmm   sdcz w2048     * packed    1024\n"
                                                      "trsm   sdcz w16       * packed       *\n"
                                                      "trsm   sdcz w64       * packed       *\n"
                                                      "trsm   sdcz w512      * packed    1024\n"
                                                      "trsm   sdcz w2048     * packed    1024\n"
                                                      "syrk   sdcz *         * packed       *\n"
                                                      "syr2k  sdcz *         * packed       *\n"
                                                      "symm   sdcz *         * packed       *\n"
                                                      "potrf  sdcz *         * packed     512\n"
                                                      "invert sdcz *         * packed     512\n"
                                                      "lauum  sdcz *         * packed     512\n"
                                                      "team gemm   sdcz 200000\n"
                                                      "team trmm   sdcz 1000000\n"
                                                      "team trsm   sdcz 1000000\n"
                                                      "team syrk   sdcz 200000\n"
                                                      "team syr2k  sdcz 200000\n"
                                                      "team symm   sdcz 200000\n"
                                                      "team potrf  sdcz 1000000\n"
                                                      "team invert sdcz 1000000\n"
                                                      "team lauum  sdcz 1000000\n"};

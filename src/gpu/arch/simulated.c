/* simulated.c - the simulated GPU of the tests: orders are small, so that small matrices take the recursion. With the
 * tiles of real GPUs, orders are those of any GPU. */
#include "arch.h"

#ifdef TRIGON_VENDOR_SIM
#include "gpu/vendor/vendor.h"

const gpu_arch gpu_arch_simulated = {.name = "simulated",
                                     .made_for = "the simulated GPU",
                                     .has = {.fp64_mma = true},
                                     .rows = TG_TILE("trmm   sdcz * * step 24\n"
                                                     "trsm   sdcz * * step 24\n"
                                                     "syrk   sdcz * * step 24\n"
                                                     "syr2k  sdcz * * step 24\n"
                                                     "symm   sdcz * * step 24\n"
                                                     "potrf  sdcz * * step 24\n"
                                                     "invert sdcz * * step 24\n"
                                                     "lauum  sdcz * * step 24\n",
                                                     "")};
#endif

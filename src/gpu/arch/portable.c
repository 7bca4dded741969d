/* portable.c - any GPU: up to which order a routine is one leaf. The other kinds change these rows. */
#include "arch.h"

/* docs/notebook/gpu-step-leaves.md */
static const char rows[] = "trmm   sdcz * * step 128\n"
                           "trsm   sdcz * * step 128\n"
                           "syrk   sdcz * * step 256\n"
                           "syr2k  sdcz * * step 256\n"
                           "symm   sdcz * * step 256\n"
                           "potrf  sdcz * * step 128\n"
                           "invert sdcz * * step 128\n"
                           "lauum  sdcz * * step 128\n";

const gpu_arch gpu_arch_portable = {.name = "portable", .made_for = "any GPU", .rows = rows};

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

/* Measured on an H200 with kernels that need no matrix units (docs/notebook/trsm-dataflow.md). */
const tile_choice gpu_trsm_vectors_portable[] = {{.most_width = 8, .tile = {.cols = 4}},
                                                 {.most_width = 64, .most_tiles = 2048, .tile = {.cols = 4}},
                                                 {.tile = {.cols = 0}}};

/* Measured on an H200, which has 132 multiprocessors (docs/notebook: trsm-dataflow.md, trmm-dataflow.md,
 * matrix-unit-products.md; strips: docs/performance.md). No other GPU was measured, so all kinds have these limits.
 * TRMM: shorter pieces, or more places, would cost more for their sums than they gain. */
const gpu_limits gpu_limits_measured = {
    .trmm = {.high = 64, .enough_high = 132, .enough = 2 * 132, .least_piece = 4, .most_slots = 66},
    .gemm_large_tiles = 200,
    .masked_blocks = 132,
    .strip_orders = {4096, 4096, 2048, 4096},
    .strip_lines = 128,
    .trsm_deep_width = 512,
    .trsm_sharing_slabs = 32};

const gpu_arch gpu_arch_portable = {.name = "portable",
                                    .made_for = "any GPU",
                                    .rows = rows,
                                    .tiles = {[TILES_TRSM_VECTORS] = gpu_trsm_vectors_portable},
                                    .limits = &gpu_limits_measured};

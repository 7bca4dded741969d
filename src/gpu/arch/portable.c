/* portable.c - any GPU: up to which order a routine is one leaf. The other kinds change these rows. */
#include "arch.h"

#include <stddef.h>

/* docs/notebook/gpu-step-leaves.md */
static const char rows[] = "trmm   sdcz * * step 128\n"
                           "trsm   sdcz * * step 128\n"
                           "syrk   sdcz * * step 256\n"
                           "syr2k  sdcz * * step 256\n"
                           "symm   sdcz * * step 256\n"
                           "potrf  sdcz * * step 128\n"
                           "invert sdcz * * step 128\n"
                           "lauum  sdcz * * step 128\n";

/* Vectors have kernels of their own on every GPU, which wait for memory alone. */
const char gpu_vector_rows[] = "gemm  sdcz w1 * dataflow *\n"
                               "trmm  sdcz w1 * dataflow *\n"
                               "syrk  sdcz w1 * dataflow *\n"
                               "syr2k sdcz w1 * dataflow *\n"
                               "symm  sdcz w1 * dataflow *\n";

/* Measured on an H200 with kernels that need no matrix units (docs/notebook/trsm-dataflow.md). */
const tile_choice gpu_trsm_vectors_portable[] = {{.most_width = 8, .tile = {.cols = 4}},
                                                 {.most_width = 64, .most_tiles = 2048, .tile = {.cols = 4}},
                                                 {.tile = {.cols = 0}}};

/* Measured on an H200, which has 132 multiprocessors (docs/notebook: trsm-dataflow.md, trmm-dataflow.md,
 * matrix-unit-products.md; strips: docs/performance.md). No other GPU was measured, so all kinds have these limits, but
 * for the last five. TRMM: shorter pieces, or more places, would cost more for their sums than they gain. */
#define LIMITS_OF_ALL_KINDS                                                                                            \
  .trmm = {.high = 64, .enough_high = 132, .enough = 2 * 132, .least_piece = 4, .most_slots = 66},                     \
  .vectors = {.blocks = 8 * 132, .least_passes = 2, .small_bytes = 4 << 20, .tiles = 500},                             \
  .symm = {.blocks = 132, .enough = 100, .high_order = 4000, .tall_order = INT64_MAX, .strips_order = INT64_MAX},      \
  .gemm_large_tiles = 200, .masked_blocks = 132, .strip_orders = {4096, 4096, 2048, 4096}, .strip_lines = 128,         \
  .trsm_deep_width = 512, .trsm_sharing_slabs = 32, .trsm_batch_blocks = 1024

#define LIMITS_WITH_SWEEPS                                                                                             \
  LIMITS_OF_ALL_KINDS, .chase_together = true, .chase_on_mma = true, .panel_in_cluster = true,                         \
                       .sweeps_together = true, .held_in_registers = true

const gpu_limits gpu_limits_measured = {LIMITS_WITH_SWEEPS, .divided_in_block = true};
#ifdef TRIGON_VENDOR_SIM
const gpu_limits gpu_limits_of_sweeps = {LIMITS_WITH_SWEEPS};
#endif

/* What the eigensolver does where its faster forms are off serves every GPU (docs/notebook/eigen.md). */
const gpu_limits gpu_limits_plain = {LIMITS_OF_ALL_KINDS};

/* ------------------------------------------------------------------------------------------ classes of batches -- */

/* Up to which orders a matrix is computed in registers, or in the shared memory that every GPU has. Most floats of a
 * batch that has none above 64 gain more by one launch than those of mixed orders lose. */
static const batch_class potrf_s[] = {{.alone = true, .most = 32, .kernel = "registers-32"},
                                      {.alone = true, .most = 64, .kernel = "strips-64"},
                                      {.most = 32, .kernel = "registers-32"},
                                      {.most = 64, .kernel = "strips-64"},
                                      {.most = 128, .kernel = "strips-128"},
                                      {.most = INT64_MAX, .kernel = "tiles"},
                                      {.kernel = NULL}};
static const batch_class potrf_dcz[] = {{.alone = true, .most = 32, .kernel = "strips-32"},
                                        {.most = 32, .kernel = "strips-32"},
                                        {.most = 64, .kernel = "strips-64"},
                                        {.most = INT64_MAX, .kernel = "tiles"},
                                        {.kernel = NULL}};
const batch_class *const gpu_potrf_portable[] = {potrf_s, potrf_dcz, potrf_dcz, potrf_dcz};

/* Larger matrices are left to POTRF and TRSM. Floats of orders that are all small are in registers. */
static const batch_class posv_s[] = {{.alone = true, .most = 48, .kernel = "registers-48"},
                                     {.alone = true, .most = 64, .kernel = "registers-64"},
                                     {.most = 64, .kernel = "strips-64"},
                                     {.most = 96, .kernel = "strips-96"},
                                     {.most = 128, .kernel = "strips-128"},
                                     {.kernel = NULL}};
const batch_class gpu_posv_strips[] = {{.most = 72, .kernel = "strips-72"}, {.kernel = NULL}};
const batch_class *const gpu_posv_portable[] = {posv_s, gpu_posv_strips, gpu_posv_strips, gpu_posv_strips};

/* Larger matrices are left to the leaves for one matrix. */
static const batch_class inverse_s[] = {{.alone = true, .most = 32, .kernel = "rows-32"},
                                        {.most = 32, .kernel = "rows-32"},
                                        {.most = 64, .kernel = "rows-64"},
                                        {.most = 128, .kernel = "rows-128"},
                                        {.kernel = NULL}};
static const batch_class inverse_dcz[] = {{.alone = true, .most = 32, .kernel = "rows-32"},
                                          {.most = 32, .kernel = "rows-32"},
                                          {.most = 64, .kernel = "rows-64"},
                                          {.kernel = NULL}};
const batch_class *const gpu_inverse_portable[] = {inverse_s, inverse_dcz, inverse_dcz, inverse_dcz};

/* With one column a warp is faster than a block up to order 512, unless elements are complex. */
const batch_class gpu_trsm_real[] = {{.most = 1, .most_order = 512, .kernel = "one-column"},
                                     {.most = 4, .kernel = "few-4"},
                                     {.most = posv_columns, .kernel = "few"},
                                     {.most = INT64_MAX, .kernel = "slabs"},
                                     {.kernel = NULL}};
const batch_class gpu_trsm_complex[] = {{.most = 4, .kernel = "few-4"},
                                        {.most = posv_columns, .kernel = "few"},
                                        {.most = INT64_MAX, .kernel = "slabs"},
                                        {.kernel = NULL}};
const batch_class *const gpu_trsm_portable[] = {gpu_trsm_real, gpu_trsm_real, gpu_trsm_complex, gpu_trsm_complex};

const gpu_arch gpu_arch_portable = {.name = "portable",
                                    .made_for = "any GPU",
                                    .rows = rows,
                                    .tiles = {[TILES_TRSM_VECTORS] = gpu_trsm_vectors_portable},
                                    .batches = {[BATCH_POTRF] = gpu_potrf_portable,
                                                [BATCH_POSV] = gpu_posv_portable,
                                                [BATCH_INVERSE] = gpu_inverse_portable,
                                                [BATCH_TRSM] = gpu_trsm_portable},
                                    .limits = &gpu_limits_plain};

/* hopper.c - NVIDIA's Hopper (compute capability 9.0), measured on an H200 (docs/performance.md). Blackwell has the
 * same rows (unmeasured.c). */
#include "arch.h"

#include <stddef.h>

/* POTRF is one dataflow leaf up to order 8192 (complex floats: 4096). With few columns a dataflow leaf takes a whole
 * triangle, because each launch of the recursion would cost as much as several tile rows. With more columns products by
 * cuBLAS are faster than the leaf, so the leaf is as large as it takes to keep the launches few. */
const char hopper_rows[] = "trmm   d    w16       * dataflow     *\n"
                           "trmm   d    w64    8192 dataflow     *\n"
                           "trmm   d    w64       * dataflow  8192\n"
                           "trmm   d    w512      * dataflow  8192\n"
                           "trmm   d    w2048     * dataflow  4096\n"
                           "trmm   scz  w16       * dataflow  2048\n"
                           "trmm   scz  w64       * dataflow  2048\n"
                           "trmm   s    w512   1024 dataflow  1024\n"
                           "trmm   s    w512      * vendor    4096\n"
                           "trmm   c    w512      * vendor    2048\n"
                           "trmm   z    w512      * vendor    4096\n"
                           "trmm   s    w2048  1024 dataflow   512\n"
                           "trmm   s    w2048     * vendor       *\n"
                           "trmm   c    w2048     * vendor       *\n"
                           "trmm   z    w2048     * vendor    4096\n"
                           "trsm   d    w16       * dataflow     *\n"
                           "trsm   d    w64    8192 dataflow     *\n"
                           "trsm   d    w64       * dataflow  4096\n"
                           "trsm   d    w512      * dataflow  4096\n"
                           "trsm   d    w2048     * dataflow  1024\n"
                           "trsm   scz  w16       * dataflow  8192\n"
                           "trsm   scz  w64       * dataflow  4096\n"
                           "trsm   s    w512      * dataflow  2048\n"
                           "trsm   cz   w512      * dataflow  1024\n"
                           "trsm   sc   w2048     * dataflow   512\n"
                           "trsm   sc   w*        * dataflow   256\n"
                           "trsm   z    w2048     * dataflow   256\n"
                           "syrk   d    *      8192 vendor       *\n"
                           "syrk   d    *         * vendor    2048\n"
                           "syrk   scz  *         * vendor       *\n"
                           "syr2k  d    *      4096 vendor       *\n"
                           "syr2k  d    *         * vendor    2048\n"
                           "syr2k  scz  *         * vendor       *\n"
                           "symm   sdc  w16       * dataflow     *\n"
                           "symm   sdc  w64       * dataflow     *\n"
                           "symm   z    w16       * vendor       *\n"
                           "symm   z    w64       * vendor       *\n"
                           "symm   sdcz w512      * vendor       *\n"
                           "symm   sdcz w2048     * vendor       *\n"
                           "symm   scz  w*        * vendor       *\n"
                           "potrf  sdz  *         * dataflow  8192\n"
                           "potrf  c    *         * dataflow  4096\n"
                           "invert d    *         * dataflow  4096\n"
                           "invert scz  *         * dataflow  2048\n"
                           "lauum  d    *         * dataflow  4096\n"
                           "lauum  scz  *         * dataflow  2048\n";

/* H200, 2026-11-24, n = 4096 and 8192 (docs/fp64.md). Products of residues reach 1.42 Pop/s, cuBLAS 57 Tflop/s in
 * double and 51 in float. Doubles take 15 moduli or less unless exponents differ much, floats 8. */
static const product_times doubles = {1 / 57e12, 1 / 1.42e15, 16, 12e-12, 13e-12, 110e-6, 0};
static const product_times floats = {1 / 51e12, 1 / 1.42e15, 8.5, 9e-12, 5e-12, 110e-6, 0};

/* With few columns the kernel for them takes a solve. Kernels on matrix units take more columns at once, and are faster
 * from some number of blocks on: early if the rows of L are neighbours (docs/notebook/trsm-dataflow.md). */
const tile_choice gpu_trsm_vectors_mma[] = {
    {.most_width = 8, .tile = {.cols = 4}},
    {.mma = true, .most_width = 64, .layouts = COLUMNS_FORWARD, .most_tiles = 80, .tile = {.cols = 4}},
    {.mma = true,
     .most_width = 64,
     .layouts = COLUMNS_BACKWARD | COLUMNS_APART,
     .most_tiles = 256,
     .tile = {.cols = 4}},
    {.mma = true, .tile = {.cols = 0}},
    {.most_width = 64, .most_tiles = 2048, .tile = {.cols = 4}},
    {.tile = {.cols = 0}}};

/* Narrow slabs make each hand-over short, but each slab reads all of L. So the slab is the narrowest one that gives a
 * multiprocessor one or two tiles. If a column of L is not contiguous, narrow slabs cost more
 * (docs/notebook/trsm-dataflow.md). */
enum { one_each = 3 << 16, two_each = 3 << 18, large = 3 << 19 }; /* numbers of B: tiles for 132 multiprocessors */
const tile_choice gpu_trsm_tiles[] = {
    {.most_width = 8, .tile = {128, 8}},
    {.layouts = COLUMNS_FORWARD, .most_area = one_each, .tile = {128, 8}},
    {.most_order = 2048, .most_area = one_each, .tile = {128, 8}},
    {.most_width = 64, .tile = {128, 16}},
    {.most_area = 2 * one_each, .tile = {128, 16}},
    {.most_width = 128, .most_area = two_each, .tile = {128, 16}},
    {.layouts = COLUMNS_FORWARD | COLUMNS_BACKWARD, .most_order = 8192, .most_width = 512, .tile = {128, 32}},
    {.most_matrix = large - 1, .tile = {128, 32}},
    {.most_width = 8191, .tile = {128, 64}},
    {.tile = {128, 128}}};

/* A slab as wide as B reads L once. Large tiles read less from the L2 cache, which bounds large products. If they are
 * few, multiprocessors are idle; with few columns, long sums are cut, so that it takes more of them
 * (docs/notebook/trmm-dataflow.md). */
const tile_choice gpu_trmm_tiles[] = {{.least_width = 512, .least_products = 560, .tile = {128, 128}},
                                      {.least_products = 1700, .tile = {128, 128}},
                                      {.least_width = 256, .least_tiles = 128, .tile = {128, 64}},
                                      {.least_tiles = 256, .tile = {128, 64}},
                                      {.least_width = 512, .least_products = 560, .tile = {128, 64}},
                                      {.most_width = 8, .tile = {64, 8}},
                                      {.most_width = 16, .tile = {64, 16}},
                                      {.most_width = 32, .tile = {64, 32}},
                                      {.tile = {64, 64}}};

/* Small tiles make the steps of a tile row short, but all of them read more (docs/notebook/inverse-dataflow.md). */
const tile_choice gpu_trtri_tiles[] = {
    {.least_order = 6144, .tile = {128, 64}}, {.least_order = 3072, .tile = {64, 64}}, {.tile = {64, 32}}};

/* Large tiles read less: 32 KiB instead of 64 KiB for each product of 64 × 64 × 64. But the first tile rows, which have
 * the longest sums, take longer (docs/notebook/inverse-dataflow.md). */
const tile_choice gpu_lauum_tiles[] = {{.least_order = 3072, .tile = {128, 128}}, {.tile = {64, 64}}};

/* ------------------------------------------------------------------------------------------ classes of batches -- */

/* H200 (docs/notebook/batches.md). A multiprocessor has room for larger matrices in shared memory than that
 * of other GPUs. Floats above 128, which would have a multiprocessor each, are faster by tiles. Many matrices of order
 * 64 gain more by one launch without lists than those of mixed orders lose. */
static const batch_class potrf_s[] = {{.alone = true, .most = 32, .kernel = "registers-32"},
                                      {.alone = true, .most = 64, .kernel = "strips-64"},
                                      {.most = 32, .kernel = "registers-32"},
                                      {.most = 64, .kernel = "strips-64"},
                                      {.most = 128, .kernel = "mma-strips-128"},
                                      {.most = INT64_MAX, .kernel = "mma-tiles"},
                                      {.kernel = NULL}};
static const batch_class potrf_d[] = {{.alone = true, .most = 32, .kernel = "mma-strips-32"},
                                      {.alone = true, .most = 64, .kernel = "mma-strips-64"},
                                      {.most = 32, .kernel = "mma-strips-32"},
                                      {.most = 64, .kernel = "mma-strips-64"},
                                      {.most = 96, .kernel = "mma-strips-96"},
                                      {.most = 128, .kernel = "mma-strips-128"},
                                      {.most = INT64_MAX, .kernel = "mma-tiles"},
                                      {.kernel = NULL}};
static const batch_class potrf_c[] = {{.alone = true, .most = 32, .kernel = "strips-32"},
                                      {.most = 32, .kernel = "strips-32"},
                                      {.most = 64, .kernel = "strips-64"},
                                      {.most = 128, .kernel = "strips-128"},
                                      {.most = INT64_MAX, .kernel = "tiles"},
                                      {.kernel = NULL}};
static const batch_class potrf_z[] = {{.alone = true, .most = 32, .kernel = "strips-32"},
                                      {.most = 32, .kernel = "strips-32"},
                                      {.most = 64, .kernel = "strips-64"},
                                      {.most = 128, .kernel = "strips-128"},
                                      {.most = INT64_MAX, .kernel = "mma-tiles"},
                                      {.kernel = NULL}};
const batch_class *const gpu_potrf_classes[] = {potrf_s, potrf_d, potrf_c, potrf_z};

/* Doubles, which have matrix units in POTRF and TRSM, are not faster in one piece above 72. Floats of orders that are
 * all small are in registers; above order 48 matrix units are faster. */
static const batch_class posv_s[] = {{.alone = true, .most = 48, .kernel = "registers-48"},
                                     {.alone = true, .most = 64, .kernel = "mma-rows-64"},
                                     {.most = 64, .kernel = "strips-64"},
                                     {.most = 96, .kernel = "mma-rows-96"},
                                     {.most = 128, .kernel = "strips-128"},
                                     {.kernel = NULL}};
static const batch_class posv_c[] = {
    {.most = 72, .kernel = "strips-72"}, {.most = 128, .kernel = "strips-128"}, {.kernel = NULL}};
const batch_class *const gpu_posv_classes[] = {posv_s, gpu_posv_strips, posv_c, gpu_posv_strips};

/* The largest orders of complex matrices are what shared memory holds. Larger ones are left to the leaves for one
 * matrix. */
static const batch_class inverse_s[] = {{.alone = true, .most = 32, .kernel = "rows-32"},
                                        {.most = 32, .kernel = "rows-32"},
                                        {.most = 64, .kernel = "rows-64"},
                                        {.most = 128, .kernel = "rows-128"},
                                        {.most = 256, .kernel = "rows-256"},
                                        {.kernel = NULL}};
static const batch_class inverse_d[] = {{.alone = true, .most = 32, .kernel = "mma-32"},
                                        {.most = 32, .kernel = "mma-32"},
                                        {.most = 64, .kernel = "mma-64"},
                                        {.most = 128, .kernel = "mma-128"},
                                        {.most = 256, .kernel = "mma-256"},
                                        {.most = INT64_MAX, .kernel = "mma-tiles"},
                                        {.kernel = NULL}};
static const batch_class inverse_c[] = {{.alone = true, .most = 32, .kernel = "rows-32"},
                                        {.most = 32, .kernel = "rows-32"},
                                        {.most = 64, .kernel = "rows-64"},
                                        {.most = 128, .kernel = "rows-128"},
                                        {.most = 224, .kernel = "rows-224"},
                                        {.kernel = NULL}};
static const batch_class inverse_z[] = {{.alone = true, .most = 32, .kernel = "rows-32"},
                                        {.most = 32, .kernel = "rows-32"},
                                        {.most = 64, .kernel = "rows-64"},
                                        {.most = 160, .kernel = "rows-160"},
                                        {.kernel = NULL}};
const batch_class *const gpu_inverse_classes[] = {inverse_s, inverse_d, inverse_c, inverse_z};

/* Matrix units take 0.504 ms for 16 columns of doubles, and threads take 0.574 for 4 columns (5000 matrices, uniform
 * orders up to 256). With one column a warp is faster than a block up to order 512, unless elements are complex. */
static const batch_class trsm_d[] = {{.most = 1, .most_order = 512, .kernel = "one-column"},
                                     {.most = 1, .kernel = "few-1"},
                                     {.most = posv_columns, .kernel = "mma-16"},
                                     {.most = INT64_MAX, .kernel = "slabs"},
                                     {.kernel = NULL}};
const batch_class *const gpu_trsm_classes[] = {gpu_trsm_real, trsm_d, gpu_trsm_complex, gpu_trsm_complex};

const gpu_arch gpu_arch_hopper = {
    .name = "hopper",
    .made_for = "Hopper",
    .capability = 90,
    .has = {.fp64_mma = true, .int8_wgmma = true, .early_launches = true, .int8_mma = true},
    .rows = hopper_rows,
    .doubles = &doubles,
    .floats = &floats,
    .tiles = {[TILES_TRSM_VECTORS] = gpu_trsm_vectors_mma,
              [TILES_TRSM] = gpu_trsm_tiles,
              [TILES_TRMM] = gpu_trmm_tiles,
              [TILES_TRTRI] = gpu_trtri_tiles,
              [TILES_LAUUM] = gpu_lauum_tiles},
    .batches = {[BATCH_POTRF] = gpu_potrf_classes,
                [BATCH_POSV] = gpu_posv_classes,
                [BATCH_INVERSE] = gpu_inverse_classes,
                [BATCH_TRSM] = gpu_trsm_classes},
    .limits = &gpu_limits_measured};

/* simulated.c - the simulated GPU of the tests. Numbers are small, so that small matrices take the recursion and every
 * kernel. A build with the tiles of real GPUs has the numbers of real GPUs. */
#include "arch.h"

#include <stddef.h>

#ifdef TRIGON_VENDOR_SIM
#ifdef TRIGON_SIM_LARGE
enum { is_large = 1 };
#else
enum { is_large = 0 };
#endif

static const char rows[] = "trmm   sdcz * * step 24\n"
                           "trsm   sdcz * * step 24\n"
                           "syrk   sdcz * * step 24\n"
                           "syr2k  sdcz * * step 24\n"
                           "symm   sdcz * * step 24\n"
                           "potrf  sdcz * * step 24\n"
                           "invert sdcz * * step 24\n"
                           "lauum  sdcz * * step 24\n";

/* The kernel for few columns leaves some of these to other kernels, which get their share of the tests. */
static const tile_choice trsm_vectors[] = {{.most_width = 6, .tile = {.cols = 4}}, {.tile = {.cols = 0}}};

/* A tile is called after that of a real GPU, of which it has a half or a quarter. */
static const tile_choice trtri_tiles[] = {
    {.least_order = 200, .tile = {128, 64}}, {.least_order = 100, .tile = {64, 64}}, {.tile = {64, 32}}};
static const tile_choice lauum_tiles[] = {{.least_order = 100, .tile = {128, 128}}, {.tile = {64, 64}}};

#define LIMITS                                                                                                         \
  .trmm = {.high = 64, .enough_high = 132, .enough = 2 * 132, .least_piece = 1, .most_slots = 66},                     \
  .vectors = {.blocks = 6, .least_passes = 1, .small_bytes = 16 << 10, .tiles = 3},                                    \
  .symm = {.blocks = 4, .enough = 3, .high_order = 60, .tall_order = 100, .strips_order = 70}, .gemm_large_tiles = 4,  \
  .masked_blocks = 3, .strip_orders = {4096, 4096, 2048, 4096}, .strip_lines = 128, .trsm_deep_width = 16,             \
  .trsm_sharing_slabs = 2, .trsm_batch_blocks = 1024, .chase_together = true, .chase_on_mma = true,                    \
  .panel_in_cluster = true, .sweeps_together = true, .held_in_registers = true

static const gpu_limits limits = {LIMITS, .divided_in_block = true};
static const gpu_limits limits_of_sweeps = {LIMITS};

/* Small matrices with one column are solved by blocks, too. */
static const batch_class trsm_s[] = {{.most = 1, .most_order = 40, .kernel = "one-column"},
                                     {.most = 4, .kernel = "few-4"},
                                     {.most = posv_columns, .kernel = "few"},
                                     {.most = INT64_MAX, .kernel = "slabs"},
                                     {.kernel = NULL}};
static const batch_class trsm_d[] = {{.most = 1, .most_order = 40, .kernel = "one-column"},
                                     {.most = 1, .kernel = "few-1"},
                                     {.most = posv_columns, .kernel = "mma-16"},
                                     {.most = INT64_MAX, .kernel = "slabs"},
                                     {.kernel = NULL}};
static const batch_class *const trsm_classes[] = {trsm_s, trsm_d, gpu_trsm_complex, gpu_trsm_complex};

#define KIND                                                                                                           \
  .made_for = "the simulated GPU", .has = {.fp64_mma = true, .int8_mma = true}, .rows = is_large ? "" : rows,          \
  .tiles = {[TILES_TRSM_VECTORS] = is_large ? gpu_trsm_vectors_mma : trsm_vectors,                                     \
            [TILES_TRSM] = gpu_trsm_tiles,                                                                             \
            [TILES_TRMM] = gpu_trmm_tiles,                                                                             \
            [TILES_TRTRI] = is_large ? gpu_trtri_tiles : trtri_tiles,                                                  \
            [TILES_LAUUM] = is_large ? gpu_lauum_tiles : lauum_tiles},                                                 \
  .batches = {[BATCH_POTRF] = gpu_potrf_classes,                                                                       \
              [BATCH_POSV] = gpu_posv_classes,                                                                         \
              [BATCH_INVERSE] = gpu_inverse_classes,                                                                   \
              [BATCH_TRSM] = is_large ? gpu_trsm_classes : trsm_classes}

const gpu_arch gpu_arch_simulated = {.name = "simulated", KIND, .limits = is_large ? &gpu_limits_measured : &limits};
/* The same without divide and conquer in blocks, for the forms that other types and GPUs have. */
const gpu_arch gpu_arch_sweeps = {
    .name = "sweeps", KIND, .limits = is_large ? &gpu_limits_of_sweeps : &limits_of_sweeps};
#endif

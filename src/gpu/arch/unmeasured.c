/* unmeasured.c - NVIDIA's GPUs beside Hopper. NOBODY HAS MEASURED THESE ROWS on a GPU of these kinds. They are Hopper's
 * rows as far as the kind has Hopper's kernels, and otherwise what Hopper's rows are for types without matrix units.
 * The simulated GPU and a Hopper run them under arch=NAME, which tells that results are right, and nothing about time.
 *
 *   kind           least capability   doubles                           shared memory of a block
 *   ampere         8.0 (A100)         FMA: no kernels for m8n8k4        163 KiB
 *   ampere-rtx     8.6 (RTX 30, A40)  FMA, at 1:64 or 1:32 of floats     99 KiB
 *   ada            8.9 (RTX 40, L40)  FMA, at 1:64                       99 KiB
 *   blackwell      10.0 (B200)        matrix units, as Hopper           227 KiB
 *   blackwell-rtx  12.0 (RTX 50)      FMA, at 1:64                       99 KiB
 *
 * All of them have products of bytes on matrix units (int8_mma). */
#include "arch.h"

#include <stddef.h>

/* Without matrix units for doubles, every type has the leaves that Hopper has for types without them. With few columns
 * a dataflow leaf takes a whole triangle. SYRK, SYR2K and SYMM are the vendor's. */
static const char rows[] = "trmm   sdcz w16       * dataflow  2048\n"
                           "trmm   sdcz w64       * dataflow  2048\n"
                           "trmm   sdcz w512      * dataflow  1024\n"
                           "trmm   sdcz w2048     * dataflow   512\n"
                           "trmm   sdcz w*        * dataflow   256\n"
                           "trsm   sdcz w16       * dataflow  8192\n"
                           "trsm   sdcz w64       * dataflow  4096\n"
                           "trsm   sd   w512      * dataflow  2048\n"
                           "trsm   cz   w512      * dataflow  1024\n"
                           "trsm   sdc  w2048     * dataflow   512\n"
                           "trsm   z    w2048     * dataflow   256\n"
                           "trsm   sdcz w*        * dataflow   256\n"
                           "syrk   sdcz *         * vendor       *\n"
                           "syr2k  sdcz *         * vendor       *\n"
                           "symm   sdc  w16       * dataflow     *\n"
                           "symm   sdc  w64       * dataflow     *\n"
                           "symm   z    w16       * vendor       *\n"
                           "symm   z    w64       * vendor       *\n"
                           "symm   sdcz w512      * vendor       *\n"
                           "symm   sdcz w2048     * vendor       *\n"
                           "symm   sdcz w*        * vendor       *\n"
                           "potrf  sdz  *         * dataflow  8192\n"
                           "potrf  c    *         * dataflow  4096\n"
                           "invert sdcz *         * dataflow  2048\n"
                           "lauum  sdcz *         * dataflow  2048\n";

/* Batches have the classes that need no more shared memory than any GPU has. Larger ones have kernels only together
 * with matrix units for doubles. */
#define WITHOUT_UNITS                                                                                                  \
  .has = {.int8_mma = true}, .rows = rows, .tiles = {[TILES_TRSM_VECTORS] = gpu_trsm_vectors_portable},                \
  .batches = {[BATCH_POTRF] = gpu_potrf_portable,                                                                      \
              [BATCH_POSV] = gpu_posv_portable,                                                                        \
              [BATCH_INVERSE] = gpu_inverse_portable,                                                                  \
              [BATCH_TRSM] = gpu_trsm_portable},                                                                       \
  .limits = &gpu_limits_plain

const gpu_arch gpu_arch_ampere = {.name = "ampere", .made_for = "Ampere", .capability = 80, WITHOUT_UNITS};
const gpu_arch gpu_arch_ampere_rtx = {
    .name = "ampere-rtx", .made_for = "Ampere RTX", .capability = 86, .weak_doubles = true, WITHOUT_UNITS};
const gpu_arch gpu_arch_ada = {.name = "ada", .made_for = "Ada", .capability = 89, .weak_doubles = true, WITHOUT_UNITS};
const gpu_arch gpu_arch_blackwell_rtx = {
    .name = "blackwell-rtx", .made_for = "Blackwell RTX", .capability = 120, .weak_doubles = true, WITHOUT_UNITS};

/* A B200 has the shared memory of Hopper and its instructions for doubles, but no wgmma. */
const gpu_arch gpu_arch_blackwell = {.name = "blackwell",
                                     .made_for = "Blackwell",
                                     .capability = 100,
                                     .has = {.fp64_mma = true, .early_launches = true, .int8_mma = true},
                                     .rows = hopper_rows,
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

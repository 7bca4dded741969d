/* portable.c - the tuning table of a GPU that has no table of its own. */
#include "tuning.h"

/* Orders up to which a leaf takes a block. On the simulated GPU they are small, so that the recursion is met. */
const tuning gpu_portable_tuning = {.row = {
                                        [ROUTINE_TRMM] = ALL_TYPES(TG_TILE(24, 128), VARIANT_STEP),
                                        [ROUTINE_TRSM] = ALL_TYPES(TG_TILE(24, 128), VARIANT_STEP),
                                        [ROUTINE_SYRK] = ALL_TYPES(TG_TILE(24, 256), VARIANT_STEP),
                                        [ROUTINE_SYR2K] = ALL_TYPES(TG_TILE(24, 256), VARIANT_STEP),
                                        [ROUTINE_SYMM] = ALL_TYPES(TG_TILE(24, 256), VARIANT_STEP),
                                        [ROUTINE_POTRF] = ALL_TYPES(TG_TILE(24, 128), VARIANT_STEP),
                                        [ROUTINE_INVERT] = ALL_TYPES(TG_TILE(24, 128), VARIANT_STEP),
                                        [ROUTINE_LAUUM] = ALL_TYPES(TG_TILE(24, 128), VARIANT_STEP),
                                    }};

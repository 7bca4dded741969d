/* portable.c - the tuning table of all GPUs (the only one so far): up to which order a routine is one leaf. */
#include "tuning.h"

/* On the simulated GPU the orders are small, so that small matrices take the recursion. */
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

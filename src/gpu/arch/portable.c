/* portable.c - all GPUs: up to which order a routine is one leaf; times of products if doubles are slow. */
#include "arch.h"
#include "gpu/vendor/vendor.h"

#define TABLE(triangle, symmetric)                                                                                     \
  "trmm   sdcz * * step " triangle "\n"                                                                                \
  "trsm   sdcz * * step " triangle "\n"                                                                                \
  "syrk   sdcz * * step " symmetric "\n"                                                                               \
  "syr2k  sdcz * * step " symmetric "\n"                                                                               \
  "symm   sdcz * * step " symmetric "\n"                                                                               \
  "potrf  sdcz * * step " triangle "\n"                                                                                \
  "invert sdcz * * step " triangle "\n"                                                                                \
  "lauum  sdcz * * step " triangle "\n"

/* On the simulated GPU the orders are small, so that small matrices take the recursion. */
const char *const gpu_portable_tuning = TG_TILE(TABLE("24", "24"), TABLE("128", "256"));

/* A model, in units of the time of a flop in double: 15 products by dp4a, of four times the floats' rate. No such
 * device was measured. */
const product_times gpu_weak_doubles = {
    .native_flop = 1, .integer_flop = 1.0 / (4 * weak_doubles), .moduli = 15, .least_size = 128};

/* hopper.c - the rows of the tuning table that differ on NVIDIA's Hopper (compute capability 9.0). They were predicted
 * from the prices of hand-overs between blocks and of the instructions (docs/architecture.md), not measured. */
#include "tuning.h"

/* Up to 64 columns a dataflow leaf takes the whole solve, because each launch of the recursion would cost as much as
 * several tile rows. With more columns products by cuBLAS are faster than the leaf, so the leaf is as large as it takes
 * to keep the launches few. */
const char *const gpu_hopper_tuning = "trsm d   slim    * flow    *\n"
                                      "trsm d   thin    * flow    *\n"
                                      "trsm d   wide    * flow 1024\n"
                                      "trsm scz slim    * flow 4096\n"
                                      "trsm scz thin    * flow 4096\n";

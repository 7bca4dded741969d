/* hopper.c - the rows of the tuning table that differ on NVIDIA's Hopper (compute capability 9.0), measured on an H200
 * (docs/performance.md). */
#include "tuning.h"

/* With few columns a dataflow leaf takes a whole triangle, because each launch of the recursion would cost as much as
 * several tile rows. With more columns products by cuBLAS are faster than the leaf, so the leaf is as large as it takes
 * to keep the launches few. */
const char *const gpu_hopper_tuning = "trmm d   slim      * flow    *\n"
                                      "trmm d   thin   8192 flow    *\n"
                                      "trmm d   thin      * flow 8192\n"
                                      "trmm d   medium    * flow 8192\n"
                                      "trmm d   wide      * flow 4096\n"
                                      "trmm scz slim      * flow 2048\n"
                                      "trmm scz thin      * flow 2048\n"
                                      "trmm scz medium    * flow 1024\n"
                                      "trmm scz wide      * flow  256\n"
                                      "trsm d   slim      * flow    *\n"
                                      "trsm d   thin   8192 flow    *\n"
                                      "trsm d   thin      * flow 4096\n"
                                      "trsm d   medium    * flow 8192\n"
                                      "trsm d   wide      * flow 1024\n"
                                      "trsm scz slim      * flow 8192\n"
                                      "trsm scz thin      * flow 4096\n"
                                      "trsm scz medium    * flow 2048\n"
                                      "trsm scz wide      * flow  512\n"
                                      "syrk sdcz *        * vendor  *\n"
                                      "syr2k sdcz *       * vendor  *\n"
                                      "symm sdcz *        * vendor  *\n"
                                      "potrf sdz *        * flow 8192\n"
                                      "potrf c  *         * flow 4096\n"
                                      "invert d *         * flow 4096\n"
                                      "invert scz *       * flow 2048\n"
                                      "lauum d  *         * flow 4096\n"
                                      "lauum scz *        * flow 2048\n";

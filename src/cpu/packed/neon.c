/* neon.c - register kernels for AArch64: 32 registers of 128 bits. A multiply-add takes one factor from a lane of a
 * register, so elements of X are not spread over registers of their own. */
#define FAMILY(x) neon_##x
#define VECTOR_BYTES 16
#define REAL_ROWS 4
#define REAL_VECTORS 6
#define COMPLEX_ROWS 2
#define COMPLEX_VECTORS 4
#include "family.inc"

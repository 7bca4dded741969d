/* neon_kernels.c - register kernels for AArch64: 32 registers of 128 bits. A multiply-add takes one factor from a lane
 * of a register, so elements of X are not spread over registers of their own. Wider tiles would use more registers, but
 * kernels for cut tiles know three vectors at most. */
#define FAMILY(x) neon_##x
#define FLOATS 4
#define DOUBLES 2
#define REGISTERS 32
#define REAL_ROWS 4
#define REAL_VECTORS 2
#define COMPLEX_ROWS 4
#define COMPLEX_VECTORS 2
#define REAL_GROUP 4
#define COMPLEX_GROUP 3
#include "family.inc"

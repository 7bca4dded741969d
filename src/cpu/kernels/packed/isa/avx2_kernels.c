/* avx2_kernels.c - register kernels for AVX2 and FMA: 16 registers of 256 bits. */
#define FAMILY(x) avx2_##x
#define FLOATS 8
#define DOUBLES 4
#define REGISTERS 16
#define REAL_ROWS 4
#define REAL_VECTORS 3
#define COMPLEX_ROWS 2
#define COMPLEX_VECTORS 3
#define REAL_GROUP 3
#define COMPLEX_GROUP 2
#include "family.inc"

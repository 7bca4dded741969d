/* avx512_kernels.c - register kernels for AVX-512: 32 registers of 512 bits. */
#define FAMILY(x) avx512_##x
#define FLOATS 16
#define DOUBLES 8
#define REGISTERS 32
#define REAL_ROWS 8
#define REAL_VECTORS 3
#define COMPLEX_ROWS 4
#define COMPLEX_VECTORS 3
#define REAL_GROUP 4
#define COMPLEX_GROUP 3
#include "family.inc"

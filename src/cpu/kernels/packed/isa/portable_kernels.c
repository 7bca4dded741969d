/* portable_kernels.c - register kernels for any processor: 16 registers of 128 bits. */
#define FAMILY(x) portable_##x
#define FLOATS 4
#define DOUBLES 2
#define REGISTERS 16
#define REAL_ROWS 4
#define REAL_VECTORS 2
#define COMPLEX_ROWS 2
#define COMPLEX_VECTORS 2
#define REAL_GROUP 3
#define COMPLEX_GROUP 2
#include "family.inc"

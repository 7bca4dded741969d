/* double_float_fused.c - the host reference of pairs of floats, compiled so that products and sums may be fused. */
#define double_float_gemm fused_double_float_gemm
#define gemm_pairs fused_gemm_pairs
#define copy_pairs fused_copy_pairs
#include "decorators/fp64/host_double_float.c"

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
#define SMALL_PRODUCTS (32 * 32 * 32)
#define COMPLEX_GROUP 2
#define HAS_MASKS
#include <immintrin.h>
#include <stdint.h>

#include "partial_stores.h"

/* Masks of n lanes: those that begin n before the first 0. */
static const int32_t float_mask[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
static const int64_t double_mask[8] = {-1, -1, -1, -1};

static inline __m256 avx2_load_floats(const float *x, int64_t n) {
  return _mm256_maskload_ps(x, _mm256_loadu_si256((const __m256i *)(float_mask + 8 - n)));
}

static inline __m256d avx2_load_doubles(const double *x, int64_t n) {
  return _mm256_maskload_pd(x, _mm256_loadu_si256((const __m256i *)(double_mask + 4 - n)));
}

static inline void avx2_store_floats(float *x, int64_t n, __m256 v) {
  if (n == 8)
    _mm256_storeu_ps(x, v);
  else
    store_some_floats(x, n, v);
}

static inline void avx2_store_doubles(double *x, int64_t n, __m256d v) {
  if (n == 4)
    _mm256_storeu_pd(x, v);
  else
    store_some_doubles(x, n, v);
}

#include "family.inc"

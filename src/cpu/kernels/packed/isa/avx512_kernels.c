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
#define SMALL_PRODUCTS (64 * 64 * 64)
#define COMPLEX_GROUP 3
#define HAS_MASKS
#include <immintrin.h>
#include <stdint.h>

#include "partial_stores.h"

static inline __m512 avx512_load_floats(const float *x, int64_t n) {
  return _mm512_maskz_loadu_ps((__mmask16)((1U << n) - 1), x);
}

static inline void avx512_store_floats(float *x, int64_t n, __m512 v) {
  if (n == 16) {
    _mm512_storeu_ps(x, v);
    return;
  }
  __m256 rest = _mm512_castps512_ps256(v);
  if (n & 8) _mm256_storeu_ps(x, rest), x += 8, rest = _mm512_extractf32x8_ps(v, 1);
  store_some_floats(x, n & 7, rest);
}

static inline __m512d avx512_load_doubles(const double *x, int64_t n) {
  return _mm512_maskz_loadu_pd((__mmask8)((1U << n) - 1), x);
}

static inline void avx512_store_doubles(double *x, int64_t n, __m512d v) {
  if (n == 8) {
    _mm512_storeu_pd(x, v);
    return;
  }
  __m256d rest = _mm512_castpd512_pd256(v);
  if (n & 4) _mm256_storeu_pd(x, rest), x += 4, rest = _mm512_extractf64x4_pd(v, 1);
  store_some_doubles(x, n & 3, rest);
}

#include "family.inc"

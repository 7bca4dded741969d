/* partial_stores.h - the first lanes of a vector of 256 bits go to memory in pieces of 4, 2 and 1.
 *
 * A masked store takes tens of cycles on AMD's processors, and a load of the same memory waits for it: with masks,
 * small products that add to the same C took 1.2 to 1.8 times as long. */
#ifndef TRIGON_PARTIAL_STORES_H
#define TRIGON_PARTIAL_STORES_H

#include <immintrin.h>
#include <stdint.h>

/* The first n lanes, fewer than all. */
static inline void store_some_floats(float *x, int64_t n, __m256 v) {
  __m128 rest = _mm256_castps256_ps128(v);
  if (n & 4) _mm_storeu_ps(x, rest), x += 4, rest = _mm256_extractf128_ps(v, 1);
  if (n & 2) _mm_storel_pi((__m64 *)x, rest), x += 2, rest = _mm_movehl_ps(rest, rest);
  if (n & 1) _mm_store_ss(x, rest);
}

static inline void store_some_doubles(double *x, int64_t n, __m256d v) {
  __m128d rest = _mm256_castpd256_pd128(v);
  if (n & 2) _mm_storeu_pd(x, rest), x += 2, rest = _mm256_extractf128_pd(v, 1);
  if (n & 1) _mm_store_sd(x, rest);
}

#endif

/* dot4.h - bytes in words (vendor.h): sums of four products, and permutations. */
#ifndef TRIGON_DOT4_H
#define TRIGON_DOT4_H

__host__ __device__ inline int tg_signed_byte(unsigned x, int i) {
  return static_cast<int>((x >> 8 * i & 255) ^ 128) - 128;
}

/* sum + the products of the signed bytes of a and b, modulo 2^32 */
__host__ __device__ inline int tg_dot4(unsigned a, unsigned b, int sum) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 610
  asm("dp4a.s32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(a), "r"(b));
#else
  unsigned all = static_cast<unsigned>(sum);
  for (int i = 0; i < 4; i++) all += static_cast<unsigned>(tg_signed_byte(a, i) * tg_signed_byte(b, i));
  sum = static_cast<int>(all);
#endif
  return sum;
}

/* sum + the products of the unsigned bytes of a and the signed bytes of b, modulo 2^32 */
__host__ __device__ inline int tg_dot4_mixed(unsigned a, unsigned b, int sum) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 610
  asm("dp4a.u32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(a), "r"(b));
#else
  for (int i = 0; i < 4; i++) sum += static_cast<int>(a >> 8 * i & 255) * tg_signed_byte(b, i);
#endif
  return sum;
}

/* The lowest bytes of four words as one word. */
__host__ __device__ inline unsigned tg_low_bytes(unsigned a, unsigned b, unsigned c, unsigned d) {
#if defined(__CUDA_ARCH__)
  return __byte_perm(__byte_perm(a, b, 0x0040), __byte_perm(c, d, 0x0040), 0x5410);
#else
  return (a & 255) | (b & 255) << 8 | (c & 255) << 16 | d << 24;
#endif
}

/* Byte j of word i becomes byte i of word j. */
__host__ __device__ inline void tg_transpose_bytes(unsigned (&x)[4]) {
#if defined(__CUDA_ARCH__)
  const unsigned low = __byte_perm(x[0], x[1], 0x5140), high = __byte_perm(x[0], x[1], 0x7362);
  const unsigned next_low = __byte_perm(x[2], x[3], 0x5140), next_high = __byte_perm(x[2], x[3], 0x7362);
  x[0] = __byte_perm(low, next_low, 0x5410), x[1] = __byte_perm(low, next_low, 0x7632);
  x[2] = __byte_perm(high, next_high, 0x5410), x[3] = __byte_perm(high, next_high, 0x7632);
#else
  const unsigned from[4] = {x[0], x[1], x[2], x[3]};
  for (int j = 0; j < 4; j++)
    x[j] = tg_low_bytes(from[0] >> 8 * j, from[1] >> 8 * j, from[2] >> 8 * j, from[3] >> 8 * j);
#endif
}

#endif

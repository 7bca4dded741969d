/* residue_divisor.cc - for test_residue_products: the reductions of sums and of integers, tried for every product of
 * bytes that they may meet. C cannot include the header. */
#include "gpu/vendor/vendor.h"

#include "gpu/kernels/residue_divisor.h"

/* Whether the low byte of x is the residue of s modulo p, of the least magnitude. */
static bool is_residue(unsigned x, int s, int p) {
  const int r = tg_signed_byte(x, 0);
  return (s - r) % p == 0 && 2 * r >= -p && 2 * r < p;
}

/* How many products of bytes with the weights of modulus t are reduced wrongly. */
extern "C" int wrong_reductions(int t) {
  const int p = residue_modulus(t), shift = symmetric_residue(1u << 31, p);
  const residue_divisor d = divisor_of(p);
  int least = 0, most = 0, wrong = 0;
  for (int i = 0; i < 4; i++) {
    const int weight = tg_signed_byte(d.weights, i);
    (weight < 0 ? least : most) += 255 * weight;
  }
  for (int s = least; s <= most; s++)
    wrong += !is_residue(reduce_float(d.start + static_cast<unsigned>(s), d), s - shift, p);
  for (int i = 0; i < 32; i++) /* single bits, and their neighbours */
    for (int e = -1; e <= 1; e++) {
      const int sum = static_cast<int>((1u << i) + static_cast<unsigned>(e));
      wrong += !is_residue(reduce_sum(sum, d), sum % p, p);
    }
  return wrong;
}

/* The residue of an integer of WORDS words in two's complement, by 8 bits at a time. */
template <int WORDS> static int residue_of_words(const unsigned (&x)[WORDS], int p) {
  int r = static_cast<int>(x[WORDS - 1]) < 0 ? p - 1 : 0; /* all further bits are the sign */
  for (int i = 4 * WORDS - 1; i >= 0; i--) r = (256 * r + static_cast<int>(x[i / 4] >> 8 * (i % 4) & 255)) % p;
  return r;
}

static unsigned long long bits = 88172645463325252u;
static unsigned random_word() {
  bits ^= bits << 13, bits ^= bits >> 7, bits ^= bits << 17;
  return static_cast<unsigned>(bits >> 16);
}

/* How many integers are reduced wrongly: powers of two, their neighbours and negatives, the ends of the range, each
 * value of each byte, and random ones. */
template <int WORDS> static int wrong_values(const integer_divisor &d, int p) {
  enum { RANDOM = 20000 };
  int wrong = 0;
  for (int i = 0; i < 32 * WORDS + 1024 * WORDS + RANDOM; i++) {
    for (int e = -1; e <= 1; e++) {
      unsigned x[WORDS] = {};
      if (i < 32 * WORDS)
        x[i / 32] = 1u << i % 32;
      else if (i < 1056 * WORDS)
        x[(i - 32 * WORDS) / 1024] = static_cast<unsigned>(i % 256) << 8 * ((i - 32 * WORDS) / 256 % 4);
      else
        for (unsigned &word : x) word = random_word();
      /* The neighbour, with the carry through all words. */
      for (int w = 0, more = e; w < WORDS && more; w++) {
        const unsigned before = x[w];
        x[w] += static_cast<unsigned>(more);
        more = more > 0 ? x[w] < before : -(x[w] > before);
      }
      wrong += !is_residue(reduce_integer(x, d), residue_of_words(x, p), p);
    }
  }
  return wrong;
}

/* How many products of bytes with the weights of modulus t, and how many integers of so many words, are reduced wrongly.
 * A product is any sum from the least to the largest one. */
extern "C" int wrong_integers(int t, int words) {
  const int p = residue_modulus(t), shift = residue_of_power(32 * words - 1, p);
  const integer_divisor d = integer_divisor_of(p, words);
  int least = 0, most = 0, wrong = 0;
  for (int i = 0; i < 4 * integer_words; i++) {
    const int weight = tg_signed_byte(d.weights[i / 4], i % 4);
    if (i >= 4 * words && weight != 0) wrong++; /* behind the integer */
    (weight < 0 ? least : most) += 255 * weight;
  }
  for (int s = least; s <= most; s++)
    wrong += !is_residue(reduce_float(d.by.start + static_cast<unsigned>(s), d.by), s - shift, p);
  return wrong + (words == 1 ? 0 : words == 2 ? wrong_values<2>(d, p) : wrong_values<3>(d, p));
}

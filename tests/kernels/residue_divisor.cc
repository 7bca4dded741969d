/* residue_divisor.cc - for test_residue_products: the reductions of sums and of integers, tried for every product of
 * bytes and every sum of pieces that they may meet. C cannot include the headers. */
#include "gpu/vendor/vendor.h"

#include "gpu/kernels/fp64/int8/residue_bytes.h"
#include "gpu/kernels/fp64/int8/residue_pieces.h"

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

/* Random words, with the sign from the bits that integers of this shape have. */
template <class S> static void draw(unsigned (&x)[S::WORDS]) {
  for (unsigned &word : x) word = random_word();
  const int above = 32 * S::WORDS - 1 - (S::BITS * (S::PIECES - 1) + S::last);
  x[S::WORDS - 1] = static_cast<unsigned>(static_cast<int>(x[S::WORDS - 1] << above) >> above);
}

/* How many sums of pieces, and how many integers, are reduced wrongly: all sums that the float can hold, random
 * integers, powers of two with their neighbours, and their negatives. */
template <class S> static int wrong_integers_of(int p) {
  enum { RANDOM = 20000, POWERS = S::BITS * (S::PIECES - 1) + S::last };
  const piece_divisor d = piece_divisor_of(p, S::BITS);
  int wrong = 0;
  for (int s = 1 - (1 << 22); s < 1 << 22; s++)
    wrong += !is_residue(reduce_piece_sum(0x1.8p23f + static_cast<float>(s), d), s, p);
  for (int i = 0; i < POWERS + RANDOM; i++)
    for (int e = -1; e <= 1; e++) {
      unsigned x[S::WORDS] = {};
      if (i < POWERS)
        x[i / 32] = 1u << i % 32;
      else
        draw<S>(x);
      for (int w = 0, more = e; w < S::WORDS && more && i < POWERS; w++) { /* with the carry through all words */
        const unsigned before = x[w];
        x[w] += static_cast<unsigned>(more);
        more = more > 0 ? x[w] < before : -(x[w] > before);
      }
      float piece[S::PIECES];
      cut_pieces<S>(piece, x);
      wrong += !is_residue(reduce_pieces(piece, d), residue_of_words(x, p), p);
    }
  return wrong;
}

extern "C" int wrong_integers(int t, int shape) {
  const int p = residue_modulus(t);
  return shape == 0   ? wrong_integers_of<few_pieces>(p)
         : shape == 1 ? wrong_integers_of<more_pieces>(p)
                      : wrong_integers_of<most_pieces>(p);
}

/* How many sums of products of signed bytes, and how many integers of WORDS words, are reduced wrongly by products of
 * bytes. */
template <int WORDS> static int wrong_bytes_of(int p) {
  const byte_divisor d = byte_divisor_of(p);
  int below = 0, wrong = 0;
  for (int i = 0; i < 12; i++) below += 128 * abs(tg_signed_byte(d.weights[i / 4], i % 4));
  for (int s = -below; s <= below; s++)
    wrong += !is_residue(reduce_bytes(static_cast<int>(d.start + static_cast<unsigned>(s)), d), s, p);
  for (int i = 0; i < 20000; i++) {
    unsigned x[WORDS], bytes[WORDS];
    for (unsigned &word : x) word = random_word();
    if (i % 4 == 0) x[i / 4 % WORDS] = i % 8 ? ~0u : 0;
    x[WORDS - 1] = static_cast<unsigned>(static_cast<int>(x[WORDS - 1]) >> 1);
    for (int w = 0; w < WORDS; w++) bytes[w] = x[w];
    balance_bytes(bytes);
    int sum = static_cast<int>(d.start);
    for (int w = 0; w < WORDS; w++) sum = tg_dot4(bytes[w], d.weights[w], sum);
    wrong += !is_residue(reduce_bytes(sum, d), residue_of_words(x, p), p);
  }
  return wrong;
}

extern "C" int wrong_byte_sums(int t, int words) {
  return words == 2 ? wrong_bytes_of<2>(residue_modulus(t)) : wrong_bytes_of<3>(residue_modulus(t));
}

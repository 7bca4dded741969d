/* residue_divisor.cc - for test_residue_products: the reduction of sums, tried for every product of bytes that it may
 * meet. C cannot include the header. */
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

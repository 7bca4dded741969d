/* crt.c - the constants of the moduli. Integers have four digits of base 2^42, the lowest first: a product with a
 * number below 2^21 fits into 64 bits, so one loop multiplies. P is below 2^156. */
#include "crt.h"

static const int64_t base = (int64_t)1 << crt_base_bits;

/* Digits between -base/2 and base/2. */
static void balance(int64_t digit[crt_digits]) {
  for (int q = 0; q + 1 < crt_digits; q++) {
    int64_t carry = (digit[q] + base / 2) / base;
    if (digit[q] + base / 2 < carry * base) carry--; /* the division rounds to zero */
    digit[q] -= carry * base;
    digit[q + 1] += carry;
  }
}

/* The product of the first `count` moduli without number `but`, times `factor`. */
static void product_of(int count, int but, int factor, double out[crt_digits]) {
  int64_t digit[crt_digits] = {1, 0, 0, 0};
  for (int s = 0; s <= count; s++) {
    if (s == but) continue;
    for (int q = 0; q < crt_digits; q++) digit[q] *= s == count ? factor : residue_modulus(s);
    balance(digit);
  }
  for (int q = 0; q < crt_digits; q++) out[q] = (double)digit[q];
}

/* The inverse of P/p_t modulo p_t, between -p/2 and p/2: so |w_t| <= P/2. */
static int inverse_of(int count, int t) {
  const int p = residue_modulus(t);
  int rest = 1, inverse = 1;
  for (int s = 0; s < count; s++) rest = s == t ? rest : rest * residue_modulus(s) % p;
  while (rest * inverse % p != 1) inverse++;
  return inverse > p / 2 ? inverse - p : inverse;
}

static modulus modulus_of(int p) {
  modulus m = {.p = p, .half = p / 2, .multiple = p << 13};
  m.reciprocal = (uint32_t)((((uint64_t)1 << 32) + p - 1) / p);
  int power = 1;
  for (int i = 0; i < 12; i++, power = power * 256 % p) m.power[i] = (uint8_t)power;
  return m;
}

/* 256·log2(P/2) from below, less 1/256 of a bit: a factor of 0.9973. The top 63 bits of P are taken. */
static int32_t headroom_of(int count) {
  uint64_t top = 1;
  int32_t shift = 0;
  for (int t = 0; t < count; t++) {
    if (top >> 55) top >>= 8, shift += 8;
    top *= (uint64_t)residue_modulus(t);
  }
  return log2_below(top) + 256 * shift - 256 - 1;
}

/* A digit of a weight, with 64 added to each part so that all parts are positive, is cut. */
static void cut_digit(double weight, int t, int8_t parts[crt_parts][most_moduli]) {
  int64_t rest = (int64_t)weight;
  for (int i = 0; i < crt_parts; i++) rest += (int64_t)64 << crt_part_bits * i;
  for (int i = 0; i < crt_parts; i++, rest >>= crt_part_bits)
    parts[i][t] = (int8_t)((i + 1 < crt_parts ? rest & 127 : rest) - 64);
}

void crt_make(crt *r, int count) {
  *r = (crt){.count = count, .headroom = headroom_of(count)};
  product_of(count, -1, 1, r->product);
  double P = 0;
  for (int q = crt_digits - 1; q >= 0; q--) P = P * (double)base + r->product[q];
  r->inverse = 1 / P;
  for (int t = 0; t < count; t++) {
    double weight[crt_digits];
    product_of(count, t, inverse_of(count, t), weight);
    for (int q = 0; q < crt_digits; q++) {
      r->weight[q][t] = weight[q];
      cut_digit(weight[q], t, &r->parts[crt_parts * q]);
    }
    r->moduli[t] = modulus_of(residue_modulus(t));
    r->divisors[t] = byte_divisor_of(residue_modulus(t));
  }
}

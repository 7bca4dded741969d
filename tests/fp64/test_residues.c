/* test_residues.c - the constants and steps of emulated products agree with big integers of GMP. */
#include <gmp.h>
#include <math.h>

#include "fp64/int8/unscale.h"
#include "support/check.h"

static uint64_t state = 88172645463325252u;

static uint64_t random_bits(void) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return state;
}

/* Any finite double, subnormal or not. */
static double random_double(int exponent) {
  return ldexp((double)(random_bits() >> 11) * (random_bits() & 1 ? -1 : 1), exponent);
}

/* The number with these digits of base 2^42. */
static void from_digits(mpz_t x, const double *digit) {
  mpz_set_si(x, 0);
  for (int q = crt_digits - 1; q >= 0; q--) {
    mpz_mul_2exp(x, x, crt_base_bits);
    if (digit[q] < 0)
      mpz_sub_ui(x, x, (unsigned long)-digit[q]);
    else
      mpz_add_ui(x, x, (unsigned long)digit[q]);
  }
}

static void product_of_moduli(mpz_t P, const crt *r) {
  mpz_set_ui(P, 1);
  for (int t = 0; t < r->count; t++) mpz_mul_ui(P, P, (unsigned long)r->moduli[t].p);
}

/* ----------------------------------------------------------------------------------------------- constants -- */

/* INT64_MAX if a part is out of range. */
static int64_t digit_of_parts(const crt *r, int digit, int t) {
  int64_t sum = 0;
  for (int i = crt_parts - 1; i >= 0; i--) {
    const int part = (int)r->parts[crt_parts * digit + i][t];
    if (part < -64 || part > 64) return INT64_MAX;
    sum = sum * (1 << crt_part_bits) + part;
  }
  return sum;
}

static void constants_are_exact(const crt *r) {
  mpz_t P, found, bound;
  mpz_inits(P, found, bound, NULL);
  product_of_moduli(P, r);
  from_digits(found, r->product);
  check(mpz_cmp(P, found) == 0, "the digits of P");
  for (int t = 0; t < r->count; t++) {
    double digit[crt_digits];
    for (int q = 0; q < crt_digits; q++) digit[q] = r->weight[q][t];
    from_digits(found, digit);
    bool held = true;
    for (int s = 0; s < r->count; s++) held = held && mpz_fdiv_ui(found, (unsigned long)r->moduli[s].p) == (s == t);
    check(held, "a weight is 1 modulo its own number, and 0 modulo the others");
    check(2 * fabs(mpz_get_d(found)) <= mpz_get_d(P) * (1 + 1e-15), "a weight is at most P/2");
    for (int q = 0; q < crt_digits; q++) {
      check(fabs(digit[q]) <= 2199023255552.0, "a digit is at most half the base");
      check(digit_of_parts(r, q, t) == (int64_t)digit[q], "the parts of a digit");
    }
  }
  mpz_pow_ui(bound, P, 256);
  const int64_t bits = (int64_t)mpz_sizeinbase(bound, 2) - 1; /* floor(256·log2(P)) */
  check(r->headroom + 256 <= bits - 1 && r->headroom + 256 >= bits - 3, "the headroom below P/2");
  mpz_clears(P, found, bound, NULL);
}

static void moduli_are_coprime(const crt *r) {
  mpz_t P;
  mpz_init(P);
  product_of_moduli(P, r);
  for (int t = 0; t < r->count; t++) {
    const unsigned long p = (unsigned long)r->moduli[t].p;
    mpz_divexact_ui(P, P, p);
    check(mpz_gcd_ui(NULL, P, p) == 1, "the moduli have no common factor");
    mpz_mul_ui(P, P, p);
  }
  mpz_clear(P);
}

/* ------------------------------------------------------------------------------------------------ residues -- */

/* x·2^e, rounded to the nearest integer, ties to even. */
static void rounded_by_gmp(mpz_t out, double x, int e) {
  int exponent;
  const double fraction = frexp(x, &exponent);
  mpz_set_d(out, ldexp(fraction, 53));
  const int shift = exponent - 53 + e;
  if (shift >= 0) {
    mpz_mul_2exp(out, out, (unsigned long)shift);
    return;
  }
  mpz_t rest, half;
  mpz_inits(rest, half, NULL);
  mpz_setbit(half, (unsigned long)(-shift - 1));
  mpz_fdiv_r_2exp(rest, out, (unsigned long)-shift);
  mpz_fdiv_q_2exp(out, out, (unsigned long)-shift);
  const int side = mpz_cmp(rest, half);
  if (side > 0 || (side == 0 && mpz_odd_p(out))) mpz_add_ui(out, out, 1);
  mpz_clears(rest, half, NULL);
}

static void scaling_is_exact(const crt *r, double x, int e) {
  mpz_t due, found;
  mpz_inits(due, found, NULL);
  const scaled a = round_scaled(x, e);
  rounded_by_gmp(due, x, e);
  mpz_set_ui(found, a.high);
  mpz_mul_2exp(found, found, 64);
  mpz_add_ui(found, found, a.low);
  if (a.negative) mpz_neg(found, found);
  check(mpz_cmp(due, found) == 0, "a scaled double is rounded to the nearest integer");
  for (int t = 0; t < r->count; t++) {
    const modulus *m = &r->moduli[t];
    const int residue = (int)residue_of(a, m);
    if (residue < 0)
      mpz_add_ui(found, due, (unsigned long)-residue);
    else
      mpz_sub_ui(found, due, (unsigned long)residue);
    check(mpz_divisible_ui_p(found, (unsigned long)m->p) && residue >= -m->half && residue < m->p - m->half,
          "the symmetric residue");
  }
  mpz_clears(due, found, NULL);
}

static void scaling(const crt *r) {
  for (int i = 0; i < 20000; i++) {
    const int exponent = (int)(random_bits() % 2000) - 1074 - 53, e = (int)(random_bits() % 150) - 60 - exponent - 53;
    scaling_is_exact(r, random_double(exponent), e);
  }
  for (int e = 1000; e < 1117; e++) { /* |x|·2^e < 2^95 */
    scaling_is_exact(r, 0x1p-1074, e), scaling_is_exact(r, -0x3p-1074, e);
    scaling_is_exact(r, 0x0.fffffffffffffp-1022, e), scaling_is_exact(r, -0.0, e);
    scaling_is_exact(r, 1.5, e - 1100), scaling_is_exact(r, 0.5, e - 1100);
  }
  for (int i = 0; i < 20000; i++) {
    const int32_t sum = i < 2 ? (i ? INT32_MIN : INT32_MAX) : (int32_t)random_bits();
    for (int t = 0; t < r->count; t++) {
      const int residue = (int)residue_of_sum(sum, &r->moduli[t]);
      check(((int64_t)sum - residue) % r->moduli[t].p == 0, "the residue of a sum");
    }
  }
}

/* ------------------------------------------------------------------------------------------ reconstruction -- */

/* Whether three digits have the bits of four: up to 16 moduli the last one is 0, and that of P joins the third. */
static bool same_by_three_digits(const crt *r, const int8_t *residue, double_double found) {
  double digit[crt_digits] = {0};
  const double P[3] = {r->product[0], r->product[1], r->product[2] + r->product[3] * 0x1p42};
  for (int t = 0; t < r->count; t++) add_residue(digit, r, t, residue[t]);
  const double_double three = integer_of(P, r->inverse, digit, 3);
  return three.high == found.high && three.low == found.low;
}

/* The double_double of the integer x, from its residues, is within 2^-104 of x; small integers come out exactly. */
static void comes_back(const crt *r, const mpz_t x) {
  int8_t residue[most_moduli];
  for (int t = 0; t < r->count; t++) {
    const int p = r->moduli[t].p, rest = (int)mpz_fdiv_ui(x, (unsigned long)p);
    residue[t] = (int8_t)(rest >= p - r->moduli[t].half ? rest - p : rest);
  }
  const double_double found = reconstruct(r, residue, 1);
  mpz_t error, part;
  check(r->count > 16 || same_by_three_digits(r, residue, found), "three digits are enough for 16 moduli");
  mpz_inits(error, part, NULL);
  mpz_set_d(error, found.high), mpz_set_d(part, found.low);
  mpz_add(error, error, part);
  mpz_sub(error, error, x);
  mpz_mul_2exp(error, error, 104);
  check(mpz_cmpabs(error, x) <= 0, "an integer comes back from its residues");
  mpz_clears(error, part, NULL);
}

static void reconstruction(const crt *r, gmp_randstate_t random) {
  mpz_t x, most;
  mpz_inits(x, most, NULL);
  product_of_moduli(most, r);
  mpz_mul_ui(most, most, 499), mpz_fdiv_q_ui(most, most, 1000); /* 2·|x| <= 0.998·P */
  comes_back(r, most);
  mpz_neg(x, most);
  comes_back(r, x);
  for (int i = 0; i < 4000; i++) {
    mpz_urandomb(x, random, 1 + random_bits() % mpz_sizeinbase(most, 2));
    mpz_fdiv_r(x, x, most);
    if (i & 1) mpz_neg(x, x);
    comes_back(r, x);
  }
  mpz_clears(x, most, NULL);
}

/* -------------------------------------------------------------------------------------------------- unscale -- */

static double unscaled(double sum, int exponent, double alpha, double beta, double c) {
  return unscale((double_double){sum, 0}, exponent, alpha, beta, c);
}

/* The product of two doubles of 26 bits and a power of two is known exactly, so ldexp rounds it once. */
static void results_are_rounded_once(void) {
  for (int i = 0; i < 200000; i++) {
    const double sum = (double)(random_bits() >> 38) + 1, alpha = (double)(random_bits() >> 38) + 1;
    const int e = (int)(random_bits() % 2300) - 1200;
    check(unscaled(sum, e + 300, ldexp(-alpha, -300), 0, NAN) == ldexp(-(alpha * sum), e), "one rounding, at the end");
  }
  check(unscale((double_double){1, 0x1p-60}, -1075, 1, 0, NAN) == 0x1p-1074, "above the half of the smallest double");
  check(unscale((double_double){1, 0}, -1075, 1, 0, NAN) == 0, "a tie goes to the even neighbour");
  check(unscale((double_double){3, -0x1p-60}, -1075, 1, 0, NAN) == 0x1p-1074, "below a tie of subnormal numbers");
  check(unscale((double_double){3, 0}, -1075, 1, 0, NAN) == 0x1p-1073, "a tie of subnormal numbers");
  check(unscaled(1, 1024, 1, 0, NAN) == INFINITY && unscaled(-1, 3000, 0x1p-1074, 0, 0) == -INFINITY, "an overflow");
  check(unscaled(1, 2000, 0x1p-1074, 0, 0) == 0x1p926 && unscaled(1, -2000, 0x1p1000, 0, 0) == 0x1p-1000,
        "no overflow");
  check(unscaled(1, 1024, 1, -1, 0x1p1023) == 0x1p1023, "an overflow that beta·c takes back");
  check(unscaled(1, 0, 1, -1, 1) == 0 && unscaled(0, 0, 1, 3, 0.1) == 3 * 0.1, "a sum that cancels, and an empty one");
  check(unscaled(1, 0, 1, 1, -INFINITY) == -INFINITY && isnan(unscaled(1, 0, 1, 1, NAN)) &&
            isnan(unscaled(1, 0, 1, INFINITY, 0)),
        "beta·c is not finite");
}

static void logarithms_are_bounds(void) {
  for (int i = 0; i < 200000; i++) {
    const uint64_t x = random_bits() >> (i % 64);
    if (!x) continue;
    const long double log = 256 * log2l((long double)x);
    check(log2_below(x) <= log && log < log2_above(x) && log2_below(x) > log - 1.001L, "logarithms are bounds");
  }
}

int main(void) {
  gmp_randstate_t random;
  gmp_randinit_default(random);
  for (int count = 1; count <= most_moduli; count++) {
    crt r;
    crt_make(&r, count);
    constants_are_exact(&r);
    reconstruction(&r, random);
    if (count == most_moduli) moduli_are_coprime(&r), scaling(&r);
  }
  results_are_rounded_once();
  logarithms_are_bounds();
  gmp_randclear(random);
  return checked();
}

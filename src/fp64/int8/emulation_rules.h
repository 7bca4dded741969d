/* emulation_rules.h - what an emulated product decides, and the last step of an element: for the host and kernels. */
#ifndef TRIGON_EMULATION_RULES_H
#define TRIGON_EMULATION_RULES_H

#include "emulation.h"
#include "unscale.h"

/* Of a tile with an infinite or undefined element in its lines. */
static const int32_t not_finite_headroom = INT32_MAX;
/* Of all tiles if nobody has looked for their bounds. */
static const int32_t hopeless_headroom = INT32_MAX - 1;

/* The computed part of the block of C that begins at (row, col). */
static TRIGON_HOST_DEVICE inline triangle_part part_from(const emulation *e, int64_t row, int64_t col) {
  triangle_part t;
  t.kind = e->triangle, t.height = e->is_complex ? 2 : 1, t.shift = row - t.height * col;
  return t;
}
static TRIGON_HOST_DEVICE inline triangle_part part_of_block(const emulation *e) {
  return part_from(e, e->A.first, e->B.first);
}

/* Whether an element of C is computed. Others are neither read nor written. */
static TRIGON_HOST_DEVICE inline bool computes_element(const emulation *e, int64_t row, int64_t col) {
  const triangle_part whole = part_from(e, 0, 0);
  return part_meets(&whole, row, col, 1, 1);
}
/* Whether a tile has elements that are computed. Its bounds are those of all its elements. */
static TRIGON_HOST_DEVICE inline bool computes_tile(const emulation *e, int64_t row, int64_t col) {
  const triangle_part whole = part_from(e, 0, 0);
  return part_meets(&whole, row * fp64_tile, col * fp64_tile, fp64_tile, fp64_tile);
}

/* How the elements of a line become integers, before anything is cut off. */
static TRIGON_HOST_DEVICE inline line_scale scale_of_line(const emulation *e, double largest) {
  line_scale s;
  s.largest = largest == 0 ? 0 : scale_of(largest, e->bits), s.bits = e->bits, s.cut = 0;
  return s;
}
static TRIGON_HOST_DEVICE inline split_power fine_power(const line_scale *s) {
  return power_of(s->largest + 16 - s->bits);
}
/* Samples of a line: every such term. Only the guaranteed grade looks at them, to cut off large elements. */
static TRIGON_HOST_DEVICE inline int64_t sample_step(const emulation *e) {
  return (e->k + line_samples - 1) / line_samples;
}

/* An upper bound of Σ|a'b'| / 2^(E + F) over all lines of the other operand, as 512·log2 of its root: the products of
 * ceilings, and by Cauchy and Schwarz what was cut off of either line; or, by them, the norms. */
static TRIGON_HOST_DEVICE inline int32_t log_of_line(const emulation *e, const line_set *x, int64_t i) {
  const line_stats *a = &x->stats[i];
  const line_set *other = x == &e->A ? &e->B : &e->A;
  if (e->grade != FP64_GUARANTEED) return a->log_norm;
  uint32_t upper = 0;
  for (int64_t t = 0; t < x->across; t++) {
    const uint32_t here = x->upper[t * x->count + i];
    upper = here > upper ? here : upper;
  }
  if (!upper) return a->log_norm; /* all products are zero: any exponent does that keeps the integers small */
  const double cut = fma((double)a->excess, (double)other->largest[0], (double)a->norm * (double)other->largest[1]);
  const uint64_t bound = upper + (uint64_t)(cut * (1 + 0x1p-20)) + (cut > 0);
  const uint64_t of_norms = (uint64_t)((double)a->norm * (double)other->largest[0] * (1 + 0x1p-20)) + 1;
  return log2_above(bound < of_norms ? bound : of_norms);
}

/* The headroom that line i needs for tile `across`. */
static TRIGON_HOST_DEVICE inline int32_t headroom_of_line(const emulation *e, const line_set *x, int64_t i,
                                                          int64_t across) {
  const line_stats *a = &x->stats[i];
  if (!a->finite) return not_finite_headroom;
  if (e->grade == FP64_FIXED || !a->nonzeros) return 0;
  if (e->grade == FP64_FAST) return headroom_for(a, x->log[i], -x->log[i], accuracy(e->k, e->single));
  const uint32_t need = x->need[across * x->count + i];
  return need ? headroom_for(a, x->log[i], need_of(need), accuracy(e->k, e->single))
              : 0; /* none: all products are zero */
}

/* Of tiles that are computed. */
typedef struct tile_count {
  int32_t headroom; /* the largest headroom that a tile needs, of the tiles that do not fall back */
  int64_t all, not_finite, unproved;
} tile_count;

static TRIGON_HOST_DEVICE inline void count_tile(tile_count *count, const emulation *e, int32_t headroom) {
  count->all++;
  if (headroom == not_finite_headroom)
    count->not_finite++;
  else if (headroom > e->table[e->most].headroom)
    count->unproved++;
  else if (headroom > count->headroom)
    count->headroom = headroom;
}

static TRIGON_HOST_DEVICE inline void add_count(tile_count *count, const tile_count *more) {
  count->headroom = more->headroom > count->headroom ? more->headroom : count->headroom;
  count->all += more->all, count->not_finite += more->not_finite, count->unproved += more->unproved;
}

/* Why everything is computed natively. A look that finds too few tiles says nothing about the others. */
static TRIGON_HOST_DEVICE inline native_reason reason_of(const emulation *e, const tile_count *count) {
  if (count->not_finite == count->all) return NATIVE_NOT_FINITE;
  if (is_hopeless(e) && e->probes->unproved < e->probes->all) return NATIVE_FASTER;
  return count->not_finite + count->unproved == count->all ? NATIVE_UNPROVED : NATIVE_FASTER;
}

/* Stores the choice, and adds it to what the call has chosen so far. */
static TRIGON_HOST_DEVICE inline void decide(const emulation *e, const tile_count *count) {
  emulation_choice *c = e->choice;
  const bool emulated = !stays_native(e, count->not_finite + count->unproved, count->all);
  int moduli = e->least;
  while (moduli < e->most && e->table[moduli].headroom < count->headroom) moduli++;
  c->moduli = emulated ? moduli : 0;
  c->headroom = emulated ? e->table[moduli].headroom : -1;
  c->some_headroom = emulated && count->not_finite + count->unproved > 0 ? c->headroom : INT32_MAX;
  if (e->begins) c->most_moduli = 0, c->least_headroom = 0, c->not_finite = c->unproved = c->native = 0;
  c->not_finite += count->not_finite, c->unproved += emulated ? count->unproved : count->all - count->not_finite;
  if (!emulated) {
    c->native++, c->why = reason_of(e, count);
    return;
  }
  if (c->least_headroom == 0 || c->headroom < c->least_headroom) c->least_headroom = c->headroom;
  if (moduli > c->most_moduli) c->most_moduli = moduli;
}

/* Whether a tile that is computed does not fall back. */
static TRIGON_HOST_DEVICE inline bool is_emulated(const emulation *e, int64_t row, int64_t col) {
  return e->headroom_bits[row + col * e->B.across] <= e->choice->headroom;
}

/* A real of C. A double is rounded to float a second time. */
static TRIGON_HOST_DEVICE inline double load_real(const emulation *e, int64_t at) {
  return e->single ? (double)((const float *)e->C)[at] : ((const double *)e->C)[at];
}
static TRIGON_HOST_DEVICE inline void store_real(const emulation *e, int64_t at, double x) {
  if (e->single)
    ((float *)e->C)[at] = (float)x;
  else
    ((double *)e->C)[at] = x;
}

/* An element of C from its integer. `exponent` is the sum of the exponents of its lines. */
static TRIGON_HOST_DEVICE inline double real_of_integer(const emulation *e, int64_t at, double_double sum,
                                                        int exponent) {
  return unscale(sum, -exponent, e->alpha.re, e->beta.re, e->beta.re == 0 ? 0 : load_real(e, at));
}

/* A complex element: rows `row` and row + 1 of the real product. */
static TRIGON_HOST_DEVICE inline void finish_complex(const emulation *e, int64_t row, int64_t col, double_double re,
                                                     int re_exponent, double_double im, int im_exponent) {
  const int64_t at = row + col * e->ldc;
  const bool reads = e->beta.re != 0 || e->beta.im != 0, is_real = e->hermitian && row == 2 * col;
  const complex_number alpha = {e->alpha.re, e->alpha.im}, beta = {e->beta.re, e->beta.im};
  const complex_number before = {reads ? load_real(e, at) : 0, reads && !is_real ? load_real(e, at + 1) : 0};
  const complex_number z = unscale_complex(re, -re_exponent, im, -im_exponent, alpha, beta, before);
  store_real(e, at, z.re), store_real(e, at + 1, is_real ? 0 : z.im);
}

#endif

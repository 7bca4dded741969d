/* probe.h - a look at a few elements of an emulated product, before its bounds are found.
 *
 * If the exponents within lines differ much, |A||B| has elements that are tiny beside the norms of their row and
 * column, and no number of moduli proves the bound for them (docs/fp64.md). Where this is so nearly everywhere, the
 * bounds of all elements would be found in vain. So the guaranteed grade looks at 4 × 4 elements of up to 8 × 8 tiles
 * first. An element that fails here has no proof later, except that its logarithms are rounded to the other side.
 * Whatever a look says, the result is right: it only decides whether native arithmetic computes everything. */
#ifndef TRIGON_PROBE_H
#define TRIGON_PROBE_H

#include "emulation.h"

enum { probe_lines = 4, probes_across = 8 };

/* The upper word of the largest |a| of a line, and the line's grain. */
typedef struct line_probe {
  uint32_t largest;
  int32_t grain;
} line_probe;

/* The first rows and columns of a tile, and the elements of |A||B| at them. */
typedef struct tile_probe {
  double product[probe_lines][probe_lines];
  line_probe rows[probe_lines], cols[probe_lines];
} tile_probe;

/* The grain of a line that was not looked at: below all grains, so that nothing relies on it. Grains are found only if
 * a tile fails without them. */
enum { unknown_grain = -no_grain };

static TRIGON_HOST_DEVICE inline void clear_probe(tile_probe *p) {
  for (int i = 0; i < probe_lines; i++) {
    p->rows[i].largest = p->cols[i].largest = 0, p->rows[i].grain = p->cols[i].grain = unknown_grain;
    for (int j = 0; j < probe_lines; j++) p->product[i][j] = 0;
  }
}

/* Line i of those that begin at line `first`. The last line is repeated if there are too few. */
static TRIGON_HOST_DEVICE inline int64_t probed_line(const line_set *x, int64_t first, int i) {
  return first + i < x->count ? first + i : x->count - 1;
}

static TRIGON_HOST_DEVICE inline void raise_largest(line_probe *x, uint32_t largest) {
  x->largest = largest > x->largest ? largest : x->largest;
}

/* Adds a term of the rows and the columns. */
static TRIGON_HOST_DEVICE inline void probe_term(tile_probe *p, const double *a, const double *b) {
  for (int i = 0; i < probe_lines; i++) {
    raise_largest(&p->rows[i], (uint32_t)(bits_of(a[i]) >> 32) & INT32_MAX);
    raise_largest(&p->cols[i], (uint32_t)(bits_of(b[i]) >> 32) & INT32_MAX);
    for (int j = 0; j < probe_lines; j++) p->product[i][j] += fabs(a[i]) * fabs(b[j]);
  }
}

/* Adds what was found for other terms. */
static TRIGON_HOST_DEVICE inline void join_probes(tile_probe *p, const tile_probe *more) {
  for (int i = 0; i < probe_lines; i++) {
    raise_largest(&p->rows[i], more->rows[i].largest), raise_largest(&p->cols[i], more->cols[i].largest);
    for (int j = 0; j < probe_lines; j++) p->product[i][j] += more->product[i][j];
  }
}

/* The grain of a line that has this element, too. */
static TRIGON_HOST_DEVICE inline int32_t finer_grain(int32_t grain, double a) {
  const int32_t of_element = a == 0 ? no_grain : grain_of(a);
  return of_element < grain ? of_element : grain;
}

/* floor(log2(x)) of a normal number, by its upper word; at most this of a subnormal one. */
static TRIGON_HOST_DEVICE inline int32_t floor_log2(uint32_t upper) { return (int32_t)(upper >> 20) - 1023; }

/* The exponent of a line is at least this, for an element of |A||B| with the logarithm `log` and the largest element of
 * the other line: 2^-e·|b| <= sqrt(6)·u·|A||B|. It may be less if the line is scaled without rounding. */
static TRIGON_HOST_DEVICE inline int32_t least_exponent(const line_probe *x, const line_probe *other, int32_t log,
                                                        bool single) {
  const int32_t need = floor_log2(other->largest) - (log + 1) + (single ? 24 : 53) - 2;
  return need < -x->grain ? need : -x->grain;
}

/* Whether no number of moduli proves an element, whose sum of |ab| is given. A sum that overflowed or
 * underflowed says nothing. */
static TRIGON_HOST_DEVICE inline bool element_fails(const emulation *e, const line_probe *a, const line_probe *b,
                                                    double sum) {
  if (!(sum >= 0x1p-1022) || !is_finite_number(sum)) return false;
  const int32_t log = floor_log2((uint32_t)(bits_of(sum) >> 32));
  const int32_t exponents = least_exponent(a, b, log, e->single) + least_exponent(b, a, log, e->single);
  return log_unit * (exponents + log) > e->table[e->most].headroom;
}

/* Whether the tile falls back. */
static TRIGON_HOST_DEVICE inline bool tile_fails(const emulation *e, const tile_probe *p) {
  bool fails = false;
  for (int i = 0; i < probe_lines; i++)
    for (int j = 0; j < probe_lines; j++) fails = fails || element_fails(e, &p->rows[i], &p->cols[j], p->product[i][j]);
  return fails;
}

/* The tiles looked at: number i of so many, evenly spread over all tiles of one direction. */
static TRIGON_HOST_DEVICE inline int64_t probes_of(int64_t tiles) {
  return tiles < probes_across ? tiles : (int64_t)probes_across;
}
static TRIGON_HOST_DEVICE inline int64_t probed_tile(int64_t i, int64_t tiles) { return i * tiles / probes_of(tiles); }

#endif

/* fp64_bounds.c - the guaranteed grade keeps its bound element by element, and exact products are exact. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "fp64_product.h"

static void keeps_bound(const product *p, const char *where) {
  char text[400];
  const double share = product_share(p);
  product_text(p, text, sizeof text);
  check(share <= 1 && p->report.tiles > 0, "%s, on %s: %.3g of the bound", text, where, share);
  if (getenv("TRIGON_TEST_VERBOSE")) printf("%.3f of the bound: %s\n", share, text);
}

/* Checks the bound on both targets. The same result is judged once. */
static void keep_bound(product *p, two_targets *targets) {
  product q = product_copy(p);
  product_emulate(p, &targets->host, TRIGON_FP64_GUARANTEED);
  product_emulate(&q, &targets->there, TRIGON_FP64_GUARANTEED);
  const bool same = product_same(p, &q);
  check(same || p->report.unproved + p->report.not_finite > 0, "other bits on the device");
  keeps_bound(p, "the CPU");
  if (!same) keeps_bound(&q, "the device");
  product_free(&q);
}

/* Every type, spread of exponents, and kind of scalars; lines that are random, and lines that are hard. */
static void random_products(two_targets *targets) {
  static const double phis[] = {0, 0.5, 1, 2, 4};
  static const int64_t shapes[][3] = {{1, 1, 1}, {5, 7, 2}, {9, 4, 3}, {33, 17, 40}, {131, 9, 11}, {8, 130, 17}};
  static const trigon_scalar scalars[][2] = {{{1, 0}, {0, 0}}, {{-0.7, 0.4}, {1, 0}}, {{0, 1}, {0.3, -2}}};
  static const trigon_scalar ends[] = {{1e300, -1e299}, {1e-3, 0}, {1e-310, 1e-300}, {-2, 1}};
  static const trigon_op ops[] = {TRIGON_NOTRANS, TRIGON_TRANS, TRIGON_CONJTRANS};
  enum { SHAPES = sizeof shapes / sizeof *shapes };
  uint64_t turn = 0;
  for (const char *type = "dzsc"; *type; type++)
    for (int f = 0; f < 5; f++)
      for (int s = 0; s < SHAPES; s++) {
        const uint64_t kind = turn++;
        product p = product_make((trigon_type)*type, shapes[s][0], shapes[s][1], shapes[s][2], ops[kind % 3],
                                 ops[kind / 3 % 3]);
        p.call.alpha = scalars[kind % 3][0], p.call.beta = scalars[kind % 3][1];
        if (kind % 5 == 4 && !is_single(p.call.type))
          p.call.alpha = ends[kind % 2 * 2], p.call.beta = ends[kind % 2 * 2 + 1];
        if (!is_complex(p.call.type)) p.call.alpha.im = p.call.beta.im = 0;
        if (p.call.alpha.re == 0 && p.call.alpha.im == 0) p.call.alpha.re = 1;
        product_fill(&p, entry_spread, entry_spread, phis[f], turn);
        keep_bound(&p, targets);
        product_fill(&p, entry_adversarial, entry_adversarial, phis[f], turn + 1000);
        keep_bound(&p, targets);
        product_free(&p);
      }
}

/* Terms of one parity are tiny in the lines before `phi`, and those of the other parity in the factor that `even_tiny`
 * fills: where such lines meet, |A||B| is far below their norms. */
static double entry_odd_tiny(random_stream *r, int64_t line, int64_t term, double phi) {
  const double x = entry_spread(r, line, term, 0.5);
  return term % 2 && (double)line < phi ? x * 0x1p-200 : x;
}
static double entry_even_tiny(random_stream *r, int64_t line, int64_t term, double phi) {
  (void)phi;
  return entry_spread(r, line, term, 0.5) * (term % 2 ? 1 : 0x1p-200);
}

/* Products in which one factor or both have lines of one kind alone, so that nothing else makes a tile fall back. */
static void hard_products(two_targets *targets) {
  char text[400];
  for (const char *type = "dz"; *type; type++)
    for (int kind = 0; kind < HARD_KINDS; kind++)
      for (int both = 0; both < 2; both++) {
        product p = product_make((trigon_type)*type, 19, 12, 45, TRIGON_NOTRANS, TRIGON_TRANS);
        p.call.beta.re = kind % 2;
        product_fill(&p, entry_hard, both ? entry_hard : entry_spread, kind, (uint64_t)kind);
        keep_bound(&p, targets);
        product_text(&p, text, sizeof text);
        const bool small_ratios = !both && kind != 1 && kind != 4 && kind != 6;
        check(p.report.unproved == 0 || !small_ratios, "%s: lines of kind %d are proved", text, kind);
        product_free(&p);
      }
}

/* 12 moduli keep too few bits for doubles. So product_share finds errors that are too large. */
static void too_few_moduli(two_targets *targets) {
  product p = product_make(TRIGON_D, 40, 40, 40, TRIGON_NOTRANS, TRIGON_TRANS);
  product_fill(&p, entry_spread, entry_spread, 1, 5);
  product_emulate(&p, &targets->there, 12);
  check(product_share(&p) > 1 && p.report.moduli == 12 && p.report.bits < 53, "12 moduli do not keep the bound");
  product_free(&p);
}

/* Columns that give no proof: all of them, or those of the first tile. Nothing else falls back. */
static void without_proof(two_targets *targets, trigon_type type, bool in_all) {
  enum { ROWS = 140, COLS = 5, TERMS = 70, TILES = 3 };
  const int64_t height = is_complex(type) ? 64 : 128, tiles = in_all ? (ROWS + height - 1) / height : TILES;
  char text[400];
  product p = product_make(type, in_all ? ROWS : 20, in_all ? COLS : 260, TERMS, TRIGON_TRANS, TRIGON_NOTRANS);
  product_fill(&p, entry_even_tiny, entry_odd_tiny, 128, 11);
  product q = product_copy(&p);
  product_emulate(&p, &targets->host, TRIGON_FP64_GUARANTEED);
  product_emulate(&q, &targets->there, TRIGON_FP64_GUARANTEED);
  product_text(&p, text, sizeof text);
  check(p.report.unproved == (in_all ? tiles : 1) && p.report.tiles == tiles, "%s: %lld of %lld tiles fall back", text,
        (long long)p.report.unproved, (long long)p.report.tiles);
  check(p.report.emulated == !in_all && q.report.emulated == !in_all, "%s: emulated if a tile is", text);
  check(q.report.unproved == p.report.unproved && q.report.moduli == p.report.moduli, "%s: so they do on the device",
        text);
  keeps_bound(&p, "the CPU"), keeps_bound(&q, "the device");
  product_free(&p), product_free(&q);
}

/* ---------------------------------------------------------------------------------------------- exact products -- */

static double entry_zero(random_stream *r, int64_t line, int64_t term, double phi) {
  (void)r, (void)phi;
  return (line + term) % 2 ? 0.0 : -0.0;
}

/* The first factor is a permutation matrix, the identity if `step` is 1. The second factor has few bits. */
static void permutation(two_targets *targets, trigon_type type, trigon_op op, int64_t step) {
  enum { ORDER = 133, COLS = 5 };
  char text[400];
  product p = product_make(type, ORDER, COLS, ORDER, op, TRIGON_NOTRANS);
  product_fill(&p, entry_zero, entry_integer, 60000, 7);
  for (int64_t i = 0; i < ORDER; i++) product_put(&p, OF_A, i, i * step % ORDER, (trigon_scalar){1, 0});
  product q = product_copy(&p);
  product_emulate(&p, &targets->host, TRIGON_FP64_GUARANTEED);
  product_emulate(&q, &targets->there, TRIGON_FP64_GUARANTEED);
  product_text(&p, text, sizeof text);
  check(p.report.unproved == 0 && q.report.unproved == 0 && p.report.emulated == 1, "%s: a permutation is proved",
        text);
  check(product_exact(&p) && product_same(&p, &q), "%s: a permutation is exact", text);
  product_fill(&p, entry_zero, entry_spread, 1, 8);
  for (int64_t i = 0; i < ORDER; i++) product_put(&p, OF_A, i, i * step % ORDER, (trigon_scalar){1, 0});
  keep_bound(&p, targets);
  check(p.report.unproved == 0, "a permutation of random numbers is proved");
  product_free(&p), product_free(&q);
}

/* Integers, in all grades with enough moduli. */
static void integers(two_targets *targets) {
  static const int accuracies[] = {TRIGON_FP64_GUARANTEED, TRIGON_FP64_FAST, 6, 14, 20};
  char text[400];
  for (const char *type = "dzsc"; *type; type++)
    for (size_t i = 0; i < sizeof accuracies / sizeof *accuracies; i++) {
      product p = product_make((trigon_type)*type, 7, 12, 257, i % 2 ? TRIGON_TRANS : TRIGON_NOTRANS, TRIGON_CONJTRANS);
      p.call.alpha.re = i % 2 ? 1 : -2, p.call.beta = (trigon_scalar){i % 3 ? 3 : 0, 0};
      product_fill(&p, entry_integer, entry_integer, is_single((trigon_type)*type) ? 60 : 3000, i);
      product q = product_copy(&p);
      product_emulate(&p, &targets->host, accuracies[i]), product_emulate(&q, &targets->there, accuracies[i]);
      product_text(&p, text, sizeof text);
      check(product_exact(&p) && product_same(&p, &q) && p.report.moduli > 0 && p.report.unproved == 0,
            "%s: products of integers are exact", text);
      product_free(&p), product_free(&q);
    }
}

/* Products whose terms are all zero, or cancel each other, are exactly zero. */
static void zeros(two_targets *targets) {
  for (const char *type = "dzsc"; *type; type++)
    for (int cancels = 0; cancels < 2; cancels++) {
      enum { TERMS = 66 };
      product p = product_make((trigon_type)*type, 5, 6, TERMS, TRIGON_NOTRANS, TRIGON_NOTRANS);
      product_fill(&p, cancels ? entry_spread : entry_zero, entry_spread, 0.5, 9);
      for (int64_t l = 0; l < TERMS && cancels; l += 2) /* each term, and then its negative */
        for (int64_t i = 0; i < 6; i++) {
          trigon_scalar a = product_get(&p, OF_A, i % 5, l);
          a.re = -a.re, a.im = -a.im;
          product_put(&p, OF_A, i % 5, l + 1, a);
          product_put(&p, OF_B, i, l + 1, product_get(&p, OF_B, i, l));
        }
      keep_bound(&p, targets);
      bool zero = true;
      for (int64_t e = 0; e < 30; e++) {
        const trigon_scalar x = matrix_get(p.stored[OF_C].matrix, e % 5, e / 5);
        zero = zero && x.re == 0 && (!is_complex(p.call.type) || x.im == 0);
      }
      check(zero && p.report.unproved == 0, "%c: terms that %s give exactly 0", *type,
            cancels ? "cancel each other" : "are zero");
      product_free(&p);
    }
}

void test_bounds(const device *d) {
  two_targets targets = targets_open(d);
  random_products(&targets);
  hard_products(&targets);
  for (const char *type = "dz"; *type; type++)
    for (int in_all = 0; in_all < 2; in_all++) without_proof(&targets, (trigon_type)*type, in_all);
  too_few_moduli(&targets);
  for (const char *type = "dz"; *type; type++)
    for (int64_t step = 1; step <= 50; step += 49)
      permutation(&targets, (trigon_type)*type, step == 1 ? TRIGON_NOTRANS : TRIGON_CONJTRANS, step);
  integers(&targets);
  zeros(&targets);
  targets_close(&targets);
}

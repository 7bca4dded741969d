/* fp64_specials.c - NaN and infinity in every position, scalars that are zero or not finite, sizes that are zero. */
#include <math.h>
#include <stdio.h>

#include "fp64_product.h"

typedef struct three_targets {
  call_target native, targets[2]; /* native: on the CPU, without emulation */
} three_targets;

/* What a number is: 0 if it is finite, else NaN, infinity, or minus infinity. */
static int kind_of(double x) { return isnan(x) ? 1 : isinf(x) ? (x > 0 ? 2 : 3) : 0; }

/* Whether both results have the same NaN and infinities, and about the same finite numbers. For complex numbers plain
 * arithmetic may give NaN or infinity: it is enough that neither is finite. The same holds if alpha is infinite: a
 * vendor may multiply parts of a sum by alpha (cuBLAS 13.1 does, in float). */
static bool is_alike(const product *p, const product *q) {
  const bool complex = is_complex(p->call.type), either = complex || isinf(p->call.alpha.re);
  for (int64_t e = 0; e < p->call.m * p->call.n; e++) {
    const trigon_scalar x = matrix_get(p->stored[OF_C].matrix, e % p->call.m, e / p->call.m);
    const trigon_scalar y = matrix_get(q->stored[OF_C].matrix, e % p->call.m, e / p->call.m);
    const double tolerance = 1000 * epsilon_of(p->call.type);
    if (either && (kind_of(x.re) || kind_of(x.im)) != (kind_of(y.re) || kind_of(y.im))) return false;
    if (either && (kind_of(x.re) || kind_of(x.im))) continue;
    if (kind_of(x.re) != kind_of(y.re) || (!kind_of(x.re) && fabs(x.re - y.re) > tolerance)) return false;
    if (complex && fabs(x.im - y.im) > tolerance) return false;
  }
  return true;
}

/* Runs p natively and emulated. The results must be alike. `native` says whether tiles must have fallen back. */
static void compare(three_targets *t, product *p, int accuracy, bool native, const char *what) {
  char text[400];
  product_run(p, &t->native);
  for (int i = 0; i < 2; i++) {
    product q = product_copy(p);
    product_emulate(&q, &t->targets[i], accuracy);
    product_text(&q, text, sizeof text);
    check(is_alike(p, &q), "%s, %s, accuracy %d, on %s: other values than native arithmetic", text, what, accuracy,
          i ? "the device" : "the CPU");
    check((q.report.not_finite > 0) == (native && accuracy != BY_PAIRS), "%s, %s: tiles with NaN or infinity", text,
          what);
    product_free(&q);
  }
}

/* One special value at each place of A, B and C. In C it makes no tile fall back. */
static void every_target(three_targets *t, trigon_type type, trigon_op op, trigon_op opB, int accuracy) {
  static const double values[] = {NAN, INFINITY, -INFINITY};
  const int64_t lines[] = {3, 2, 3}, terms[] = {4, 4, 2};
  char what[64];
  for (int matrix = OF_A; matrix <= OF_C; matrix++)
    for (int64_t at = 0; at < lines[matrix] * terms[matrix]; at++)
      for (int part = 0; part < (is_complex(type) ? 2 : 1); part++) {
        const double value = values[(at + matrix + part) % 3];
        product p = product_make(type, 3, 2, 4, op, opB);
        p.call.alpha.re = 2, p.call.beta.re = -1;
        product_fill(&p, entry_spread, entry_spread, 0.5, (uint64_t)at + 1);
        trigon_scalar x = product_get(&p, matrix, at % lines[matrix], at / lines[matrix]);
        *(part ? &x.im : &x.re) = value;
        product_put(&p, matrix, at % lines[matrix], at / lines[matrix], x);
        snprintf(what, sizeof what, "%g at (%d, %d) of %c", value, (int)(at % lines[matrix]), (int)(at / lines[matrix]),
                 "ABC"[matrix]);
        compare(t, &p, accuracy, matrix != OF_C, what);
        product_free(&p);
      }
}

/* A special value makes only the tiles of its line fall back. The other tiles have the same bits as without it. */
static void other_tiles(three_targets *t) {
  product p = product_make(TRIGON_D, 130, 129, 9, TRIGON_NOTRANS, TRIGON_NOTRANS);
  product_fill(&p, entry_spread, entry_spread, 0.5, 3);
  product q = product_copy(&p);
  product_emulate(&p, &t->targets[1], TRIGON_FP64_GUARANTEED);
  product_put(&q, OF_A, 129, 8, (trigon_scalar){INFINITY, 0});
  product_emulate(&q, &t->targets[1], TRIGON_FP64_GUARANTEED);
  bool same = true, infinite = true;
  for (int64_t j = 0; j < 129; j++)
    for (int64_t i = 0; i < 130; i++) {
      const double x = matrix_get(p.stored[OF_C].matrix, i, j).re, y = matrix_get(q.stored[OF_C].matrix, i, j).re;
      same = same && (i >= 128 || x == y);
      infinite = infinite && (i != 129 || isinf(y));
      same = same && (i != 128 || fabs(x - y) < 1e-13);
    }
  check(p.report.tiles == 4 && p.report.not_finite == 0 && q.report.tiles == 4 && q.report.not_finite == 2 && same &&
            infinite,
        "an infinity in row 129 of 130: %lld of %lld tiles fell back", (long long)q.report.not_finite,
        (long long)q.report.tiles);
  product_free(&p), product_free(&q);
}

/* Scalars. C that must not be read is poison, and stays so in A and B if alpha is 0. */
static void scalars(three_targets *t, trigon_type type, int accuracy) {
  static const trigon_scalar alphas[] = {{0, 0}, {NAN, 0}, {INFINITY, 0}, {1, 0}},
                             betas[] = {{0, 0}, {1, 0}, {INFINITY, 0}, {NAN, 0}, {-2, 0}};
  char what[64];
  for (int a = 0; a < 4; a++)
    for (int b = 0; b < 5; b++) {
      product p = product_make(type, 5, 3, 4, TRIGON_TRANS, TRIGON_NOTRANS);
      p.call.alpha = alphas[a], p.call.beta = betas[b];
      const bool reads = p.call.alpha.re != 0;
      product_fill(&p, reads ? entry_spread : entry_poison, reads ? entry_spread : entry_poison, 0.5, 5);
      if (!reads && p.call.beta.re != 0) /* the filler of C is that of A */
        for (int64_t e = 0; e < 15; e++) product_put(&p, OF_C, e % 5, e / 5, (trigon_scalar){(double)e + 1, 1});
      snprintf(what, sizeof what, "alpha %g, beta %g", p.call.alpha.re, p.call.beta.re);
      compare(t, &p, accuracy, false, what);
      product_free(&p);
    }
}

/* Sizes of 0: an empty result, and sums without terms, which are beta·C. */
static void empty_sizes(three_targets *t, trigon_type type, int accuracy) {
  for (int zero = 0; zero < 3; zero++)
    for (int beta = -1; beta <= 1; beta++) {
      product p =
          product_make(type, zero == 0 ? 0 : 3, zero == 1 ? 0 : 4, zero == 2 ? 0 : 5, TRIGON_NOTRANS, TRIGON_CONJTRANS);
      p.call.beta.re = 2 * beta;
      product_fill(&p, entry_spread, entry_spread, 0, 6);
      compare(t, &p, accuracy, false, "a size of 0");
      product_free(&p);
    }
}

/* With beta = 0 nothing of C is read: the result is that over a C of zeros. */
static void unread_result(three_targets *t) {
  for (const char *type = "dzsc"; *type; type++)
    for (int i = 0; i < 2; i++) {
      product p = product_make((trigon_type)*type, 131, 5, 7, TRIGON_NOTRANS, TRIGON_TRANS);
      product_fill(&p, entry_spread, entry_spread, 1, 8);
      product q = product_copy(&p);
      for (int64_t e = 0; e < 131 * 5; e++) product_put(&q, OF_C, e % 131, e / 131, (trigon_scalar){0, 0});
      product_emulate(&p, &t->targets[i], TRIGON_FP64_GUARANTEED);
      product_emulate(&q, &t->targets[i], TRIGON_FP64_GUARANTEED);
      check(product_same(&p, &q) && isfinite(matrix_get(p.stored[OF_C].matrix, 130, 4).re),
            "%c: beta is 0, and C is read", *type);
      product_free(&p), product_free(&q);
    }
}

void test_specials(const device *d) {
  const device cpu = {.name = "cpu"};
  three_targets t = {{.ctx = device_open(&cpu, "")}, {{.ctx = device_open(&cpu, "")}, {.ctx = device_open(d, "")}}};
  every_target(&t, TRIGON_D, TRIGON_NOTRANS, TRIGON_NOTRANS, TRIGON_FP64_GUARANTEED);
  every_target(&t, TRIGON_Z, TRIGON_TRANS, TRIGON_CONJTRANS, TRIGON_FP64_GUARANTEED);
  every_target(&t, TRIGON_S, TRIGON_NOTRANS, TRIGON_TRANS, TRIGON_FP64_FAST);
  every_target(&t, TRIGON_C, TRIGON_CONJTRANS, TRIGON_NOTRANS, 16);
  other_tiles(&t);
  every_target(&t, TRIGON_D, TRIGON_TRANS, TRIGON_NOTRANS, BY_PAIRS);
  every_target(&t, TRIGON_Z, TRIGON_CONJTRANS, TRIGON_TRANS, BY_PAIRS);
  for (const char *type = "dzscdz"; *type; type++) {
    const int accuracy = type[1] && type[2] ? TRIGON_FP64_GUARANTEED : BY_PAIRS;
    scalars(&t, (trigon_type)*type, accuracy), empty_sizes(&t, (trigon_type)*type, accuracy);
  }
  unread_result(&t);
  for (int i = 0; i < 2; i++) {
    call_target_free(&t.targets[i]);
    trigon_destroy(t.targets[i].ctx);
  }
  trigon_destroy(t.native.ctx);
}

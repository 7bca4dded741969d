/* fp64_bits.c - a device computes the bits of the host's reference, as long as no tile falls back. */
#include <stdio.h>
#include <stdlib.h>

#include "fp64_product.h"

static void compare(call_target *host, call_target *there, product *p, int accuracy) {
  char text[400];
  product q = product_copy(p);
  product_emulate(p, host, accuracy);
  product_emulate(&q, there, accuracy);
  const trigon_fp64_report *x = &p->report, *y = &q.report;
  product_text(p, text, sizeof text);
  check(x->moduli == y->moduli && x->bits == y->bits && x->products == y->products && x->emulated == y->emulated &&
            x->tiles == y->tiles && x->not_finite == y->not_finite && x->unproved == y->unproved && x->tiles > 0,
        "%s; the device has %d moduli, %.1f bits, %lld tiles, %lld + %lld fell back", text, y->moduli, y->bits,
        (long long)y->tiles, (long long)y->not_finite, (long long)y->unproved);
  const bool native = x->not_finite + x->unproved > 0;
  check(native || product_same(p, &q), "%s: other bits on the device", text);
  if (getenv("TRIGON_TEST_VERBOSE")) printf("accuracy %d: %s\n", accuracy, text);
  product_free(&q);
}

/* Compares products of every type. Of the list of shapes, types and scalars every `step`-th product is taken. */
static void compare_products(const device *d, uint64_t step) {
  static const trigon_op ops[] = {TRIGON_NOTRANS, TRIGON_TRANS, TRIGON_CONJTRANS};
  static const int64_t shapes[][3] = {{1, 1, 1}, {5, 7, 2}, {33, 17, 129}, {150, 130, 70}, {20, 300, 257}};
  static const trigon_scalar scalars[][2] = {
      {{1, 0}, {0, 0}}, {{-1, 0}, {1, 0}}, {{0.7, -0.3}, {2, 0.5}}, {{1, 0}, {-1, 0}}};
  static const double phis[] = {0, 1, 2, 0.5, 4};
  static const int accuracies[] = {TRIGON_FP64_GUARANTEED, TRIGON_FP64_FAST, 14, 17};
  const device cpu = {.name = "cpu"};
  call_target host = {.ctx = device_open(&cpu, "")}, there = {.ctx = device_open(d, "")};
  uint64_t turn = 0;
  for (const char *type = "dzsc"; *type; type++)
    for (int s = 0; s < 5; s++)
      for (int q = 0; q < 4; q++) {
        if (turn++ % step != 0) continue;
        product p = product_make((trigon_type)*type, shapes[s][0], shapes[s][1], shapes[s][2], ops[turn % 3],
                                 ops[turn / 3 % 3]);
        p.call.alpha = scalars[q][0], p.call.beta = scalars[q][1];
        if (!is_complex(p.call.type)) p.call.alpha.im = p.call.beta.im = 0;
        product_fill(&p, entry_spread, entry_spread, phis[turn % 5], turn);
        compare(&host, &there, &p, accuracies[(turn + (uint64_t)s) % 4]);
        product_free(&p);
      }
  call_target_free(&there), call_target_free(&host);
  trigon_destroy(there.ctx), trigon_destroy(host.ctx);
}

void test_bits(const device *d) { compare_products(d, 1); }
void test_few_bits(const device *d) { compare_products(d, 9); }

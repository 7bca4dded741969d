/* fp64_pairs.c - the mode double-float: the same bits on the CPU and on a device, its bound element by element, and
 * what it tells. */
#include <stdio.h>
#include <string.h>

#include "fp64_product.h"

/* Runs the product on both targets, and judges it. */
static void check_product(product *p, call_target *host, call_target *there) {
  char text[400];
  product q = product_copy(p);
  product_emulate(p, host, BY_PAIRS);
  product_emulate(&q, there, BY_PAIRS);
  product_text(p, text, sizeof text);
  check(p->report.emulated == 1 && q.report.emulated == 1 && !p->report.why && !q.report.why, "%s: not emulated", text);
  check(product_same(p, &q), "%s: other bits on the device", text);
  const double share = product_share(p);
  check(share <= 1, "%s: %.3g of the bound", text, share);
  product_free(&q);
}

/* Each shape, type, spread of exponents, kind of scalars, and lines that are random or hard. */
static void products(const device *d) {
  static const trigon_op ops[] = {TRIGON_NOTRANS, TRIGON_TRANS, TRIGON_CONJTRANS};
  static const int64_t shapes[][3] = {{1, 1, 1}, {5, 7, 2}, {33, 17, 129}, {67, 90, 70}, {20, 131, 257}};
  static const trigon_scalar scalars[][2] = {
      {{1, 0}, {0, 0}}, {{-1, 0}, {1, 0}}, {{0.7, -0.3}, {2, 0.5}}, {{1e300, -1e299}, {1e-3, 0}}};
  static const double phis[] = {0, 1, 2, 0.5, 4};
  const device cpu = {.name = "cpu"};
  call_target host = {.ctx = device_open(&cpu, "")}, there = {.ctx = device_open(d, "")};
  uint64_t turn = 0;
  for (const char *type = "dz"; *type; type++)
    for (int s = 0; s < 5; s++)
      for (int q = 0; q < 4; q++, turn++) {
        product p = product_make((trigon_type)*type, shapes[s][0], shapes[s][1], shapes[s][2], ops[turn % 3],
                                 ops[turn / 3 % 3]);
        p.call.alpha = scalars[q][0], p.call.beta = scalars[q][1];
        if (!is_complex(p.call.type)) p.call.alpha.im = p.call.beta.im = 0;
        entry_rule *rule = turn % 4 == 3 ? entry_adversarial : entry_spread;
        product_fill(&p, rule, rule, phis[turn % 5], turn);
        check_product(&p, &host, &there);
        product_free(&p);
      }
  call_target_free(&there), call_target_free(&host);
  trigon_destroy(there.ctx), trigon_destroy(host.ctx);
}

/* Products of small integers are exact. Those of random doubles are not rounded like native ones. */
static void integers(const device *d) {
  call_target target = {.ctx = device_open(d, "")};
  for (const char *type = "dz"; *type; type++) {
    product p = product_make((trigon_type)*type, 7, 12, 257, TRIGON_TRANS, TRIGON_CONJTRANS);
    p.call.alpha.re = -2, p.call.beta.re = 3;
    product_fill(&p, entry_integer, entry_integer, 3000, 1);
    product_emulate(&p, &target, BY_PAIRS);
    check(product_exact(&p), "%c: products of integers are exact", *type);
    product_fill(&p, entry_spread, entry_spread, 1, 2);
    product native = product_copy(&p);
    product_emulate(&p, &target, BY_PAIRS);
    accepted(target.ctx, trigon_set_fp64(target.ctx, TRIGON_FP64_NATIVE, 0), "native");
    product_run(&native, &target);
    check(!product_same(&p, &native), "%c: the bits of native products", *type);
    product_free(&p), product_free(&native);
  }
  call_target_free(&target);
  trigon_destroy(target.ctx);
}

/* ------------------------------------------------------------------------------------------------------- reports -- */

static void expect_report(trigon_context *ctx, trigon_fp64 mode, int64_t products, double bits, const char *when) {
  trigon_fp64_report r = {.moduli = -1, .tiles = -1};
  accepted(ctx, trigon_last_fp64(ctx, &r), "trigon_last_fp64");
  check(r.mode == mode && r.products == products && r.emulated == products && r.moduli == 0 && r.bits == bits &&
            r.tiles == 0 && r.not_finite == 0 && r.unproved == 0 && !r.why,
        "%s: mode %d, %lld of %lld products, %d moduli, %g bits, %lld tiles, %s", when, (int)r.mode,
        (long long)r.emulated, (long long)r.products, r.moduli, r.bits, (long long)r.tiles, r.why ? r.why : "");
}

/* The accuracy has no meaning, but its range is checked. S and C are native. A change of the mode changes nothing that
 * is told about the last call's products. */
static void reports(const device *d) {
  char text[32];
  trigon_context *ctx = device_open(d, "");
  check(trigon_set_fp64(ctx, TRIGON_FP64_DOUBLE_FLOAT, 21) == TRIGON_BAD_ARGUMENT &&
            trigon_set_fp64(ctx, TRIGON_FP64_DOUBLE_FLOAT, -1) == TRIGON_BAD_ARGUMENT,
        "accuracies out of range");
  for (int accuracy = 0; accuracy <= 20; accuracy += 5)
    accepted(ctx, trigon_set_fp64(ctx, TRIGON_FP64_DOUBLE_FLOAT, accuracy), "every accuracy is accepted");
  expect_report(ctx, TRIGON_FP64_DOUBLE_FLOAT, 0, 0, "before a call");
  for (const char *type = "dzsc"; *type; type++) {
    const bool native = *type == 's' || *type == 'c';
    snprintf(text, sizeof text, "a product of %c", *type);
    job_whole(ctx, GEMM, (trigon_type)*type, 30, 3, text);
    expect_report(ctx, TRIGON_FP64_DOUBLE_FLOAT, native ? 0 : 1, native ? 0 : 48, text);
  }
  job_whole(ctx, TRSM, TRIGON_Z, 40, 5, "below the stop");
  expect_report(ctx, TRIGON_FP64_DOUBLE_FLOAT, 0, 0, "after a solve below order 1024");
  job_whole(ctx, GEMM, TRIGON_Z, 30, 3, "before a change of the mode");
  accepted(ctx, trigon_set_fp64(ctx, TRIGON_FP64_INT8, TRIGON_FP64_FAST), "int8");
  expect_report(ctx, TRIGON_FP64_INT8, 1, 48, "after a change of the mode");
  trigon_destroy(ctx);
}

/* The products of every routine of D and Z are emulated. */
static void every_routine(const device *d) {
  trigon_context *ctx = device_open(d, "stop=16");
  accepted(ctx, trigon_set_fp64(ctx, TRIGON_FP64_DOUBLE_FLOAT, 0), "double-float");
  for (int r = 0; r < TESTED_ROUTINES; r++) {
    trigon_fp64_report report = {.moduli = -1};
    job_whole(ctx, (enum tested_routine)r, (trigon_type) "dz"[r % 2], 50, 3, "by pairs");
    accepted(ctx, trigon_last_fp64(ctx, &report), "trigon_last_fp64");
    check(report.products > 0 && report.emulated == report.products && report.bits == 48 && !report.why,
          "%s: %lld of %lld products, %s", routines[r].name, (long long)report.emulated, (long long)report.products,
          report.why ? report.why : "");
  }
  trigon_destroy(ctx);
}

/* After trigon_reserve a call on real operands of that size allocates nothing. */
static void reserved(const device *d) {
  if (!d->simulated) return;
  call_target target = {.ctx = device_open(d, "")};
  product p = product_make(TRIGON_D, 260, 250, 240, TRIGON_NOTRANS, TRIGON_TRANS);
  product_fill(&p, entry_spread, entry_spread, 0, 3);
  product_run(&p, &target);
  accepted(target.ctx, trigon_set_fp64(target.ctx, TRIGON_FP64_DOUBLE_FLOAT, 0), "double-float");
  accepted(target.ctx, trigon_reserve(target.ctx, 8 * 260 * 260), "trigon_reserve");
  const int64_t before = d->runtime.allocated(d->number);
  product_run(&p, &target);
  check(p.report.emulated == 1 && d->runtime.allocated(d->number) == before, "a product after trigon_reserve");
  product_free(&p);
  call_target_free(&target);
  trigon_destroy(target.ctx);
}

void test_pairs(const device *d) {
  const device cpu = {.name = "cpu"}, *const both[] = {&cpu, d};
  products(d);
  reserved(d);
  for (int i = 0; i < 2; i++) integers(both[i]), reports(both[i]), every_routine(both[i]);
}

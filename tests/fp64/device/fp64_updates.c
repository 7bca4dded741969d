/* fp64_updates.c - SYRK, HERK, SYR2K and HER2K as one emulated product: every flag and type, sizes on both sides of
 * tiles, bits, bounds, and what is told. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fp64_product.h"

static const trigon_op ops[] = {TRIGON_NOTRANS, TRIGON_TRANS, TRIGON_CONJTRANS};

/* The tiles of 128 × 128 that have elements of the triangle. An element of a complex matrix has two rows. */
static int64_t tiles_of(const product *p) {
  const int64_t height = is_complex(p->call.type) ? 64 : 128, n = p->call.n;
  int64_t count = 0;
  for (int64_t r = 0; r < n; r += height)
    for (int64_t c = 0; c < n; c += 128) {
      const int64_t last_row = r + height < n ? r + height - 1 : n - 1, last_col = c + 128 < n ? c + 127 : n - 1;
      count += p->call.uplo == TRIGON_LOWER ? last_row >= c : r <= last_col;
    }
  return count;
}

/* Every flag of both routines and every type, with sizes, scalars, spreads and accuracies in turn. Of this list every
 * `step`th update is taken. */
static void every_flag(two_targets *targets, uint64_t step) {
  static const int64_t sizes[][2] = {{1, 1},   {5, 2},   {33, 17}, {63, 5},  {64, 3},  {65, 40}, {127, 7},
                                     {128, 4}, {129, 9}, {191, 3}, {193, 2}, {255, 3}, {256, 1}, {257, 5}};
  enum { SIZES = sizeof sizes / sizeof *sizes };
  uint64_t turn = 0;
  for (const char *type = "dzsc"; *type; type++)
    for (int flags = 0; flags < 24; flags++) {
      static const enum tested_routine routines_here[] = {SYRK, HERK, SYR2K, HER2K};
      const enum tested_routine routine = routines_here[flags % 4];
      const trigon_uplo uplo = flags / 4 % 2 ? TRIGON_UPPER : TRIGON_LOWER;
      const trigon_op op = ops[flags / 8];
      if (!op_allowed(routine, (trigon_type)*type, op)) continue;
      for (int s = 0; s < 5; s++) {
        const uint64_t kind = turn++;
        if (kind % step) continue;
        const int64_t *size = sizes[kind % SIZES];
        product p = update_make(routine, (trigon_type)*type, uplo, size[0], size[1], op);
        targets_compare(targets, &p, product_vary(&p, kind), tiles_of(&p));
        product_free(&p);
      }
    }
}

/* Blocks of more than two tiles, and more terms than a block has. */
static void large(two_targets *targets) {
  for (int turn = 0; turn < 4; turn++) {
    const trigon_type type = (trigon_type) "dzdz"[turn];
    product p = update_make(turn / 2 ? HERK : SYRK, type, turn % 2 ? TRIGON_UPPER : TRIGON_LOWER, 401,
                            turn < 2 ? 3 : 140, TRIGON_NOTRANS);
    p.call.beta.re = turn % 2;
    product_fill(&p, entry_spread, entry_spread, 1, (uint64_t)turn + 9);
    targets_compare(targets, &p, turn < 2 ? TRIGON_FP64_GUARANTEED : 4, tiles_of(&p));
    product_free(&p);
  }
}

/* ------------------------------------------------------------------------------- updates that are not emulated -- */

static void is_native(product *p, call_target *target, int accuracy, int64_t products, const char *why) {
  char text[400];
  product_emulate(p, target, accuracy);
  product_text(p, text, sizeof text);
  const bool same = why ? p->report.why && strcmp(p->report.why, why) == 0 : !p->report.why;
  check(same && p->report.products == products && p->report.emulated == 0, "%s: not natively", text);
}

/* Scalars and sizes for which the native engine computes the whole update. */
static void native_updates(call_target *target) {
  for (const char *type = "dzsc"; *type; type++) {
    product p = update_make(SYRK, (trigon_type)*type, TRIGON_UPPER, 7, 3, TRIGON_TRANS);
    p.call.alpha = (trigon_scalar){NAN, 0}, p.call.beta.re = 1;
    product_fill(&p, entry_spread, entry_spread, 0, 3);
    is_native(&p, target, TRIGON_FP64_GUARANTEED, 1, "alpha is not finite");
    p.call.alpha = (trigon_scalar){0, 0};
    product_fill(&p, entry_poison, entry_poison, 0, 3);
    for (int64_t e = 0; e < 49; e++)
      if (product_computes(&p, e % 7, e / 7)) product_put(&p, OF_C, e % 7, e / 7, (trigon_scalar){(double)e, 1});
    is_native(&p, target, TRIGON_FP64_GUARANTEED, 0, NULL);
    check(product_share(&p) == 0 || isnan(product_share(&p)), "alpha is 0");
    product_free(&p);
    p = update_make(HERK, (trigon_type)*type, TRIGON_LOWER, 6, 0, TRIGON_NOTRANS);
    p.call.beta.re = 2;
    product_fill(&p, entry_integer, entry_integer, 9, 4);
    is_native(&p, target, 14, 0, NULL);
    check(product_exact(&p), "without terms C is scaled");
    product_free(&p);
  }
  product p = update_make(HERK, TRIGON_D, TRIGON_LOWER, 3, 40000, TRIGON_TRANS);
  product_fill(&p, entry_spread, entry_spread, 0, 3);
  is_native(&p, target, 2, 1, "too few moduli for k");
  product_free(&p);
}

/* Pairs of floats have no triangles: an update is cut, and its products are emulated. */
static void by_pairs(const device *d) {
  call_target target = {.ctx = device_open(d, "stop=16")};
  product p = update_make(HERK, TRIGON_Z, TRIGON_LOWER, 50, 30, TRIGON_CONJTRANS);
  p.call.beta.re = 1;
  product_fill(&p, entry_spread, entry_spread, 0.5, 3);
  product_emulate(&p, &target, BY_PAIRS);
  check(p.report.products > 1 && p.report.emulated == p.report.products, "%lld of %lld products by pairs",
        (long long)p.report.emulated, (long long)p.report.products);
  product_emulate(&p, &target, TRIGON_FP64_GUARANTEED);
  check(p.report.products == 1 && p.report.emulated == 1, "an update is one product");
  product_free(&p);
  call_target_free(&target);
  trigon_destroy(target.ctx);
}

void test_updates(const device *d) {
  const device cpu = {.name = "cpu"};
  two_targets targets = targets_open(d);
  every_flag(&targets, d->simulated ? 2 : 1);
  large(&targets);
  native_updates(&targets.host);
  native_updates(&targets.there);
  targets_close(&targets);
  by_pairs(&cpu), by_pairs(d);
}

void test_few_updates(const device *d) {
  two_targets targets = targets_open(d);
  every_flag(&targets, 13);
  targets_close(&targets);
}

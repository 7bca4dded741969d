/* fp64_symms.c - SYMM and HEMM as one emulated product: every flag and type, sizes on both sides of tiles, bits,
 * bounds, tiles that fall back, and workspaces of several sizes. */
#include <math.h>
#include <stdlib.h>

#include "fp64_product.h"

static int64_t tiles_of(const product *p) {
  const int64_t height = is_complex(p->call.type) ? 64 : 128;
  return (p->call.m + height - 1) / height * ((p->call.n + 127) / 128);
}

/* Every flag of both routines and every type, with sizes, scalars, spreads and accuracies in turn. */
static void every_flag(two_targets *targets) {
  static const int64_t sizes[][2] = {{1, 1},   {5, 2},   {2, 33},  {63, 5},  {64, 3},   {7, 65},  {127, 7},
                                     {4, 128}, {129, 9}, {130, 3}, {3, 191}, {17, 129}, {65, 66}, {128, 2}};
  enum { SIZES = sizeof sizes / sizeof *sizes };
  uint64_t turn = 0;
  for (const char *type = "dzsc"; *type; type++)
    for (int flags = 0; flags < 8; flags++) {
      const enum tested_routine routine = flags % 2 ? HEMM : SYMM;
      for (int s = 0; s < 5; s++) {
        const uint64_t kind = turn++;
        product p = symm_make(routine, (trigon_type)*type, flags / 2 % 2 ? TRIGON_RIGHT : TRIGON_LEFT,
                              flags / 4 ? TRIGON_UPPER : TRIGON_LOWER, sizes[kind % SIZES][0], sizes[kind % SIZES][1]);
        targets_compare(targets, &p, product_vary(&p, kind), tiles_of(&p));
        product_free(&p);
      }
    }
}

/* NaN in the symmetric matrix makes the tiles of its row and of its column fall back, on whatever side of the diagonal
 * it is. The other matrix gives tiles of both kinds: 3 × 2, or 2 × 3 on the right. */
static void not_finite(two_targets *targets) {
  for (int flags = 0; flags < 8; flags++) {
    const trigon_type type = flags % 2 ? TRIGON_Z : TRIGON_D;
    const bool left = flags / 2 % 2 == 0;
    const int64_t order = left ? (type == TRIGON_Z ? 130 : 260) : 260, other = type == TRIGON_Z && !left ? 70 : 140;
    product p = symm_make(flags % 2 ? HEMM : SYMM, type, left ? TRIGON_LEFT : TRIGON_RIGHT,
                          flags / 4 ? TRIGON_UPPER : TRIGON_LOWER, left ? order : other, left ? other : order);
    product_fill(&p, entry_spread, entry_spread, 0.5, (uint64_t)flags + 1);
    product_put(&p, left ? OF_A : OF_B, 3, order - 1, (trigon_scalar){NAN, 0});
    targets_compare(targets, &p, TRIGON_FP64_FAST, tiles_of(&p)); /* in the first and in the last tiles of its lines */
    check(p.report.not_finite == 4, "%lld tiles with NaN", (long long)p.report.not_finite);
    int64_t undefined = 0;
    for (int64_t j = 0; j < p.call.n; j++)
      for (int64_t i = 0; i < p.call.m; i++) undefined += isnan(matrix_get(product_result(&p), i, j).re) != 0;
    check(undefined == 2 * other, "%lld elements are undefined, %lld must be", (long long)undefined,
          (long long)(2 * other));
    product_free(&p);
  }
}

/* Workspaces of which some do for the whole product, some for blocks, and the first one for nothing. */
static void workspaces(const device *d) {
  two_targets targets = {{.ctx = device_open(d, "")}, {.ctx = device_open(d, "")}};
  for (int flags = 0; flags < 4; flags++) {
    product p = symm_make(HEMM, flags % 2 ? TRIGON_Z : TRIGON_D, flags / 2 ? TRIGON_RIGHT : TRIGON_LEFT, TRIGON_LOWER,
                          flags / 2 ? 70 : 270, flags / 2 ? 270 : 70);
    product_fill(&p, entry_spread, entry_spread, 1, 5);
    product whole = product_copy(&p);
    product_emulate(&whole, &targets.host, TRIGON_FP64_GUARANTEED);
    for (int64_t bytes = 3 << 20; bytes >= 2 << 20; bytes -= 200 << 10) {
      accepted(targets.there.ctx, trigon_set_workspace(targets.there.ctx, NULL, bytes), "a workspace");
      product_emulate(&p, &targets.there, TRIGON_FP64_GUARANTEED);
      check(p.report.emulated == 0 || product_same(&p, &whole), "other bits with %lld bytes", (long long)bytes);
    }
    product_free(&p), product_free(&whole);
  }
  targets_close(&targets);
}

void test_symms(const device *d) {
  two_targets targets = targets_open(d);
  every_flag(&targets);
  not_finite(&targets);
  targets_close(&targets);
  workspaces(d);
}

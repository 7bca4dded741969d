/* test_emulated_plan.c - emulated products of a plan pay. Out of core every product makes the residues of its factors
 * again, so that products of small tiles take longer than native ones. By measured rates those of the largest tiles,
 * which contexts have from 2.5 GB on, take less. */
#include <string.h>

#include "core/options.h"
#include "hosted/residence.h"
#include "product_rates.h"
#include "support/check.h"

enum { N = 65536, TILE = 4096 };

static operation call_of(routine r, bool is_solve) {
  static double element; /* plans read no element */
  const view A = {.base = &element, .type = TRIGON_D, .m = N, .n = N, .ld = N, .count = 1};
  operation o = trsm(TRIGON_LEFT, TRIGON_LOWER, TRIGON_NOTRANS, TRIGON_NONUNIT, one, A, is_solve ? A : (view){0});
  o.routine = r;
  return o;
}

/* In seven eighths of so much memory; the rest is for the residues. */
static void check_products(const char *name, const operation *o, double cap) {
  plan p = {.block = TILE, .devices = 1, .emulates = true, .room = (int64_t)(0.875 * cap / (8.0 * TILE * TILE))};
  p.in_core = p.room >= plan_tiles(o, TILE, false);
  double native = 0, emulated = 0;
  memcpy(p.link, &reasoned_host[HOST_LINK], sizeof p.link);
  check_that(plan_record(&p, o) == TRIGON_OK, "%s: no plan", name);
  for (int64_t s = 0; s < p.step_count; s++) {
    const operation *step = &p.steps[s].o;
    if (!is_product(step)) continue;
    native += native_seconds(step);
    emulated += emulated_seconds(step);
  }
  check_that(native > 0 && emulated < native, "%s with %g GB: emulated products take %g s, native ones %g", name,
             1e-9 * cap, emulated, native);
  plan_clear(&p);
}

int main(void) {
  const operation factor = call_of(ROUTINE_POTRF, false), solve = call_of(ROUTINE_TRSM, true);
  for (double cap = 2.5e9; cap < 200e9; cap *= 4) {
    check_products("POTRF", &factor, cap);
    check_products("TRSM", &solve, cap);
  }
  return checked();
}

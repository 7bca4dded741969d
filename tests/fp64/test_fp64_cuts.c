/* test_fp64_cuts.c - what the decorator of emulated products cuts, and what it leaves whole, over an engine and a
 * device of which only sizes are asked. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/tuning/cut_rule.h"
#include "decorators/fp64/fp64_decorator.h"
#include "fp64/emulation_support.h"
#include "support/check.h"

/* An update of order and depth `first_faster` takes 0.9 of the native time if it is emulated, one of twice the order
 * 0.5, and a smaller one does not pay: of order n, it has n·n numbers in its operand and n·n·n flops. */
static product_times times_from(int64_t first_faster) {
  return (product_times){.native_flop = 1,
                         .integer_flop = 0.1,
                         .moduli = 1,
                         .operand = 0.8 * (double)first_faster,
                         .least_size = first_faster};
}

static trigon_status keep(machine *m, int64_t bytes, void **data) {
  static void *kept;
  (void)m;
  if (!kept) kept = malloc((size_t)bytes);
  *data = kept;
  return kept ? TRIGON_OK : TRIGON_NO_MEMORY;
}
static trigon_status upload(machine *m, view from, view to) {
  (void)m;
  memcpy(to.base, from.base, type_size(from.type) * (size_t)from.m);
  return TRIGON_OK;
}

/* What the present call has asked for. */
static int64_t asked;

static trigon_status lend(machine *m, int64_t wanted, void **data, int64_t *bytes) {
  (void)m, asked = wanted;
  *data = NULL, *bytes = 0;
  return TRIGON_OK;
}

/* The engine inside has leaves of POTRF up to 8192, and of SYRK up to 512. */
static int64_t cut(engine *e, const operation *o) {
  (void)e;
  const int64_t stop = o->routine == ROUTINE_POTRF ? 8192 : o->routine == ROUTINE_SYRK ? 512 : INT64_MAX;
  return order_of(o) > stop ? first_block(CUT_HALVES, stop, order_of(o)) : 0;
}
static trigon_status begin(engine *e, const operation *o, engine **work) {
  (void)o;
  *work = e;
  return TRIGON_OK;
}
static trigon_status end(engine *e, bool succeeded) {
  (void)e, (void)succeeded;
  return TRIGON_OK;
}
static void destroy(engine *e) { (void)e; }

static view square(int64_t n) { return (view){.type = TRIGON_D, .m = n, .n = n, .ld = n, .count = 1}; }

/* What the decorator's cut returns in a call, or -1 if the decorator takes no part. */
static int64_t cut_of(engine *fp64, operation o) {
  engine *work = NULL;
  if (fp64->begin(fp64, &o, &work) != TRIGON_OK) abort();
  const int64_t n1 = work == fp64 ? work->cut(work, &o) : -1;
  fp64->end(fp64, true);
  return n1;
}

/* What a call needs, or -1 if it asks for another workspace when it begins. */
static int64_t asked_need(engine *fp64, operation o) {
  engine *work = NULL;
  asked = 0;
  if (fp64->begin(fp64, &o, &work) != TRIGON_OK) abort();
  const int64_t bytes = fp64->need(fp64, &o);
  fp64->end(fp64, true);
  return bytes == asked ? bytes : -1;
}

static operation potrf(int64_t n) { return (operation){.routine = ROUTINE_POTRF, .A = square(n)}; }
static operation syrk(int64_t n) {
  return herk(TRIGON_LOWER, TRIGON_NOTRANS, (trigon_scalar){1, 0}, square(n), (trigon_scalar){1, 0}, square(n));
}

int main(void) {
  static const machine_ops ops = {.keep = keep, .upload = upload, .lend = lend};
  product_times doubles = times_from(4096);
  const emulation_support support = {.doubles = &doubles};
  reason why = {0};
  machine device = {.ops = &ops, .emulation = &support, .why = &why};
  engine inner = {
      .begin = begin, .end = end, .cut = cut, .need = needs_nothing, .destroy = destroy, .machine = &device};
  engine *fp64 = NULL;
  if (fp64_create(&inner, 0, &fp64) != TRIGON_OK) abort();

  fp64_set(fp64, TRIGON_FP64_AUTO, TRIGON_FP64_GUARANTEED);
  check(cut_of(fp64, syrk(2048)) == -1, "a slow update is the engine's");
  check(cut_of(fp64, syrk(4096)) == 0 && cut_of(fp64, syrk(5000)) == 0, "an update that is faster stays whole");
  check(cut_of(fp64, potrf(8192)) == -1, "a leaf stays whole, though its update is a little faster");
  check(cut_of(fp64, potrf(16384)) == 8192 && cut_of(fp64, potrf(32768)) == 16384, "the engine's own cuts");
  doubles = times_from(2048);
  check(cut_of(fp64, potrf(8192)) == 4096, "a leaf is cut for an update that is much faster");
  check(cut_of(fp64, potrf(4096)) == -1, "a leaf whose update is not much faster");
  doubles = times_from(16384);
  check(cut_of(fp64, potrf(16384)) == -1, "nothing is faster");

  fp64_set(fp64, TRIGON_FP64_INT8, TRIGON_FP64_GUARANTEED);
  check(cut_of(fp64, syrk(600)) == 0 && cut_of(fp64, syrk(30)) == 0, "each update stays whole in the mode int8");
  operation infinite = syrk(600);
  infinite.alpha.re = INFINITY;
  check(cut_of(fp64, infinite) == first_block(CUT_HALVES, 512, 600), "alpha is an obstacle: the engine's own cut");
  check(cut_of(fp64, potrf(4096)) == 2048 && cut_of(fp64, potrf(1024)) == -1, "the mode int8 cuts down to its stop");
  fp64_set(fp64, TRIGON_FP64_DOUBLE_FLOAT, 0);
  check(cut_of(fp64, syrk(4096)) == first_block(CUT_HALVES, 512, 4096), "updates are cut for products by pairs");
  fp64_set(fp64, TRIGON_FP64_NATIVE, 0);
  check(cut_of(fp64, potrf(16384)) == -1, "native calls");
  check(asked_need(fp64, potrf(16384)) == 0, "a native call needs what the engine inside needs");
  fp64_set(fp64, TRIGON_FP64_INT8, TRIGON_FP64_GUARANTEED);
  const int64_t small = asked_need(fp64, syrk(600)), large = asked_need(fp64, syrk(1200));
  check(0 < small && small < large, "an emulated call needs a workspace by its size, and asks for it when it begins");
  check(asked_need(fp64, syrk(0)) == 0, "a trivial call needs none");
  fp64->destroy(fp64);
  return checked();
}

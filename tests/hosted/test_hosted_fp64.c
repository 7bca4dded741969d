/* test_hosted_fp64.c - emulated products of contexts with their matrices in host memory: results, bits, and what
 * trigon_last_fp64 tells. */
#include <math.h>
#include <string.h>

#include "hosted_support.h"

enum { memory_besides = (4 << 20) + (64 << 10) }; /* the workspace of the BLAS, and constants of products */

/* The report is about all devices and all steps, however many there are. */
static void check_emulation(const char *context, pair *p, trigon_fp64_report *report) {
  trigon_context *ctx = create(context);
  if (!ctx) return;
  check_that(trigon_set_fp64(ctx, TRIGON_FP64_INT8, TRIGON_FP64_GUARANTEED) == TRIGON_OK, "%s", trigon_message(ctx));
  for (int call = 0; call < 2; call++) { /* the second report is not about both */
    fill(p);
    check_that(compute(ctx, p) == TRIGON_OK && trigon_finish(ctx, NULL) == TRIGON_OK, "%s", trigon_message(ctx));
  }
  check_that(trigon_last_fp64(ctx, report) == TRIGON_OK, "%s", trigon_message(ctx));
  check_that(report->mode == TRIGON_FP64_INT8, "mode %d is reported", (int)report->mode);
  check_that(report->emulated > 1 && report->emulated <= report->products && report->moduli > 0 && report->bits > 0,
             "%s: %lld of %lld products, %d moduli, %g bits", context, (long long)report->emulated,
             (long long)report->products, report->moduli, report->bits);
  check_that(is_inverse(p), "emulated products give another inverse");
  trigon_destroy(ctx);
}

/* A call of which no step runs has no products: a zero on the diagonal ends it. */
static void check_report_without_steps(pair *p) {
  trigon_context *ctx = create("sim:0-1?stop=16");
  trigon_fp64_report report = {0};
  int64_t info = 0;
  if (!ctx) return;
  fill(p);
  check_that(trigon_set_fp64(ctx, TRIGON_FP64_INT8, TRIGON_FP64_GUARANTEED) == TRIGON_OK, "%s", trigon_message(ctx));
  check_that(compute(ctx, p) == TRIGON_OK && trigon_finish(ctx, NULL) == TRIGON_OK, "%s", trigon_message(ctx));
  p->A[5 + 5 * LD] = 0;
  check_that(trigon_dtrtri(ctx, TRIGON_LOWER, TRIGON_NONUNIT, N, p->A, LD, NULL) == TRIGON_OK, "%s",
             trigon_message(ctx));
  check_that(trigon_finish(ctx, &info) == TRIGON_OK && info == 6, "info is %lld: %s", (long long)info,
             trigon_message(ctx));
  check_that(trigon_last_fp64(ctx, &report) == TRIGON_OK && report.products == 0 && report.mode == TRIGON_FP64_INT8,
             "%lld products of an earlier call are reported", (long long)report.products);
  trigon_destroy(ctx);
}

/* Emulated products that take memory after the windows were measured: a larger call finds room. */
static void check_memory_of_products(void) {
  enum { order = 900 };
  trigon_context *ctx = create("sim:3:host?stop=64&memory=14M");
  double *A = malloc(sizeof *A * order * order), *C = calloc(order * order, sizeof *C);
  if (ctx && A && C) {
    for (int64_t i = 0; i < order * order; i++) A[i] = entry(i % order, i / order) + (i % (order + 1) == 0 ? 3 : 0);
    check_that(trigon_set_fp64(ctx, TRIGON_FP64_INT8, TRIGON_FP64_GUARANTEED) == TRIGON_OK, "%s", trigon_message(ctx));
    for (int64_t n = 256; n <= order; n += order - 256) {
      check_that(trigon_dsyrk(ctx, TRIGON_LOWER, TRIGON_NOTRANS, n, 64, 1, A, order, 0, C, order) == TRIGON_OK,
                 "order %lld: %s", (long long)n, trigon_message(ctx));
      check_that(trigon_finish(ctx, NULL) == TRIGON_OK, "order %lld: %s", (long long)n, trigon_message(ctx));
    }
  }
  free(A);
  free(C);
  trigon_destroy(ctx);
}

static int64_t memory_of(trigon_context *ctx) {
  int64_t bytes = 0;
  check_that(trigon_memory(ctx, &bytes) == TRIGON_OK, "%s", trigon_message(ctx));
  return bytes;
}

/* The cap is for the memory of emulated products, too, whether it comes before or behind their mode. The vendor's BLAS
 * has its workspace besides. From some megabytes on there is room enough for them. */
static void check_cap(pair *p, int64_t cap, bool cap_first) {
  trigon_context *ctx = create("sim:0-1?stop=16");
  if (!ctx) return;
  trigon_fp64_report report = {0};
  const int64_t devices = 2, before = memory_of(ctx);
  for (int i = 0; i < 2; i++)
    if ((i == 0) == cap_first)
      check_that(trigon_set_workspace(ctx, NULL, cap) == TRIGON_OK, "%s", trigon_message(ctx));
    else
      check_that(trigon_set_fp64(ctx, TRIGON_FP64_INT8, TRIGON_FP64_GUARANTEED) == TRIGON_OK, "%s",
                 trigon_message(ctx));
  fill(p);
  check_that(compute(ctx, p) == TRIGON_OK && trigon_finish(ctx, NULL) == TRIGON_OK, "%s", trigon_message(ctx));
  check_that(is_inverse(p), "under a cap of %lld the inverse is another one", (long long)cap);
  check_that(memory_of(ctx) <= before + devices * (cap + memory_besides), "%lld bytes under a cap of %lld",
             (long long)((memory_of(ctx) - before) / devices), (long long)cap);
  check_that(trigon_last_fp64(ctx, &report) == TRIGON_OK, "%s", trigon_message(ctx));
  check_that(report.emulated == report.products || cap < 8 << 20,
             "under a cap of %lld %lld of %lld products are emulated: %s", (long long)cap, (long long)report.emulated,
             (long long)report.products, report.why ? report.why : "");
  trigon_destroy(ctx);
}

/* A division of the cap that fails on one of the GPUs is told, and tried again before the next products: both GPUs keep
 * to their shares. Returns whether a failure was met. */
static bool check_repair(pair *p, int failing) {
  enum { small = 24 << 10, devices = 2 };
  char name[60];
  snprintf(name, sizeof name, "sim:0-1?stop=16&fail=query:%d", failing);
  trigon_context *ctx = NULL;
  if (trigon_create(name, &ctx, NULL, 0) != TRIGON_OK) return false;
  const int64_t before = memory_of(ctx);
  const trigon_status capped = trigon_set_workspace(ctx, NULL, small);
  const trigon_status set = trigon_set_fp64(ctx, TRIGON_FP64_INT8, TRIGON_FP64_GUARANTEED);
  check_that(capped == TRIGON_OK || *trigon_message(ctx), "query %d fails without a reason", failing);
  if (set != TRIGON_OK) {
    const trigon_status again = trigon_set_fp64(ctx, TRIGON_FP64_INT8, TRIGON_FP64_GUARANTEED);
    check_that(again == TRIGON_OK, "query %d: %s", failing, trigon_message(ctx));
  }
  fill(p);
  const trigon_status status = compute(ctx, p), finished = trigon_finish(ctx, NULL);
  if (status == TRIGON_OK && finished == TRIGON_OK) check_that(is_inverse(p), "query %d: another inverse", failing);
  check_that(memory_of(ctx) <= before + devices * (small + memory_besides), "query %d: %lld bytes under a cap of %d",
             failing, (long long)((memory_of(ctx) - before) / devices), (int)small);
  trigon_destroy(ctx);
  return capped != TRIGON_OK || set != TRIGON_OK || status != TRIGON_OK || finished != TRIGON_OK;
}

static void check_repairs(pair *p) {
  enum { several = 40 };
  char name[60];
  int first = 0, failures = 0;
  trigon_context *ctx = NULL;
  do { /* the queries of the creation come first */
    first++;
    snprintf(name, sizeof name, "sim:0-1?stop=16&fail=query:%d", first);
  } while (trigon_create(name, &ctx, NULL, 0) != TRIGON_OK && first < 10000);
  trigon_destroy(ctx);
  for (int failing = first; failing < first + several; failing++) failures += check_repair(p, failing);
  check_that(failures > 0, "no query failed");
}

int main(void) {
  trigon_fp64_report alone = {0}, two = {0};
  pair *p = malloc(sizeof *p), *q = malloc(sizeof *q);
  trigon_context *failing = create("sim:2:host?stop=16&fail=alloc:2");
  if (p && q) {
    check_emulation("sim:0:host?stop=12", p, &alone); /* seven tiles */
    check_emulation("sim:0-1?stop=12", q, &two);
    check_that(memcmp(p, q, sizeof *p) == 0, "emulated products of two devices have other bits");
    check_report_without_steps(p);
    for (int64_t cap = 24 << 10; cap <= 64 << 20; cap *= 3) check_cap(p, cap, true), check_cap(p, cap, false);
    check_repairs(p);
  }
  check_that(alone.products == two.products && alone.emulated == two.emulated && alone.tiles == two.tiles &&
                 alone.moduli == two.moduli && alone.bits == two.bits,
             "two devices report %lld products and %lld tiles, one %lld and %lld", (long long)two.products,
             (long long)two.tiles, (long long)alone.products, (long long)alone.tiles);
  if (failing)
    check_that(trigon_set_fp64(failing, TRIGON_FP64_INT8, TRIGON_FP64_GUARANTEED) == TRIGON_NO_MEMORY &&
                   strstr(trigon_message(failing), "the allocation of"),
               "no reason: \"%s\"", trigon_message(failing));
  check_memory_of_products();
  trigon_destroy(failing);
  free(p);
  free(q);
  return checked();
}

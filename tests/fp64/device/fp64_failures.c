/* fp64_failures.c - every operation that trigon_set_fp64, an emulated call and trigon_last_fp64 ask of the device fails
 * once, and the device is lost once. These tests run on the simulated GPU, which fails on demand. */
#include <stdio.h>
#include <string.h>

#include "fp64_product.h"

static const char *const kinds[] = {"alloc", "copy", "launch", "blas", "event", "wait", "query", "lost"};

typedef struct attempt {
  const device *d;
  const char *kind;
  job job;
  trigon_context *ctx;
} attempt;

/* Checks a status, and that a failure has a message. */
static bool went(const attempt *a, trigon_status status, const char *step, const char *options) {
  if (status == TRIGON_OK) return true;
  check(strcmp(a->kind, "alloc") == 0 ? status == TRIGON_NO_MEMORY : status == TRIGON_DEVICE_FAILED,
        "%s, %s: status %d", options, step, (int)status);
  check(strstr(trigon_message(a->ctx), step) || strcmp(step, "call") == 0, "%s, %s: message \"%s\"", options, step,
        trigon_message(a->ctx));
  check(*trigon_message(a->ctx) != 0, "%s, %s: no message", options, step);
  return false;
}

/* Makes all steps up to the step that fails. */
static bool steps(attempt *a, const char *options, trigon_fp64_report *report) {
  return went(a, trigon_set_fp64(a->ctx, TRIGON_FP64_INT8, TRIGON_FP64_GUARANTEED), "trigon_set_fp64", options) &&
         went(a, call_matrix(a->ctx, &a->job.call), "call", options) &&
         went(a, trigon_last_fp64(a->ctx, report), "trigon_last_fp64", options);
}

/* Operation number k of the kind fails. After that the context computes as if nothing had happened. Returns whether all
 * steps succeeded. */
static bool fail(attempt *a, int64_t k) {
  char options[64];
  trigon_fp64_report report = {.mode = TRIGON_FP64_NATIVE};
  const device *d = a->d;
  const int64_t bytes = d->runtime.allocated(d->number), handles = d->runtime.handles(d->number);
  const bool lost = strcmp(a->kind, "lost") == 0;
  snprintf(options, sizeof options, "stop=16&fail=%s:%lld", a->kind, (long long)k);
  job_send(&a->job);
  a->ctx = device_open(d, options);
  const bool all = steps(a, options, &report);
  if (lost) { /* after this the device has to be reset */
    trigon_destroy(a->ctx);
    trigon_destroy(device_open(d, ""));
  } else {
    trigon_context *maker = a->job.ctx;
    a->job.ctx = a->ctx;
    if (all) job_check(&a->job, options);
    check(trigon_finish(a->ctx, NULL) == TRIGON_OK, "%s: finish: %s", options, trigon_message(a->ctx));
    job_send(&a->job);
    check(steps(a, options, &report), "%s: again", options);
    job_check(&a->job, options);
    check(report.emulated == report.products || report.why, "%s: not all is emulated, and nothing says why", options);
    accepted(a->ctx, trigon_set_workspace(a->ctx, NULL, 64 * MIB), "a workspace");
    job_send(&a->job);
    check(steps(a, options, &report), "%s: again, with memory", options);
    job_check(&a->job, options);
    check(report.products > 0 && report.emulated == report.products, "%s: with memory %lld of %lld are emulated: %s",
          options, (long long)report.emulated, (long long)report.products, report.why ? report.why : "");
    a->job.ctx = maker;
    trigon_destroy(a->ctx);
  }
  const int64_t left = d->runtime.allocated(d->number) - bytes;
  check(left == 0, "%s: %lld bytes are left behind", options, (long long)left);
  check(d->runtime.handles(d->number) == handles, "%s: handles are left behind", options);
  return all;
}

void test_emulated_failures(const device *d) {
  static const enum tested_routine all[] = {GEMM, SYRK};
  if (!d->simulated) {
    printf("skipped: failures on demand; %s does not fail on demand\n", d->name);
    return;
  }
  for (int r = 0; r < 2; r++)
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
      attempt a = {.d = d, .kind = kinds[i]};
      trigon_fp64_report report;
      trigon_context *maker = device_open(d, "");
      job_make(&a.job, maker, all[r], r ? TRIGON_Z : TRIGON_D, 40, 5);
      job_send(&a.job);
      a.ctx = device_open(d, "stop=16");
      const int64_t before = d->runtime.operations(d->number, kinds[i]);
      check(steps(&a, "nothing fails", &report) && report.emulated > 0, "a failure from nowhere");
      const int64_t after = d->runtime.operations(d->number, kinds[i]);
      trigon_destroy(a.ctx);
      int64_t survived = 0;
      for (int64_t k = before + 1; k <= after; k++) survived += fail(&a, k);
      /* Without memory for either workspace a call computes all the same. */
      check(survived <= (strcmp(kinds[i], "alloc") == 0 ? 2 : 0), "%s: %lld of %lld failures are not told", kinds[i],
            (long long)survived, (long long)(after - before));
      job_free(&a.job);
      trigon_destroy(maker);
    }
}

/* device_vendor.c - leaf=vendor and native=1 with cuSOLVER, which may be missing, short of memory, or refuse a size.
 *
 * The simulated GPU has a cuSOLVER with the setting solver=1 (simulator/sim_solver.h). Another variant of a leaf runs
 * if cuSOLVER cannot. With native=1 the call is refused before it writes anything. */
#include <stdio.h>
#include <string.h>

#include "support/device_recording.h"

enum { ORDER = 60 };
static const enum tested_routine by_solver[] = {POTRF, POTRS, POSV, TRTRI, POTRI};
enum { BY_SOLVER = sizeof by_solver / sizeof *by_solver };

static int64_t operations(const device *d, const char *kind) { return d->runtime.operations(d->number, kind); }

/* TRTRI and POTRI of every type, once alone, and as blocks of the recursion. */
static void invert_all(trigon_context *ctx, const char *when) {
  for (int i = 0; i < 8; i++)
    job_whole(ctx, i < 4 ? TRTRI : POTRI, (trigon_type) "sdcz"[i % 4], ORDER + i, (uint64_t)i, when);
}

/* The leaves of the inverse are cuSOLVER's if there is one: they count as calls of the BLAS. */
static void leaves(const device *d) {
  int64_t calls[2];
  for (int there = 0; there < 2; there++) {
    trigon_context *ctx = device_open(d, there ? "leaf=vendor&stop=40&solver=1" : "leaf=vendor&stop=40");
    const int64_t before = operations(d, "blas");
    invert_all(ctx, there ? "leaves by cuSOLVER" : "leaf=vendor without cuSOLVER");
    calls[there] = operations(d, "blas") - before;
    trigon_destroy(ctx);
  }
  check(calls[1] > calls[0], "cuSOLVER computes leaves: %lld calls, without it %lld", (long long)calls[1],
        (long long)calls[0]);
}

/* Each allocation of a call fails in turn: the workspace of the BLAS, and those of cuSOLVER. The call needs none. */
static void without_memory(const device *d) {
  char options[80] = "leaf=vendor&stop=40&solver=1";
  int64_t before = 0, count = 0;
  for (int64_t k = 0; k <= count; k++) {
    if (k > 0)
      snprintf(options, sizeof options, "leaf=vendor&stop=40&solver=1&fail=alloc:%lld", (long long)(before + k));
    trigon_context *ctx = device_open(d, options);
    job j;
    job_make(&j, ctx, TRTRI, TRIGON_D, ORDER, 1);
    job_send(&j);
    before = operations(d, "alloc");
    job_call(&j);
    if (k == 0) count = operations(d, "alloc") - before;
    job_check(&j, options);
    job_free(&j);
    trigon_destroy(ctx);
  }
  check(count >= 3, "%lld allocations: a workspace for the BLAS, one for cuSOLVER, and its info", (long long)count);
}

/* During a capture cuSOLVER can neither be opened nor get a workspace. Another variant is captured then. */
static void captured(const device *d) {
  for (int opened = 0; opened < 2; opened++) {
    trigon_context *ctx = device_open(d, "leaf=vendor&solver=1&stop=1000");
    job j;
    accepted(ctx, trigon_reserve(ctx, 1), "reserve");
    if (opened) job_whole(ctx, TRTRI, TRIGON_D, ORDER / 2, 1, "before a capture");
    job_make(&j, ctx, TRTRI, TRIGON_D, ORDER, 2);
    recording r = record(d, ctx, &j, GLOBAL);
    job_fill(&j, 3);
    replay(&r, &j, "captured with leaf=vendor");
    record_free(&r, ctx);
    job_free(&j);
    trigon_destroy(ctx);
  }
}

/* ------------------------------------------------------------------------------------------------- native=1 -- */

/* The call is refused with this message. Nothing was launched, so nothing was written. */
static void refused(const device *d, job *j, trigon_status due, const char *words) {
  char stray[128];
  const int64_t launches = operations(d, "launch"), calls = operations(d, "blas");
  const trigon_status status = call_matrix(j->ctx, &j->call);
  check(status == due && strstr(trigon_message(j->ctx), words), "%s: status %d, must be %d: %s", j->text, (int)status,
        (int)due, trigon_message(j->ctx));
  check(operations(d, "launch") == launches && operations(d, "blas") <= calls + 2,
        "%s: a refused call launches nothing", j->text); /* the BLAS may get its stream and its workspace */
  job_receive(j);
  for (int i = 0; i < operands(j->call.routine); i++)
    check(!guarded_stray(&j->host[i], (region){REGION_NONE, false}, stray, sizeof stray),
          "%s: a refused call writes nothing", j->text);
}

static void job_for(job *j, trigon_context *ctx, enum tested_routine routine, int64_t order) {
  job_make(j, ctx, routine, TRIGON_D, order, 5);
  job_send(j);
}

static void refused_routine(const device *d, trigon_context *ctx, enum tested_routine routine, int64_t order,
                            trigon_status due, const char *words) {
  job j;
  job_for(&j, ctx, routine, order);
  refused(d, &j, due, words);
  job_free(&j);
}

static void native(const device *d) {
  trigon_context *ctx = device_open(d, "native=1&solver=1");
  for (int i = 0; i < BY_SOLVER; i++)
    for (int t = 0; t < 4; t++) {
      job_whole(ctx, by_solver[i], (trigon_type) "sdcz"[t], ORDER, 1, "native=1");
      job_whole(ctx, by_solver[i], (trigon_type) "sdcz"[t], ORDER + 1, 2, "native=1");
    }
  refused_routine(d, ctx, TRSM, ORDER, TRIGON_NOT_SUPPORTED, "native=1 has no such routine");
  trigon_destroy(ctx);
}

/* cuSOLVER's info becomes that of the call. Without an info, trigon_finish tells the first failure. */
static void failed_pivots(const device *d) {
  trigon_context *ctx = device_open(d, "native=1&solver=1");
  for (int i = 0; i < BY_SOLVER; i++) {
    job j;
    job_for(&j, ctx, by_solver[i], ORDER);
    for (int64_t at = 0; at < ORDER && job_can_fail(&j); at += ORDER - 1) {
      job_fill(&j, 6);
      job_spoil(&j, at);
      job_send(&j);
      job_call(&j);
      job_check(&j, "native=1, and it fails");
      job_fill(&j, 7);
      job_send(&j);
      job_call(&j);
      job_check(&j, "native=1, after a failure");
    }
    job_free(&j);
  }
  trigon_destroy(ctx);
}

/* Sizes that 32 bits do not hold are refused by name. */
static void large_batch(const device *d) {
  trigon_context *ctx = device_open(d, "native=1&solver=1");
  void *memory = NULL;
  accepted(ctx, trigon_alloc(ctx, 16, &memory), "memory");
  check(trigon_dpotrf_strided(ctx, TRIGON_LOWER, 1, 1, memory, INT64_C(1) << 31, 1, (int64_t *)memory + 1) ==
                TRIGON_NOT_SUPPORTED &&
            strstr(trigon_message(ctx), "(lda): 2147483648 "),
        "a batch with a large leading dimension: %s", trigon_message(ctx));
  accepted(ctx, trigon_free(ctx, memory), "free");
  trigon_destroy(ctx);
}

/* POTRI of cuSOLVER has sizes and a workspace of 32 bits. (The limit of the simulated one is 300.) */
static void large_orders(const device *d) {
  trigon_context *ctx = device_open(d, "native=1&solver=1");
  job j;
  job_whole(ctx, POTRI, TRIGON_S, 300, 1, "the largest order");
  refused_routine(d, ctx, POTRI, 301, TRIGON_NOT_SUPPORTED, "(A): cuSOLVER's potri cannot take order 301");
  job_for(&j, ctx, POTRI, 1);
  const int64_t ld = j.call.stored[0].ld;
  j.call.stored[0].ld = INT64_C(1) << 31;
  refused(d, &j, TRIGON_NOT_SUPPORTED, "leading dimension 2147483648");
  j.call.stored[0].ld = ld;
  job_call(&j);
  job_check(&j, "after a refused call");
  job_free(&j);
  trigon_destroy(ctx);
}

/* Without cuSOLVER, or without memory for its workspace, the call is refused before it begins. */
static void without_solver(const device *d) {
  for (int i = 0; i < BY_SOLVER; i++) {
    trigon_context *ctx = device_open(d, "native=1&solver=1");
    trigon_context *other = device_open(d, ""); /* from here on the device has no cuSOLVER */
    refused_routine(d, ctx, by_solver[i], ORDER, TRIGON_NOT_SUPPORTED, "does not load");
    trigon_destroy(other);
    trigon_destroy(ctx);
  }
  for (int k = 1; k <= 2; k++) {
    trigon_context *ctx = device_open(d, "native=1&solver=1");
    job j;
    job_for(&j, ctx, POTRI, ORDER);
    accepted(ctx, trigon_reserve(ctx, 1), "reserve");
    char options[60];
    snprintf(options, sizeof options, "solver=1&fail=alloc:%d", k + 1); /* the context `other` has a leaf buffer */
    trigon_context *other = device_open(d, options);
    refused(d, &j, TRIGON_NO_MEMORY, "cuSOLVER");
    job_call(&j);
    job_check(&j, "after a refused call");
    trigon_destroy(other);
    job_free(&j);
    trigon_destroy(ctx);
  }
}

void test_vendor(const device *d) {
  if (!d->simulated) {
    printf("skipped: a cuSOLVER that is missing or refuses; %s has one\n", d->name);
    return;
  }
  leaves(d);
  without_memory(d);
  captured(d);
  native(d);
  failed_pivots(d);
  large_orders(d);
  large_batch(d);
  without_solver(d);
  trigon_destroy(device_open(d, "")); /* resets the device to its defaults */
}

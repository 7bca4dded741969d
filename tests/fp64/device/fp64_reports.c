/* fp64_reports.c - trigon_set_fp64 and trigon_last_fp64: bad arguments, what each kind of call tells, and modes that
 * change. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fp64_product.h"

static trigon_fp64_report report_of(trigon_context *ctx) {
  trigon_fp64_report report = {.mode = (trigon_fp64)77, .moduli = -1, .why = "unset"};
  accepted(ctx, trigon_last_fp64(ctx, &report), "trigon_last_fp64");
  return report;
}

static void expect_report(trigon_context *ctx, trigon_fp64 mode, int64_t products, int64_t emulated, const char *why,
                          const char *when) {
  const trigon_fp64_report r = report_of(ctx);
  check(r.mode == mode && r.products == products && r.emulated == emulated,
        "%s: mode %d, %lld products, %lld emulated; due are %d, %lld, %lld", when, (int)r.mode, (long long)r.products,
        (long long)r.emulated, (int)mode, (long long)products, (long long)emulated);
  check(why ? r.why && strstr(r.why, why) : !r.why, "%s: why is \"%s\", due is \"%s\"", when, r.why ? r.why : "",
        why ? why : "");
  check(emulated > 0 || (r.moduli == 0 && r.bits == 0 && r.tiles == r.not_finite + r.unproved),
        "%s: numbers of a product that was not emulated", when);
}

/* ------------------------------------------------------------------------------------------------- bad arguments -- */

static void refused(trigon_context *ctx, trigon_status status, const char *message) {
  check(status == TRIGON_BAD_ARGUMENT && strcmp(trigon_message(ctx), message) == 0, "status %d, \"%s\", due is \"%s\"",
        (int)status, trigon_message(ctx), message);
}

/* Nothing that is refused changes the mode, and the next good call clears the message. */
static void bad_arguments(trigon_context *ctx) {
  static const int modes[] = {-1, 77, 99, 65}, accuracies[] = {-1, -100, 21, 1000};
  char message[200];
  trigon_fp64_report report = {.moduli = 4711};
  accepted(ctx, trigon_set_fp64(ctx, TRIGON_FP64_INT8, 9), "a mode");
  for (int i = 0; i < 4; i++) {
    snprintf(message, sizeof message, "trigon_set_fp64: argument 1 (mode) is %d, must be a mode of trigon_fp64",
             modes[i]);
    refused(ctx, trigon_set_fp64(ctx, (trigon_fp64)modes[i], 0), message);
    snprintf(message, sizeof message,
             "trigon_set_fp64: argument 2 (accuracy) is %d, must be TRIGON_FP64_GUARANTEED, TRIGON_FP64_FAST or a "
             "number of moduli from 2 to 20",
             accuracies[i]);
    refused(ctx, trigon_set_fp64(ctx, TRIGON_FP64_INT8, accuracies[i]), message);
    refused(ctx, trigon_set_fp64(ctx, TRIGON_FP64_NATIVE, accuracies[i]), message);
    refused(ctx, trigon_set_fp64(ctx, TRIGON_FP64_AUTO, accuracies[i]), message);
  }
  refused(ctx, trigon_last_fp64(ctx, NULL), "trigon_last_fp64: argument 1 (report) is NULL, must point to a report");
  check(trigon_set_fp64(NULL, TRIGON_FP64_INT8, 0) == TRIGON_BAD_ARGUMENT, "trigon_set_fp64 without a context");
  check(trigon_last_fp64(NULL, &report) == TRIGON_BAD_ARGUMENT && report.moduli == 4711,
        "trigon_last_fp64 without a context");
  job_whole(ctx, GEMM, TRIGON_S, 20, 3, "after bad arguments");
  check(report_of(ctx).moduli == 9 && !*trigon_message(ctx), "bad arguments change nothing");
  for (int accuracy = 0; accuracy <= 20; accuracy++)
    accepted(ctx, trigon_set_fp64(ctx, TRIGON_FP64_INT8, accuracy), "every accuracy is accepted");
  accepted(ctx, trigon_set_fp64(ctx, TRIGON_FP64_NATIVE, TRIGON_FP64_GUARANTEED), "native arithmetic");
}

/* ------------------------------------------------------------------------------------- what is told after calls -- */

static void each_kind_of_call(const device *d) {
  trigon_context *ctx = device_open(d, "");
  expect_report(ctx, TRIGON_FP64_NATIVE, 0, 0, NULL, "before any call");
  job_whole(ctx, GEMM, TRIGON_D, 30, 3, "natively");
  expect_report(ctx, TRIGON_FP64_NATIVE, 0, 0, NULL, "after a native call");
  accepted(ctx, trigon_set_fp64(ctx, TRIGON_FP64_INT8, TRIGON_FP64_GUARANTEED), "int8");
  expect_report(ctx, TRIGON_FP64_INT8, 0, 0, NULL, "before an emulated call");
  job_whole(ctx, GEMM, TRIGON_D, 30, 4, "emulated");
  expect_report(ctx, TRIGON_FP64_INT8, 1, 1, NULL, "after an emulated product");
  trigon_fp64_report r = report_of(ctx);
  check(r.tiles == 1 && r.moduli >= 13 && r.moduli <= 17 && r.bits > 50 && r.bits < 77 && r.not_finite == 0 &&
            r.unproved == 0,
        "a product of random doubles: %d moduli, %g bits, %lld tiles", r.moduli, r.bits, (long long)r.tiles);
  job_whole(ctx, GEMM, TRIGON_S, 30, 4, "emulated");
  r = report_of(ctx);
  check(r.moduli >= 5 && r.moduli <= 9, "a product of random floats: %d moduli", r.moduli);
  job_whole(ctx, TRSM, TRIGON_Z, 40, 5, "below the stop");
  expect_report(ctx, TRIGON_FP64_INT8, 0, 0, NULL, "after a solve below order 1024");
  for (int moduli = 14; moduli <= 20; moduli += 3) {
    accepted(ctx, trigon_set_fp64(ctx, TRIGON_FP64_INT8, moduli), "a number of moduli");
    job_whole(ctx, GEMM, TRIGON_Z, 33, 6, "with fixed moduli");
    expect_report(ctx, TRIGON_FP64_INT8, 1, 1, NULL, "with fixed moduli");
    r = report_of(ctx);
    check(r.moduli == moduli && fabs(r.bits - 3.85 * moduli) < 2.5, "%d moduli keep %g bits", r.moduli, r.bits);
  }
  for (int i = 0; i < 2; i++) /* a size beyond all memory is a size like others */
    check(trigon_reserve(ctx, i ? INT64_MAX : 0) != TRIGON_BAD_ARGUMENT, "a reservation: %s", trigon_message(ctx));
  job_whole(ctx, GEMM, TRIGON_D, 30, 7, "after a reservation");
  expect_report(ctx, TRIGON_FP64_INT8, 1, 1, NULL, "after a reservation");
  trigon_destroy(ctx);
}

/* Products that are natively computed as a whole say why. */
static void native_products(const device *d) {
  trigon_context *ctx = device_open(d, "");
  call_target target = {.ctx = ctx};
  product p = product_make(TRIGON_D, 4, 3, 40000, TRIGON_TRANS, TRIGON_NOTRANS);
  product_fill(&p, entry_spread, entry_spread, 0, 3);
  product_emulate(&p, &target, 2); /* their product is 65280, and k needs 128·k */
  expect_report(ctx, TRIGON_FP64_INT8, 1, 0, "too few moduli for k", "with two moduli");
  check(product_share(&p) <= 1, "with two moduli the product is native");
  product_free(&p);
  p = product_make(TRIGON_Z, 4, 3, 5, TRIGON_TRANS, TRIGON_NOTRANS);
  p.call.alpha = (trigon_scalar){NAN, 0};
  product_fill(&p, entry_spread, entry_spread, 0, 3);
  product_emulate(&p, &target, TRIGON_FP64_GUARANTEED);
  expect_report(ctx, TRIGON_FP64_INT8, 1, 0, "alpha is not finite", "with an undefined alpha");
  p.call.alpha = (trigon_scalar){0, 0};
  product_emulate(&p, &target, TRIGON_FP64_GUARANTEED);
  expect_report(ctx, TRIGON_FP64_INT8, 0, 0, NULL, "with alpha = 0");
  product_free(&p);
  call_target_free(&target);
  trigon_destroy(ctx);
}

/* Products of which every tile falls back are native, and say why. The tiles are counted. Two tiles of a third product
 * fall back for different reasons. */
static void native_tiles(const device *d) {
  enum { LINES = 130 };
  trigon_context *ctx = device_open(d, "");
  call_target target = {.ctx = ctx};
  product p = product_make(TRIGON_D, LINES, 4, 70, TRIGON_TRANS, TRIGON_NOTRANS);
  product_fill(&p, entry_spread, entry_spread, 20, 3);
  product_emulate(&p, &target, TRIGON_FP64_GUARANTEED);
  expect_report(ctx, TRIGON_FP64_INT8, 1, 0, "no tile can be proved with 20 moduli", "without proof");
  check(p.report.unproved == 2 && p.report.not_finite == 0, "two tiles without proof");
  for (int64_t i = 0; i < LINES; i++) product_put(&p, OF_A, i, 1, (trigon_scalar){NAN, 0});
  product_emulate(&p, &target, TRIGON_FP64_FAST);
  expect_report(ctx, TRIGON_FP64_INT8, 1, 0, "all tiles have NaN or infinity", "with NaN in all rows");
  check(p.report.not_finite == 2 && p.report.unproved == 0, "two tiles with NaN");
  product_fill(&p, entry_spread, entry_spread, 0, 3);
  product_put(&p, OF_A, LINES - 1, 1, (trigon_scalar){INFINITY, 0});
  product_emulate(&p, &target, TRIGON_FP64_GUARANTEED);
  expect_report(ctx, TRIGON_FP64_INT8, 1, 1, NULL, "with a tile that is emulated");
  check(p.report.not_finite == 1 && p.report.tiles == 2, "one of two tiles falls back");
  product_free(&p);
  call_target_free(&target);
  trigon_destroy(ctx);
}

/* In auto the decision is a table's, and says so. Values are right, whatever the decision is. */
static void automatic(const device *d) {
  trigon_context *ctx = device_open(d, "stop=16");
  accepted(ctx, trigon_set_fp64(ctx, TRIGON_FP64_AUTO, TRIGON_FP64_GUARANTEED), "auto");
  for (int r = 0; r < TESTED_ROUTINES; r++) {
    job_whole(ctx, (enum tested_routine)r, (trigon_type) "dz"[r % 2], 40, 3, "in auto");
    const trigon_fp64_report report = report_of(ctx);
    check(report.mode == TRIGON_FP64_AUTO && report.emulated <= report.products &&
              (report.emulated == report.products || report.why),
          "%s in auto: %lld of %lld, %s", routines[r].name, (long long)report.emulated, (long long)report.products,
          report.why ? report.why : "");
  }
  trigon_destroy(ctx);
}

/* All products of each routine on top are emulated. Tiles that fell back are counted over all of them. */
static void every_routine(const device *d) {
  trigon_context *ctx = device_open(d, "stop=16");
  for (int accuracy = TRIGON_FP64_GUARANTEED; accuracy <= TRIGON_FP64_FAST; accuracy++)
    for (int r = 0; r < TESTED_ROUTINES; r++) {
      accepted(ctx, trigon_set_fp64(ctx, TRIGON_FP64_INT8, accuracy), "int8");
      job_whole(ctx, (enum tested_routine)r, (trigon_type) "dzsc"[(r + accuracy) % 4], 50, 3, "emulated");
      const trigon_fp64_report report = report_of(ctx);
      check(report.products > 0 && report.emulated == report.products && !report.why && report.moduli > 0 &&
                report.tiles >= report.products && report.unproved + report.not_finite <= report.tiles,
            "%s: %lld of %lld products in %lld tiles, %d moduli, %s", routines[r].name, (long long)report.emulated,
            (long long)report.products, (long long)report.tiles, report.moduli, report.why ? report.why : "");
    }
  trigon_destroy(ctx);
}

/* -------------------------------------------------------------------------------------- contexts and their modes -- */

/* A mode changes nothing in native calls, before and after it. */
static void modes_change(const device *d) {
  call_target target = {.ctx = device_open(d, "")};
  product p = product_make(TRIGON_D, 33, 40, 50, TRIGON_NOTRANS, TRIGON_TRANS);
  product_fill(&p, entry_spread, entry_spread, 1, 4);
  product native = product_copy(&p), emulated = product_copy(&p);
  product_run(&native, &target);
  for (int turn = 0; turn < 3; turn++) {
    product_emulate(turn == 0 ? &emulated : &p, &target, TRIGON_FP64_GUARANTEED);
    check(turn == 0 ? !product_same(&emulated, &native) : product_same(&p, &emulated), "emulated, turn %d", turn);
    product_emulate(&p, &target, 11);
    check(!product_same(&p, &emulated) && p.report.moduli == 11, "with 11 moduli, turn %d", turn);
    accepted(target.ctx, trigon_set_fp64(target.ctx, TRIGON_FP64_NATIVE, TRIGON_FP64_FAST), "native");
    product_run(&p, &target);
    check(product_same(&p, &native), "natively, turn %d", turn);
    expect_report(target.ctx, TRIGON_FP64_NATIVE, 0, 0, NULL, "natively");
  }
  product_free(&p), product_free(&native), product_free(&emulated);
  call_target_free(&target);
  trigon_destroy(target.ctx);
}

/* Each context has its own mode, memory and report. */
static void two_contexts(const device *d) {
  call_target first = {.ctx = device_open(d, "")}, second = {.ctx = device_open(d, "")};
  product p = product_make(TRIGON_Z, 33, 9, 21, TRIGON_CONJTRANS, TRIGON_TRANS);
  product_fill(&p, entry_spread, entry_spread, 1, 4);
  product q = product_copy(&p), native = product_copy(&p);
  product_run(&native, &second);
  product_emulate(&p, &first, TRIGON_FP64_GUARANTEED);
  product_run(&q, &second);
  check(product_same(&q, &native) && !product_same(&p, &native), "the mode of another context");
  product_emulate(&q, &second, 9);
  check(report_of(first.ctx).moduli == p.report.moduli && q.report.moduli == 9, "the report of another context");
  call_target_free(&second);
  trigon_destroy(second.ctx);
  product_run(&q, &first);
  check(product_same(&p, &q), "after another context has ended");
  product_free(&p), product_free(&q), product_free(&native);
  call_target_free(&first);
  trigon_destroy(first.ctx);
}

/* A trace counts the products that the mode emulates, and no other work: it sees the same as in a native context whose
 * recursion ends at the same order. */
static void traced(const device *d) {
  enum { KINDS = TRIGON_LAUUM + 1, ORDER = 70 };
  trigon_count native[KINDS] = {{0}}, emulated[KINDS] = {{0}};
  trigon_context *ctx = device_open(d, "trace=1&stop=16");
  job_whole(ctx, POTRF, TRIGON_D, ORDER, 3, "traced natively");
  check(trigon_trace(ctx, native, KINDS) == TRIGON_OK, "the counts");
  accepted(ctx, trigon_set_fp64(ctx, TRIGON_FP64_INT8, TRIGON_FP64_GUARANTEED), "int8");
  job_whole(ctx, POTRF, TRIGON_D, ORDER, 3, "traced and emulated");
  check(trigon_trace(ctx, emulated, KINDS) == TRIGON_OK, "the counts");
  double due = 0, found = 0;
  for (int i = 0; i < KINDS; i++) due += native[i].flops, found += emulated[i].flops;
  check(due > 0 && fabs(found - due) <= 1e-9 * due, "%g flops natively, %g emulated", due, found);
  const trigon_fp64_report report = report_of(ctx);
  check(emulated[TRIGON_GEMM].flops > 0 && report.emulated > 0 && report.emulated == report.products,
        "a traced call emulates %lld of %lld products", (long long)report.emulated, (long long)report.products);
  trigon_destroy(ctx);
}

/* Batches take no part, and work as before. */
static void batches(const device *d) {
  enum { ORDER = 20, COUNT = 3, ALL = COUNT * ORDER * ORDER };
  static double A[ALL], due[ALL], found[ALL];
  const trigon_matrix host = {A, TRIGON_D, ALL, 1, ALL}, back = {found, TRIGON_D, ALL, 1, ALL};
  trigon_context *ctx = device_open(d, "");
  void *memory, *info;
  for (int e = 0; e < ALL; e++) A[e] = e % (ORDER * ORDER) % (ORDER + 1) == 0 ? ORDER : 1.0 / (1 + e % 7);
  accepted(ctx, trigon_alloc(ctx, sizeof A, &memory), "memory");
  accepted(ctx, trigon_alloc(ctx, COUNT * (int64_t)sizeof(int64_t), &info), "memory");
  const trigon_matrix there = {memory, TRIGON_D, ALL, 1, ALL};
  for (int emulated = 0; emulated < 2; emulated++) {
    if (emulated) {
      accepted(ctx, trigon_set_fp64(ctx, TRIGON_FP64_INT8, TRIGON_FP64_FAST), "int8");
      job_whole(ctx, GEMM, TRIGON_D, 20, 4, "before a batch");
    }
    accepted(ctx, trigon_upload(ctx, host, there), "an upload");
    accepted(ctx, trigon_dpotrf_strided(ctx, TRIGON_LOWER, COUNT, ORDER, memory, ORDER, ORDER * ORDER, (int64_t *)info),
             "a batch");
    accepted(ctx, trigon_download(ctx, there, back), "a download");
    if (!emulated) memcpy(due, found, sizeof due);
  }
  check(memcmp(due, found, sizeof due) == 0, "a batch computes other bits in the mode int8");
  expect_report(ctx, TRIGON_FP64_INT8, 0, 0, NULL, "after a batch");
  accepted(ctx, trigon_free(ctx, memory), "free"), accepted(ctx, trigon_free(ctx, info), "free");
  trigon_destroy(ctx);
}

void test_reports(const device *d) {
  const device cpu = {.name = "cpu"}, *const both[] = {&cpu, d};
  for (int i = 0; i < 2; i++) {
    trigon_context *ctx = device_open(both[i], "");
    bad_arguments(ctx);
    trigon_destroy(ctx);
    each_kind_of_call(both[i]);
    native_products(both[i]);
    native_tiles(both[i]);
    automatic(both[i]);
    every_routine(both[i]);
    modes_change(both[i]);
    two_contexts(both[i]);
    traced(both[i]);
    batches(both[i]);
  }
}

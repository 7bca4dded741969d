/* fp64_captures.c - emulated products in graphs: after a first call, a captured call replays on new data. */
#include <stdlib.h>
#include <string.h>

#include "fp64_product.h"
#include "support/device_recording.h"

static void emulate_by(trigon_context *ctx, trigon_fp64 mode) {
  accepted(ctx, trigon_set_fp64(ctx, mode, TRIGON_FP64_GUARANTEED), "trigon_set_fp64");
}
static void emulate(trigon_context *ctx) { emulate_by(ctx, TRIGON_FP64_INT8); }

static trigon_fp64_report report_of(trigon_context *ctx) {
  trigon_fp64_report report = {.moduli = -1};
  accepted(ctx, trigon_last_fp64(ctx, &report), "trigon_last_fp64");
  return report;
}

/* The memory is there after a first call. The replay finds new data, other moduli, and tiles that fall back. */
static void after_a_call(const device *d, enum tested_routine routine, trigon_type type, trigon_fp64 mode) {
  trigon_context *ctx = device_open(d, "stop=16");
  job j;
  emulate_by(ctx, mode);
  job_make(&j, ctx, routine, type, 60, 3);
  job_send(&j);
  job_call(&j);
  job_check(&j, "before the capture");
  check(report_of(ctx).emulated > 0, "%s: nothing is emulated", j.text);
  recording r = record_begin(d, ctx, GLOBAL);
  trigon_fp64_report report;
  check(mode != TRIGON_FP64_INT8 ||
            (trigon_last_fp64(ctx, &report) == TRIGON_NOT_SUPPORTED && strstr(trigon_message(ctx), "captured")),
        "trigon_last_fp64 in a capture: %s", trigon_message(ctx));
  job_call(&j);
  record_end(&r);
  job_fill(&j, 4);
  replay(&r, &j, "captured after a first call");
  replay_and_compare(&r, &j, 5, "captured after a first call");
  check(report_of(ctx).emulated > 0, "%s: nothing is emulated", j.text);
  record_free(&r, ctx);
  job_free(&j);
  trigon_destroy(ctx);
}

/* New data may need other moduli, and may hold infinities. The choice is the device's. */
static void other_choice(const device *d) {
  trigon_context *ctx = device_open(d, "");
  job j;
  emulate(ctx);
  job_make_sized(&j, ctx, GEMM, TRIGON_D, 140, 20, 30, 8);
  job_send(&j);
  job_call(&j);
  const trigon_fp64_report random = report_of(ctx);
  recording r = record(d, ctx, &j, GLOBAL);
  for (int64_t e = 0; e < j.host[0].matrix.rows * j.host[0].matrix.cols; e++)
    matrix_put(j.host[0].matrix, e % j.host[0].matrix.rows, e / j.host[0].matrix.rows, (trigon_scalar){1, 0});
  for (int64_t e = 0; e < j.host[1].matrix.rows * j.host[1].matrix.cols; e++)
    matrix_put(j.host[1].matrix, e % j.host[1].matrix.rows, e / j.host[1].matrix.rows, (trigon_scalar){2, 0});
  guarded_snapshot(&j.host[0]), guarded_snapshot(&j.host[1]);
  replay(&r, &j, "of ones");
  const trigon_fp64_report ones = report_of(ctx);
  check(ones.moduli > 0 && ones.moduli < random.moduli, "ones take %d moduli, random numbers %d", ones.moduli,
        random.moduli);
  matrix_put(j.host[0].matrix, 0, 0, (trigon_scalar){1 / 0.0, 0});
  guarded_snapshot(&j.host[0]);
  job_send(&j);
  record_launch(&r, "an infinity");
  const trigon_fp64_report infinite = report_of(ctx);
  check(infinite.not_finite > 0, "a replay over an infinity falls back in %lld tiles", (long long)infinite.not_finite);
  job_fill(&j, 9);
  replay(&r, &j, "after an infinity");
  check(report_of(ctx).not_finite == 0, "a replay forgets an infinity");
  record_free(&r, ctx);
  job_free(&j);
  trigon_destroy(ctx);
}

/* Without memory a captured call is refused with advice. The capture stays valid, and the context computes. */
static void without_memory(const device *d) {
  trigon_context *ctx = device_open(d, "");
  job j;
  job_make_sized(&j, ctx, GEMM, TRIGON_D, 50, 40, 30, 5);
  job_send(&j);
  job_call(&j); /* the workspace of native arithmetic is there */
  emulate(ctx);
  recording r = record_begin(d, ctx, GLOBAL);
  check(call_matrix(ctx, &j.call) == TRIGON_NO_MEMORY && strstr(trigon_message(ctx), "trigon_reserve"),
        "a captured call without memory: %s", trigon_message(ctx));
  accepted(ctx, trigon_set_fp64(ctx, TRIGON_FP64_NATIVE, 0), "native arithmetic in a capture");
  job_call(&j);
  emulate(ctx);
  record_end(&r);
  accepted(ctx, trigon_set_stream(ctx, NULL), "the stream is left");
  job_fill(&j, 6);
  job_send(&j);
  job_call(&j);
  job_check(&j, "after a refused capture");
  check(report_of(ctx).emulated == 1, "after a refused capture nothing is emulated");
  job_fill(&j, 7);
  replay(&r, &j, "captured natively, beside a refused call");
  record_free(&r, ctx);
  job_free(&j);
  trigon_destroy(ctx);
}

/* The constants of a context cannot be stored during a capture. */
static void first_in_a_capture(const device *d) {
  trigon_context *ctx = device_open(d, "");
  recording r = record_begin(d, ctx, GLOBAL);
  const trigon_status status = trigon_set_fp64(ctx, TRIGON_FP64_INT8, TRIGON_FP64_FAST);
  check(status == TRIGON_OK || (*trigon_message(ctx) && strstr(trigon_message(ctx), "trigon_set_fp64")),
        "trigon_set_fp64 in a capture: %d, %s", (int)status, trigon_message(ctx));
  record_end(&r);
  record_free(&r, ctx);
  emulate(ctx);
  job_whole(ctx, GEMM, TRIGON_Z, 40, 6, "after trigon_set_fp64 in a capture");
  check(report_of(ctx).emulated == 1, "after trigon_set_fp64 in a capture nothing is emulated");
  trigon_destroy(ctx);
}

/* After a reservation calls on operands of that size can be captured, whatever their shapes are. */
static void after_a_reservation(const device *d) {
  static const int64_t shapes[][3] = {{100, 100, 100}, {20, 100, 100}, {100, 20, 100}, {100, 100, 20}, {50, 50, 200}};
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    trigon_context *ctx = device_open(d, "");
    job j;
    emulate(ctx);
    accepted(ctx, trigon_reserve(ctx, 8 * 10000), "a reservation");
    job_make_sized(&j, ctx, GEMM, TRIGON_D, shapes[i][0], shapes[i][1], shapes[i][2], 7);
    recording r = record(d, ctx, &j, GLOBAL);
    replay_and_compare(&r, &j, 8, "captured after a reservation");
    record_free(&r, ctx);
    job_free(&j);
    trigon_destroy(ctx);
  }
}

/* A graph keeps its memory when the context takes other memory. */
static void other_memory(const device *d) {
  trigon_context *ctx = device_open(d, "");
  job small, large;
  emulate(ctx);
  job_make_sized(&small, ctx, GEMM, TRIGON_D, 30, 20, 40, 3);
  job_make_sized(&large, ctx, GEMM, TRIGON_D, 140, 140, 70, 4);
  job_send(&small), job_send(&large);
  job_call(&small);
  recording r = record(d, ctx, &small, GLOBAL);
  accepted(ctx, trigon_set_stream(ctx, NULL), "the stream is left");
  job_call(&large);
  job_check(&large, "with more memory");
  replay_and_compare(&r, &small, 5, "after the context took more memory");
  accepted(ctx, trigon_set_workspace(ctx, NULL, 0), "no workspace");
  job_fill(&small, 6);
  replay(&r, &small, "after the workspace was given up");
  record_free(&r, ctx);
  job_free(&small), job_free(&large);
  trigon_destroy(ctx);
}

void test_emulated_captures(const device *d) {
  static const enum tested_routine all[] = {GEMM, SYRK, TRSM, POTRF, POTRI, HEMM};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    after_a_call(d, all[i], (trigon_type) "dzsc"[all[i] == HEMM ? 1 : i % 4], TRIGON_FP64_INT8);
  after_a_call(d, GEMM, TRIGON_Z, TRIGON_FP64_DOUBLE_FLOAT), after_a_call(d, POTRF, TRIGON_D, TRIGON_FP64_DOUBLE_FLOAT);
  other_choice(d);
  without_memory(d);
  first_in_a_capture(d);
  after_a_reservation(d);
  other_memory(d);
}

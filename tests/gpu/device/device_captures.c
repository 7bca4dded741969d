/* device_captures.c - where captures begin and end: contexts enter a captured stream, or leave it.
 *
 * A call that cannot be captured is refused and leaves the capture as it was. */
#include <math.h>
#include <string.h>

#include "support/device_recording.h"

/* A new context has no pending work that prevents a capture. */
static void first_of_all(const device *d, trigon_context *ctx) {
  recording r = record_new(d);
  record_into(&r, ctx);
  record_end(&r);
  record_free(&r, ctx);
}

/* A replay does not wait for work that the context's creation began. So this work must have ended before. The test
 * runs without the vendor's BLAS, because nothing is reserved. */
static void first_call(const device *d, trigon_context *maker) {
  recording r = record_new(d);
  job j;
  job_make(&j, maker, POTRF, TRIGON_D, 8, 6);
  job_spoil(&j, 5);
  job_send(&j);
  j.call.info = NULL;
  trigon_context *ctx = device_open(d, "gemm=own");
  record_into(&r, ctx);
  accepted(ctx, call_matrix(ctx, &j.call), "the first call is captured");
  record_end(&r);
  check(r.instance && d->runtime.launch(r.instance, r.stream) == 0, "a replay");
  expect_finish(ctx, 6, "the failure of the first call");
  record_free(&r, ctx);
  job_free(&j);
  trigon_destroy(ctx);
}

/* Work that runs in a stream since before its capture cannot be waited for after the capture has begun. So the
 * context stays in its stream. */
static void left_behind(const device *d, trigon_context *ctx) {
  recording r = record_new(d);
  job j;
  job_make(&j, ctx, TRSM, TRIGON_D, 40, 7);
  job_send(&j);
  accepted(ctx, trigon_set_stream(ctx, r.stream), "the stream");
  job_call(&j);
  record_start(&r, RELAXED);
  check(trigon_set_stream(ctx, NULL) == TRIGON_NOT_SUPPORTED && strstr(trigon_message(ctx), "1 (stream)"),
        "work from before the capture is not left behind: %s", trigon_message(ctx));
  record_end(&r);
  record_free(&r, ctx);
  job_check(&j, "left behind");
  job_free(&j);
}

/* A call that would have to allocate is refused. The capture stays valid, and the context still computes. */
static void unreserved(const device *d, trigon_context *ctx) {
  trigon_context *other = device_open(d, "");
  job j;
  job_make(&j, other, POTRI, TRIGON_D, d->simulated ? 50 : 300, 4); /* more than one leaf */
  recording r = record_begin(d, ctx, GLOBAL);
  j.ctx = ctx;
  check(call_matrix(ctx, &j.call) == TRIGON_NO_MEMORY && strstr(trigon_message(ctx), "trigon_reserve"),
        "a captured call that would have to allocate: %s", trigon_message(ctx));
  check(trigon_reserve(ctx, 1 << 20) == TRIGON_NO_MEMORY, "a captured reservation: %s", trigon_message(ctx));
  record_end(&r);
  const int64_t before = d->simulated ? d->runtime.allocated(d->number) : 0;
  job_whole(ctx, POTRI, TRIGON_D, 50, 6, "after a refused reservation");
  check(!d->simulated || d->runtime.allocated(d->number) > before, "outside the capture the call allocates");
  accepted(ctx, trigon_reserve(ctx, 1 << 20), "a reservation outside");
  accepted(ctx, trigon_finish(ctx, NULL), "finish");
  check(!r.instance || d->runtime.instance_destroy(r.instance) == 0, "the first one's end");
  record_start(&r, GLOBAL);
  r.instance = NULL;
  job_call(&j);
  record_end(&r);
  job_fill(&j, 40);
  replay(&r, &j, "captured after a refusal");
  record_free(&r, ctx);
  job_whole(ctx, POTRI, TRIGON_D, 50, 5, "after a refused capture");

  trigon_context *strict = device_open(d, ""); /* needs no memory, so nothing is refused */
  check(trigon_set_workspace(strict, NULL, 0) == TRIGON_OK, "strictly in place");
  j.ctx = strict;
  r = record(d, strict, &j, GLOBAL);
  replay_and_compare(&r, &j, 41, "captured in place, without a reservation");
  record_free(&r, strict);
  j.ctx = other;
  job_free(&j);
  trigon_destroy(strict);
  trigon_destroy(other);
}

/* A call that waits is refused with a message during a capture, and the capture stays valid. */
static void waiting(const device *d, trigon_context *ctx) {
  job j;
  double host[1] = {0};
  void *memory;
  const trigon_matrix on_host = {host, TRIGON_D, 1, 1, 1};
  check(trigon_alloc(ctx, sizeof host, &memory) == TRIGON_OK, "memory");
  const trigon_matrix on_device = {memory, TRIGON_D, 1, 1, 1};
  accepted(ctx, trigon_reserve(ctx, 1 << 20), "reserve");
  job_make(&j, ctx, POTRI, TRIGON_D, 40, 8);
  recording r = record_begin(d, ctx, GLOBAL);
  job_call(&j);
#define REFUSED(call)                                                                                                  \
  check((call) == TRIGON_NOT_SUPPORTED && strstr(trigon_message(ctx), "captured"), #call ": %s", trigon_message(ctx))
  REFUSED(trigon_finish(ctx, NULL));
  REFUSED(trigon_timer_start(ctx, 0));
  REFUSED(trigon_upload(ctx, on_host, on_device));
  REFUSED(trigon_download(ctx, on_device, on_host));
  REFUSED(trigon_set_workspace(ctx, NULL, 0));
  void *more = NULL;
  REFUSED(trigon_free(ctx, memory));
  REFUSED(trigon_alloc(ctx, 8, &more));
  REFUSED(trigon_pin(ctx, host, sizeof host));
  REFUSED(trigon_unpin(ctx, host));
#undef REFUSED
  record_end(&r);
  replay_and_compare(&r, &j, 60, "after refusals in its capture");
  record_free(&r, ctx);
  accepted(ctx, trigon_free(ctx, memory), "free");
  job_free(&j);
}

/* Pending work cannot be ordered before a capture, but a device may have finished the work by then. A relaxed
 * capture lets other calls allocate and wait meanwhile. */
static void switch_into_capture(const device *d, trigon_context *ctx) {
  job j;
  recording r = record_new(d);
  accepted(ctx, trigon_reserve(ctx, 1 << 20), "reserve");
  job_make(&j, ctx, POTRI, TRIGON_D, 60, 10);
  job_send(&j);
  record_start(&r, RELAXED);
  job_call(&j);
  const trigon_status status = trigon_set_stream(ctx, r.stream);
  check(status == TRIGON_NOT_SUPPORTED || (!d->simulated && status == TRIGON_OK), "work still runs: %s",
        trigon_message(ctx));
  check(status == TRIGON_OK || strstr(trigon_message(ctx), "trigon_finish"), "the message names trigon_finish: %s",
        trigon_message(ctx));
  if (status == TRIGON_OK) check(trigon_set_stream(ctx, NULL) == TRIGON_OK, "out of the capture");
  job_check(&j, "after a stream that was refused");
  check(trigon_finish(ctx, NULL) == TRIGON_OK && trigon_set_stream(ctx, r.stream) == TRIGON_OK,
        "after trigon_finish the stream is accepted: %s", trigon_message(ctx));
  job_call(&j);
  accepted(ctx, trigon_set_stream(ctx, NULL), "a stream may be left while it is captured");
  job_whole(ctx, TRMM, TRIGON_D, 50, 11, "beside a capture");
  record_end(&r);
  job_fill(&j, 70);
  replay(&r, &j, "captured, and left before the end");
  record_free(&r, ctx);
  job_free(&j);
}

/* A captured copy is no pending work, so the context may leave the capture. The timer does not stop in a capture. */
static void copy_and_timer(const device *d, trigon_context *ctx) {
  double host[2] = {1, 2}, seconds = -1;
  void *memory;
  accepted(ctx, trigon_alloc(ctx, sizeof host, &memory), "memory");
  const trigon_matrix first = {memory, TRIGON_D, 1, 1, 1}, second = {(double *)memory + 1, TRIGON_D, 1, 1, 1};
  const trigon_matrix all = {memory, TRIGON_D, 2, 1, 2}, on_host = {host, TRIGON_D, 2, 1, 2};
  accepted(ctx, trigon_upload(ctx, on_host, all), "an upload");
  recording r = record_new(d);
  accepted(ctx, trigon_timer_start(ctx, 0), "a timer");
  accepted(ctx, trigon_finish(ctx, NULL), "finish");
  record_into(&r, ctx);
  accepted(ctx, trigon_copy(ctx, first, second), "a captured copy");
  check(trigon_timer_stop(ctx, &seconds) == TRIGON_NOT_SUPPORTED && strstr(trigon_message(ctx), "timed"),
        "the timer in a capture: %s", trigon_message(ctx));
  accepted(ctx, trigon_set_stream(ctx, NULL), "the capture is left after a copy");
  record_end(&r);
  record_launch(&r, "the copy");
  accepted(ctx, trigon_download(ctx, all, on_host), "a download");
  check(host[0] == 1 && host[1] == 1, "the replay copies");
  record_free(&r, ctx);
  accepted(ctx, trigon_free(ctx, memory), "free");
}

/* A batch of matrices with 4 on the diagonal and 1/8 below it in the first column, and other memory of the caller. */
enum { BATCH_ORDER = 40, BATCH_COUNT = 3, BATCH_ELEMENTS = BATCH_COUNT * BATCH_ORDER * BATCH_ORDER, OTHERS = 1 << 19 };

static trigon_status capture_batch(trigon_context *ctx, enum tested_routine routine, double *A, int64_t *info) {
  const int64_t n = BATCH_ORDER, step = n * n;
  switch (routine) {
  case POTRF: return trigon_dpotrf_strided(ctx, TRIGON_LOWER, BATCH_COUNT, n, A, n, step, info);
  case TRTRI: return trigon_dtrtri_strided(ctx, TRIGON_LOWER, TRIGON_NONUNIT, BATCH_COUNT, n, A, n, step, info);
  case POSV: /* B is the last matrix */
    return trigon_dposv_strided(ctx, TRIGON_LOWER, BATCH_COUNT - 1, n, 1, A, n, step, A + (BATCH_COUNT - 1) * step, n,
                                n, info);
  default: return trigon_dpotri_strided(ctx, TRIGON_LOWER, 0, BATCH_COUNT, n, A, n, step, info);
  }
}

/* Whether X solves for the first two columns of the matrix itself: the second one is 4 in row 1, and 0 elsewhere. */
static bool is_solved(const double *X) {
  const double below = 0.125, first = -below / (4 - (BATCH_ORDER - 1) * below * below / 4);
  return fabs(X[0] - 1) < 1e-14 && fabs(X[1]) < 1e-14 && fabs(X[BATCH_ORDER] - first) < 1e-14;
}

/* A captured batch may use the workspace. So a replay finds it, although the context has another one by then. Arrays of
 * the host are refused in a capture. */
static void captured_batch(const device *d, trigon_context *ctx, enum tested_routine routine) {
  static double host[BATCH_ELEMENTS], result[BATCH_ELEMENTS], others[OTHERS];
  const int64_t n = BATCH_ORDER;
  void *A, *info, *other;
  for (int64_t e = 0; e < BATCH_ELEMENTS; e++) host[e] = e % (n * n) % (n + 1) == 0 ? 4 : e % (n * n) < n ? 0.125 : 0;
  for (int64_t e = 0; e < OTHERS; e++) others[e] = 7;
  accepted(ctx, trigon_alloc(ctx, sizeof host, &A), "memory");
  accepted(ctx, trigon_alloc(ctx, BATCH_COUNT * (int64_t)sizeof(int64_t), &info), "memory");
  const trigon_matrix on_host = {host, TRIGON_D, BATCH_ELEMENTS, 1, BATCH_ELEMENTS},
                      there = {A, TRIGON_D, BATCH_ELEMENTS, 1, BATCH_ELEMENTS},
                      back = {result, TRIGON_D, BATCH_ELEMENTS, 1, BATCH_ELEMENTS};
  accepted(ctx, trigon_reserve(ctx, 4 << 20), "a workspace");
  accepted(ctx, trigon_upload(ctx, on_host, there), "an upload");
  recording r = record_begin(d, ctx, RELAXED);
  check(trigon_dpotrf_batch(ctx, TRIGON_LOWER, 1, 0, &n, (double *const *)&A, &n, (int64_t[]){0}) ==
            TRIGON_NOT_SUPPORTED,
        "arrays of the host in a capture: %s", trigon_message(ctx));
  accepted(ctx, capture_batch(ctx, routine, A, info), "a captured batch");
  record_end(&r);
  accepted(ctx, trigon_set_stream(ctx, NULL), "the stream is left");
  accepted(ctx, trigon_set_workspace(ctx, NULL, 0), "no workspace");
  accepted(ctx, trigon_alloc(ctx, sizeof others, &other), "memory");
  trigon_matrix mine = {others, TRIGON_D, OTHERS, 1, OTHERS}, mine_there = {other, TRIGON_D, OTHERS, 1, OTHERS};
  accepted(ctx, trigon_upload(ctx, mine, mine_there), "an upload");
  for (int again = 0; again < 2; again++) { /* the second replay finds flags and lists as the first one left them */
    accepted(ctx, trigon_upload(ctx, on_host, there), "an upload");
    record_launch(&r, "a batch");
    accepted(ctx, trigon_download(ctx, there, back), "a download");
    const double due = routine == POTRF || routine == POSV ? sqrt(4 - 1.0 / 256) : routine == TRTRI ? 0.25 : 1.0 / 16;
    bool all = true;
    for (int64_t b = 0; b < BATCH_COUNT - (routine == POSV); b++)
      all = all && fabs(result[b * n * n + n + 1] - due) < 1e-14;
    check(all, "a replayed batch: %g, not %g", result[n + 1], due);
    if (routine == POSV) check(is_solved(result + (BATCH_COUNT - 1) * n * n), "a replayed POSV solves");
  }
  accepted(ctx, trigon_download(ctx, mine_there, mine), "a download");
  int64_t changed = 0;
  for (int64_t e = 0; e < OTHERS; e++) changed += others[e] != 7;
  check(changed == 0, "a replay leaves other memory alone: %d elements", (int)changed);
  record_free(&r, ctx);
  accepted(ctx, trigon_free(ctx, A), "free"), accepted(ctx, trigon_free(ctx, info), "free");
  accepted(ctx, trigon_free(ctx, other), "free");
}

static void batches(const device *d, trigon_context *ctx) {
  captured_batch(d, ctx, POTRF), captured_batch(d, ctx, TRTRI), captured_batch(d, ctx, POTRI);
  captured_batch(d, ctx, POSV);
  static const char *const schedules[] = {"schedule=ssde", "schedule=dsse"};
  for (int i = 0; i < 2; i++) {
    trigon_context *scheduled = device_open(d, schedules[i]);
    captured_batch(d, scheduled, POTRF);
    trigon_destroy(scheduled);
  }
}

void test_captures(const device *d) {
  static void (*const parts[])(const device *, trigon_context *) = {
      first_of_all, first_call, unreserved, waiting, left_behind, switch_into_capture, copy_and_timer, batches};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    trigon_context *ctx = device_open(d, "");
    parts[i](d, ctx);
    trigon_destroy(ctx);
  }
}

/* device_graphs.c - calls captured in a graph: every routine is captured and replayed.
 *
 * The replays have other data, come after other calls and after failures, and run with another workspace. */
#include <stdio.h>
#include <stdlib.h>

#include "support/device_recording.h"

static void other_calls(trigon_context *ctx) {
  job_whole(ctx, GEMM, TRIGON_Z, 70, 1, "between replays");
  job_whole(ctx, POTRI, TRIGON_S, 61, 2, "between replays");
  job_whole(ctx, TRSM, TRIGON_C, 83, 3, "between replays");
}

static void captured(const device *d, trigon_context *ctx, enum tested_routine routine, trigon_type type, int mode) {
  job j;
  job_make(&j, ctx, routine, type, 45 + routine, (uint64_t)(routine + 3 * mode));
  recording r = record(d, ctx, &j, mode);
  replay_and_compare(&r, &j, 100, "replayed");
  replay_and_compare(&r, &j, 101, "replayed on other data");
  other_calls(ctx);
  replay_and_compare(&r, &j, 102, "replayed after other calls");
  if (job_can_fail(&j)) {
    job_spoil(&j, 17);
    replay(&r, &j, "replayed on data that fail");
    replay_and_compare(&r, &j, 103, "replayed after a failure");
  }
  accepted(ctx, trigon_set_stream(ctx, NULL), "the own stream");
  replay_and_compare(&r, &j, 104, "replayed while the context has another stream");
  record_free(&r, ctx);
  job_free(&j);
}

/* A replay without info of its own reports its failure to trigon_finish. */
static void late_info(const device *d, trigon_context *ctx, enum tested_routine routine) {
  job j;
  job_make(&j, ctx, routine, TRIGON_D, 30, 6);
  j.call.info = NULL;
  recording r = record(d, ctx, &j, GLOBAL);
  job_spoil(&j, 11);
  replay(&r, &j, "replayed without info");
  job_spoil(&j, 5);
  replay(&r, &j, "replayed without info");
  expect_finish(ctx, 12, "the first failed replay");
  job_fill(&j, 6);
  replay(&r, &j, "replayed without info");
  expect_finish(ctx, 0, "trigon_finish forgets the failure that it has told");
  record_free(&r, ctx);
  job_free(&j);
}

/* A failing call is captured after the late failure of another call. trigon_finish tells the first failure, and then
 * the second failure. */
static void late_again(const device *d, trigon_context *ctx) {
  job j;
  job_make(&j, ctx, POTRF, TRIGON_D, 30, 6);
  j.call.info = NULL;
  job_spoil(&j, 3);
  job_send(&j);
  job_call(&j);
  expect_finish(ctx, 4, "the failure of a call");
  recording r = record_new(d); /* not record_begin, which would call trigon_finish once more */
  record_into(&r, ctx);
  job_call(&j);
  record_end(&r);
  record_launch(&r, j.text);
  accepted(ctx, trigon_set_stream(ctx, NULL), "the own stream");
  expect_finish(ctx, 4, "the failure of the replay");
  record_free(&r, ctx);
  job_free(&j);
}

/* Calls that stop in the middle, after a failure of the matrix is known on the device. Neither a replay of an earlier
 * graph nor a later call reports this failure as its own. */
static void half_way(const device *d, trigon_context *ctx) {
  if (!d->simulated) {
    printf("skipped: calls that stop in the middle; %s does not fail on demand\n", d->name);
    return;
  }
  job good, bad;
  job_make(&good, ctx, POTRF, TRIGON_D, 50, 11);
  job_make(&bad, ctx, POTRF, TRIGON_D, 50, 12);
  job_spoil(&bad, 2);
  const int64_t before = d->runtime.operations(d->number, "launch");
  job_send(&bad);
  job_call(&bad);
  const int64_t launches = d->runtime.operations(d->number, "launch") - before;
  for (int64_t k = 1; k <= launches; k++) {
    char options[64];
    snprintf(options, sizeof options, "fail=launch:%lld", (long long)(launches + k));
    trigon_context *other = device_open(d, options); /* the launches of one call of the capture come first */
    good.ctx = bad.ctx = other;
    accepted(other, trigon_reserve(other, 1), "reserve");
    recording r = record(d, other, &good, GLOBAL);
    job_send(&bad);
    accepted(other, trigon_set_stream(other, NULL), "the own stream");
    check(call_matrix(other, &bad.call) == TRIGON_DEVICE_FAILED, "a launch that fails");
    accepted(other, trigon_finish(other, NULL), "finish");
    replay(&r, &good, "replayed after a call that stopped in the middle");
    job_send(&good);
    job_call(&good);
    job_check(&good, "called after a call that stopped in the middle");
    record_free(&r, other);
    good.ctx = bad.ctx = ctx;
    trigon_destroy(other);
  }
  job_free(&good);
  job_free(&bad);
}

/* Several calls in one graph. Each call uses the results of the call before. */
static void chained(const device *d, trigon_context *ctx) {
  job solve;
  job_make(&solve, ctx, POSV, TRIGON_Z, 52, 9);
  recording r = record_begin(d, ctx, THREAD_LOCAL);
  check(trigon_potrf(ctx, solve.call.uplo, solve.call.stored[0], solve.call.info) == TRIGON_OK, "potrf");
  check(trigon_potrs(ctx, solve.call.uplo, solve.call.stored[0], solve.call.stored[1]) == TRIGON_OK, "potrs");
  record_end(&r);
  for (uint64_t seed = 50; seed < 53; seed++) {
    job_fill(&solve, seed);
    replay(&r, &solve, "two calls in one graph");
  }
  record_free(&r, ctx);
  job_free(&solve);
}

/* Workspaces of graphs are kept until the end; other workspaces are freed. So the memory does not grow if the cap
 * changes often. */
static void retired_once(const device *d, trigon_context *ctx) {
  job j;
  job_make(&j, ctx, POTRS, TRIGON_D, 50, 8);
  accepted(ctx, trigon_reserve(ctx, 1 << 20), "a reservation");
  recording r = record(d, ctx, &j, GLOBAL);
  record_free(&r, ctx);
  int64_t before = 0;
  for (int i = 0; i < 4; i++) {
    accepted(ctx, trigon_set_workspace(ctx, NULL, 64 << 20), "a cap");
    accepted(ctx, trigon_reserve(ctx, 1 << 20), "a reservation");
    const int64_t now = d->runtime.allocated ? d->runtime.allocated(d->number) : 0;
    check(i == 0 || now == before, "the cap changed again: %lld bytes instead of %lld", (long long)now,
          (long long)before);
    before = now;
  }
  job_free(&j);
}

static bool all_zero(trigon_context *ctx, void *memory, int64_t bytes) {
  const int64_t count = bytes / (int64_t)sizeof(double);
  double *host = malloc((size_t)bytes);
  bool zero = host != NULL;
  check(host && trigon_download(ctx, (trigon_matrix){memory, TRIGON_D, count, 1, count},
                                (trigon_matrix){host, TRIGON_D, count, 1, count}) == TRIGON_OK,
        "download: %s", trigon_message(ctx));
  for (int64_t i = 0; zero && i < count; i++) zero = host[i] == 0;
  free(host);
  return zero;
}

/* The workspace of a graph stays allocated when a new workspace comes. Other allocations do not overlap the old
 * workspace. */
static void old_workspace(const device *d, trigon_context *ctx) {
  void *buffer, *filler;
  const int64_t bytes = 4 << 20;
  job j;
  job_make(&j, ctx, POSV, TRIGON_S, 90, 13);
  accepted(ctx, trigon_reserve(ctx, 1 << 20), "reserve");
  recording r = record(d, ctx, &j, GLOBAL);
  check(trigon_alloc(ctx, bytes, &buffer) == TRIGON_OK, "a buffer: %s", trigon_message(ctx));
  const struct {
    void *buffer;
    int64_t bytes;
  } caps[] = {{NULL, 0}, {NULL, 3 << 20}, {buffer, bytes}, {NULL, 1 << 20}, {NULL, 64 << 20}};
  for (size_t i = 0; i < sizeof caps / sizeof *caps; i++) {
    accepted(ctx, trigon_set_workspace(ctx, caps[i].buffer, caps[i].bytes), "workspace");
    check(trigon_alloc(ctx, bytes, &filler) == TRIGON_OK, "filler: %s", trigon_message(ctx));
    check(d->runtime.memset_async(filler, 0, (size_t)bytes, NULL) == 0 && d->runtime.stream_synchronize(NULL) == 0,
          "fill");
    job_fill(&j, 80 + i);
    replay(&r, &j, "replayed after the workspace was changed");
    job_whole(ctx, POTRI, TRIGON_D, 40, i, "in the new workspace");
    if (i == 0) replay(&r, &j, "replayed once more");
    check(all_zero(ctx, filler, bytes), "a replay does not write to other memory");
    accepted(ctx, trigon_free(ctx, filler), "free");
  }
  record_free(&r, ctx);
  job_free(&j);
  accepted(ctx, trigon_free(ctx, buffer), "free");
}

void test_graphs(const device *d) {
  static void (*const on_new_contexts[])(const device *, trigon_context *) = {retired_once, old_workspace, half_way};
  trigon_context *ctx = device_open(d, "");
  accepted(ctx, trigon_reserve(ctx, 1 << 20), "reserve");
  for (int r = 0; r < TESTED_ROUTINES; r++)
    captured(d, ctx, (enum tested_routine)r, (trigon_type) "dzsc"[r % 4], r % 3);
  late_info(d, ctx, POTRF);
  late_info(d, ctx, POTRI);
  late_again(d, ctx);
  chained(d, ctx);
  trigon_destroy(ctx);
  for (size_t i = 0; i < sizeof on_new_contexts / sizeof *on_new_contexts; i++) {
    ctx = device_open(d, "");
    on_new_contexts[i](d, ctx);
    trigon_destroy(ctx);
  }
  test_captures(d);
  test_forks(d);
}

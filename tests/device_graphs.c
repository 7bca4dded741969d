/* device_graphs.c - calls that become part of a graph: every routine captured, replayed on other data and after other calls; what
 * cannot be captured is refused and leaves the capture as it was. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device_job.h"

enum { GLOBAL = 0, THREAD_LOCAL = 1, RELAXED = 2 }; /* modes of a capture */

typedef struct recording {
  const device *d;
  void *stream, *instance;
} recording;

static recording record_begin(const device *d, trigon_context *ctx, int mode) {
  recording r = {.d = d};
  check(d->runtime.stream_create(&r.stream, RUNTIME_UNORDERED) == 0, "a stream");
  check(trigon_finish(ctx, NULL) == TRIGON_OK, "finish: %s", trigon_message(ctx));
  /* The two orders are equally good. */
  if (mode != RELAXED) check(trigon_set_stream(ctx, r.stream) == TRIGON_OK, "the stream: %s", trigon_message(ctx));
  check(d->runtime.begin_capture(r.stream, mode) == 0, "the begin of a capture");
  if (mode == RELAXED)
    check(trigon_set_stream(ctx, r.stream) == TRIGON_OK, "a captured stream: %s", trigon_message(ctx));
  return r;
}

/* The end of a capture that must have stayed valid. */
static void record_end(recording *r) {
  void *graph = NULL;
  check(r->d->runtime.end_capture(r->stream, &graph) == 0 && graph, "a capture ends well");
  if (!graph) return;
  check(r->d->runtime.instantiate(&r->instance, graph, 0) == 0, "the graph's instance");
  check(r->d->runtime.graph_destroy(graph) == 0, "the graph's end");
}

/* The job's call, captured alone. */
static recording record(const device *d, trigon_context *ctx, job *j, int mode) {
  recording r = record_begin(d, ctx, mode);
  job_call(j);
  record_end(&r);
  return r;
}

static void record_free(recording *r, trigon_context *ctx) {
  check(trigon_set_stream(ctx, NULL) == TRIGON_OK, "back to the own stream: %s", trigon_message(ctx));
  check(trigon_finish(ctx, NULL) == TRIGON_OK, "finish: %s", trigon_message(ctx));
  check(!r->instance || r->d->runtime.instance_destroy(r->instance) == 0, "the instance's end");
  check(r->d->runtime.stream_destroy(r->stream) == 0, "the stream's end");
}

static void replay(recording *r, job *j, const char *when) {
  job_send(j);
  if (!r->instance) return;
  check(r->d->runtime.launch(r->instance, r->stream) == 0, "%s: a replay", j->text);
  check(r->d->runtime.stream_synchronize(r->stream) == 0, "%s: waiting for a replay", j->text);
  job_check(j, when);
}

/* The replay of new data, and the same data called directly: one result. */
static void replay_and_compare(recording *r, job *j, uint64_t seed, const char *when) {
  job_fill(j, seed);
  replay(r, j, when);
  unsigned char *kept = job_keep(j);
  job_send(j);
  job_call(j);
  job_check(j, "the call made directly");
  check(job_same(j, kept), "%s, %s: bits as those of the call made directly", j->text, when);
  free(kept);
}

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
  check(trigon_set_stream(ctx, NULL) == TRIGON_OK, "the own stream: %s", trigon_message(ctx));
  replay_and_compare(&r, &j, 104, "replayed while the context has another stream");
  record_free(&r, ctx);
  job_free(&j);
}

/* Without info of its own a replay tells trigon_finish. */
static void late_info(const device *d, trigon_context *ctx, enum tested_routine routine) {
  job j;
  int64_t info = -1;
  job_make(&j, ctx, routine, TRIGON_D, 30, 6);
  j.call.info = NULL;
  recording r = record(d, ctx, &j, GLOBAL);
  job_spoil(&j, 11);
  replay(&r, &j, "replayed without info");
  job_spoil(&j, 5);
  replay(&r, &j, "replayed without info");
  check(trigon_finish(ctx, &info) == TRIGON_OK && info == 12, "finish tells the first failed replay: %lld",
        (long long)info);
  job_fill(&j, 6);
  replay(&r, &j, "replayed without info");
  check(trigon_finish(ctx, &info) == TRIGON_OK && info == 0, "and forgets it: %lld", (long long)info);
  record_free(&r, ctx);
  job_free(&j);
}

/* A failing call that is captured behind another one's late failure: finish tells the first, and then the second. */
static void late_again(const device *d, trigon_context *ctx) {
  job j;
  int64_t info = -1;
  job_make(&j, ctx, POTRF, TRIGON_D, 30, 6);
  j.call.info = NULL;
  job_spoil(&j, 3);
  job_send(&j);
  check(call_matrix(ctx, &j.call) == TRIGON_OK && trigon_finish(ctx, &info) == TRIGON_OK && info == 4,
        "finish tells the failure of a call: %lld", (long long)info);
  recording r = {.d = d}; /* not record_begin, which would finish once more */
  check(d->runtime.stream_create(&r.stream, RUNTIME_UNORDERED) == 0 &&
            d->runtime.begin_capture(r.stream, RELAXED) == 0 && trigon_set_stream(ctx, r.stream) == TRIGON_OK,
        "a capture: %s", trigon_message(ctx));
  job_call(&j);
  record_end(&r);
  check(r.instance && d->runtime.launch(r.instance, r.stream) == 0 && d->runtime.stream_synchronize(r.stream) == 0,
        "a replay");
  check(trigon_set_stream(ctx, NULL) == TRIGON_OK && trigon_finish(ctx, &info) == TRIGON_OK && info == 4,
        "finish tells the failure of the replay: %lld", (long long)info);
  record_free(&r, ctx);
  job_free(&j);
}

/* Calls that stop half way, with what they have found by then on the device: neither a replay of an earlier graph nor a later
 * call tells it as its own. */
static void half_way(const device *d) {
  if (!d->simulated) {
    printf("skipped: calls that stop half way; %s has no failures on demand\n", d->name);
    return;
  }
  trigon_context *ctx = device_open(d, "");
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
    trigon_context *other = device_open(d, options); /* the launches of one call of the capture go first */
    good.ctx = bad.ctx = other;
    check(trigon_reserve(other, 1) == TRIGON_OK, "reserve: %s", trigon_message(other));
    recording r = record(d, other, &good, GLOBAL);
    job_send(&bad);
    check(trigon_set_stream(other, NULL) == TRIGON_OK, "the own stream: %s", trigon_message(other));
    check(call_matrix(other, &bad.call) == TRIGON_DEVICE_FAILED, "a launch that fails");
    check(trigon_finish(other, NULL) == TRIGON_OK, "finish: %s", trigon_message(other));
    replay(&r, &good, "replayed behind a call that stopped half way");
    job_send(&good);
    job_call(&good);
    job_check(&good, "called behind one that stopped half way");
    record_free(&r, other);
    good.ctx = bad.ctx = ctx;
    trigon_destroy(other);
  }
  job_free(&good);
  job_free(&bad);
  trigon_destroy(ctx);
}

/* Several calls, each on what the one before left, in one graph. */
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

/* A new context has nothing under way that would keep it from a capture. */
static void first_of_all(const device *d) {
  trigon_context *ctx = device_open(d, "");
  recording r = {.d = d};
  check(d->runtime.stream_create(&r.stream, RUNTIME_UNORDERED) == 0, "a stream");
  check(d->runtime.begin_capture(r.stream, RELAXED) == 0, "the begin of a capture");
  check(trigon_set_stream(ctx, r.stream) == TRIGON_OK, "a new context takes a captured stream: %s",
        trigon_message(ctx));
  record_end(&r);
  record_free(&r, ctx);
  trigon_destroy(ctx);
}

/* A replay is not ordered behind what the context's creation began: that must be done before. Without the vendor's BLAS, for
 * nothing is reserved. */
static void first_call(const device *d) {
  trigon_context *maker = device_open(d, "");
  recording r = {.d = d};
  job j;
  int64_t info = -1;
  job_make(&j, maker, POTRF, TRIGON_D, 8, 6);
  job_spoil(&j, 5);
  job_send(&j);
  j.call.info = NULL;
  check(d->runtime.stream_create(&r.stream, RUNTIME_UNORDERED) == 0, "a stream");
  trigon_context *ctx = device_open(d, "gemm=own");
  check(d->runtime.begin_capture(r.stream, RELAXED) == 0, "the begin of a capture");
  check(trigon_set_stream(ctx, r.stream) == TRIGON_OK, "a captured stream: %s", trigon_message(ctx));
  check(call_matrix(ctx, &j.call) == TRIGON_OK, "the first call is captured: %s", trigon_message(ctx));
  record_end(&r);
  check(!r.instance || d->runtime.launch(r.instance, r.stream) == 0, "a replay");
  check(trigon_finish(ctx, &info) == TRIGON_OK && info == 6, "finish tells of the first call: %lld", (long long)info);
  record_free(&r, ctx);
  job_free(&j);
  trigon_destroy(ctx);
  trigon_destroy(maker);
}

/* What runs in a stream since before its capture cannot be waited for once the capture has begun: the context stays there. */
static void left_behind(const device *d) {
  trigon_context *ctx = device_open(d, "");
  recording r = {.d = d};
  job j;
  job_make(&j, ctx, TRSM, TRIGON_D, 40, 7);
  job_send(&j);
  check(d->runtime.stream_create(&r.stream, RUNTIME_UNORDERED) == 0, "a stream");
  check(trigon_set_stream(ctx, r.stream) == TRIGON_OK, "the stream: %s", trigon_message(ctx));
  job_call(&j);
  check(d->runtime.begin_capture(r.stream, RELAXED) == 0, "the begin of a capture");
  check(trigon_set_stream(ctx, NULL) == TRIGON_NOT_SUPPORTED && strstr(trigon_message(ctx), "1 (stream)"),
        "work from before the capture is not left behind: %s", trigon_message(ctx));
  record_end(&r);
  record_free(&r, ctx);
  job_check(&j, "left behind");
  job_free(&j);
  trigon_destroy(ctx);
}

/* Workspaces of graphs are kept until the end, others are not: changing the cap often takes no more and more memory. */
static void retired_once(const device *d) {
  trigon_context *ctx = device_open(d, "");
  job j;
  job_make(&j, ctx, POTRS, TRIGON_D, 50, 8);
  check(trigon_reserve(ctx, 1 << 20) == TRIGON_OK, "a reservation: %s", trigon_message(ctx));
  recording r = record(d, ctx, &j, GLOBAL);
  record_free(&r, ctx);
  int64_t before = 0;
  for (int i = 0; i < 4; i++) {
    check(trigon_set_workspace(ctx, NULL, 64 << 20) == TRIGON_OK, "a cap: %s", trigon_message(ctx));
    check(trigon_reserve(ctx, 1 << 20) == TRIGON_OK, "a reservation: %s", trigon_message(ctx));
    const int64_t now = d->runtime.allocated ? d->runtime.allocated(d->number) : 0;
    check(i == 0 || now == before, "the cap changed again: %lld bytes instead of %lld", (long long)now,
          (long long)before);
    before = now;
  }
  job_free(&j);
  trigon_destroy(ctx);
}

/* A call that would have to allocate is refused; the capture goes on, and so does the context. */
static void unreserved(const device *d) {
  trigon_context *ctx = device_open(d, ""), *other = device_open(d, "");
  job j;
  job_make(&j, other, POTRI, TRIGON_D, d->simulated ? 50 : 300, 4); /* more than one leaf */
  recording r = record_begin(d, ctx, GLOBAL);
  j.ctx = ctx;
  check(call_matrix(ctx, &j.call) == TRIGON_NO_MEMORY && strstr(trigon_message(ctx), "trigon_reserve"),
        "a captured call that would have to allocate: %s", trigon_message(ctx));
  check(trigon_reserve(ctx, 1 << 20) == TRIGON_NO_MEMORY, "so is a reservation: %s", trigon_message(ctx));
  record_end(&r);
  const int64_t before = d->simulated ? d->runtime.allocated(d->number) : 0;
  job_whole(ctx, POTRI, TRIGON_D, 50, 6, "after a refused reservation");
  check(!d->simulated || d->runtime.allocated(d->number) > before, "which is made up for outside");
  check(trigon_reserve(ctx, 1 << 20) == TRIGON_OK, "a reservation outside: %s", trigon_message(ctx));
  check(trigon_finish(ctx, NULL) == TRIGON_OK, "finish: %s", trigon_message(ctx));
  check(!r.instance || d->runtime.instance_destroy(r.instance) == 0, "the first one's end");
  check(d->runtime.begin_capture(r.stream, GLOBAL) == 0, "a second capture");
  r.instance = NULL;
  job_call(&j);
  record_end(&r);
  job_fill(&j, 40);
  replay(&r, &j, "captured after a refusal");
  record_free(&r, ctx);
  job_whole(ctx, POTRI, TRIGON_D, 50, 5, "after a refused capture");

  trigon_context *strict = device_open(d, ""); /* needs nothing, so that there is nothing to refuse */
  check(trigon_set_workspace(strict, NULL, 0) == TRIGON_OK, "strictly in place");
  j.ctx = strict;
  r = record(d, strict, &j, GLOBAL);
  replay_and_compare(&r, &j, 41, "captured in place, without a reservation");
  record_free(&r, strict);
  j.ctx = other;
  job_free(&j);
  trigon_destroy(strict);
  trigon_destroy(other);
  trigon_destroy(ctx);
}

/* What waits is refused during a capture, in words, and the capture stays valid. */
static void waiting(const device *d, trigon_context *ctx) {
  job j;
  double host[1] = {0};
  void *memory;
  const trigon_matrix on_host = {host, TRIGON_D, 1, 1, 1};
  check(trigon_alloc(ctx, sizeof host, &memory) == TRIGON_OK, "memory");
  const trigon_matrix on_device = {memory, TRIGON_D, 1, 1, 1};
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
#undef REFUSED
  record_end(&r);
  replay_and_compare(&r, &j, 60, "after refusals in its capture");
  record_free(&r, ctx);
  check(trigon_free(ctx, memory) == TRIGON_OK, "free: %s", trigon_message(ctx));
  job_free(&j);
}

/* Work that runs cannot be ordered before a capture. A device may have done it by then. A relaxed capture lets other calls
 * allocate and wait meanwhile. */
static void switch_into_capture(const device *d, trigon_context *ctx) {
  job j;
  recording r = {.d = d};
  job_make(&j, ctx, POTRI, TRIGON_D, 60, 10);
  job_send(&j);
  check(d->runtime.stream_create(&r.stream, RUNTIME_UNORDERED) == 0, "a stream");
  check(d->runtime.begin_capture(r.stream, RELAXED) == 0, "the begin of a capture");
  job_call(&j);
  const trigon_status status = trigon_set_stream(ctx, r.stream);
  check(status == TRIGON_NOT_SUPPORTED || (!d->simulated && status == TRIGON_OK), "work still runs: %s",
        trigon_message(ctx));
  check(status == TRIGON_OK || strstr(trigon_message(ctx), "trigon_finish"), "the way out: %s", trigon_message(ctx));
  if (status == TRIGON_OK) check(trigon_set_stream(ctx, NULL) == TRIGON_OK, "out of the capture");
  job_check(&j, "after a stream that was refused");
  check(trigon_finish(ctx, NULL) == TRIGON_OK && trigon_set_stream(ctx, r.stream) == TRIGON_OK, "then it is taken: %s",
        trigon_message(ctx));
  job_call(&j);
  check(trigon_set_stream(ctx, NULL) == TRIGON_OK, "a stream may be left while it is captured: %s",
        trigon_message(ctx));
  job_whole(ctx, TRMM, TRIGON_D, 50, 11, "beside a capture");
  record_end(&r);
  job_fill(&j, 70);
  replay(&r, &j, "captured, and left before the end");
  record_free(&r, ctx);
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

/* The workspace of a graph outlives a new one, and what else is allocated does not get into it. */
static void old_workspace(const device *d) {
  trigon_context *ctx = device_open(d, "");
  void *buffer, *filler;
  const int64_t bytes = 4 << 20;
  job j;
  job_make(&j, ctx, POSV, TRIGON_S, 90, 13);
  check(trigon_reserve(ctx, 1 << 20) == TRIGON_OK, "reserve: %s", trigon_message(ctx));
  recording r = record(d, ctx, &j, GLOBAL);
  check(trigon_alloc(ctx, bytes, &buffer) == TRIGON_OK, "a buffer: %s", trigon_message(ctx));
  const struct {
    void *buffer;
    int64_t bytes;
  } caps[] = {{NULL, 0}, {NULL, 3 << 20}, {buffer, bytes}, {NULL, 1 << 20}, {NULL, 64 << 20}};
  for (size_t i = 0; i < sizeof caps / sizeof *caps; i++) {
    check(trigon_set_workspace(ctx, caps[i].buffer, caps[i].bytes) == TRIGON_OK, "workspace: %s", trigon_message(ctx));
    check(trigon_alloc(ctx, bytes, &filler) == TRIGON_OK, "filler: %s", trigon_message(ctx));
    check(d->runtime.memset_async(filler, 0, (size_t)bytes, NULL) == 0 && d->runtime.stream_synchronize(NULL) == 0,
          "fill");
    job_fill(&j, 80 + i);
    replay(&r, &j, "replayed after the workspace was changed");
    job_whole(ctx, POTRI, TRIGON_D, 40, i, "in the new workspace");
    if (i == 0) replay(&r, &j, "replayed once more");
    check(all_zero(ctx, filler, bytes), "a replay keeps out of memory that is not its own");
    check(trigon_free(ctx, filler) == TRIGON_OK, "free: %s", trigon_message(ctx));
  }
  record_free(&r, ctx);
  job_free(&j);
  check(trigon_free(ctx, buffer) == TRIGON_OK, "free: %s", trigon_message(ctx));
  trigon_destroy(ctx);
}

void test_graphs(const device *d) {
  trigon_context *ctx = device_open(d, "");
  check(trigon_reserve(ctx, 1 << 20) == TRIGON_OK, "reserve: %s", trigon_message(ctx));
  for (int r = 0; r < TESTED_ROUTINES; r++)
    captured(d, ctx, (enum tested_routine)r, (trigon_type) "dzsc"[r % 4], r % 3);
  late_info(d, ctx, POTRF);
  late_info(d, ctx, POTRI);
  late_again(d, ctx);
  chained(d, ctx);
  waiting(d, ctx);
  switch_into_capture(d, ctx);
  trigon_destroy(ctx);
  first_of_all(d);
  first_call(d);
  unreserved(d);
  left_behind(d);
  retired_once(d);
  old_workspace(d);
  half_way(d);
}

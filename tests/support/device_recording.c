/* device_recording.c - captures and replays calls of a context (device_recording.h). */
#include "device_recording.h"

#include <stdlib.h>

recording record_new(const device *d) {
  recording r = {.d = d};
  check(d->runtime.stream_create(&r.stream, RUNTIME_UNORDERED) == 0, "a stream");
  return r;
}

void record_start(recording *r, int mode) {
  check(r->d->runtime.begin_capture(r->stream, mode) == 0, "the begin of a capture");
}

void record_into(recording *r, trigon_context *ctx) {
  record_start(r, RELAXED);
  accepted(ctx, trigon_set_stream(ctx, r->stream), "a captured stream");
}

/* In relaxed mode the order of the two steps is reversed. Both orders are equally good. */
recording record_begin(const device *d, trigon_context *ctx, int mode) {
  recording r = record_new(d);
  accepted(ctx, trigon_finish(ctx, NULL), "finish");
  if (mode == RELAXED) {
    record_into(&r, ctx);
  } else {
    accepted(ctx, trigon_set_stream(ctx, r.stream), "the stream");
    record_start(&r, mode);
  }
  return r;
}

void record_end(recording *r) {
  void *graph = NULL;
  check(r->d->runtime.end_capture(r->stream, &graph) == 0 && graph, "a capture ends well");
  if (!graph) return;
  check(r->d->runtime.instantiate(&r->instance, graph, 0) == 0, "the graph's instance");
  check(r->d->runtime.graph_destroy(graph) == 0, "the graph's end");
}

recording record(const device *d, trigon_context *ctx, job *j, int mode) {
  recording r = record_begin(d, ctx, mode);
  job_call(j);
  record_end(&r);
  return r;
}

void record_free(recording *r, trigon_context *ctx) {
  accepted(ctx, trigon_set_stream(ctx, NULL), "back to the own stream");
  accepted(ctx, trigon_finish(ctx, NULL), "finish");
  check(!r->instance || r->d->runtime.instance_destroy(r->instance) == 0, "the instance's end");
  check(r->d->runtime.stream_destroy(r->stream) == 0, "the stream's end");
}

void record_launch(recording *r, const char *what) {
  check(r->instance && r->d->runtime.launch(r->instance, r->stream) == 0, "%s: a replay", what);
  check(r->d->runtime.stream_synchronize(r->stream) == 0, "%s: waiting for a replay", what);
}

void replay(recording *r, job *j, const char *when) {
  job_send(j);
  record_launch(r, j->text);
  job_check(j, when);
}

void replay_and_compare(recording *r, job *j, uint64_t seed, const char *when) {
  job_fill(j, seed);
  replay(r, j, when);
  unsigned char *kept = job_keep(j);
  job_send(j);
  job_call(j);
  job_check(j, "the call made directly");
  check(job_same(j, kept), "%s, %s: bits as those of the call made directly", j->text, when);
  free(kept);
}

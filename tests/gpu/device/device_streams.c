/* device_streams.c - a context's calls are in order with other work in the stream.
 *
 * The calls are also in order with each other when the stream changes. */
#include "support/device_job.h"

/* Copies the job's matrices from `aside` to memory[i] in `stream`, so that the call's input exists only after the
 * work queued in the stream. */
static void queue_inputs(const device *d, job *j, void *aside[3], void *stream) {
  for (int i = 0; i < operands(j->call.routine); i++)
    check(d->runtime.memcpy_async(j->memory[i], aside[i], j->host[i].bytes, RUNTIME_ON_DEVICE, stream) == 0,
          "a copy in the caller's stream");
}

static void set_inputs_aside(const device *d, job *j, void *aside[3]) {
  for (int i = 0; i < operands(j->call.routine); i++) {
    check(trigon_alloc(j->ctx, (int64_t)j->host[i].bytes, &aside[i]) == TRIGON_OK, "memory aside");
    check(d->runtime.memcpy_async(aside[i], j->memory[i], j->host[i].bytes, RUNTIME_ON_DEVICE, NULL) == 0, "a copy");
    check(d->runtime.memset_async(j->memory[i], 0xff, j->host[i].bytes, NULL) == 0, "junk in its place");
  }
  check(d->runtime.stream_synchronize(NULL) == 0, "wait");
}

/* Work in the stream itself makes the input and reads the output. Trigon does not know of this work. */
static void in_order(const device *d, trigon_context *ctx, enum tested_routine routine, void *stream,
                     const char *when) {
  job j;
  void *aside[3] = {NULL, NULL, NULL};
  job_make(&j, ctx, routine, TRIGON_D, 40, 12);
  job_send(&j);
  set_inputs_aside(d, &j, aside);
  queue_inputs(d, &j, aside, stream);
  job_call(&j);
  for (int i = 0; i < operands(routine); i++) {
    check(d->runtime.memcpy_async(aside[i], j.memory[i], j.host[i].bytes, RUNTIME_ON_DEVICE, stream) == 0, "a copy");
    check(d->runtime.memset_async(j.memory[i], 0xff, j.host[i].bytes, stream) == 0, "junk in place of the matrix");
    check(d->runtime.memcpy_async(j.memory[i], aside[i], j.host[i].bytes, RUNTIME_ON_DEVICE, stream) == 0,
          "a copy back");
  }
  check(d->runtime.stream_synchronize(stream) == 0, "waiting for the caller's stream");
  job_check(&j, when);
  for (int i = 0; i < operands(routine); i++) check(trigon_free(ctx, aside[i]) == TRIGON_OK, "free");
  job_free(&j);
}

/* Computes the factor in one stream and its inverse in another stream, without waiting in between. */
static void across_streams(const device *d, trigon_context *ctx, void *const streams[], int count) {
  job solve;
  void *aside[3] = {NULL, NULL, NULL};
  job_make(&solve, ctx, POSV, TRIGON_D, 50, 21);
  for (int first = 0; first < count; first++)
    for (int second = 0; second < count; second++) {
      job_fill(&solve, (uint64_t)(30 + 10 * first + second));
      job_send(&solve);
      accepted(ctx, trigon_set_stream(ctx, streams[first]), "the first stream");
      set_inputs_aside(d, &solve, aside);
      queue_inputs(d, &solve, aside, streams[first]);
      check(trigon_potrf(ctx, solve.call.uplo, solve.call.stored[0], solve.call.info) == TRIGON_OK, "potrf");
      accepted(ctx, trigon_set_stream(ctx, streams[second]), "the second stream");
      check(trigon_potrs(ctx, solve.call.uplo, solve.call.stored[0], solve.call.stored[1]) == TRIGON_OK, "potrs");
      job_check(&solve, "after the stream changed between two calls");
      for (int i = 0; i < 2; i++) check(trigon_free(ctx, aside[i]) == TRIGON_OK, "free");
    }
  job_free(&solve);
}

void test_streams(const device *d) {
  trigon_context *ctx = device_open(d, "");
  void *streams[3] = {NULL, NULL, NULL};
  for (int i = 1; i < 3; i++) check(d->runtime.stream_create(&streams[i], RUNTIME_UNORDERED) == 0, "a stream");
  for (int r = 0; r < TESTED_ROUTINES; r++)
    in_order(d, ctx, (enum tested_routine)r, NULL, "in order with the default stream");
  accepted(ctx, trigon_set_stream(ctx, streams[1]), "the caller's stream");
  for (int r = 0; r < TESTED_ROUTINES; r++)
    in_order(d, ctx, (enum tested_routine)r, streams[1], "in the caller's stream");
  accepted(ctx, trigon_set_stream(ctx, NULL), "the own stream");
  for (int r = 0; r < TESTED_ROUTINES; r++) in_order(d, ctx, (enum tested_routine)r, NULL, "in the own stream again");
  across_streams(d, ctx, streams, 3);
  check(trigon_set_stream(ctx, NULL) == TRIGON_OK && trigon_finish(ctx, NULL) == TRIGON_OK, "the end");
  for (int i = 1; i < 3; i++) check(d->runtime.stream_destroy(streams[i]) == 0, "a stream's end");
  trigon_destroy(ctx);
}

/* device_limits.c - limits on what calls use of memory under every cap, of allocations, and of the caller's time. */
#include <stdio.h>
#include <string.h>

#include "support/device_job.h"

static const enum tested_routine under_caps[] = {POTRI, TRSM, POSV};

/* Returns how many bytes of the device the context holds, or -1 if nobody knows. `others` is the number of bytes
 * that others hold. */
static int64_t held(const device *d, int64_t others) {
  return d->simulated ? d->runtime.allocated(d->number) - others : -1;
}

/* Checks that every routine gives the right result and uses only the leaf buffer and `most` bytes more. */
static void within(const device *d, trigon_context *ctx, int64_t others, int64_t most, const char *when) {
  for (size_t i = 0; i < 3 * sizeof under_caps / sizeof *under_caps; i++) {
    job_whole(ctx, under_caps[i % 3], (trigon_type) "sdcz"[i % 4], 60 + 7 * (int64_t)i, i, when);
    const int64_t bytes = held(d, others);
    check(bytes == -1 || (bytes >= LEAF_BUFFER && bytes <= LEAF_BUFFER + most), "%s: the context holds %lld bytes",
          when, (long long)bytes);
  }
}

static void own_caps(const device *d) {
  static const int64_t caps[] = {-1, 0, MIB, 2 * MIB, 5 * MIB, 64 * MIB, INT64_MAX, 0};
  const int64_t others = d->simulated ? d->runtime.allocated(d->number) : 0;
  for (size_t i = 0; i < sizeof caps / sizeof *caps; i++) {
    trigon_context *ctx = device_open(d, "");
    check(held(d, others) == (d->simulated ? LEAF_BUFFER : -1), "a new context holds its leaf buffer alone");
    if (caps[i] >= 0) check(trigon_set_workspace(ctx, NULL, caps[i]) == TRIGON_OK, "cap: %s", trigon_message(ctx));
    within(d, ctx, others, caps[i] < 0 || caps[i] > 64 * MIB ? 64 * MIB : caps[i], "under a cap");
    for (size_t k = i; k < sizeof caps / sizeof *caps; k++) { /* each pair of caps */
      if (caps[k] < 0) continue;
      check(trigon_set_workspace(ctx, NULL, caps[k]) == TRIGON_OK, "cap: %s", trigon_message(ctx));
      job_whole(ctx, POTRI, TRIGON_D, 50, k, "under a changed cap");
      check(!d->simulated || caps[k] > 0 || held(d, others) == LEAF_BUFFER, "strictly in place: %lld bytes",
            (long long)held(d, others));
    }
    check(trigon_set_workspace(ctx, NULL, -1) == TRIGON_BAD_ARGUMENT, "a negative cap");
    trigon_destroy(ctx);
    check(held(d, others) <= 0, "a destroyed context holds nothing");
  }
}

/* Calls use only a buffer that the caller gives. When the cap changes, calls leave the buffer. */
static void callers_buffer(const device *d) {
  static const int64_t sizes[] = {0, MIB, 5 * MIB, 64 * MIB};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    trigon_context *ctx = device_open(d, "");
    void *buffer = NULL;
    check(trigon_alloc(ctx, 64 * MIB, &buffer) == TRIGON_OK, "a buffer: %s", trigon_message(ctx));
    const int64_t others = d->simulated ? d->runtime.allocated(d->number) - LEAF_BUFFER : 0;
    check(trigon_set_workspace(ctx, buffer, sizes[i]) == TRIGON_OK, "the buffer: %s", trigon_message(ctx));
    within(d, ctx, others, 0, "in the caller's buffer");
    check(trigon_set_workspace(ctx, NULL, 0) == TRIGON_OK, "the buffer is given back: %s", trigon_message(ctx));
    check(trigon_free(ctx, buffer) == TRIGON_OK, "the buffer is freed: %s", trigon_message(ctx));
    job_whole(ctx, POSV, TRIGON_Z, 64, i, "after the buffer was given back");
    trigon_destroy(ctx);
  }
}

/* Calls do not change the bytes of the buffer behind the cap. */
static void buffers_end(const device *d) {
  enum { size = 5 * MIB, behind = 4096 };
  static unsigned char after[behind];
  trigon_context *ctx = device_open(d, "");
  void *buffer;
  bool kept = true;
  check(trigon_alloc(ctx, size + behind, &buffer) == TRIGON_OK, "a buffer: %s", trigon_message(ctx));
  check(d->runtime.memset_async(buffer, 0x5a, size + behind, NULL) == 0 && d->runtime.stream_synchronize(NULL) == 0,
        "fill");
  check(trigon_set_workspace(ctx, buffer, size) == TRIGON_OK, "the buffer: %s", trigon_message(ctx));
  job_whole(ctx, POSV, TRIGON_D, 100, 1, "in the caller's buffer");
  check(trigon_download(ctx, (trigon_matrix){(char *)buffer + size, TRIGON_S, behind / 4, 1, behind / 4},
                        (trigon_matrix){after, TRIGON_S, behind / 4, 1, behind / 4}) == TRIGON_OK,
        "download: %s", trigon_message(ctx));
  for (int i = 0; i < behind; i++) kept = kept && after[i] == 0x5a;
  check(kept, "nothing is written behind the cap");
  check(trigon_set_workspace(ctx, NULL, 0) == TRIGON_OK && trigon_free(ctx, buffer) == TRIGON_OK, "free");
  trigon_destroy(ctx);
}

/* Calls that only scale, or whose operands are empty, take no workspace. */
static void small_calls(const device *d) {
  if (!d->simulated) return;
  const int64_t others = d->runtime.allocated(d->number);
  trigon_context *ctx = device_open(d, "");
  const trigon_scalar zero = {0, 0}, one = {1, 0};
  const trigon_matrix none = {NULL, TRIGON_D, 0, 0, 1};
  check(trigon_gemm(ctx, TRIGON_NOTRANS, TRIGON_NOTRANS, one, none, none, one, none) == TRIGON_OK, "empty: %s",
        trigon_message(ctx));
  for (int r = 0; r < TESTED_ROUTINES; r++) {
    job j;
    if (!takes((enum tested_routine)r, "alpha")) continue;
    job_make(&j, ctx, (enum tested_routine)r, TRIGON_D, 40, 4);
    j.call.alpha = zero;
    job_send(&j);
    job_call(&j);
    job_check(&j, "without a workspace");
    job_free(&j);
    check(held(d, others) == LEAF_BUFFER, "%s: the context holds %lld bytes", j.text, (long long)held(d, others));
  }
  trigon_destroy(ctx);
}

/* Calls that compute take a workspace, whatever their sizes are. */
static void large_calls(const device *d) {
  static const int64_t sizes[][3] = {{40, 40, 40}, {40, 3, 5}, {3, 40, 5}, {5, 3, 40}};
  if (!d->simulated) return;
  const int64_t others = d->runtime.allocated(d->number);
  for (int r = 0; r < TESTED_ROUTINES; r++)
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
      trigon_context *ctx = device_open(d, "");
      job j;
      job_make_sized(&j, ctx, (enum tested_routine)r, TRIGON_D, sizes[i][0], sizes[i][1], sizes[i][2], 40);
      job_send(&j);
      job_call(&j);
      job_check(&j, "with a workspace");
      job_free(&j);
      check(held(d, others) > LEAF_BUFFER, "%s: the context holds %lld bytes", j.text, (long long)held(d, others));
      trigon_destroy(ctx);
    }
}

/* A device has no memory for the workspace. Calls work without a workspace until the workspace is reserved. */
static void no_workspace(const device *d) {
  if (!d->simulated) return;
  const int64_t others = d->runtime.allocated(d->number);
  trigon_context *ctx = device_open(d, "memory=3M");
  job_whole(ctx, POTRI, TRIGON_D, 60, 3, "on a device that is full");
  check(held(d, others) == LEAF_BUFFER, "the context holds %lld bytes", (long long)held(d, others));
  check(trigon_reserve(ctx, MIB) == TRIGON_NO_MEMORY && strstr(trigon_message(ctx), "workspace"),
        "a reservation on a full device: %s", trigon_message(ctx));
  job_whole(ctx, POSV, TRIGON_Z, 60, 4, "after a reservation that failed");
  void *stream = NULL, *graph = NULL;
  job j;
  job_make(&j, ctx, POTRI, TRIGON_D, 50, 7);
  job_send(&j);
  check(d->runtime.stream_create(&stream, RUNTIME_UNORDERED) == 0, "a stream");
  const int64_t before = d->runtime.operations(d->number, "alloc");
  for (int i = 0; i < 4; i++) {
    check(trigon_set_stream(ctx, i % 2 ? NULL : stream) == TRIGON_OK, "another stream: %s", trigon_message(ctx));
    job_call(&j);
  }
  check(d->runtime.operations(d->number, "alloc") == before, "a full device is not asked again");
  check(trigon_finish(ctx, NULL) == TRIGON_OK && trigon_set_stream(ctx, stream) == TRIGON_OK &&
            d->runtime.begin_capture(stream, 0) == 0,
        "a capture");
  job_call(&j);
  check(d->runtime.end_capture(stream, &graph) == 0 && graph && d->runtime.graph_destroy(graph) == 0,
        "a full device can be captured");
  check(trigon_set_stream(ctx, NULL) == TRIGON_OK && d->runtime.stream_destroy(stream) == 0, "the stream's end");
  job_free(&j);
  trigon_destroy(ctx);
  trigon_destroy(device_open(d, "")); /* resets the device to its defaults */
}

/* After the first call, or after a reservation, calls allocate nothing more. */
static void allocations(const device *d) {
  if (!d->simulated) {
    printf("skipped: counting allocations; %s does not tell\n", d->name);
    return;
  }
  for (int reserved = 0; reserved < 2; reserved++) {
    trigon_context *ctx = device_open(d, "");
    job jobs[2 * TESTED_ROUTINES];
    for (int r = 0; r < 2 * TESTED_ROUTINES; r++) {
      job_make(&jobs[r], ctx, (enum tested_routine)(r % TESTED_ROUTINES), (trigon_type) "sdcz"[r / 2 % 4],
               r < TESTED_ROUTINES ? 20 : 75, 3);
      job_send(&jobs[r]);
    }
    if (reserved)
      check(trigon_reserve(ctx, INT64_C(1) << 40) == TRIGON_OK, "reserve: %s", trigon_message(ctx));
    else
      job_call(&jobs[TESTED_ROUTINES]);
    const int64_t before = d->runtime.operations(d->number, "alloc");
    for (int r = 0; r < 2 * TESTED_ROUTINES; r++)
      if (reserved || r != TESTED_ROUTINES) job_call(&jobs[r]);
    check(trigon_finish(ctx, NULL) == TRIGON_OK, "finish: %s", trigon_message(ctx));
    check(d->runtime.operations(d->number, "alloc") == before, "only the first call allocates");
    for (int r = 0; r < 2 * TESTED_ROUTINES; r++) {
      job_check(&jobs[r], "one of many calls");
      job_free(&jobs[r]);
    }
    trigon_destroy(ctx);
  }
}

/* A stream that is not ordered with the call reads the operand. When the call has returned, this stream sees no
 * result yet. */
static void asynchronous(const device *d) {
  if (!d->simulated) {
    printf("skipped: whether calls wait; %s may be faster than the test\n", d->name);
    return;
  }
  trigon_context *ctx = device_open(d, "");
  void *beside;
  job_whole(ctx, POTRI, TRIGON_D, 20, 1, "first");
  check(d->runtime.stream_create(&beside, RUNTIME_UNORDERED) == 0, "a stream");
  for (int r = 0; r < TESTED_ROUTINES; r++) {
    job j;
    job_make(&j, ctx, (enum tested_routine)r, TRIGON_D, 40, 2);
    job_send(&j);
    job_call(&j);
    for (int i = 0; i < operands(j.call.routine); i++)
      check(d->runtime.memcpy_async(j.host[i].block, j.memory[i], j.host[i].bytes, RUNTIME_TO_HOST, beside) == 0 &&
                d->runtime.stream_synchronize(beside) == 0 &&
                memcmp(j.host[i].block, j.host[i].copy, j.host[i].bytes) == 0,
            "%s returns before it is done", j.text);
    job_check(&j, "after a look at it");
    job_free(&j);
  }
  check(d->runtime.stream_destroy(beside) == 0, "the stream's end");
  trigon_destroy(ctx);
}

static double mib_left(const device *d) {
  size_t available = 0, total = 0;
  check(d->runtime.mem_get_info(&available, &total) == 0, "the device's memory");
  return (double)available / MIB;
}

/* Prints how much memory of the device a context takes, including the memory of the vendor's BLAS. Other processes
 * may use the device, too. */
static void footprint(const device *d) {
  trigon_context *first = device_open(d, ""); /* loads the code of the kernels and of the BLAS */
  job_whole(first, GEMM, TRIGON_D, 300, 1, "first");
  const double before = mib_left(d);
  trigon_context *ctx = device_open(d, "");
  const double made = mib_left(d);
  job_whole(ctx, GEMM, TRIGON_D, 300, 1, "second");
  printf("a context takes %.0f MiB, its first product %.0f MiB more\n", before - made, made - mib_left(d));
  trigon_destroy(ctx);
  trigon_destroy(first);
}

void test_workspaces(const device *d) {
  footprint(d);
  own_caps(d);
  callers_buffer(d);
  buffers_end(d);
  small_calls(d);
  large_calls(d);
  no_workspace(d);
  allocations(d);
  asynchronous(d);
}

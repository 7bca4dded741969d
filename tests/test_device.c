/* test_device.c - contexts whose matrices live on a device: usage test_device [CONTEXT], sim:0 where none is named. Runs unchanged
 * on real devices; what only the simulated GPU can tell is skipped there, aloud. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device_job.h"

static int64_t passed, failed;

void check(bool held, const char *format, ...) {
  if (held) {
    passed++;
    return;
  }
  if (++failed > 40) return; /* the rest is only counted */
  va_list values;
  va_start(values, format);
  printf("FAILED: ");
  vprintf(format, values);
  printf("\n");
  va_end(values);
  fflush(stdout);
}

const char *device_name(const device *d, const char *options, char *text, size_t size) {
  snprintf(text, size, "%s%s%s", d->name, !*options ? "" : strchr(d->name, '?') ? "&" : "?", options);
  return text;
}

trigon_context *device_open(const device *d, const char *options) {
  char name[256], why[400];
  trigon_context *ctx;
  if (trigon_create(device_name(d, options, name, sizeof name), &ctx, why, sizeof why) == TRIGON_OK) return ctx;
  printf("no context \"%s\": %s\n", name, why);
  exit(2);
}

/* --------------------------------------------------------------------------------------------------- memory -- */

/* A matrix goes up and comes back, the leading dimensions differing everywhere; nothing around it changes. */
static void round_trip(trigon_context *ctx, trigon_type type, int64_t rows, int64_t cols) {
  guarded from = {0}, to = {0};
  void *memory;
  char stray[128];
  random_stream r = {(uint64_t)(rows + 100 * cols)};
  guarded_shape(&from, type, rows, cols, 1);
  guarded_shape(&to, type, rows, cols, 4);
  matrix_fill(from.matrix, GENERAL, TRIGON_LOWER, TRIGON_NONUNIT, RANDOM, &r);
  guarded_snapshot(&to);
  const int64_t ld = rows + 3, bytes = ld * cols * (int64_t)element_size(type);
  check(trigon_alloc(ctx, bytes, &memory) == TRIGON_OK && (bytes == 0) == !memory, "memory of %lld bytes",
        (long long)bytes);
  check((uintptr_t)memory % 256 == 0, "memory is aligned");
  const trigon_matrix on_device = {memory, type, rows, cols, ld};
  check(trigon_upload(ctx, from.matrix, on_device) == TRIGON_OK, "upload: %s", trigon_message(ctx));
  check(trigon_download(ctx, on_device, to.matrix) == TRIGON_OK, "download: %s", trigon_message(ctx));
  check(!guarded_stray(&to, (region){REGION_ALL, false}, stray, sizeof stray), "a download writes the matrix alone");
  for (int64_t j = 0; j < cols; j++)
    check(memcmp((char *)from.matrix.data + (size_t)(j * from.matrix.ld) * element_size(type),
                 (char *)to.matrix.data + (size_t)(j * to.matrix.ld) * element_size(type),
                 (size_t)rows * element_size(type)) == 0,
          "%c %lld × %lld: column %lld comes back", type, (long long)rows, (long long)cols, (long long)j);
  check(trigon_free(ctx, memory) == TRIGON_OK, "free: %s", trigon_message(ctx));
  guarded_free(&from);
  guarded_free(&to);
}

/* Columns that are further apart than one copy can take go one by one. No real device has so low a limit. */
static void column_by_column(const device *d) {
  enum { rows = 5, cols = 4, ld = rows + 3, on_device_ld = rows + 1, pitch = ld * (int)sizeof(double) };
  static const struct {
    int64_t pitch, copies;
  } limits[] = {{pitch, 1}, {pitch - 1, cols}, {on_device_ld * (int)sizeof(double), cols}, {1, cols}, {0, cols}};
  double host[ld * cols] = {0}, back[ld * cols];
  char options[64];
  void *memory;
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    snprintf(options, sizeof options, "pitch=%lld", (long long)limits[i].pitch);
    trigon_context *ctx = device_open(d, options);
    check(trigon_alloc(ctx, sizeof host, &memory) == TRIGON_OK, "memory");
    const trigon_matrix from = {host, TRIGON_D, rows, cols, ld}, there = {memory, TRIGON_D, rows, cols, on_device_ld};
    const int64_t before = d->runtime.operations(d->number, "copy");
    check(trigon_upload(ctx, from, there) == TRIGON_OK, "%s: upload: %s", options, trigon_message(ctx));
    const int64_t up = d->runtime.operations(d->number, "copy") - before;
    check(trigon_download(ctx, there, (trigon_matrix){back, TRIGON_D, rows, cols, ld}) == TRIGON_OK, "%s: download: %s",
          options, trigon_message(ctx));
    check(up == limits[i].copies && d->runtime.operations(d->number, "copy") - before == 2 * up,
          "%s: %lld copies up, must be %lld", options, (long long)up, (long long)limits[i].copies);
    for (const char *type = "sdcz"; *type; type++) {
      round_trip(ctx, (trigon_type)*type, 9, 5);
      round_trip(ctx, (trigon_type)*type, 1, 5);
    }
    check(trigon_free(ctx, memory) == TRIGON_OK, "free: %s", trigon_message(ctx));
    trigon_destroy(ctx);
  }
}

/* Each of those copies failing, the last and the others: the transfer says so. */
static void failing_columns(const device *d) {
  enum { n = 3, ld = 4 };
  double host[ld * n] = {0};
  char options[64];
  void *memory;
  trigon_context *ctx = device_open(d, "pitch=1");
  const int64_t creation = d->runtime.operations(d->number, "copy");
  trigon_destroy(ctx);
  for (int k = 1; k <= n; k++) {
    snprintf(options, sizeof options, "pitch=1&fail=copy:%lld", (long long)creation + k);
    ctx = device_open(d, options);
    check(trigon_alloc(ctx, sizeof host, &memory) == TRIGON_OK, "memory");
    const trigon_matrix from = {host, TRIGON_D, n, n, ld}, there = {memory, TRIGON_D, n, n, n};
    check(trigon_upload(ctx, from, there) == TRIGON_DEVICE_FAILED && *trigon_message(ctx),
          "column %d of an upload fails", k);
    check(trigon_upload(ctx, from, there) == TRIGON_OK, "and the next upload does not: %s", trigon_message(ctx));
    check(trigon_free(ctx, memory) == TRIGON_OK, "free: %s", trigon_message(ctx));
    trigon_destroy(ctx);
  }
}

/* An upload leaves the rows between matrix and leading dimension alone, and comes after the calls made before. */
static void upload_in_order(trigon_context *ctx) {
  enum { n = 3, ld = 5, all = n * ld };
  double before[all], block[n * n], after[all];
  void *memory;
  for (int i = 0; i < all; i++) before[i] = i;
  for (int i = 0; i < n * n; i++) block[i] = i % (n + 1) == 0 ? 4 : 100 + i;
  check(trigon_alloc(ctx, sizeof before, &memory) == TRIGON_OK, "memory");
  const trigon_matrix whole = {memory, TRIGON_D, all, 1, all}, part = {memory, TRIGON_D, n, n, ld};
  check(trigon_upload(ctx, (trigon_matrix){before, TRIGON_D, all, 1, all}, whole) == TRIGON_OK, "upload of all");
  check(trigon_potrf(ctx, TRIGON_LOWER, part, NULL) == TRIGON_OK, "a call before the upload");
  check(trigon_upload(ctx, (trigon_matrix){block, TRIGON_D, n, n, n}, part) == TRIGON_OK, "upload of a part");
  check(trigon_download(ctx, whole, (trigon_matrix){after, TRIGON_D, all, 1, all}) == TRIGON_OK, "download of all");
  for (int i = 0; i < all; i++) {
    const int row = i % ld, col = i / ld;
    check(after[i] == (row < n ? block[row + n * col] : before[i]), "element %d after an upload of a part", i);
  }
  check(trigon_finish(ctx, NULL) == TRIGON_OK, "finish");
  check(trigon_free(ctx, memory) == TRIGON_OK, "free");
}

void test_memory(const device *d) {
  static const int64_t sizes[][2] = {{0, 0}, {0, 3}, {3, 0}, {1, 1}, {1, 9}, {9, 1}, {17, 5}, {64, 33}};
  trigon_context *ctx = device_open(d, "");
  check(!trigon_on_host(ctx), "matrices live on the device");
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (const char *type = "sdcz"; *type; type++) round_trip(ctx, (trigon_type)*type, sizes[i][0], sizes[i][1]);
  upload_in_order(ctx);

  void *data = ctx;
  check(trigon_alloc(ctx, 0, &data) == TRIGON_OK && !data, "no bytes");
  check(trigon_free(ctx, NULL) == TRIGON_OK, "freeing nothing");
  data = ctx;
  check(trigon_alloc(ctx, -1, &data) == TRIGON_BAD_ARGUMENT && !data, "a negative size is refused");
  data = ctx;
  check(trigon_alloc(ctx, INT64_C(1) << 50, &data) == TRIGON_NO_MEMORY && !data, "more than there is");
  check(strstr(trigon_message(ctx), "trigon_alloc: ") && strstr(trigon_message(ctx), "memory"),
        "is refused in words: %s", trigon_message(ctx));
  job_whole(ctx, POTRI, TRIGON_D, 30, 1, "after an allocation that failed");
  trigon_destroy(ctx);
  if (d->simulated) {
    column_by_column(d);
    failing_columns(d);
  } else {
    printf("skipped: transfers column by column; the columns of %s must be 2 GiB apart\n", d->name);
  }
}

/* ---------------------------------------------------------------------------------------------- without a BLAS -- */

/* AMD's is loaded at run time, and few systems package it: our own kernels multiply then. */
static void test_without_blas(const device *d) {
  if (!d->simulated) {
    printf("skipped: a device without a BLAS; %s has one\n", d->name);
    return;
  }
  trigon_context *ctx = device_open(d, "blas=0&stop=8");
  check(strstr(trigon_describe(ctx), "products by kernels of our own"), "no BLAS: %s", trigon_describe(ctx));
  check(trigon_reserve(ctx, 1 << 20) == TRIGON_OK, "a reservation without a BLAS: %s", trigon_message(ctx));
  for (int r = 0; r < TESTED_ROUTINES; r++)
    job_whole(ctx, (enum tested_routine)r, (trigon_type) "sdcz"[r % 4], 40, 3, "without a BLAS");
  check(d->runtime.operations(d->number, "blas") == 0, "nothing is asked of a BLAS that is not there");
  trigon_destroy(ctx);
}

/* -------------------------------------------------------------------------------------------- current device -- */

static void still_current(const device *d, int current, const char *what) {
  int now = -1;
  check(d->runtime.get_device(&now) == 0 && now == current, "%s leaves device %d current (it is %d)", what, current,
        now);
}

static void failing_creations(const device *d, int current) {
  static const char *const endings[] = {"stop=0",        "native=1",    "fail=alloc:1",
                                        "fail=stream:1", "fail=blas:1", "fail=lost:2"};
  char name[256], why[200];
  trigon_context *ctx;
  for (size_t i = 0; i < (d->simulated ? sizeof endings / sizeof *endings : 1); i++) {
    check(trigon_create(device_name(d, endings[i], name, sizeof name), &ctx, why, sizeof why) != TRIGON_OK && *why,
          "no context %s", name);
    still_current(d, current, name);
  }
  check(trigon_create(d->simulated ? "sim:99" : "cuda:99", &ctx, why, sizeof why) == TRIGON_NOT_FOUND && *why,
        "a device that is not there: %s", why);
  still_current(d, current, "a creation that fails");
}

void test_current_device(const device *d) {
  const int current = (d->number + 1) % d->count;
  void *memory = NULL, *stream = NULL;
  double host[4] = {4, 1, 1, 4};
  check(d->runtime.stream_create(&stream, RUNTIME_UNORDERED) == 0, "a stream");
  check(d->runtime.set_device(current) == 0, "another current device");
#define UNCHANGED(call, expected)                                                                                      \
  do {                                                                                                                 \
    check((call) == (expected), #call);                                                                                \
    still_current(d, current, #call);                                                                                  \
  } while (0)
  failing_creations(d, current);
  trigon_context *ctx = device_open(d, "");
  still_current(d, current, "trigon_create");
  UNCHANGED(trigon_alloc(ctx, INT64_C(1) << 50, &memory), TRIGON_NO_MEMORY);
  UNCHANGED(trigon_alloc(ctx, sizeof host, &memory), TRIGON_OK);
  const trigon_matrix on_host = {host, TRIGON_D, 2, 2, 2}, on_device = {memory, TRIGON_D, 2, 2, 2};
  UNCHANGED(trigon_upload(ctx, on_host, on_device), TRIGON_OK);
  UNCHANGED(trigon_upload(ctx, on_host, on_host), TRIGON_BAD_ARGUMENT);
  UNCHANGED(trigon_potrf(ctx, TRIGON_LOWER, on_device, NULL), TRIGON_OK);
  UNCHANGED(trigon_potrf(ctx, TRIGON_LOWER, on_host, NULL), TRIGON_BAD_ARGUMENT);
  UNCHANGED(trigon_finish(ctx, NULL), TRIGON_OK);
  UNCHANGED(trigon_download(ctx, on_device, on_host), TRIGON_OK);
  UNCHANGED(trigon_download(ctx, on_host, on_host), TRIGON_BAD_ARGUMENT);
  UNCHANGED(trigon_reserve(ctx, 1 << 20), TRIGON_OK);
  UNCHANGED(trigon_set_stream(ctx, stream), TRIGON_OK);
  UNCHANGED(trigon_set_stream(ctx, NULL), TRIGON_OK);
  UNCHANGED(trigon_set_workspace(ctx, host, 1 << 20), TRIGON_BAD_ARGUMENT);
  UNCHANGED(trigon_set_workspace(ctx, NULL, 4 << 20), TRIGON_OK);
  UNCHANGED(trigon_free(ctx, host), TRIGON_BAD_ARGUMENT);
  UNCHANGED(trigon_free(ctx, memory), TRIGON_OK);
#undef UNCHANGED
  for (int r = 0; r < TESTED_ROUTINES; r++) {
    job_whole(ctx, (enum tested_routine)r, (trigon_type) "sdcz"[(r + 1) % 4], 33, 5, "another device being current");
    still_current(d, current, routines[r].name);
  }
  trigon_destroy(ctx);
  still_current(d, current, "trigon_destroy");
  check(d->runtime.set_device(d->number) == 0, "back to the device");
  check(d->runtime.stream_destroy(stream) == 0, "the stream's end");
}

/* --------------------------------------------------------------------------------------------------- streams -- */

/* Moves the job's matrices in `stream` from where job_send left them to memory[i] again, by way of `aside`: what the call
 * reads is there only after the work queued in the stream. */
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

/* Input made and output read by work in the stream itself, which trigon does not hear of. */
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
    check(d->runtime.memset_async(j.memory[i], 0xff, j.host[i].bytes, stream) == 0, "junk behind it");
    check(d->runtime.memcpy_async(j.memory[i], aside[i], j.host[i].bytes, RUNTIME_ON_DEVICE, stream) == 0, "and back");
  }
  check(d->runtime.stream_synchronize(stream) == 0, "waiting for the caller's stream");
  job_check(&j, when);
  for (int i = 0; i < operands(routine); i++) check(trigon_free(ctx, aside[i]) == TRIGON_OK, "free");
  job_free(&j);
}

/* The factor in one stream, its inverse in another, without waiting in between. */
static void across_streams(const device *d, trigon_context *ctx, void *const streams[], int count) {
  job solve;
  void *aside[3] = {NULL, NULL, NULL};
  job_make(&solve, ctx, POSV, TRIGON_D, 50, 21);
  for (int first = 0; first < count; first++)
    for (int second = 0; second < count; second++) {
      job_fill(&solve, (uint64_t)(30 + 10 * first + second));
      job_send(&solve);
      check(trigon_set_stream(ctx, streams[first]) == TRIGON_OK, "the first stream: %s", trigon_message(ctx));
      set_inputs_aside(d, &solve, aside);
      queue_inputs(d, &solve, aside, streams[first]);
      check(trigon_potrf(ctx, solve.call.uplo, solve.call.stored[0], solve.call.info) == TRIGON_OK, "potrf");
      check(trigon_set_stream(ctx, streams[second]) == TRIGON_OK, "the second stream: %s", trigon_message(ctx));
      check(trigon_potrs(ctx, solve.call.uplo, solve.call.stored[0], solve.call.stored[1]) == TRIGON_OK, "potrs");
      job_check(&solve, "the stream being changed between two calls");
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
  check(trigon_set_stream(ctx, streams[1]) == TRIGON_OK, "the caller's stream: %s", trigon_message(ctx));
  for (int r = 0; r < TESTED_ROUTINES; r++)
    in_order(d, ctx, (enum tested_routine)r, streams[1], "in the caller's stream");
  check(trigon_set_stream(ctx, NULL) == TRIGON_OK, "the own stream: %s", trigon_message(ctx));
  for (int r = 0; r < TESTED_ROUTINES; r++) in_order(d, ctx, (enum tested_routine)r, NULL, "in the own stream again");
  across_streams(d, ctx, streams, 3);
  check(trigon_set_stream(ctx, NULL) == TRIGON_OK && trigon_finish(ctx, NULL) == TRIGON_OK, "the end");
  for (int i = 1; i < 3; i++) check(d->runtime.stream_destroy(streams[i]) == 0, "a stream's end");
  trigon_destroy(ctx);
}

/* ------------------------------------------------------------------------------------------------------ main -- */

static void open_device(device *d) {
  char kind[8] = "";
  snprintf(kind, sizeof kind, "%.*s", (int)strcspn(d->name, ":"), d->name);
  d->simulated = strcmp(kind, "sim") == 0;
  d->number = atoi(d->name + strcspn(d->name, ":") + 1);
  trigon_context *ctx = device_open(d, "");
  printf("%s: %s\n", d->name, trigon_describe(ctx));
  job_whole(ctx, POSV, TRIGON_D, 50, 1, "before this program has touched a device");
  trigon_destroy(ctx);
  const char *missing = runtime_open(&d->runtime, kind);
  if (missing || d->runtime.get_device_count(&d->count) != 0) {
    printf("no runtime for %s: %s\n", d->name, missing ? missing : "it has no such device");
    exit(2);
  }
  const int next = (d->number + 1) % d->count;
  check(runtime_untouched(&d->runtime, &next, next != d->number),
        "no other device has been touched, and none is current");
  check(d->runtime.set_device(d->number) == 0, "the current device");
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(const device *);
  } parts[] = {{"memory", test_memory},     {"pointers", test_pointers},     {"current", test_current_device},
               {"blas", test_without_blas}, {"streams", test_streams},       {"failures", test_failures},
               {"graphs", test_graphs},     {"workspaces", test_workspaces}, {"dirty", test_dirty}};
  device d = {.name = argc > 1 ? argv[1] : "sim:0"};
  open_device(&d);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    if (argc > 2 && strcmp(argv[2], parts[i].name) != 0) continue;
    const int64_t before = passed + failed;
    const int64_t bytes = d.simulated ? d.runtime.allocated(d.number) : 0;
    const int64_t handles = d.simulated ? d.runtime.handles(d.number) : 0;
    parts[i].run(&d);
    check(!d.simulated || (d.runtime.allocated(d.number) == bytes && d.runtime.handles(d.number) == handles),
          "%s: nothing is left behind", parts[i].name);
    printf("%-10s %8lld checks\n", parts[i].name, (long long)(passed + failed - before));
    fflush(stdout);
  }
  printf("%lld passed, %lld failed\n", (long long)passed, (long long)failed);
  return failed > 0;
}

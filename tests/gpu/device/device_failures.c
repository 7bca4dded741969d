/* device_failures.c - every operation that a call asks of the device fails once, and the device is lost once.
 *
 * The call is a small POTRI. The device is lost at each operation in turn. Each failure must give a status and a
 * message, must leave nothing behind, and the context must compute afterwards. These tests run on the simulated GPU,
 * which fails on demand. */
#include <stdio.h>
#include <string.h>

#include "support/device_job.h"

enum { ORDER = 40 };

/* The matrix is good, or has a zero on its diagonal. In the last variant nobody asks for info. */
typedef enum variant { GOOD, SINGULAR, SINGULAR_NO_INFO, VARIANTS } variant;

typedef struct attempt {
  const device *d;
  trigon_context *ctx;
  const char *kind; /* kind of the operation that fails */
  int64_t k;        /* number of this operation among those of its kind; 0: no operation fails */
  void *stream;     /* a stream of the caller's, made before all operations */
  guarded A;
  void *memory, *info;
  int survived;        /* number of runs in which the failure changed nothing */
  int64_t before_call; /* number of operations of the kind before the routine is called */
} attempt;

static const char *const kinds[] = {"alloc", "copy",   "launch", "blas", "blas_memory",
                                    "event", "stream", "wait",   "query"};

/* The status of a routine if an operation of the kind fails in the middle of the routine. */
static trigon_status status_of(const char *kind) {
  return strcmp(kind, "blas_memory") == 0 ? TRIGON_INCOMPLETE : TRIGON_DEVICE_FAILED;
}

/* Returns whether a step succeeded. A step that failed must have a message. */
static bool well(const attempt *a, trigon_status status, const char *step) {
  if (status == TRIGON_OK) return true;
  check(status == TRIGON_NO_MEMORY || (status == status_of(a->kind) && strcmp(a->kind, "alloc") != 0),
        "%s gives status %d", step, (int)status);
  check(*trigon_message(a->ctx) != 0, "%s fails with a message", step);
  return false;
}

#define STEP(call)                                                                                                     \
  do {                                                                                                                 \
    if (!well(a, (call), #call)) return false;                                                                         \
  } while (0)

/* Makes all steps, up to the step that fails. Returns true if no step fails. */
static bool steps(attempt *a, variant v, bool streams) {
  guarded *g = &a->A;
  const bool with_info = v != SINGULAR_NO_INFO;
  const int64_t due = v == GOOD ? 0 : 10;
  int64_t info = -1, late = -1, ld = g->matrix.ld, unset = -4711;
  if (v != GOOD) matrix_put(g->matrix, 9, 9, (trigon_scalar){0, 0});
  double seconds = -1;
  STEP(trigon_alloc(a->ctx, 2 * (int64_t)g->bytes, &a->memory));
  STEP(trigon_alloc(a->ctx, sizeof info, &a->info));
  const trigon_matrix there = {a->memory, TRIGON_D, ORDER, ORDER, ld};
  const trigon_matrix info_there = {a->info, TRIGON_D, 1, 1, 1};
  const trigon_matrix elsewhere = {(char *)a->memory + g->bytes, TRIGON_D, ORDER, ORDER, ld};
  STEP(trigon_upload(a->ctx, g->matrix, elsewhere));
  STEP(trigon_timer_start(a->ctx, 1e-9));
  check(a->k == 0 || strcmp(a->kind, "event") != 0 || a->d->runtime.operations(a->d->number, "event") < a->k,
        "the timer starts although its mark failed");
  STEP(trigon_copy(a->ctx, elsewhere, there));
  STEP(trigon_timer_stop(a->ctx, &seconds));
  STEP(trigon_upload(a->ctx, (trigon_matrix){&unset, TRIGON_D, 1, 1, 1}, info_there));
  if (streams) STEP(trigon_set_stream(a->ctx, a->stream));
  a->before_call = a->d->runtime.operations(a->d->number, a->kind);
  STEP(trigon_potri(a->ctx, TRIGON_LOWER, there, with_info ? a->info : NULL));
  if (streams) STEP(trigon_set_stream(a->ctx, NULL));
  STEP(trigon_finish(a->ctx, &late));
  STEP(trigon_set_workspace(a->ctx, NULL, 3 << 20));
  STEP(trigon_reserve(a->ctx, 1));
  STEP(trigon_download(a->ctx, there, g->matrix));
  STEP(trigon_download(a->ctx, info_there, (trigon_matrix){&info, TRIGON_D, 1, 1, 1}));
  check(info == (with_info ? due : unset) && late == (with_info ? 0 : due), "info is %lld and %lld, due %lld",
        (long long)info, (long long)late, (long long)due);
  STEP(trigon_free(a->ctx, a->info));
  a->info = NULL;
  STEP(trigon_free(a->ctx, a->memory));
  a->memory = NULL;
  return true;
}

static void prepare(attempt *a) {
  random_stream r = {77};
  guarded_shape(&a->A, TRIGON_D, ORDER, ORDER, 2);
  matrix_fill(a->A.matrix, FACTOR, TRIGON_LOWER, TRIGON_NONUNIT, RANDOM, &r);
  a->ctx = NULL, a->memory = a->info = NULL;
}

/* Frees the memory that the steps left. On a lost device no call can wait, so the runtime frees the memory. */
static void clear(attempt *a, bool lost) {
  void *all[] = {a->memory, a->info};
  for (int i = 0; i < 2; i++) {
    const trigon_status status = trigon_free(a->ctx, all[i]);
    check(status == TRIGON_OK || lost, "freeing after a failure: %s", trigon_message(a->ctx));
    if (status != TRIGON_OK) a->d->runtime.free(all[i]);
  }
  a->memory = a->info = NULL;
}

/* Makes one run in which the k-th operation of the kind fails; if k = 0, no operation fails. Returns how many
 * operations of the kind the run made. */
static int64_t run(attempt *a, variant v, const char *kind, int64_t k) {
  char options[64], name[256], why[400] = "";
  const device *d = a->d;
  const bool lost = strcmp(kind, "lost") == 0;
  const int64_t bytes = d->runtime.allocated(d->number), handles = d->runtime.handles(d->number);
  prepare(a);
  a->kind = kind, a->k = k;
  snprintf(options, sizeof options, k ? "stop=8&fail=%s:%lld" : "stop=8", kind, (long long)k);
  const trigon_status created = trigon_create(device_name(d, options, name, sizeof name), &a->ctx, why, sizeof why);
  check(created == TRIGON_OK || (!a->ctx && *why), "%s: no context and no reason", options);
  check(created == TRIGON_OK || created == TRIGON_NO_MEMORY || strcmp(kind, "alloc") != 0, "%s: status %d", options,
        (int)created);
  check(created != TRIGON_OK || k == 0 || d->runtime.operations(d->number, kind) < k,
        "%s: a context in spite of a failure", options);
  bool all_well = false;
  int64_t count = 0;
  if (a->ctx) {
    all_well = steps(a, v, true);
    count = d->runtime.operations(d->number, kind);
    clear(a, lost);
    if (k > 0 && all_well) a->survived++;
    if (k > 0 && !lost) { /* the context computes, and reports nothing about the failure */
      check(trigon_finish(a->ctx, NULL) == TRIGON_OK, "%s: finish after a failure: %s", options,
            trigon_message(a->ctx));
      job_whole(a->ctx, POTRI, TRIGON_D, ORDER, 5, options);
    }
    trigon_destroy(a->ctx);
  }
  check(k > 0 || all_well, "%s: a failure from nowhere", options);
  /* The routine itself allocates only the workspace. Without a workspace the routine still computes. */
  check(k == 0 || !all_well || (strcmp(kind, "alloc") == 0 && k == a->before_call + 1),
        "%s: a failure that nobody tells", options);
  check(d->runtime.allocated(d->number) == bytes, "%s: %lld bytes are left behind", options,
        (long long)(d->runtime.allocated(d->number) - bytes));
  check(d->runtime.handles(d->number) == handles, "%s: handles are left behind", options);
  return count;
}

/* Returns whether info on the device has the value that was sent. */
static bool info_untouched(job *j) {
  int64_t info = 0;
  check(trigon_download(j->ctx, (trigon_matrix){j->info, TRIGON_D, 1, 1, 1},
                        (trigon_matrix){&info, TRIGON_D, 1, 1, 1}) == TRIGON_OK,
        "downloading info: %s", trigon_message(j->ctx));
  return info == -4711;
}

/* Makes the job's call while the k-th operation of a kind fails. The call reports the failure, and the context
 * computes afterwards. If memory for a workspace is missing, the call succeeds without a workspace. */
static void fail_in_call(const device *d, const char *extra, enum tested_routine routine, const char *kind, int64_t k) {
  char options[96];
  job j;
  snprintf(options, sizeof options, "%s&fail=%s:%lld", extra, kind, (long long)k);
  trigon_context *ctx = device_open(d, options);
  job_make(&j, ctx, routine, TRIGON_D, 20, 3);
  job_send(&j);
  const trigon_status status = call_matrix(ctx, &j.call);
  const bool survived = strcmp(kind, "alloc") == 0;
  check(status == (survived ? TRIGON_OK : status_of(kind)), "%s, %s: status %d", j.text, options, (int)status);
  check(survived == !*trigon_message(ctx), "%s, %s: a message", j.text, options);
  if (survived) job_check(&j, options);
  check(survived || !j.info || info_untouched(&j), "%s, %s: info is written", j.text, options);
  check(trigon_finish(ctx, NULL) == TRIGON_OK, "%s, %s: finish: %s", j.text, options, trigon_message(ctx));
  job_send(&j);
  job_call(&j);
  job_check(&j, options);
  job_free(&j);
  trigon_destroy(ctx);
}

/* Every operation of every routine's call fails once, with the vendor's products, with Trigon's own products, and with
 * dataflow leaves. */
static void every_routine(const device *d) {
  static const char *const options[] = {"stop=8", "stop=8&gemm=own", "stop=8&leaf=dataflow"};
  enum { CONTEXTS = sizeof options / sizeof *options };
  for (int with = 0; with < CONTEXTS; with++)
    for (int r = 0; r < TESTED_ROUTINES; r++)
      for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        job j;
        trigon_context *ctx = device_open(d, options[with]);
        job_make(&j, ctx, (enum tested_routine)r, TRIGON_D, 20, 3);
        job_send(&j);
        const int64_t before = d->runtime.operations(d->number, kinds[i]);
        job_call(&j);
        const int64_t after = d->runtime.operations(d->number, kinds[i]);
        job_check(&j, options[with]);
        job_free(&j);
        trigon_destroy(ctx);
        for (int64_t k = before + 1; k <= after; k++)
          fail_in_call(d, options[with], (enum tested_routine)r, kinds[i], k);
      }
}

/* A factorization's failure is kept for trigon_finish. Each wait of trigon_finish fails once. Then this call of
 * trigon_finish or the next call tells the factorization's failure. */
static void late_finish(const device *d) {
  enum { WAITS = 6 }; /* more waits than a creation and a call of trigon_finish make */
  job j;
  trigon_context *maker = device_open(d, ""), *ctx = NULL;
  job_make(&j, maker, POTRF, TRIGON_D, 30, 6);
  job_spoil(&j, 11);
  j.call.info = NULL;
  for (int k = 1; k <= WAITS; k++) {
    char options[64], name[256];
    int64_t first = -77, second = -77;
    job_send(&j);
    snprintf(options, sizeof options, "fail=wait:%d", k);
    if (trigon_create(device_name(d, options, name, sizeof name), &ctx, NULL, 0) != TRIGON_OK) continue;
    check(call_matrix(ctx, &j.call) == TRIGON_OK, "the call: %s", trigon_message(ctx));
    const bool waited = trigon_finish(ctx, &first) == TRIGON_OK;
    check(waited || trigon_finish(ctx, &second) == TRIGON_OK, "finish again: %s", trigon_message(ctx));
    check(first == 12 || (!waited && first == -77 && second == 12), "%s: finish tells %lld, then %lld", options,
          (long long)first, (long long)second);
    trigon_destroy(ctx);
  }
  job_free(&j);
  trigon_destroy(maker);
}

void test_failures(const device *d) {
  if (!d->simulated) {
    printf("skipped: failures on demand; %s does not fail on demand\n", d->name);
    return;
  }
  attempt a = {.d = d};
  trigon_destroy(device_open(d, "")); /* resets the device to its defaults */
  check(d->runtime.stream_create(&a.stream, RUNTIME_UNORDERED) == 0, "a stream");
  for (int v = 0; v < VARIANTS; v++)
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
      const int64_t count = run(&a, (variant)v, kinds[i], 0);
      check(count > 0, "the calls make operations of kind %s", kinds[i]);
      for (int64_t k = 1; k <= count; k++) run(&a, (variant)v, kinds[i], k);
    }
  check(a.survived == VARIANTS, "the allocation of the workspace, and no other, can fail without harm: %d", a.survived);
  every_routine(d);
  late_finish(d);
  const int64_t all = run(&a, GOOD, "lost", 0);
  for (int64_t k = 1; k <= all; k++) run(&a, GOOD, "lost", k);
  trigon_destroy(device_open(d, ""));
  check(d->runtime.stream_destroy(a.stream) == 0, "the stream's end");
  job_whole(a.ctx = device_open(d, ""), POTRI, TRIGON_D, ORDER, 6, "after all failures");
  trigon_destroy(a.ctx);
  guarded_free(&a.A);
}

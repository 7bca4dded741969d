/* device_forks.c - batched calls whose launches run beside each other, in side streams of the context
 * (src/gpu/kernels/launch.h): in captures, between replays, and beside captures. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/device_recording.h"

/* A word of device memory. trigon_upload copies bits. */
typedef union word {
  double number;
  int64_t integer;
  void *address;
} word;

/* Matrices of several classes of orders, with right-hand sides of several classes of widths. */
enum { COUNT = 4 };
static const int64_t orders[COUNT] = {20, 50, 100, 300}, widths[COUNT] = {40, 1, 5, 2};

enum { FACTOR_ALL = 1, SOLVE_ALL = 2 }; /* calls: POTRF, POTRS */
enum array { N, NRHS, AT_A, AT_B, INFO, ARRAYS };

/* A call of POTRF, of POTRS, or of one after the other, for a batch of arrays whose largest order the host does not
 * know. The matrices, the right-hand sides and the arrays are one piece of device memory. */
typedef struct forks {
  trigon_context *ctx;
  int calls;                                /* a sum */
  int64_t size, A[COUNT], B[COUNT], arrays; /* offsets in the memory, in words */
  word *host, *there;
} forks;

static trigon_matrix all_words(const forks *f, word *of) { return (trigon_matrix){of, TRIGON_D, f->size, 1, f->size}; }

static forks forks_make(trigon_context *ctx, int calls) {
  forks f = {.ctx = ctx, .calls = calls};
  void *memory = NULL;
  for (int i = 0; i < COUNT; i++) f.A[i] = f.size, f.size += orders[i] * orders[i];
  for (int i = 0; i < COUNT; i++) f.B[i] = f.size, f.size += orders[i] * widths[i];
  f.arrays = f.size, f.size += ARRAYS * COUNT;
  f.host = malloc((size_t)f.size * sizeof *f.host);
  if (!f.host) abort();
  accepted(ctx, trigon_alloc(ctx, f.size * (int64_t)sizeof *f.host, &memory), "memory");
  f.there = memory;
  return f;
}

static void forks_free(forks *f) {
  accepted(f->ctx, trigon_free(f->ctx, f->there), "free");
  free(f->host);
}

static word *array_of(const forks *f, word *of, enum array k) { return of + f->arrays + (int64_t)k * COUNT; }

/* An element of A, or of its factor: A is zero but for its diagonal and a corner, and so is the factor. */
static double element(int64_t n, int64_t row, int64_t col, bool factored) {
  if (row == n - 1 && col == 0) return factored ? 1 : 2;
  if (row != col) return 0;
  return !factored ? 4 : row == n - 1 ? sqrt(3) : 2;
}

/* An element of B = A·X, or of X, whose column j holds j + 1. */
static double right_side(int64_t n, int64_t row, int64_t col, bool solved) {
  const double sum = row == 0 || row == n - 1 ? 6 : 4;
  return (double)(col + 1) * (solved ? 1 : sum);
}

static void forks_send(forks *f) {
  for (int i = 0; i < COUNT; i++) {
    const int64_t n = orders[i];
    for (int64_t e = 0; e < n * n; e++)
      f->host[f->A[i] + e].number = element(n, e % n, e / n, !(f->calls & FACTOR_ALL));
    for (int64_t e = 0; e < n * widths[i]; e++) f->host[f->B[i] + e].number = right_side(n, e % n, e / n, false);
    array_of(f, f->host, N)[i].integer = n, array_of(f, f->host, NRHS)[i].integer = widths[i];
    array_of(f, f->host, AT_A)[i].address = f->there + f->A[i],
                         array_of(f, f->host, AT_B)[i].address = f->there + f->B[i];
    array_of(f, f->host, INFO)[i].integer = -77;
  }
  accepted(f->ctx, trigon_upload(f->ctx, all_words(f, f->host), all_words(f, f->there)), "an upload");
}

/* Returns the status of the first call that fails. */
static trigon_status forks_try(const forks *f) {
  trigon_status status = TRIGON_OK;
  const int64_t *const n = &array_of(f, f->there, N)->integer, *const nrhs = &array_of(f, f->there, NRHS)->integer;
  double *const *const at = (double *const *)&array_of(f, f->there, AT_A)->address;
  double *const *const of_B = (double *const *)&array_of(f, f->there, AT_B)->address;
  int64_t *const info = &array_of(f, f->there, INFO)->integer;
  if (f->calls & FACTOR_ALL) status = trigon_dpotrf_batch(f->ctx, TRIGON_LOWER, COUNT, 0, n, at, n, info);
  if (status == TRIGON_OK && f->calls & SOLVE_ALL)
    status = trigon_dpotrs_batch(f->ctx, TRIGON_LOWER, COUNT, 0, n, nrhs, at, n, of_B, n, info);
  return status;
}

static void forks_call(const forks *f) { accepted(f->ctx, forks_try(f), "a batch"); }

static void forks_check(forks *f, const char *when) {
  int wrong = 0;
  accepted(f->ctx, trigon_download(f->ctx, all_words(f, f->there), all_words(f, f->host)), "a download");
  for (int i = 0; i < COUNT; i++) {
    const int64_t n = orders[i];
    for (int64_t e = 0; e < n * n; e++)
      wrong += !(fabs(f->host[f->A[i] + e].number - element(n, e % n, e / n, true)) < 1e-14);
    for (int64_t e = 0; e < n * widths[i]; e++) {
      const double due = right_side(n, e % n, e / n, f->calls & SOLVE_ALL);
      wrong += !(fabs(f->host[f->B[i] + e].number - due) <= 1e-14 * due);
    }
    wrong += array_of(f, f->host, INFO)[i].integer != 0;
  }
  check(wrong == 0, "%s: calls %d: %d elements are wrong", when, f->calls, wrong);
}

/* Replays on fresh data. */
static void forks_replay(recording *r, forks *f, const char *when) {
  forks_send(f);
  record_launch(r, when);
  forks_check(f, when);
}

/* Calls outside of captures. */
static void forks_whole(forks *f, const char *when) {
  forks_send(f);
  forks_call(f);
  forks_check(f, when);
}

static void replayed(const device *d, trigon_context *ctx, int calls) {
  forks f = forks_make(ctx, calls), other = forks_make(ctx, FACTOR_ALL | SOLVE_ALL);
  recording r = record_begin(d, ctx, GLOBAL);
  forks_call(&f);
  record_end(&r);
  forks_replay(&r, &f, "replayed");
  forks_whole(&other, "between replays");
  forks_replay(&r, &f, "replayed again");
  record_free(&r, ctx);
  forks_whole(&f, "after the graph's end");
  forks_free(&f), forks_free(&other);
}

/* The context leaves a captured stream, calls, and enters the capture again. */
static void beside_capture(const device *d, trigon_context *ctx, int calls) {
  forks f = forks_make(ctx, calls), other = forks_make(ctx, FACTOR_ALL | SOLVE_ALL);
  recording r = record_begin(d, ctx, RELAXED);
  forks_call(&f);
  accepted(ctx, trigon_set_stream(ctx, NULL), "a stream may be left while it is captured");
  forks_whole(&other, "beside a capture");
  accepted(ctx, trigon_finish(ctx, NULL), "finish");
  accepted(ctx, trigon_set_stream(ctx, r.stream), "back in the capture");
  forks_call(&other);
  record_end(&r);
  accepted(ctx, trigon_set_stream(ctx, NULL), "the own stream");
  for (int again = 0; again < 2; again++) {
    forks_send(&other);
    forks_replay(&r, &f, "captured before other calls");
    forks_check(&other, "captured after other calls");
  }
  record_free(&r, ctx);
  forks_free(&f), forks_free(&other);
}

/* A context takes part in two captures at once. */
static void two_captures(const device *d, trigon_context *ctx, int calls) {
  forks f = forks_make(ctx, calls), behind = forks_make(ctx, SOLVE_ALL), other = forks_make(ctx, calls);
  recording first = record_begin(d, ctx, RELAXED), second = record_new(d);
  forks_call(&f);
  record_into(&second, ctx);
  forks_call(&other);
  accepted(ctx, trigon_set_stream(ctx, first.stream), "back in the first capture");
  forks_call(&behind);
  record_end(&second);
  record_end(&first);
  accepted(ctx, trigon_set_stream(ctx, NULL), "the own stream");
  for (int again = 0; again < 2; again++) {
    forks_replay(&second, &other, "captured beside another capture");
    forks_send(&behind);
    forks_replay(&first, &f, "captured before another capture began");
    forks_check(&behind, "captured after another capture began");
  }
  record_free(&first, ctx), record_free(&second, ctx);
  forks_free(&f), forks_free(&behind), forks_free(&other);
}

/* The numbers of the first event that a call of POTRF uses, and of the last. */
static void events_of_call(const device *d, int64_t *first, int64_t *last) {
  trigon_context *ctx = device_open(d, "");
  forks f = forks_make(ctx, FACTOR_ALL);
  forks_send(&f);
  *first = d->runtime.operations(d->number, "event") + 1;
  forks_call(&f);
  *last = d->runtime.operations(d->number, "event");
  forks_check(&f, "a call whose events are counted");
  forks_free(&f);
  trigon_destroy(ctx);
}

/* Each operation of events fails once in a capture. If the context's stream then does not wait for a side stream, the
 * capture gives no graph, even if a later call succeeds: nothing orders the work of the call that failed. */
static void failing_capture(const device *d) {
  int64_t first, last;
  if (!d->simulated) {
    printf("skipped: events that fail in a capture; %s does not fail on demand\n", d->name);
    return;
  }
  events_of_call(d, &first, &last);
  const int64_t sides = (last - first) / 3, joins = first + 1 + sides; /* one record, and a wait for each side */
  check(sides > 0 && last == first + 3 * sides, "a side stream waits, is recorded, and is waited for");
  for (int64_t k = first; k <= last; k++) {
    char options[40];
    void *graph = NULL;
    snprintf(options, sizeof options, "fail=event:%lld", (long long)k);
    trigon_context *ctx = device_open(d, options);
    forks f = forks_make(ctx, FACTOR_ALL);
    recording r = record_begin(d, ctx, RELAXED);
    check(forks_try(&f) == TRIGON_DEVICE_FAILED, "%s: a failure in a capture is told", options);
    const trigon_status again = forks_try(&f);
    const bool ended = d->runtime.end_capture(r.stream, &graph) == 0;
    check((again == TRIGON_OK) == (k < joins) && ended == (k < joins), "%s: status %d, and the capture ends %s",
          options, (int)again, ended ? "well" : "in failure");
    check(!graph || d->runtime.graph_destroy(graph) == 0, "the graph's end");
    record_free(&r, ctx);
    forks_whole(&f, "after a failure in a capture");
    forks_free(&f);
    trigon_destroy(ctx);
  }
}

void test_forks(const device *d) {
  failing_capture(d);
  static void (*const parts[])(const device *, trigon_context *, int) = {replayed, beside_capture, two_captures};
  for (int i = 0; i < 3; i++)
    for (int calls = FACTOR_ALL; calls <= (FACTOR_ALL | SOLVE_ALL); calls++) {
      trigon_context *ctx = device_open(d, "");
      parts[i](d, ctx, calls);
      trigon_destroy(ctx);
    }
}

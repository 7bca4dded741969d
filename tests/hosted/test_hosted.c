/* test_hosted.c - contexts with their matrices in host memory compute on simulated devices: the same bits on any number
 * of devices, failures that are told, a cap of device memory that holds. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <trigon.h>
#include <unistd.h>

#include "support/check.h"

enum { N = 75, COLUMNS = 40, LD = N + 3 }; /* 5 tiles of 16 */

static trigon_context *create(const char *name) {
  char why[400];
  trigon_context *ctx = NULL;
  const trigon_status status = trigon_create(name, &ctx, why, sizeof why);
  check_that(status == TRIGON_OK, "trigon_create(\"%s\"): %s", name, why);
  return ctx;
}

/* ------------------------------------------------------------------------------------------------- matrices -- */

static double entry(int64_t i, int64_t j) { return 1.0 / (double)(1 + (i > j ? i - j : j - i)); }

/* A positive definite matrix, with NaN between its columns. */
static void fill_definite(double *A) {
  for (int64_t i = 0; i < LD * N; i++) A[i] = NAN;
  for (int64_t j = 0; j < N; j++)
    for (int64_t i = 0; i < N; i++) A[i + j * LD] = entry(i, j) + (i == j ? 3 : 0);
}

static void fill_columns(double *B) {
  for (int64_t i = 0; i < LD * COLUMNS; i++) B[i] = NAN;
  for (int64_t j = 0; j < COLUMNS; j++)
    for (int64_t i = 0; i < N; i++) B[i + j * LD] = cos((double)(i + 7 * j));
}

typedef struct pair {
  double A[LD * N], B[LD * COLUMNS];
} pair;

static void fill(pair *p) {
  fill_definite(p->A);
  fill_columns(p->B);
}

/* Factors A, solves, inverts, without a wait in between. */
static trigon_status compute(trigon_context *ctx, pair *p) {
  trigon_status status = trigon_dposv(ctx, TRIGON_LOWER, N, COLUMNS, p->A, LD, p->B, LD, NULL);
  if (status == TRIGON_OK)
    status =
        trigon_dtrmm(ctx, TRIGON_LEFT, TRIGON_LOWER, TRIGON_TRANS, TRIGON_NONUNIT, N, COLUMNS, 2, p->A, LD, p->B, LD);
  if (status == TRIGON_OK) status = trigon_dpotri(ctx, TRIGON_LOWER, N, p->A, LD, NULL);
  return status;
}

/* ------------------------------------------------------------------------------------------------------ bits -- */

static void check_bits(const pair *expected, const char *name, bool pinned) {
  trigon_context *ctx = create(name);
  if (!ctx) return;
  void *memory = NULL;
  if (pinned)
    check_that(trigon_alloc(ctx, sizeof(pair), &memory) == TRIGON_OK, "%s", trigon_message(ctx));
  else
    memory = malloc(sizeof(pair));
  pair *p = memory;
  if (p) {
    fill(p);
    check_that(compute(ctx, p) == TRIGON_OK, "%s", trigon_message(ctx));
    check_that(trigon_finish(ctx, NULL) == TRIGON_OK, "%s", trigon_message(ctx));
    check_that(memcmp(p, expected, sizeof *p) == 0, "%s, %s memory: other bits than one device has", name,
               pinned ? "pinned" : "pageable");
  }
  if (pinned)
    check_that(trigon_free(ctx, memory) == TRIGON_OK, "%s", trigon_message(ctx));
  else
    free(memory);
  trigon_destroy(ctx);
}

/* Whether column 3 of A times its inverse, of which the lower triangle is stored, is that of the identity. */
static bool is_inverse(const pair *p) {
  double worst = 0;
  for (int64_t i = 0; i < N; i++) {
    double sum = 0;
    for (int64_t k = 0; k < N; k++) sum += (entry(i, k) + (i == k ? 3 : 0)) * p->A[k >= 3 ? k + 3 * LD : 3 + k * LD];
    worst = fmax(worst, fabs(sum - (i == 3)));
  }
  return worst < 1e-12;
}

/* The result of one device, which is checked by its product with A. */
static void check_result(pair *expected) {
  trigon_context *ctx = create("sim:0:host?stop=16");
  if (!ctx) return;
  check_that(trigon_on_host(ctx), "the matrices are not in host memory");
  fill(expected);
  check_that(compute(ctx, expected) == TRIGON_OK, "%s", trigon_message(ctx));
  check_that(trigon_finish(ctx, NULL) == TRIGON_OK, "%s", trigon_message(ctx));
  check_that(is_inverse(expected), "A times its inverse is not the identity");
  trigon_destroy(ctx);
}

static void check_all_bits(void) {
  static const char *const names[] = {
      "sim:0:host?stop=16&seed=2",  "sim:0-1?stop=16",         "sim:0-2?stop=16&seed=3",    "sim:0-3?stop=16",
      "sim:2-3?stop=16&resident=1", "sim:0-2?stop=16&peers=0", "sim:0-1?stop=16&coherent=1"};
  pair *expected = malloc(sizeof *expected);
  if (!expected) return;
  check_result(expected);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    for (int pinned = 0; pinned < 2; pinned++) check_bits(expected, names[i], pinned);
  free(expected);
}

/* Pageable memory goes through pinned chunks, unless the device reads all memory by itself. */
static void check_coherent(void) {
  for (int coherent = 0; coherent < 2; coherent++) {
    trigon_context *ctx =
        create(coherent ? "sim:0:host?stop=16&coherent=1&fail=pin:1" : "sim:0:host?stop=16&fail=pin:1");
    pair *p = malloc(sizeof *p);
    if (ctx && p) {
      fill(p);
      trigon_status status = compute(ctx, p);
      const trigon_status finished = trigon_finish(ctx, NULL);
      if (status == TRIGON_OK) status = finished;
      check_that((status == TRIGON_OK) == (coherent == 1), "coherent=%d, no pinned memory: %s", coherent,
                 trigon_status_string(status));
    }
    free(p);
    trigon_destroy(ctx);
  }
}

/* --------------------------------------------------------------------------------------------------- arguments -- */

static void check_device_pointer(trigon_context *ctx) {
  trigon_context *device = create("sim:3");
  double host[4] = {1, 0, 0, 1};
  void *data = NULL;
  if (device && trigon_alloc(device, 4096, &data) == TRIGON_OK) {
    check_that(trigon_dpotrf(ctx, TRIGON_LOWER, 2, data, 2, NULL) == TRIGON_BAD_ARGUMENT,
               "memory of a device is taken");
    check_that(strstr(trigon_message(ctx), "argument 3 (A)") && strstr(trigon_message(ctx), "must be host memory"),
               "the message is: %s", trigon_message(ctx));
    check_that(trigon_dtrsm(ctx, TRIGON_LEFT, TRIGON_LOWER, TRIGON_NOTRANS, TRIGON_UNIT, 2, 2, 1, host, 2, data, 2) ==
                   TRIGON_BAD_ARGUMENT,
               "memory of a device is taken as B");
    trigon_free(device, data);
  }
  trigon_destroy(device);
}

/* The cap holds, and a cap that is too small is refused by name. */
static void check_cap(trigon_context *ctx, pair *p) {
  int64_t bytes = 0;
  double buffer;
  check_that(trigon_set_workspace(ctx, &buffer, 8) == TRIGON_NOT_SUPPORTED, "a buffer is taken");
  check_that(trigon_set_workspace(ctx, NULL, 2048) == TRIGON_OK, "%s", trigon_message(ctx));
  check_that(trigon_dpotrf(ctx, TRIGON_LOWER, N, p->A, LD, NULL) == TRIGON_NO_MEMORY, "2048 bytes suffice");
  check_that(strstr(trigon_message(ctx), "2048 bytes") && strstr(trigon_message(ctx), "12288 are needed"),
             "the message is: %s", trigon_message(ctx));
  check_that(trigon_set_workspace(ctx, NULL, 12288) == TRIGON_OK, "%s", trigon_message(ctx));
  check_that(trigon_dpotrf(ctx, TRIGON_LOWER, N, p->A, LD, NULL) == TRIGON_OK, "%s", trigon_message(ctx));
  check_that(trigon_memory(ctx, &bytes) == TRIGON_OK && bytes >= 12288, "%lld bytes are told", (long long)bytes);
  check_that(trigon_finish(ctx, NULL) == TRIGON_OK, "%s", trigon_message(ctx));
}

/* The number of the first column that fails, by `finish` and by an address. */
static void check_info(trigon_context *ctx, pair *p) {
  int64_t info = -1;
  fill(p);
  p->A[40 + 40 * LD] = -1;
  check_that(trigon_dpotrf(ctx, TRIGON_LOWER, N, p->A, LD, NULL) == TRIGON_OK, "%s", trigon_message(ctx));
  check_that(trigon_finish(ctx, &info) == TRIGON_OK && info == 41, "finish tells %lld, not 41", (long long)info);
  check_that(trigon_finish(ctx, &info) == TRIGON_OK && info == 0, "finish tells the failure again");
  fill(p);
  p->A[20 + 20 * LD] = 0;
  check_that(trigon_dtrtri(ctx, TRIGON_LOWER, TRIGON_NONUNIT, N, p->A, LD, &info) == TRIGON_OK, "%s",
             trigon_message(ctx));
  check_that(trigon_finish(ctx, NULL) == TRIGON_OK && info == 21, "info is %lld, not 21", (long long)info);
  check_that(p->A[70] == entry(70, 0), "a singular triangle was changed");
}

/* The timer waits for the calls, and memory of others is not freed. */
static void check_machine(trigon_context *ctx, pair *p) {
  double seconds = -1;
  fill(p);
  check_that(trigon_timer_start(ctx, 0) == TRIGON_OK, "%s", trigon_message(ctx));
  check_that(trigon_dpotrf(ctx, TRIGON_LOWER, N, p->A, LD, NULL) == TRIGON_OK, "%s", trigon_message(ctx));
  check_that(trigon_timer_stop(ctx, &seconds) == TRIGON_OK && seconds > 0, "%g seconds", seconds);
  check_that(fabs(p->A[0] - 2) < 1e-15, "the timer stops before the call has ended");
  check_that(trigon_free(ctx, p) == TRIGON_BAD_ARGUMENT, "memory of others is freed");
  check_that(strstr(trigon_message(ctx), "was not allocated by trigon_alloc"), "the message is: %s",
             trigon_message(ctx));
}

/* In core each byte of the triangle crosses the link once each way, and memory of the caller can be pinned. */
static void check_traffic(void) {
  trigon_context *ctx = create("sim:0-1?stop=16");
  pair *p = malloc(sizeof *p);
  int64_t in = -1, out = -1, between = -1, due = 0;
  for (int64_t j = 0; j < N; j += 16) /* whole tiles: the part below and the tile on the diagonal */
    due += 8 * (N - j) * (N - j < 16 ? N - j : 16);
  if (ctx && p) {
    fill(p);
    check_that(trigon_pin(ctx, p, sizeof *p) == TRIGON_OK, "%s", trigon_message(ctx));
    check_that(trigon_pin(ctx, p, sizeof *p) == TRIGON_BAD_ARGUMENT, "memory is pinned twice");
    check_that(strstr(trigon_message(ctx), "argument 1 (data)"), "the message is: %s", trigon_message(ctx));
    check_that(trigon_dpotrf(ctx, TRIGON_LOWER, N, p->A, LD, NULL) == TRIGON_OK, "%s", trigon_message(ctx));
    check_that(trigon_traffic(ctx, &in, &out, &between) == TRIGON_OK, "%s", trigon_message(ctx));
    check_that(in == due && out == due && between > 0, "%lld bytes in, %lld out, %lld between; %lld are due",
               (long long)in, (long long)out, (long long)between, (long long)due);
    check_that(trigon_traffic(ctx, &in, &out, &between) == TRIGON_OK && in + out + between == 0,
               "bytes are told twice");
    check_that(trigon_unpin(ctx, p) == TRIGON_OK, "%s", trigon_message(ctx));
    check_that(trigon_unpin(ctx, p) == TRIGON_BAD_ARGUMENT, "memory is unpinned twice");
    check_that(trigon_finish(ctx, NULL) == TRIGON_OK, "%s", trigon_message(ctx));
  }
  free(p);
  trigon_destroy(ctx);
}

/* The calls return long before the simulated GPUs are done, unless this thread gets no processor. */
static void check_progress(void) {
  enum { calls = 40, attempts = 20 };
  trigon_context *ctx = create("sim:0-1?stop=16"), *cpu = create("cpu");
  pair *p = malloc(sizeof *p);
  double before = 0;
  bool rises = true;
  check_that(trigon_progress(NULL) == 1 && (!cpu || trigon_progress(cpu) == 1), "progress without a call");
  double first = 1;
  for (int attempt = 0; ctx && p && first == 1 && attempt < attempts; attempt++) {
    check_that(trigon_progress(ctx) == 1, "progress without a call is %g", trigon_progress(ctx));
    fill(p);
    for (int i = 0; i < calls; i++)
      check_that(trigon_dtrmm(ctx, TRIGON_LEFT, TRIGON_LOWER, TRIGON_NOTRANS, TRIGON_UNIT, N, COLUMNS, 1, p->A, LD,
                              p->B, LD) == TRIGON_OK,
                 "%s", trigon_message(ctx));
    first = trigon_progress(ctx);
    for (double now = before = first; now < 1; now = trigon_progress(ctx)) rises = rises && now >= before, before = now;
    check_that(first >= 0 && rises, "progress began at %g and falls", first);
    check_that(trigon_finish(ctx, NULL) == TRIGON_OK && trigon_progress(ctx) == 1, "%s", trigon_message(ctx));
  }
  check_that(first < 1, "progress is %g, and 40 calls are on their way", first);
  free(p);
  trigon_destroy(ctx);
  trigon_destroy(cpu);
}

/* A child of fork is refused, and nothing hangs. */
static void check_fork(void) {
  trigon_context *ctx = create("sim:0:host?stop=16");
  pair *p = malloc(sizeof *p);
  int status = 1;
  if (ctx && p) {
    fill(p);
    check_that(compute(ctx, p) == TRIGON_OK && trigon_finish(ctx, NULL) == TRIGON_OK, "%s", trigon_message(ctx));
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      const bool refused = compute(ctx, p) == TRIGON_NOT_SUPPORTED && strstr(trigon_message(ctx), "fork") != NULL;
      trigon_destroy(ctx);
      _exit(refused ? 0 : 1);
    }
    check_that(child > 0 && waitpid(child, &status, 0) == child && status == 0, "the child ends with %d", status);
    fill(p);
    check_that(compute(ctx, p) == TRIGON_OK && trigon_finish(ctx, NULL) == TRIGON_OK, "%s", trigon_message(ctx));
  }
  free(p);
  trigon_destroy(ctx);
}

/* Whether GPUs compute what a call does on a context whose tuning table has these lines: then data move. */
static bool gpus_compute(const char *lines, int64_t columns) {
  char path[] = "/tmp/test_hostedXXXXXX", name[100];
  const int file = mkstemp(path);
  FILE *table = file < 0 ? NULL : fdopen(file, "w");
  check_that(table && fprintf(table, "version 2\n%s", lines) > 0 && fclose(table) == 0, "the table %s", path);
  snprintf(name, sizeof name, "sim:0:host?tuning=%s", path);
  trigon_context *ctx = create(name);
  pair *p = malloc(sizeof *p);
  int64_t in = 0, out, between;
  if (ctx && p) {
    fill(p);
    const trigon_status status = columns == 0 ? trigon_dpotrf(ctx, TRIGON_LOWER, N, p->A, LD, NULL)
                                              : trigon_dtrsm(ctx, TRIGON_LEFT, TRIGON_LOWER, TRIGON_NOTRANS,
                                                             TRIGON_NONUNIT, N, columns, 1, p->A, LD, p->B, LD);
    check_that(status == TRIGON_OK && trigon_finish(ctx, NULL) == TRIGON_OK, "%s", trigon_message(ctx));
    check_that(trigon_traffic(ctx, &in, &out, &between) == TRIGON_OK, "%s", trigon_message(ctx));
  }
  free(p);
  trigon_destroy(ctx);
  unlink(path);
  return in > 0;
}

static void check_rules(void) {
  check_that(!gpus_compute("", 0), "GPUs compute a small factorization");
  check_that(gpus_compute("host order 75\n", 0), "the CPU computes an order that is not below the rule's");
  check_that(!gpus_compute("host order 76\n", 0), "GPUs compute an order below the rule's");
  check_that(!gpus_compute("host order 1\n", 31), "GPUs compute few columns");
  check_that(gpus_compute("host order 1\n", 32), "the CPU computes many columns");
  check_that(gpus_compute("host order 1\nhost columns 5\n", 5),
             "the CPU computes columns that are not below the rule's");
  check_that(!gpus_compute("host columns *\nhost order 1\n", 40), "GPUs compute what is all for the CPU");
}

static void check_arguments(void) {
  trigon_context *ctx = create("sim:0-1?stop=16");
  pair *p = malloc(sizeof *p);
  if (ctx && p) {
    fill(p);
    check_device_pointer(ctx);
    check_cap(ctx, p);
    check_info(ctx, p);
    check_machine(ctx, p);
  }
  free(p);
  trigon_destroy(ctx);
}

/* ---------------------------------------------------------------------------------------------------- failures -- */

/* The k-th operation of a kind fails: an error, or no operation was left to fail. What lies between the columns stays,
 * and nothing is written after `finish`. Returns whether something failed. */
static bool fails(const char *kind, int k, pair *p) {
  char name[80], why[400];
  trigon_context *ctx = NULL;
  snprintf(name, sizeof name, "sim:0-1?stop=16&fail=%s:%d", kind, k);
  if (trigon_create(name, &ctx, why, sizeof why) != TRIGON_OK) {
    check_that(why[0] && !ctx, "%s: no reason is told", name);
    return true;
  }
  fill(p);
  const trigon_status called = compute(ctx, p), finished = trigon_finish(ctx, NULL);
  const bool failing = called != TRIGON_OK || finished != TRIGON_OK;
  static pair after;
  memcpy(&after, p, sizeof after);
  if (finished != TRIGON_OK)
    check_that(finished == TRIGON_DEVICE_FAILED || finished == TRIGON_INCOMPLETE, "%s: finish returns %d", name,
               finished);
  for (int64_t j = 0; j < N; j++) check_that(isnan(p->A[N + j * LD]), "%s: bytes between columns were written", name);
  trigon_destroy(ctx);
  check_that(memcmp(&after, p, sizeof after) == 0, "%s: memory was written after finish", name);
  return failing;
}

static void check_failures(void) {
  static const char *const kinds[] = {"alloc", "copy", "launch", "event", "pin", "stream", "wait", "lost"};
  pair *p = malloc(sizeof *p);
  for (size_t i = 0; p && i < sizeof kinds / sizeof *kinds; i++) {
    int k = 1, step = 1;
    for (; fails(kinds[i], k, p) && k < 100000; k += step) step = 1 + k / 4;
    check_that(k > 1, "no operation of the kind %s fails", kinds[i]);
  }
  free(p);
}

/* A failure of the moment does not end the context. */
static void check_recovery(void) {
  trigon_context *ctx = create("sim:0:host?stop=16&fail=copy:9");
  pair *p = malloc(sizeof *p);
  if (ctx && p) {
    fill(p);
    compute(ctx, p);
    check_that(trigon_finish(ctx, NULL) != TRIGON_OK, "the ninth copy does not fail");
    check_that(strstr(trigon_message(ctx), "a copy"), "the message is: %s", trigon_message(ctx));
    fill(p);
    check_that(compute(ctx, p) == TRIGON_OK && trigon_finish(ctx, NULL) == TRIGON_OK, "the context is dead: %s",
               trigon_message(ctx));
  }
  free(p);
  trigon_destroy(ctx);
}

/* --------------------------------------------------------------------------------------------------- emulation -- */

static void check_emulation(void) {
  trigon_context *ctx = create("sim:0-1?stop=64");
  pair *p = malloc(sizeof *p);
  trigon_fp64_report report = {0};
  if (ctx && p) {
    fill(p);
    check_that(trigon_set_fp64(ctx, TRIGON_FP64_INT8, TRIGON_FP64_GUARANTEED) == TRIGON_OK, "%s", trigon_message(ctx));
    check_that(compute(ctx, p) == TRIGON_OK && trigon_finish(ctx, NULL) == TRIGON_OK, "%s", trigon_message(ctx));
    check_that(trigon_last_fp64(ctx, &report) == TRIGON_OK, "%s", trigon_message(ctx));
    check_that(report.mode == TRIGON_FP64_INT8, "mode %d is reported", (int)report.mode);
    check_that(is_inverse(p), "emulated products give another inverse");
  }
  free(p);
  trigon_destroy(ctx);
}

int main(void) {
  check_all_bits();
  check_coherent();
  check_arguments();
  check_traffic();
  check_progress();
  check_rules();
  check_fork();
  check_failures();
  check_recovery();
  check_emulation();
  return checked();
}

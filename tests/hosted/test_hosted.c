/* test_hosted.c - contexts with their matrices in host memory compute on simulated devices: the same bits on any number
 * of devices, failures that are told, a cap of device memory that holds. */
#include <string.h>

#include "hosted_support.h"

/* ------------------------------------------------------------------------------------------------------ bits -- */

enum { TILE_BYTES = 8 * 16 * 16 };

/* A context with so many bytes of each device's memory; 0: all that it has. */
static trigon_context *create_capped(const char *name, int64_t cap) {
  trigon_context *ctx = create(name);
  if (ctx && cap > 0) check_that(trigon_set_workspace(ctx, NULL, cap) == TRIGON_OK, "%s", trigon_message(ctx));
  return ctx;
}

static void check_bits(const pair *expected, const char *name, bool pinned, int64_t cap) {
  trigon_context *ctx = create_capped(name, cap);
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
    check_that(memcmp(p, expected, sizeof *p) == 0, "%s, %s memory, cap %d: other bits than one device has", name,
               pinned ? "pinned" : "pageable", (int)cap);
  }
  if (pinned)
    check_that(trigon_free(ctx, memory) == TRIGON_OK, "%s", trigon_message(ctx));
  else
    free(memory);
  trigon_destroy(ctx);
}

/* The result of one device, which is checked by its product with A. */
static void check_result(pair *expected, int64_t cap) {
  trigon_context *ctx = create_capped("sim:0:host?stop=16", cap);
  if (!ctx) return;
  check_that(trigon_on_host(ctx), "the matrices are not in host memory");
  fill(expected);
  check_that(compute(ctx, expected) == TRIGON_OK, "%s", trigon_message(ctx));
  check_that(trigon_finish(ctx, NULL) == TRIGON_OK, "%s", trigon_message(ctx));
  check_that(is_inverse(expected), "A times its inverse is not the identity");
  trigon_destroy(ctx);
}

static void check_all_bits(int64_t cap) {
  static const char *const names[] = {
      "sim:0:host?stop=16&seed=2",  "sim:0-1?stop=16",         "sim:0-2?stop=16&seed=3",    "sim:0-3?stop=16",
      "sim:2-3?stop=16&resident=1", "sim:0-2?stop=16&peers=0", "sim:0-1?stop=16&coherent=1"};
  pair *expected = malloc(sizeof *expected);
  if (!expected) return;
  check_result(expected, cap);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    for (int pinned = 0; pinned < 2; pinned++) check_bits(expected, names[i], pinned, cap);
  free(expected);
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
  if (!failing) check_that(is_inverse(p), "%s: no failure is told, and the result is wrong", name);
  for (int64_t j = 0; j < N; j++) check_that(isnan(p->A[N + j * LD]), "%s: bytes between columns were written", name);
  trigon_destroy(ctx);
  check_that(memcmp(&after, p, sizeof after) == 0, "%s: memory was written after finish", name);
  return failing;
}

/* Each operation of a kind in turn, later ones by steps. Behind the first one that does not fail there is none: else a
 * failure was not told. But without memory for a workspace a device computes nevertheless, and how many queries there
 * are depends on the threads. */
static void check_kind(const char *kind, pair *p) {
  enum { enough = 12, most = 100000 };
  const bool is_exact = strcmp(kind, "alloc") != 0 && strcmp(kind, "query") != 0;
  int told = 0;
  for (int k = 1, fine = 0; fine < enough && k < most;) {
    const bool is_told = fails(kind, k, p);
    if (is_told) check_that(!is_exact || fine == 0, "a failure of the kind %s before %d is not told", kind, k);
    told += is_told, fine = is_told ? 0 : fine + 1;
    k += is_told ? 1 + k / 8 : 1;
  }
  check_that(told > 0, "no operation of the kind %s fails", kind);
}

static void check_failures(void) {
  static const char *const kinds[] = {"alloc", "copy", "launch", "event", "pin", "stream", "wait", "query", "lost"};
  pair *p = malloc(sizeof *p);
  for (size_t i = 0; p && i < sizeof kinds / sizeof *kinds; i++) check_kind(kinds[i], p);
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

/* A call on memory of which a part is pinned: it is copied as memory of which nothing is. */
static void check_partly_pinned(trigon_context *ctx, pair *p, size_t begin, size_t bytes) {
  char *part = (char *)p + begin;
  fill(p);
  check_that(trigon_pin(ctx, part, (int64_t)bytes) == TRIGON_OK, "%s", trigon_message(ctx));
  check_that(compute(ctx, p) == TRIGON_OK && trigon_finish(ctx, NULL) == TRIGON_OK, "%zu bytes from %zu on: %s", bytes,
             begin, trigon_message(ctx));
  check_that(is_inverse(p), "%zu pinned bytes from %zu on: another inverse", bytes, begin);
  check_that(trigon_pin(ctx, p, sizeof *p) == TRIGON_BAD_ARGUMENT, "a part is pinned twice");
  check_that(trigon_unpin(ctx, part) == TRIGON_OK, "%s", trigon_message(ctx));
}

static void check_parts(void) {
  trigon_context *ctx = create("sim:0:host?stop=16");
  pair *p = malloc(sizeof *p);
  enum { column = LD * sizeof(double) };
  if (ctx && p) {
    check_partly_pinned(ctx, p, 0, 20 * column);
    check_partly_pinned(ctx, p, 20 * column, sizeof *p - 20 * column);
    check_partly_pinned(ctx, p, 20 * column, 20 * column);
    char *end = (char *)p->B - 2 * column; /* the first columns of A and its last ones */
    check_that(trigon_pin(ctx, end, 2 * column) == TRIGON_OK, "%s", trigon_message(ctx));
    check_partly_pinned(ctx, p, 0, 2 * column);
    check_that(trigon_unpin(ctx, end) == TRIGON_OK, "%s", trigon_message(ctx));
  }
  free(p);
  trigon_destroy(ctx);
}

/* Host memory that cannot be pinned: the reason is told, and the context computes. */
static void check_pinning(void) {
  trigon_context *first = create("sim:0:host?stop=16&fail=pin:1"), *second = create("sim:1:host?stop=16&fail=pin:1");
  pair *p = malloc(sizeof *p);
  void *data = NULL;
  if (first && second && p) {
    check_that(trigon_alloc(first, 4096, &data) == TRIGON_NO_MEMORY && !data, "memory is given: %s",
               trigon_message(first));
    check_that(strstr(trigon_message(first), "the allocation of host memory"), "no reason: %s", trigon_message(first));
    check_that(trigon_pin(second, p, sizeof *p) == TRIGON_NO_MEMORY, "memory is pinned: %s", trigon_message(second));
    check_that(strstr(trigon_message(second), "pinning host memory"), "no reason: %s", trigon_message(second));
    check_that(trigon_pin(second, p, sizeof *p) == TRIGON_OK && trigon_unpin(second, p) == TRIGON_OK, "%s",
               trigon_message(second));
    check_that(trigon_unpin(second, p) == TRIGON_BAD_ARGUMENT && strstr(trigon_message(second), "unpinning"),
               "no reason: %s", trigon_message(second));
    fill(p);
    check_that(compute(second, p) == TRIGON_OK && trigon_finish(second, NULL) == TRIGON_OK && is_inverse(p), "%s",
               trigon_message(second));
  }
  free(p);
  trigon_destroy(first);
  trigon_destroy(second);
}

/* Contexts one after the other, on a device that has memory for a few. */
static void check_memory(void) {
  pair *p = malloc(sizeof *p);
  for (int round = 0; p && round < 24; round++) {
    trigon_context *ctx = create("sim:3:host?stop=16&memory=4M");
    fill(p);
    check_that(ctx && compute(ctx, p) == TRIGON_OK && trigon_finish(ctx, NULL) == TRIGON_OK, "context %d: %s", round,
               ctx ? trigon_message(ctx) : "");
    trigon_destroy(ctx);
  }
  free(p);
}

/* A device with other users: a call on a larger matrix takes what is left, but for a sixteenth. */
static void check_other_users(void) {
  enum { order = 1300, total = 12 << 20, taken = 4 << 20 };
  trigon_context *user = create("sim:3?memory=12M"), *ctx = create("sim:3:host?stop=64&memory=12M");
  double *A = malloc(sizeof *A * order * order);
  void *first = NULL, *more = NULL;
  if (user && ctx && A) {
    check_that(trigon_alloc(user, taken, &first) == TRIGON_OK, "%s", trigon_message(user));
    for (int64_t i = 0; i < order * order; i++) A[i] = entry(i % order, i / order) + (i % (order + 1) == 0 ? 3 : 0);
    check_that(trigon_dpotrf(ctx, TRIGON_LOWER, order, A, order, NULL) == TRIGON_OK, "%s", trigon_message(ctx));
    check_that(trigon_finish(ctx, NULL) == TRIGON_OK, "%s", trigon_message(ctx));
    check_that(trigon_alloc(user, (total - taken) / 32, &more) == TRIGON_OK, "nothing is left for others: %s",
               trigon_message(user));
    check_that(trigon_free(user, first) == TRIGON_OK && trigon_free(user, more) == TRIGON_OK, "%s",
               trigon_message(user));
  }
  free(A);
  trigon_destroy(ctx);
  trigon_destroy(user);
}

int main(void) {
  static const int64_t caps[] = {0, 6 * TILE_BYTES, 25 * TILE_BYTES,
                                 48 * TILE_BYTES}; /* with 48 tiles two go together */
  for (size_t i = 0; i < sizeof caps / sizeof *caps; i++) check_all_bits(caps[i]);
  check_arguments();
  check_traffic();
  check_failures();
  check_recovery();
  check_pinning();
  check_parts();
  check_memory();
  check_other_users();
  return checked();
}

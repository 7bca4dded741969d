/* test_timer.c - a context's timer, its copies, and the memory that the context holds.
 *
 * usage: test_timer [CONTEXT...]; the default is the CPU and the simulated GPU */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/check.h"
#include "support/guarded.h"
#include "support/matrices.h"

static trigon_context *ctx;

static void refused(trigon_status status, trigon_status expected, const char *words) {
  char text[400];
  const char *message = trigon_message(ctx);
  snprintf(text, sizeof text, "status %d, message \"%s\", must hold \"%s\"", (int)status, message, words);
  check(status == expected && strstr(message, words), text);
}

static void fine(trigon_status status, const char *what) {
  char text[400];
  snprintf(text, sizeof text, "%s: %s", what, trigon_message(ctx));
  check(status == TRIGON_OK, text);
}

static void wait_a_little(long nanoseconds) { nanosleep(&(struct timespec){0, nanoseconds}, NULL); }

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void bad_timers(void) {
  double seconds = -1;
  check(trigon_timer_start(NULL, 0) == TRIGON_BAD_ARGUMENT, "a start without a context");
  check(trigon_timer_stop(NULL, &seconds) == TRIGON_BAD_ARGUMENT, "a stop without a context");
  refused(trigon_timer_start(ctx, -1e-9), TRIGON_BAD_ARGUMENT, "argument 1 (hold) is -1e-09");
  refused(trigon_timer_start(ctx, 1.5), TRIGON_BAD_ARGUMENT, "argument 1 (hold) is 1.5");
  refused(trigon_timer_start(ctx, NAN), TRIGON_BAD_ARGUMENT, "argument 1 (hold) is");
  refused(trigon_timer_stop(ctx, &seconds), TRIGON_NOT_SUPPORTED, "was not called before");
  fine(trigon_timer_start(ctx, 0), "a start");
  refused(trigon_timer_stop(ctx, NULL), TRIGON_BAD_ARGUMENT, "argument 1 (seconds) is NULL");
  fine(trigon_timer_stop(ctx, &seconds), "the stop after a bad one");
  refused(trigon_timer_stop(ctx, &seconds), TRIGON_NOT_SUPPORTED, "was not called before");
}

/* The timer's result is at least the time that must pass, and at most the time that passes around the call. */
static void good_timers(bool host) {
  double seconds = -1, begun = now();
  fine(trigon_timer_start(ctx, 0), "a start");
  wait_a_little(2000000);
  fine(trigon_timer_stop(ctx, &seconds), "a stop");
  check(seconds <= now() - begun && seconds >= (host ? 0.002 : 0), "the timer tells the time between start and stop");
  begun = now();
  fine(trigon_timer_start(ctx, 0.001), "a start with a hold");
  fine(trigon_timer_stop(ctx, &seconds), "its stop");
  check(seconds >= 0 && seconds <= now() - begun, "the timer does not count the hold");
}

/* Copies inside the context's memory, in order with the calls before and after. */
static void copies(trigon_type type, int64_t rows, int64_t cols, int64_t gap, int64_t to_gap) {
  guarded from = {0}, to = {0};
  void *memory[2] = {NULL, NULL};
  char stray[128];
  random_stream r = {7};
  guarded_shape(&from, type, rows, cols, gap);
  guarded_shape(&to, type, rows, cols, to_gap);
  matrix_fill(from.matrix, GENERAL, TRIGON_LOWER, TRIGON_NONUNIT, RANDOM, &r);
  guarded_snapshot(&to);
  trigon_matrix here[2] = {from.matrix, to.matrix}, there[2] = {from.matrix, to.matrix};
  for (int m = 0; m < 2; m++) {
    fine(trigon_alloc(ctx, there[m].ld * cols * (int64_t)element_size(type), &memory[m]), "memory");
    there[m].data = memory[m];
  }
  fine(trigon_upload(ctx, here[0], there[0]), "an upload");
  fine(trigon_copy(ctx, there[0], there[1]), "a copy");
  fine(trigon_download(ctx, there[1], here[1]), "a download");
  bool same = true;
  for (int64_t j = 0; j < cols && rows > 0; j++)
    same &= memcmp((char *)here[0].data + (size_t)(j * here[0].ld) * element_size(type),
                   (char *)here[1].data + (size_t)(j * here[1].ld) * element_size(type),
                   (size_t)rows * element_size(type)) == 0;
  check(same, "a copy has the same elements");
  check(!guarded_stray(&to, (region){REGION_ALL, false}, stray, sizeof stray), "a copy changes nothing else");
  if (!trigon_on_host(ctx) && rows > 0) {
    refused(trigon_copy(ctx, here[0], there[1]), TRIGON_BAD_ARGUMENT, "argument 1 (from)");
    refused(trigon_copy(ctx, there[0], here[1]), TRIGON_BAD_ARGUMENT, "argument 2 (to)");
  }
  for (int m = 0; m < 2; m++) fine(trigon_free(ctx, memory[m]), "free");
  guarded_free(&from);
  guarded_free(&to);
}

/* On a device a context holds a reserved workspace in addition to the leaf buffer. */
static void held_memory(void) {
  int64_t before = -1, after = -1;
  check(trigon_memory(NULL, &before) == TRIGON_BAD_ARGUMENT, "the memory of no context");
  check(trigon_alloc(ctx, -1, NULL) == TRIGON_BAD_ARGUMENT, "an older message");
  refused(trigon_memory(ctx, NULL), TRIGON_BAD_ARGUMENT, "trigon_memory: argument 1 (bytes) is NULL");
  check(trigon_memory(ctx, &before) == TRIGON_OK && before >= 1 << 20, "a context holds the leaf buffer");
  check(!*trigon_message(ctx), "a good call clears the message");
  fine(trigon_reserve(ctx, 1), "a reservation");
  check(trigon_memory(ctx, &after) == TRIGON_OK, "memory afterwards");
  check(trigon_on_host(ctx) ? after == before : after > before, "a context on a device holds a reserved workspace");
  fine(trigon_set_workspace(ctx, NULL, 0), "no workspace");
  check(trigon_memory(ctx, &after) == TRIGON_OK && after == before, "a context gives up the reserved workspace");
}

static bool try_context(const char *name) {
  char why[400];
  if (trigon_create(name, &ctx, why, sizeof why) != TRIGON_OK) {
    printf("skipped: %s\n", why);
    return false;
  }
  bad_timers();
  good_timers(trigon_on_host(ctx));
  for (const char *type = "sdcz"; *type; type++) {
    copies((trigon_type)*type, 5, 3, 0, 0);
    copies((trigon_type)*type, 7, 4, 2, 5);
    copies((trigon_type)*type, 1, 9, 3, 0);
    copies((trigon_type)*type, 0, 3, 1, 2);
  }
  held_memory();
  trigon_destroy(ctx);
  return true;
}

/* Every event and launch of the timer fails in turn. The call reports the failure, and the timer works afterwards.
 * The simulated GPU fails on demand. */
static void failures(const char *kind) {
  bool failed_once = false;
  for (int k = 1; k <= 64; k++) {
    char name[64];
    double seconds = -1;
    snprintf(name, sizeof name, "sim:0?fail=%s:%d", kind, k);
    if (trigon_create(name, &ctx, NULL, 0) != TRIGON_OK) continue; /* the creation has failed */
    trigon_status status = trigon_timer_start(ctx, 1e-6);
    if (status == TRIGON_OK) status = trigon_timer_stop(ctx, &seconds);
    failed_once |= status != TRIGON_OK;
    check(status == TRIGON_OK || (status == TRIGON_DEVICE_FAILED && *trigon_message(ctx)),
          "a failure of the timer is reported");
    check((status == TRIGON_OK) == (seconds >= 0), "a failed timer gives no time");
    if (status != TRIGON_OK) {
      fine(trigon_timer_start(ctx, 1e-6), "a start after a failure");
      fine(trigon_timer_stop(ctx, &seconds), "a stop after a failure");
    }
    trigon_destroy(ctx);
    if (status == TRIGON_OK) break;
  }
  check(failed_once, "some operation of the timer fails");
}

int main(int argc, char **argv) {
  static char *all[] = {"cpu", "cpu?trace=1", "sim:0", "sim:1?warp=64&trace=1"};
  const int count = argc > 1 ? argc - 1 : (int)(sizeof all / sizeof *all);
  char **names = argc > 1 ? argv + 1 : all;
  bool simulated = false;
  for (int i = 0; i < count; i++) simulated = try_context(names[i]) && strncmp(names[i], "sim", 3) == 0;
  if (simulated) failures("event");
  if (simulated) failures("launch");
  if (simulated) failures("wait");
  return checked();
}

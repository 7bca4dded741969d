/* device_rows.c - rows of tiles and of classes in the file of a tuning table: a context takes them, tells them, and
 * computes by them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/device_job.h"

enum { ORDER = 20, COUNT = 3, STEP = ORDER * ORDER };

/* A file of a table, and the context that reads the file. */
typedef struct table_file {
  char path[64], options[96];
} table_file;

static table_file write_table(const char *lines) {
  table_file t = {"/tmp/trigon-rows-XXXXXX", ""};
  const int fd = mkstemp(t.path);
  const size_t length = strlen(lines);
  if (fd < 0 || write(fd, lines, length) != (ssize_t)length || close(fd) != 0) abort();
  snprintf(t.options, sizeof t.options, "tuning=%s", t.path);
  return t;
}

/* The lines of trigon_rows that a table may have. The caller frees the text. */
static char *rows_of(trigon_context *ctx) {
  const char *all = trigon_rows(ctx);
  char *rows = calloc(1, strlen(all) + 1);
  if (!rows) abort();
  for (const char *at = all; *at; at += strcspn(at, "\n") + 1)
    if (strncmp(at, "kind ", 5) != 0 && strncmp(at, "limit ", 6) != 0 && strncmp(at, "shape ", 6) != 0 &&
        strncmp(at, "kernel ", 7) != 0)
      strncat(rows, at, strcspn(at, "\n") + 1);
  return rows;
}

/* What a context tells can be its table. */
static void test_round_trip(const device *d) {
  trigon_context *ctx = device_open(d, "");
  char *rows = rows_of(ctx);
  const table_file t = write_table(rows);
  trigon_context *again = device_open(d, t.options);
  check(strstr(rows, "\nbatch potrf d ") && strstr(rows, "\ntile vectors "), "rows of tiles and of classes");
  check(strcmp(trigon_rows(ctx), trigon_rows(again)) == 0, "a table of all rows changes nothing");
  trigon_destroy(again);
  trigon_destroy(ctx);
  unlink(t.path);
  free(rows);
}

/* Factors matrices 4·I, and returns how many launches that took. */
static int64_t factor(const device *d, const char *options) {
  trigon_context *ctx = device_open(d, options);
  double host[COUNT * STEP + COUNT] = {0};
  const int64_t bytes = sizeof host, before = d->simulated ? d->runtime.operations(d->number, "launch") : 0;
  void *memory = NULL;
  bool right = true;
  for (int i = 0; i < COUNT * ORDER; i++) host[i / ORDER * STEP + i % ORDER * (ORDER + 1)] = 4;
  accepted(ctx, trigon_alloc(ctx, bytes, &memory), "memory");
  const trigon_matrix here = {host, TRIGON_D, bytes / 8, 1, bytes / 8},
                      there = {memory, TRIGON_D, bytes / 8, 1, bytes / 8};
  double *const A = memory;
  accepted(ctx, trigon_upload(ctx, here, there), "an upload");
  accepted(ctx, trigon_dpotrf_strided(ctx, TRIGON_LOWER, COUNT, ORDER, A, ORDER, STEP, (int64_t *)(A + COUNT * STEP)),
           "POTRF");
  accepted(ctx, trigon_download(ctx, there, here), "a download");
  for (int i = 0; i < COUNT * ORDER; i++) right = right && host[i / ORDER * STEP + i % ORDER * (ORDER + 1)] == 2;
  check(right, "%s: the factors", options);
  accepted(ctx, trigon_free(ctx, memory), "free");
  trigon_destroy(ctx);
  return d->simulated ? d->runtime.operations(d->number, "launch") - before : 0;
}

/* One launch takes a batch of small matrices by a row with `alone`. Without such a row the first launch makes lists. */
static void test_launches(const device *d) {
  const table_file lists = write_table("version 2\nbatch potrf d 64 strips-64\nbatch potrf d * tiles\n"),
                   other = write_table("version 2\nbatch potrf s 64 strips-64\nbatch potrf s * tiles\n");
  const int64_t alone = factor(d, "tuning=none"), listed = factor(d, lists.options), same = factor(d, other.options);
  if (d->simulated) {
    check(listed == alone + 1, "the rows of the table are taken: %lld launches, and %lld", (long long)alone,
          (long long)listed);
    check(same == alone, "rows of another type change nothing");
  }
  unlink(lists.path);
  unlink(other.path);
}

static void expect_refused(const device *d, const char *lines, const char *words) {
  const table_file t = write_table(lines);
  char name[256], why[600], place[200];
  trigon_context *ctx;
  snprintf(place, sizeof place, "%s: %s", t.path, words);
  check(trigon_create(device_name(d, t.options, name, sizeof name), &ctx, why, sizeof why) == TRIGON_BAD_ARGUMENT &&
            strstr(why, place),
        "%s: %s expected, not %s", lines, place, why);
  unlink(t.path);
}

static void test_refused(const device *d) {
  expect_refused(d, "version 2\n\ntile vectors maybe\n", "line 3: \"maybe\"");
  expect_refused(d, "version 2\nbatch potrf d 32 nothing\n", "line 2: \"nothing\": the launcher has no kernel");
  expect_refused(d, "version 2\nbatch potrf d 32 strips-32\n",
                 "end of the table: the row \"batch potrf d 32 strips-32\"");
}

/* A broken file that the caller did not ask for changes nothing. */
static void test_ignored(const device *d) {
  const table_file t = write_table("version 2\nbatch posv s 64 strips-64\nbatch potrf d 32 nothing\n");
  trigon_context *builtin = device_open(d, "tuning=none");
  const char *const before = getenv("TRIGON_TUNING");
  char *const kept = before ? strdup(before) : NULL;
  setenv("TRIGON_TUNING", t.path, 1);
  trigon_context *ctx = device_open(d, "");
  if (kept)
    setenv("TRIGON_TUNING", kept, 1);
  else
    unsetenv("TRIGON_TUNING");
  check(strstr(trigon_advice(ctx), "line 3: \"nothing\""), "the advice: %s", trigon_advice(ctx));
  check(strcmp(trigon_rows(ctx), trigon_rows(builtin)) == 0, "the rows are the built-in ones");
  trigon_destroy(ctx);
  trigon_destroy(builtin);
  unlink(t.path);
  free(kept);
}

void test_rows(const device *d) {
  test_round_trip(d);
  test_launches(d);
  test_refused(d);
  test_ignored(d);
}

/* device_rows.c - rows of tiles and of classes in the file of a tuning table: a context takes them, tells them, and
 * computes by them. A file with a broken row is refused or ignored as a whole. */
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

/* The file, line and word of a fault. */
static const char *fault_in(const table_file *t, const char *words, char place[200]) {
  snprintf(place, 200, "%s: %s", t->path, words);
  return place;
}

/* The option names the file: there is no context. */
static void expect_refused(const device *d, const char *lines, const char *words) {
  const table_file t = write_table(lines);
  char name[256], why[600] = "", place[200];
  trigon_context *ctx;
  const trigon_status status = trigon_create(device_name(d, t.options, name, sizeof name), &ctx, why, sizeof why);
  check(status == TRIGON_BAD_ARGUMENT && !ctx && strstr(why, fault_in(&t, words, place)), "%s: %s expected, not %s",
        lines, place, why);
  unlink(t.path);
}

/* The environment names the file: the context has no row of it, also no good one, and its advice tells why. */
static void expect_ignored(const device *d, const char *lines, const char *words) {
  const table_file t = write_table(lines);
  char place[200];
  trigon_context *builtin = device_open(d, "tuning=none");
  const char *const before = getenv("TRIGON_TUNING");
  char *const kept = before ? strdup(before) : NULL;
  setenv("TRIGON_TUNING", t.path, 1);
  trigon_context *ctx = device_open(d, "");
  if (kept)
    setenv("TRIGON_TUNING", kept, 1);
  else
    unsetenv("TRIGON_TUNING");
  const char *const advice = trigon_advice(ctx);
  check(strstr(advice, "the tuning table is ignored: ") && strstr(advice, fault_in(&t, words, place)),
        "%s: %s expected in the advice, not %s", lines, place, advice);
  check(strcmp(trigon_rows(ctx), trigon_rows(builtin)) == 0, "%s: the rows are the built-in ones", lines);
  trigon_destroy(ctx);
  trigon_destroy(builtin);
  unlink(t.path);
  free(kept);
}

static void expect_broken(const device *d, const char *lines, const char *words) {
  expect_refused(d, lines, words);
  expect_ignored(d, lines, words);
}

/* Good rows, of which each is a change. */
#define GOOD_ROWS "version 2\ntrsm d * * step 7\nbatch potrf d 64 strips-64\nbatch potrf d * tiles\ntile vectors no\n"

static void test_broken(const device *d) {
  const table_file good = write_table(GOOD_ROWS);
  trigon_context *ctx = device_open(d, good.options);
  const bool has_units = strstr(trigon_rows(ctx), "\ntile trsm ") != NULL;
  trigon_destroy(ctx);
  unlink(good.path);
  expect_broken(d, GOOD_ROWS "tile vectors maybe\n", "line 6: \"maybe\" is neither yes nor no");
  expect_broken(d, "version 2\n\ntile vectors yes most-width=none\n", "line 3: \"most-width=none\": a number above 0");
  expect_broken(d, "version 2\ntile vectors yes most-width=2\n", "end of the table: the last row `tile vectors`");
  expect_broken(d, GOOD_ROWS "tile trsm 3x5\n",
                has_units ? "line 6: \"3x5\": the launcher has no kernel"
                          : "line 6: tiles of \"trsm\" need matrix units");
  expect_broken(d, GOOD_ROWS "batch potrf s 32 nothing\n", "line 6: \"nothing\": the launcher has no kernel");
  expect_broken(d, "version 2\nbatch potrf d 32 strips-32\n",
                "end of the table: the row \"batch potrf d 32 strips-32\"");
}

void test_rows(const device *d) {
  test_round_trip(d);
  test_launches(d);
  test_broken(d);
}

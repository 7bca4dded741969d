/* bench.c - the command bench: goes through what is to be measured, prints it, draws it. */
#include "../command.h"
#include "../command_line.h"
#include "../progress.h"
#include "job.h"
#include "picture/heading.h"
#include "picture/plot.h"
#include "print.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Asks of each routine whether the context for native does it: a device has no native factorizations. */
static void ask_for_native(bench_job *j, trigon_context *ctx) {
  for (int i = 0; i < j->total; i++) {
    bench_task *task = bench_task_of(j, &j->rows[i]);
    if (i > 0 && j->rows[i - 1].c.routine == task->routine) continue;
    if (bench_supported(ctx, &j->rows[i].c, task->no_native, sizeof task->no_native)) *task->no_native = '\0';
  }
}

/* The parts for some devices have nothing native at all: that column is left out then, and the ceiling is GEMM as the
 * backend itself does it. */
static int create_native(bench_job *j, int impl) {
  char name[WHY_SIZE], why[WHY_SIZE];
  const char *plain = j->backend;
  trigon_context **ctx = &j->plan.ctx[impl];
  snprintf(name, sizeof name, "%s%cnative=1", plain, strchr(plain, '?') ? '&' : '?');
  trigon_status status = trigon_create(name, ctx, why, sizeof why);
  if (status == TRIGON_NOT_SUPPORTED && impl == NATIVE_IMPL) {
    for (int i = 0; i < j->tasks_count; i++) memcpy(j->task[i].no_native, why, sizeof why);
    return EXIT_DONE;
  }
  if (status == TRIGON_NOT_SUPPORTED) status = trigon_create(plain, ctx, why, sizeof why);
  if (status == TRIGON_OK && impl == NATIVE_IMPL && !trigon_on_host(*ctx)) ask_for_native(j, *ctx);
  return status == TRIGON_OK ? EXIT_DONE : failed("bench", "%s", why);
}

static int create_contexts(bench_job *j) {
  char why[WHY_SIZE];
  if (trigon_create(j->backend, &j->plan.ctx[TRIGON_IMPL], why, sizeof why) != TRIGON_OK)
    return failed("bench", "%s", why);
  int status = EXIT_DONE;
  for (int i = NATIVE_IMPL; i < IMPLS && status == EXIT_DONE; i++)
    if (j->wanted[i]) status = create_native(j, i);
  return status;
}

/* The contexts for a row; the measured are those that are there. */
static bench_plan plan_of(bench_job *j, const bench_row *row) {
  bench_plan plan = j->plan;
  if (*bench_task_of(j, row)->no_native) plan.ctx[NATIVE_IMPL] = NULL;
  return plan;
}

static bool measure_row(bench_job *j, bench_row *row) {
  char why[WHY_SIZE];
  const bench_case *c = &row->c;
  const bench_plan plan = plan_of(j, row);
  progress *phase = progress_begin(true, "%c%s %s, %" PRId64 " (%d of %d)", c->type, c->routine->name, c->variant,
                                   case_size(c, c->routine->sizes[0]), (int)(row - j->rows) + 1, j->total);
  bool measured = bench_measure(&plan, row, why, sizeof why);
  progress_end(phase);
  if (!measured) failed("bench", "%s", why);
  return measured;
}

static void show_advice(const bench_job *j) {
  const char *advice = trigon_advice(j->plan.ctx[TRIGON_IMPL]);
  if (*advice && j->csv)
    note("bench", "%s", advice);
  else if (*advice)
    print_clean(stdout, "%% advice: %s\n", advice);
}

static void begin_report(const bench_job *j) {
  report_begin(j->csv, j->backend, trigon_describe(j->plan.ctx[TRIGON_IMPL]));
  show_advice(j);
  for (int i = 0; i < j->tasks_count && !j->csv; i++) /* a reason that is the same for all is told once */
    if (i == 0 || strcmp(j->task[i].no_native, j->task[i - 1].no_native) != 0) report_no_native(j->task[i].no_native);
}

static void measure_rows(bench_job *j) {
  begin_report(j);
  for (; j->count < j->total && !ferror(stdout); j->count++) {
    bench_row *row = &j->rows[j->count];
    const bench_plan plan = plan_of(j, row);
    if (!j->csv && (j->count == 0 || !same_group(&row[-1].c, &row->c))) report_group(&row->c, &plan);
    if (!measure_row(j, row)) {
      j->failed = true;
      return;
    }
    j->failed |= !row_is_ok(row);
    if (j->csv)
      report_csv_row(row, j->backend);
    else
      report_table_row(row);
  }
  if (j->failed) failed("bench", "not all residuals are below their limits");
}

static int draw(const bench_job *j) {
  char why[WHY_SIZE], processor[MOST_PROCESSOR], date[MOST_DATE];
  const trigon_context *ctx = j->plan.ctx[TRIGON_IMPL];
  processor_name(processor);
  date_today(date);
  const picture_source source = {j->backend, trigon_describe(ctx), processor, date, trigon_on_host(ctx)};
  if (!plot_rows(j->plot, j->rows, j->count, &source, why, sizeof why)) return failed("bench", "%s", why);
  if (!j->csv) print_clean(stdout, "%% drawn in %s\n", j->plot);
  return EXIT_DONE;
}

int bench_command(int argc, char **argv) {
  static const bench_job defaults = {.types = "d", .backend = "cpu", .vs = "native"};
  bench_job *j = malloc(sizeof *j); /* the lists of sizes are too much for a stack */
  if (!j) return failed("bench", "out of memory");
  *j = defaults;
  int status = bench_parse(j, argc, argv);
  if (status == PARSED) {
    if ((status = bench_make_rows(j)) == EXIT_DONE && (status = create_contexts(j)) == EXIT_DONE) {
      measure_rows(j);
      bool whole = !j->failed && j->count == j->total; /* else a picture that is there stays */
      if (j->plot && whole) status = draw(j);
      if (j->failed) status = EXIT_FAILED;
    }
  }
  for (int i = 0; i < IMPLS; i++) trigon_destroy(j->plan.ctx[i]);
  free(j->rows);
  free(j);
  return status;
}

/* bench.c - the command bench: measures row after row, prints them, draws them. */
#include "../command.h"
#include "../command_line.h"
#include "../progress.h"
#include "batch/bench_batch.h"
#include "bench_print.h"
#include "job.h"
#include "picture/heading.h"
#include "picture/plot.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Asks the native context for each routine whether it can do it: the vendor of a device may lack factorizations. */
static void ask_for_native(bench_job *j, trigon_context *ctx) {
  for (int i = 0; i < j->total; i++) {
    bench_task *task = bench_task_of(j, &j->rows[i]);
    if (i > 0 && j->rows[i - 1].problem.routine == task->routine) continue;
    if (routine_is_eigen(task->routine)) /* such a context would compute it by Trigon's own solver */
      snprintf(task->no_native, sizeof task->no_native, "no context hands %s to the library of a GPU",
               task->routine->name);
    else if (bench_supported(ctx, &j->rows[i].problem, task->no_native, sizeof task->no_native))
      *task->no_native = '\0';
  }
}

/* Creates the context with native=1. Without such a context the native column is left out, and GEMM is measured as the
 * backend itself does it. */
static int create_native(bench_job *j, int impl) {
  char why[WHY_SIZE];
  trigon_context **ctx = &j->setup.ctx[impl];
  trigon_status status = native_create(&j->choice, &j->library, ctx, why, sizeof why);
  const bool missing = status == TRIGON_NOT_SUPPORTED || status == TRIGON_NOT_FOUND;
  if (missing && impl == NATIVE_IMPL) {
    for (int i = 0; i < j->tasks_count; i++) memcpy(j->task[i].no_native, why, sizeof why);
    return EXIT_DONE;
  }
  if (status == TRIGON_OK && !j->library.is_backends) j->library_context = *ctx;
  if (missing) status = trigon_create(j->choice.backend, ctx, why, sizeof why);
  if (status == TRIGON_OK && impl == NATIVE_IMPL && !trigon_on_host(*ctx)) ask_for_native(j, *ctx);
  return status == TRIGON_OK ? EXIT_DONE : failed("bench", "%s", why);
}

static int create_contexts(bench_job *j) {
  char why[WHY_SIZE];
  if (trigon_create(j->choice.backend, &j->setup.home, why, sizeof why) != TRIGON_OK) return failed("bench", "%s", why);
  if (j->wanted[TRIGON_IMPL]) j->setup.ctx[TRIGON_IMPL] = j->setup.home;
  if (set_fp64_mode(j->setup.home, &j->setup.fp64) != TRIGON_OK)
    return failed("bench", "%s", trigon_message(j->setup.home));
  int status = EXIT_DONE;
  for (int i = NATIVE_IMPL; i < IMPLS && status == EXIT_DONE; i++)
    if (j->wanted[i]) status = create_native(j, i);
  return status;
}

/* What native calls for a row: no context hands an eigenproblem over, so that LAPACK's routine is called itself. */
static native_kind kind_of(const bench_job *j, const bench_row *row) {
  return j->native == NATIVE_CONTEXT && routine_is_eigen(row->problem.routine) ? NATIVE_DIRECT : j->native;
}

/* The contexts for a row, without the native one if that cannot do the routine. */
static bench_setup setup_of(bench_job *j, const bench_row *row) {
  bench_setup setup = j->setup;
  if (*bench_task_of(j, row)->no_native) setup.ctx[NATIVE_IMPL] = NULL;
  if (j->direct && kind_of(j, row) != NATIVE_CONTEXT)
    setup.native_call = direct_call(j->direct, j->native, &row->problem);
  if (!setup.ctx[GEMM_IMPL]) setup.copy = NULL;
  return setup;
}

/* With --only native there is nothing to measure if native cannot do a routine. */
static int check_only(const bench_job *j) {
  for (int i = 0; j->only && j->wanted[NATIVE_IMPL] && i < j->tasks_count; i++)
    if (*j->task[i].no_native) return failed("bench", "--only native: %s", j->task[i].no_native);
  return EXIT_DONE;
}

/* With --vs direct or trsv the library must have a routine for every row. Without a library native is left out. */
static int open_direct(bench_job *j) {
  char why[WHY_SIZE];
  const char *kind = native_names[j->native];
  if (j->native == NATIVE_CONTEXT || !j->wanted[NATIVE_IMPL]) return EXIT_DONE;
  if (!trigon_on_host(j->setup.home))
    return usage_error("bench", "--vs %s: only the routines of a BLAS for the CPU can be called directly", kind);
  for (int i = 0; i < j->total; i++) {
    const char *refusal = direct_refusal(j->native, &j->rows[i].problem);
    if (refusal) return usage_error("bench", "--vs %s: %s", kind, refusal);
  }
  if (!j->setup.ctx[NATIVE_IMPL]) return EXIT_DONE;
  j->direct = direct_open(j->library.name, why, sizeof why);
  if (!j->direct) return failed("bench", "--vs %s: %s", kind, why);
  for (int i = 0; i < j->total; i++)
    if (!direct_call(j->direct, j->native, &j->rows[i].problem))
      return failed("bench", "--vs %s: %s has no routine for %s", kind, j->library.name,
                    j->rows[i].problem.routine->name);
  return EXIT_DONE;
}

/* For eigensolvers native is LAPACK's routine; if the library has none, native is left out. */
static void open_eigen(bench_job *j) {
  const bool asked = j->native == NATIVE_CONTEXT && j->setup.ctx[NATIVE_IMPL] && trigon_on_host(j->setup.home);
  for (int i = 0; asked && i < j->total; i++) {
    const problem *p = &j->rows[i].problem;
    char *why = bench_task_of(j, &j->rows[i])->no_native;
    if (!routine_is_eigen(p->routine) || *why) continue;
    if (!j->direct) j->direct = direct_open(j->library.name, why, WHY_SIZE);
    if (j->direct && !direct_call(j->direct, NATIVE_DIRECT, p))
      snprintf(why, WHY_SIZE, "%s has no routine for %s", j->library.name, p->routine->name);
  }
}

static bool measure_row(bench_job *j, bench_row *row) {
  char why[WHY_SIZE];
  const problem *p = &row->problem;
  const bench_setup setup = setup_of(j, row);
  progress *phase = progress_begin(true, "%c%s %s, %" PRId64 " (%d of %d)", p->type, p->routine->name, p->variant,
                                   problem_size(p, p->routine->sizes[0]), (int)(row - j->rows) + 1, j->total);
  bool measured = bench_measure(&setup, row, why, sizeof why);
  progress_end(phase);
  if (!measured) failed("bench", "%s", why);
  return measured;
}

static void begin_report(const bench_job *j) {
  const char *advice = trigon_advice(j->setup.home);
  print_begin(j->csv, j->choice.backend, trigon_describe(j->setup.home));
  if (*advice) print_remark(j->csv, "advice: %s", advice);
  if (j->beside.count > 0)
    print_remark(j->csv, "beside: %d process%s that only compute%s, nice %d", j->beside.count,
                 j->beside.count > 1 ? "es" : "", j->beside.count > 1 ? "" : "s", j->beside.nice);
  print_library(j->csv, j->wanted[NATIVE_IMPL] ? "native" : "gemm", &j->library, j->library_context);
  for (int i = 0; i < j->tasks_count; i++) {
    const char *why = j->task[i].no_native;
    const bool repeated = i > 0 && strcmp(why, j->task[i - 1].no_native) == 0; /* the same for several routines */
    if (*why && !repeated) print_remark(j->csv, "without native: %s", why);
  }
}

static void measure_rows(bench_job *j) {
  begin_report(j);
  for (; j->count < j->total && !ferror(stdout); j->count++) {
    bench_row *row = &j->rows[j->count];
    const bench_setup setup = setup_of(j, row);
    if (!j->csv && (j->count == 0 || !same_group(&row[-1].problem, &row->problem))) print_group(&row->problem, &setup);
    if (!measure_row(j, row)) {
      j->failed = true;
      return;
    }
    j->failed |= !row_is_ok(row);
    if (j->csv)
      print_csv_row(row, j->choice.backend, kind_of(j, row), &j->setup.fp64, &j->beside);
    else
      print_table_row(row, &j->setup.fp64);
  }
  if (j->failed) failed("bench", "not all residuals are below their limits");
}

static int draw(const bench_job *j) {
  char why[WHY_SIZE], processor[MOST_PROCESSOR], date[MOST_DATE];
  const trigon_context *ctx = j->setup.home;
  processor_name(processor);
  date_today(date);
  const picture_source source = {j->choice.backend,
                                 trigon_describe(ctx),
                                 j->library_context ? trigon_describe(j->library_context) : NULL,
                                 processor,
                                 date,
                                 trigon_on_host(ctx)};
  if (!plot_rows(j->plot, j->rows, j->count, &source, why, sizeof why)) return failed("bench", "%s", why);
  if (!j->csv) print_safe(stdout, "%% drawn in %s\n", j->plot);
  return EXIT_DONE;
}

static int begin_beside(bench_job *j) {
  if (beside_begin(&j->beside)) return EXIT_DONE;
  return failed("bench", "--beside: no more processes can be started: %s", strerror(errno));
}

int bench_command(int argc, char **argv) {
  if (asks_for_batch(argc, argv)) return bench_batch_command(argc, argv);
  static const bench_job defaults = {.types = "d", .choice.backend = "cpu", .vs = "native,gemm", .setup.seconds = 1};
  bench_job *j = malloc(sizeof *j); /* too large for the stack: it holds lists of sizes */
  if (!j) return failed("bench", "out of memory");
  *j = defaults;
  j->setup.copy = &j->copy;
  int status = bench_parse(j, argc, argv);
  if (status == PARSED) {
    if ((status = bench_make_rows(j)) == EXIT_DONE && (status = begin_beside(j)) == EXIT_DONE &&
        (status = create_contexts(j)) == EXIT_DONE && (status = open_direct(j)) == EXIT_DONE &&
        (open_eigen(j), status = check_only(j)) == EXIT_DONE) {
      measure_rows(j);
      bool whole = !j->failed && j->count == j->total; /* else an older picture is not replaced */
      if (j->plot && whole) status = draw(j);
      if (j->failed) status = EXIT_FAILED;
    }
    beside_end(&j->beside);
  }
  for (int i = NATIVE_IMPL; i < IMPLS; i++) trigon_destroy(j->setup.ctx[i]);
  trigon_destroy(j->setup.home);
  free(j->rows);
  free(j);
  return status;
}

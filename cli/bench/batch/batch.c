/* batch.c - the command bench for batches: times a routine for many matrices of different orders in one call.
 *
 * All matrices are leading blocks of one matrix. Before each call its operands are made fresh. Each result of the last
 * call is checked. */
#include "batch.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../command.h"
#include "../../command_line.h"
#include "../../matrix/element_type.h"
#include "../../report.h"
#include "../../type_list.h"
#include "../copy_rate.h"
#include "../print.h"
#include "lapack.h"

static const char help[] =
    "usage: trigon bench ROUTINE [OPTIONS]\n"
    "\n"
    "Times a batch: many matrices of different orders in one call. ROUTINE is potrf_batch, potrs_batch, posv_batch,\n"
    "trtri_batch or potri_batch. Every result is checked. Prints the median time of a call, and the floor: the bytes\n"
    "of all operands at the rate of a copy.\n"
    "\n"
    "  --sizes LIST    fixed:N (all of order N), uniform:N (1 to N), skewed:N (one in a hundred of order N, the\n"
    "                  others 1 to N/10), or a CSV with the columns columns,rows (perhaps .gz): matrices of order\n"
    "                  columns; several as fixed:32,uniform:256 (default: uniform:128)\n"
    "  --batch COUNT   how many matrices; not for a file (default: 5000)\n"
    "  --nrhs K        right-hand sides of each matrix, for potrs_batch and posv_batch (default: 1)\n"
    "  --max           tell the call the largest order; otherwise it learns the orders from the arrays alone\n"
    "  --type T        of s, d, c, z; several as d,z or sdcz (default: d)\n"
    "  --variant V     L or U: the triangle (default: L)\n"
    "  --backend NAME  compute with this (default: cpu)\n"
    "  --schedule LIST of auto, ssde, dsse, device: a row for each schedule of POTRF on a GPU (see trigon_create); "
    "for\n"
    "                  potrf_batch and posv_batch\n"
    "  --vs native     a second row: for the backend cpu the linked LAPACK, called for each matrix in a loop that the\n"
    "                  threads of OpenMP share; on a GPU the vendor's potrf_batch, for fixed:N\n"
    "  --repeat R      calls to time (default: what fits into --seconds, 3 to 100)\n"
    "  --seconds S     how long the calls of a row take together (default: 1)\n"
    "  --csv           comma-separated values instead of a table\n"
    "  -h, --help      this text\n"
    "\n"
    "Exit status: 0 done; 1 a call failed or a residual is too large; 2 wrong usage.\n"
    "\n"
    "examples:\n"
    "  trigon bench potrf_batch --sizes uniform:64,uniform:256 --batch 1000\n"
    "  trigon bench potrs_batch --nrhs 16 --sizes fronts.csv --backend cuda:0\n"
    "  trigon bench potrf_batch --sizes uniform:512 --max --backend cuda:0 --schedule auto,ssde,dsse\n";

enum { MOST_WAYS = 8, MOST_BACKEND = 1200, SCHEDULE_WIDTH = 9 };
enum { MOST_REPEATS = 1000, LEAST_REPEATS = 3, DEFAULT_REPEATS = 100 };

/* Who computes: the library; a loop over LAPACK, in the context's memory; the vendor, by a context with native=1. */
typedef enum batch_kind { LIBRARY_KIND, LAPACK_KIND, VENDOR_KIND } batch_kind;

/* A context, and the schedule that its name asks for, or NULL. */
typedef struct batch_way {
  batch_kind kind;
  const char *schedule;
  char backend[MOST_BACKEND];
  trigon_context *ctx;
  copy_rate copy;
} batch_way;

typedef struct batch_bench {
  const char *routine, *sizes, *count_text, *columns_text, *types, *variant, *backend, *repeat_text, *seconds_text,
      *rival;
  char *schedules; /* the option; its commas become ends of words */
  bool csv, tells_largest;
  char type[MOST_TYPES];
  int types_count, repeat, ways_count;
  int64_t count, columns;
  double seconds;
  trigon_uplo uplo;
  batch_way way[MOST_WAYS];
} batch_bench;

/* One row: what is timed, and what was measured. */
typedef struct batch_row {
  const char *sizes;
  batch_way *way;
  batch_operands on;
  linked_fn *lapack; /* of LAPACK_KIND */
  double seconds, error;
  bool ok;
} batch_row;

/* The routine of one matrix, if the name is that of a batched routine that can be timed, or NULL. */
static const routine *routine_of(const char *name) {
  static const char *const names[] = {"potrf", "potrs", "posv", "trtri", "potri"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const size_t length = strlen(names[i]);
    if (strncmp(name, names[i], length) == 0 && strcmp(name + length, "_batch") == 0)
      return routine_find(names[i], length);
  }
  return NULL;
}

bool asks_for_batch(int argc, char **argv) {
  for (int i = 1; i < argc; i++)
    if (routine_of(argv[i])) return true;
  return false;
}

/* ----------------------------------------------------------------------------------------------- measuring -- */

static trigon_status call_once(const batch_bench *b, const batch_row *r) {
  switch (r->way->kind) {
  case LAPACK_KIND: batch_lapack_run(r->lapack, &r->on); return TRIGON_OK;
  case VENDOR_KIND: return batch_operands_call_strided(&r->on);
  default: return batch_operands_call(&r->on, b->tells_largest ? r->on.orders.largest : 0);
  }
}

/* A call on fresh operands. On a device it waits behind a kernel, so that the time of its launches does not count. */
static bool time_call(batch_bench *b, const batch_row *r, double *seconds, const reason *to) {
  const double hold = 100e-6;
  trigon_context *ctx = r->way->ctx;
  return succeeded(to, "fresh operands", ctx, batch_operands_restore(&r->on)) &&
         succeeded(to, "the timer", ctx, trigon_timer_start(ctx, hold)) &&
         succeeded(to, b->routine, ctx, call_once(b, r)) &&
         succeeded(to, "the timer", ctx, trigon_timer_stop(ctx, seconds)) &&
         succeeded(to, b->routine, ctx, trigon_finish(ctx, NULL));
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, compare);
  return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

static bool measure(batch_bench *b, batch_row *r, const reason *to) {
  double seconds[MOST_REPEATS];
  int repeat = b->repeat;
  if (!time_call(b, r, seconds, to)) return false; /* warms up */
  const double begun = seconds_now();
  if (!time_call(b, r, seconds, to)) return false;
  const double once = seconds_now() - begun;
  if (repeat == 0) repeat = (int)fmin(fmax(b->seconds / fmax(once, 1e-9), LEAST_REPEATS), DEFAULT_REPEATS);
  for (int k = 0; k < repeat; k++)
    if (!time_call(b, r, &seconds[k], to)) return false;
  r->seconds = median(seconds, repeat);
  return batch_operands_judge(&r->on, &r->error, &r->ok, to);
}

/* ---------------------------------------------------------------------------------------------------- rows -- */

/* Flops of all matrices, and the bytes that must be read and written. */
static void count_work(const batch_row *r, double *flops, double *bytes) {
  *flops = *bytes = 0;
  for (int64_t i = 0; i < r->on.orders.count; i++) {
    const problem p = batch_problem(&r->on, i);
    *flops += problem_flops(&p), *bytes += problem_bytes(&p);
  }
}

static void print_row(const batch_bench *b, const batch_row *r, double flops, double floor) {
  const batch_operands *o = &r->on;
  const char variant = b->uplo == TRIGON_LOWER ? 'L' : 'U';
  const double gflops = 1e-9 * flops / r->seconds;
  const bool has_columns = routine_has(o->routine, 'm');
  const char *const schedule = r->way->schedule, *const impl = r->way->kind == LIBRARY_KIND ? "trigon" : "native";
  char order[32] = "";
  if (has_columns) snprintf(order, sizeof order, "%" PRId64, o->orders.largest);
  if (b->csv)
    print_safe(stdout,
               "%s,%c,%s,%s,%c,%s,%" PRId64 ",,%" PRId64 ",%.6g,%.6g,%.3e,,%.6g,sizes=%s;max=%d;floor_ratio=%.4g%s%s\n",
               b->routine, o->type, r->way->backend, impl, variant, order, has_columns ? o->columns : o->orders.largest,
               o->orders.count, 1e3 * r->seconds, gflops, r->error, 1e3 * floor, r->sizes, b->tells_largest,
               r->seconds / floor, schedule ? ";schedule=" : "", schedule ? schedule : "");
  else
    print_safe(stdout, "%-24s %s%*s%c %8" PRId64 " %7" PRId64 " %10.2f (%9.4f) %10.4f %8.2f  %9.2e  %s\n", r->sizes,
               schedule ? schedule : "", schedule ? SCHEDULE_WIDTH - (int)strlen(schedule) : 0, "", o->type,
               o->orders.count, o->orders.largest, gflops, 1e3 * r->seconds, 1e3 * floor, r->seconds / floor, r->error,
               !r->ok                         ? "WRONG"
               : r->way->kind != LIBRARY_KIND ? "ok, native"
                                              : "ok");
  fflush(stdout);
}

/* Measures one row, whose orders are made. Returns the exit status. */
static int run_row(batch_bench *b, batch_row *r) {
  char why[WHY_SIZE];
  const reason to = {why, sizeof why};
  double flops, bytes;
  count_work(r, &flops, &bytes);
  if (r->way->kind == VENDOR_KIND && !batch_operands_are_alike(&r->on)) return EXIT_DONE; /* the vendor has no row */
  if (r->way->kind == LAPACK_KIND && !(r->lapack = batch_lapack_find(&r->on)))
    return failed("bench", "--vs native: the linked LAPACK lacks the routine, or trigon was built without OpenMP");
  if (!copy_rate_measure(r->way->ctx, bytes, &r->way->copy, &to) || !batch_operands_make(&r->on, &to) ||
      !measure(b, r, &to))
    return failed("bench", "%s", why);
  print_row(b, r, flops, r->way->copy.bytes_per_second > 0 ? bytes / r->way->copy.bytes_per_second : NAN);
  return r->ok ? EXIT_DONE : failed("bench", "%s: not all residuals are below their limits", r->sizes);
}

/* The sizes, for one type and one schedule. */
static int run_sizes(batch_bench *b, const char *sizes, trigon_type type, batch_way *way) {
  char why[WHY_SIZE];
  batch_row r = {
      .sizes = sizes,
      .way = way,
      .on = {.routine = routine_of(b->routine), .type = type, .uplo = b->uplo, .columns = b->columns, .ctx = way->ctx}};
  const int status = orders_make(sizes, b->count, &r.on.orders, why, sizeof why)
                         ? run_row(b, &r)
                         : usage_error("bench", "--sizes: %s", why);
  batch_operands_free(&r.on);
  return status;
}

/* Each of the sizes in turn. */
static int run_all(batch_bench *b) {
  char *list = strdup(b->sizes), *rest = list, *sizes;
  int status = list ? EXIT_DONE : failed("bench", "out of memory");
  print_begin(b->csv, b->backend, trigon_describe(b->way[0].ctx));
  if (!b->csv)
    printf("%%\n%% %s %c\n%% sizes                  %stype  batch  largest      Gflop/s (ms)     floor (ms) "
           "ms/floor  error  ok\n",
           b->routine, b->uplo == TRIGON_LOWER ? 'L' : 'U', b->schedules ? "schedule " : "");
  while (status == EXIT_DONE && (sizes = strsep(&rest, ",")) != NULL)
    for (int t = 0; t < b->types_count; t++)
      for (int w = 0; w < b->ways_count && status == EXIT_DONE; w++)
        status = run_sizes(b, sizes, (trigon_type)b->type[t], &b->way[w]);
  free(list);
  return status;
}

/* -------------------------------------------------------------------------------------------- command line -- */

/* A whole number from 1 to `most`, or 0. */
static int64_t parse_count(const char *text, int64_t most) {
  char *end;
  const long long count = strtoll(text, &end, 10);
  return end > text && !*end && count >= 1 && count <= most ? count : 0;
}

static int parse_values(batch_bench *b) {
  const int64_t most = INT64_C(1) << 30;
  char *end;
  if ((b->count = parse_count(b->count_text, most)) == 0)
    return usage_error("bench", "--batch: a number from 1 to %" PRId64 " is expected, not '%s'", most, b->count_text);
  if ((b->columns = parse_count(b->columns_text, most)) == 0)
    return usage_error("bench", "--nrhs: a number from 1 to %" PRId64 " is expected, not '%s'", most, b->columns_text);
  if (b->repeat_text && (b->repeat = (int)parse_count(b->repeat_text, MOST_REPEATS)) == 0)
    return usage_error("bench", "--repeat: a number from 1 to %d is expected, not '%s'", MOST_REPEATS, b->repeat_text);
  b->seconds = strtod(b->seconds_text, &end);
  if (*end || end == b->seconds_text || !(b->seconds > 0 && b->seconds <= 1000))
    return usage_error("bench", "--seconds: a number above 0, at most 1000, is expected, not '%s'", b->seconds_text);
  if (strcmp(b->variant, "L") != 0 && strcmp(b->variant, "U") != 0)
    return usage_error("bench", "--variant: L or U is expected, not '%s'", b->variant);
  b->uplo = *b->variant == 'L' ? TRIGON_LOWER : TRIGON_UPPER;
  return parse_types("bench", b->types, b->type, &b->types_count);
}

/* Adds a way to compute: the context with this option in its name, which may be "". Returns the exit status. */
static int add_way(batch_bench *b, batch_way way, const char *key, const char *value) {
  char why[WHY_SIZE];
  if (b->ways_count == MOST_WAYS) return usage_error("bench", "--schedule: at most %d schedules", MOST_WAYS - 1);
  const char *mark = !*key ? "" : strchr(b->backend, '?') ? "&" : "?";
  const int length = snprintf(way.backend, sizeof way.backend, "%s%s%s%s", b->backend, mark, key, value);
  if (length >= (int)sizeof way.backend) return usage_error("bench", "--backend: the name is too long");
  if (trigon_create(way.backend, &way.ctx, why, sizeof why) != TRIGON_OK) return failed("bench", "%s", why);
  b->way[b->ways_count++] = way;
  return EXIT_DONE;
}

static int add_schedules(batch_bench *b) {
  const char *name = routine_of(b->routine)->name;
  int status = EXIT_DONE;
  if (!b->schedules) return add_way(b, (batch_way){0}, "", "");
  if (strcmp(name, "potrf") != 0 && strcmp(name, "posv") != 0)
    return usage_error("bench", "--schedule: %s does not factor", b->routine);
  for (char *rest = b->schedules, *at; status == EXIT_DONE && (at = strsep(&rest, ",")) != NULL;)
    status = add_way(b, (batch_way){.schedule = at}, "schedule=", at);
  return status;
}

/* The row of --vs native. */
static int add_rival(batch_bench *b) {
  const bool on_host = trigon_on_host(b->way[0].ctx);
  if (on_host && b->backend[3] != '\0' && b->backend[3] != '?')
    return usage_error("bench", "--vs native: only the linked LAPACK (backend cpu) can be called");
  if (on_host && strstr(b->backend, "threads="))
    return usage_error("bench", "--vs native: the loop over LAPACK has as many threads as OpenMP (OMP_NUM_THREADS), so "
                                "the backend's name cannot have threads=");
  if (on_host) return add_way(b, (batch_way){.kind = LAPACK_KIND}, "", "");
  if (strcmp(routine_of(b->routine)->name, "potrf") != 0)
    return usage_error("bench", "--vs native: vendors have potrf_batch alone");
  return add_way(b, (batch_way){.kind = VENDOR_KIND}, "native=", "1");
}

static int add_ways(batch_bench *b) {
  const bool has_rival = b->rival && strcmp(b->rival, "none") != 0;
  if (has_rival && strcmp(b->rival, "native") != 0)
    return usage_error("bench", "--vs: native or none is expected, not '%s'", b->rival);
  const int status = add_schedules(b);
  return status == EXIT_DONE && has_rival ? add_rival(b) : status;
}

int bench_batch_command(int argc, char **argv) {
  batch_bench b = {.sizes = "uniform:128",
                   .count_text = "5000",
                   .columns_text = "1",
                   .types = "d",
                   .variant = "L",
                   .backend = "cpu",
                   .seconds_text = "1"};
  const char *schedules = NULL;
  const option options[] = {{"sizes", 0, &b.sizes, NULL},
                            {"batch", 0, &b.count_text, NULL},
                            {"nrhs", 0, &b.columns_text, NULL},
                            {"max", 0, NULL, &b.tells_largest},
                            {"type", 0, &b.types, NULL},
                            {"variant", 0, &b.variant, NULL},
                            {"backend", 0, &b.backend, NULL},
                            {"schedule", 0, &schedules, NULL},
                            {"repeat", 0, &b.repeat_text, NULL},
                            {"seconds", 0, &b.seconds_text, NULL},
                            {"vs", 0, &b.rival, NULL},
                            {"csv", 0, NULL, &b.csv},
                            {NULL, 0, NULL, NULL}};
  const syntax s = {"bench", help, options, &b.routine, 1, 1, "which routine?"};
  int status = parse_arguments(&s, argc, argv);
  if (status != PARSED || (status = parse_values(&b)) != PARSED) return status;
  if (!routine_of(b.routine)) return usage_error("bench", "unknown routine '%s'", b.routine);
  if (schedules && !(b.schedules = strdup(schedules))) return failed("bench", "out of memory");
  if ((status = add_ways(&b)) == EXIT_DONE) status = run_all(&b);
  for (int w = 0; w < b.ways_count; w++) trigon_destroy(b.way[w].ctx);
  free(b.schedules);
  return status;
}

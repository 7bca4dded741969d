/* batch.c - the command bench for batches: times POTRF of many matrices of different orders in one call.
 *
 * All matrices begin as leading blocks of one diagonally dominant matrix. A factor of such a matrix is diagonally
 * dominant, too, so calls may follow each other on the same memory. The last call begins with fresh matrices, and each
 * of its results is checked. */
#include "batch.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../command.h"
#include "../../command_line.h"
#include "../../matrix/dense.h"
#include "../../matrix/element_type.h"
#include "../../matrix/random.h"
#include "../../matrix/transfer.h"
#include "../../report.h"
#include "../../type_list.h"
#include "../check.h"
#include "../copy_rate.h"
#include "../memory_use.h"
#include "../print.h"
#include "orders.h"

static const char help[] =
    "usage: trigon bench potrf_batch [OPTIONS]\n"
    "\n"
    "Times POTRF of a batch: many matrices of different orders in one call. Every result is checked. Prints the "
    "median\n"
    "time of a call, and the floor: the bytes of all triangles at the rate of a copy.\n"
    "\n"
    "  --sizes LIST    fixed:N (all of order N), uniform:N (1 to N), skewed:N (one in a hundred of order N, the "
    "others\n"
    "                  1 to N/10), or a CSV with the columns columns,rows (perhaps .gz): matrices of order columns;\n"
    "                  several as fixed:32,uniform:256 (default: uniform:128)\n"
    "  --batch COUNT   how many matrices; not for a file (default: 5000)\n"
    "  --max           tell the call the largest order; otherwise it learns the orders from the arrays alone\n"
    "  --type T        of s, d, c, z; several as d,z or sdcz (default: d)\n"
    "  --variant V     L or U: the triangle (default: L)\n"
    "  --backend NAME  compute with this (default: cpu)\n"
    "  --repeat R      calls to time (default: what fits into --seconds, 3 to 100)\n"
    "  --seconds S     how long the calls of a row take together (default: 1)\n"
    "  --csv           comma-separated values instead of a table\n"
    "  -h, --help      this text\n"
    "\n"
    "Exit status: 0 done; 1 a call failed or a residual is too large; 2 wrong usage.\n"
    "\n"
    "examples:\n"
    "  trigon bench potrf_batch --sizes uniform:64,uniform:256 --batch 1000\n"
    "  trigon bench potrf_batch --sizes fronts.csv --backend cuda:0\n";

enum { MOST_REPEATS = 1000, LEAST_REPEATS = 3, DEFAULT_REPEATS = 100 };

typedef struct batch_bench {
  const char *routine, *sizes, *count_text, *types, *variant, *backend, *repeat_text, *seconds_text;
  bool csv, tells_largest;
  char type[MOST_TYPES];
  int types_count, repeat;
  int64_t count;
  double seconds;
  trigon_uplo uplo;
  trigon_context *ctx;
  copy_rate copy;
} batch_bench;

/* One row: the orders, the matrices and the arrays in the context's memory, and what was measured. */
typedef struct batch_row {
  const char *sizes;
  trigon_type type;
  batch_orders orders;
  trigon_matrix original; /* on the host, of the largest order */
  trigon_matrix all;      /* the memory of all matrices, as one column */
  int64_t *offset;        /* of each matrix in it, in elements */
  void **address;
  trigon_matrix n, places, info; /* arrays; n serves as the leading dimensions, too */
  int64_t *infos;
  double seconds, error;
  bool ok;
} batch_row;

bool asks_for_batch(int argc, char **argv) {
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "potrf_batch") == 0) return true;
  return false;
}

/* ------------------------------------------------------------------------------------------------- memory -- */

/* An array of 64-bit words in the context's memory, as a matrix of doubles. */
static trigon_status send_words(trigon_context *ctx, const void *words, int64_t count, trigon_matrix *to) {
  const trigon_status status = transfer_alloc(ctx, TRIGON_D, count, 1, to);
  return status != TRIGON_OK
             ? status
             : trigon_upload(ctx, (trigon_matrix){(void *)(uintptr_t)words, TRIGON_D, count, 1, count}, *to);
}

/* Lays the matrices out one behind the other, each at a multiple of 256 bytes. Returns the elements of all. */
static int64_t lay_out(batch_row *r) {
  const int64_t unit = 256 / (int64_t)type_bytes(r->type);
  int64_t total = 0;
  for (int64_t i = 0; i < r->orders.count; i++) {
    r->offset[i] = total;
    total += (r->orders.n[i] * r->orders.n[i] + unit - 1) / unit * unit;
  }
  return total;
}

static bool make_row(batch_bench *b, batch_row *r, const reason *to) {
  const size_t count = (size_t)r->orders.count;
  r->offset = malloc(count * sizeof *r->offset);
  r->address = malloc(count * sizeof *r->address);
  r->infos = malloc(count * sizeof *r->infos);
  if (!r->offset || !r->address || !r->infos) return no_memory(to);
  const int64_t total = lay_out(r);
  const double bytes = (double)total * (double)type_bytes(r->type);
  if (trigon_on_host(b->ctx) && bytes > memory_available() / 2) {
    snprintf(to->text, to->size, "these matrices take %.3g GB of memory", 1e-9 * bytes);
    return false;
  }
  if (!dense_alloc(r->type, r->orders.largest, r->orders.largest, &r->original)) return no_memory(to);
  random_fill_dominant(&r->original, 1);
  if (!succeeded(to, "allocating matrices", b->ctx, transfer_alloc(b->ctx, r->type, total, 1, &r->all))) return false;
  for (size_t i = 0; i < count; i++) r->address[i] = (char *)r->all.data + (size_t)r->offset[i] * type_bytes(r->type);
  memset(r->infos, 0xff, count * sizeof *r->infos);
  return succeeded(to, "sending orders", b->ctx, send_words(b->ctx, r->orders.n, r->orders.count, &r->n)) &&
         succeeded(to, "sending addresses", b->ctx, send_words(b->ctx, r->address, r->orders.count, &r->places)) &&
         succeeded(to, "sending infos", b->ctx, send_words(b->ctx, r->infos, r->orders.count, &r->info));
}

static void free_row(batch_bench *b, batch_row *r) {
  trigon_matrix *const sent[] = {&r->all, &r->n, &r->places, &r->info};
  for (size_t i = 0; i < sizeof sent / sizeof *sent; i++) trigon_free(b->ctx, sent[i]->data);
  free(r->original.data), free(r->offset), free(r->address), free(r->infos), free(r->orders.n);
}

/* Matrix i in the context's memory. */
static trigon_matrix matrix_at(const batch_row *r, int64_t i) {
  const int64_t n = r->orders.n[i];
  return (trigon_matrix){r->address[i], r->type, n, n, n};
}

static trigon_matrix leading_block(const trigon_matrix *A, int64_t n) {
  return (trigon_matrix){A->data, A->type, n, n, A->ld};
}

static bool refresh(batch_bench *b, const batch_row *r, const reason *to) {
  for (int64_t i = 0; i < r->orders.count; i++) {
    const trigon_matrix block = leading_block(&r->original, r->orders.n[i]);
    if (!succeeded(to, "sending matrices", b->ctx, trigon_upload(b->ctx, block, matrix_at(r, i)))) return false;
  }
  return true;
}

/* --------------------------------------------------------------------------------------------------- calls -- */

static trigon_status factor(batch_bench *b, const batch_row *r) {
  const int64_t count = r->orders.count, largest = b->tells_largest ? r->orders.largest : 0, *n = r->n.data;
  int64_t *info = r->info.data;
  switch (r->type) {
  case TRIGON_S: return trigon_spotrf_batch(b->ctx, b->uplo, count, largest, n, r->places.data, n, info);
  case TRIGON_D: return trigon_dpotrf_batch(b->ctx, b->uplo, count, largest, n, r->places.data, n, info);
  case TRIGON_C: return trigon_cpotrf_batch(b->ctx, b->uplo, count, largest, n, r->places.data, n, info);
  default: return trigon_zpotrf_batch(b->ctx, b->uplo, count, largest, n, r->places.data, n, info);
  }
}

/* A call. On a device it waits behind a kernel, so that the time of its launches does not count. */
static bool time_call(batch_bench *b, const batch_row *r, double *seconds, const reason *to) {
  const double hold = 100e-6;
  return succeeded(to, "the timer", b->ctx, trigon_timer_start(b->ctx, hold)) &&
         succeeded(to, "potrf_batch", b->ctx, factor(b, r)) &&
         succeeded(to, "the timer", b->ctx, trigon_timer_stop(b->ctx, seconds)) &&
         succeeded(to, "potrf_batch", b->ctx, trigon_finish(b->ctx, NULL));
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, compare);
  return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

/* Checks every matrix of the last call. The error of a row is its largest one. */
static bool judge(batch_bench *b, batch_row *r, const reason *to) {
  problem p = {.routine = routine_find("potrf", 5), .type = r->type};
  trigon_matrix result;
  r->ok = true, r->error = 0;
  problem_set_variant(&p, b->uplo == TRIGON_LOWER ? "L" : "U");
  if (!dense_alloc(r->type, r->orders.largest, r->orders.largest, &result)) return no_memory(to);
  const trigon_matrix infos = {r->infos, TRIGON_D, r->orders.count, 1, r->orders.count};
  bool done = succeeded(to, "fetching infos", b->ctx, trigon_download(b->ctx, r->info, infos));
  for (int64_t i = 0; done && i < r->orders.count; i++) {
    const trigon_matrix before = leading_block(&r->original, r->orders.n[i]);
    const trigon_matrix after = leading_block(&result, r->orders.n[i]);
    double error, limit;
    p.size[N] = r->orders.n[i];
    done = succeeded(to, "fetching matrices", b->ctx, trigon_download(b->ctx, matrix_at(r, i), after)) &&
           (bench_check(&p, &before, &after, &error, &limit) || no_memory(to));
    if (!done) break;
    r->ok = r->ok && error < limit && r->infos[i] == 0;
    if (!(error <= r->error)) r->error = error;
  }
  free(result.data);
  return done;
}

static bool measure(batch_bench *b, batch_row *r, const reason *to) {
  double seconds[MOST_REPEATS];
  int repeat = b->repeat;
  if (!refresh(b, r, to) || !time_call(b, r, seconds, to)) return false; /* warms up */
  const double begun = seconds_now();
  if (!time_call(b, r, seconds, to)) return false;
  const double once = seconds_now() - begun;
  if (repeat == 0) repeat = (int)fmin(fmax(b->seconds / fmax(once, 1e-9), LEAST_REPEATS), DEFAULT_REPEATS);
  for (int k = 0; k < repeat; k++) {
    if (k == repeat - 1 && !refresh(b, r, to)) return false;
    if (!time_call(b, r, &seconds[k], to)) return false;
  }
  r->seconds = median(seconds, repeat);
  return judge(b, r, to);
}

/* ---------------------------------------------------------------------------------------------------- rows -- */

/* Flops of all matrices, and the bytes of their triangles, read and written. */
static void count_work(const batch_row *r, double *flops, double *bytes) {
  *flops = *bytes = 0;
  for (int64_t i = 0; i < r->orders.count; i++) {
    const double n = (double)r->orders.n[i];
    *flops += n * (n + 1) * (2 * n + 1) / 6 * (type_is_complex(r->type) ? 4 : 1);
    *bytes += n * (n + 1) * (double)type_bytes(r->type);
  }
}

static void print_row(const batch_bench *b, const batch_row *r, double flops, double floor) {
  const char variant = b->uplo == TRIGON_LOWER ? 'L' : 'U';
  const double gflops = 1e-9 * flops / r->seconds;
  if (b->csv)
    print_safe(stdout,
               "potrf_batch,%c,%s,trigon,%c,,%" PRId64 ",,%" PRId64
               ",%.6g,%.6g,%.3e,,%.6g,sizes=%s;max=%d;floor_ratio=%.4g\n",
               r->type, b->backend, variant, r->orders.largest, r->orders.count, 1e3 * r->seconds, gflops, r->error,
               1e3 * floor, r->sizes, b->tells_largest, r->seconds / floor);
  else
    print_safe(stdout, "%-24s %c %8" PRId64 " %7" PRId64 " %10.2f (%9.4f) %10.4f %8.2f  %9.2e  %s\n", r->sizes, r->type,
               r->orders.count, r->orders.largest, gflops, 1e3 * r->seconds, 1e3 * floor, r->seconds / floor, r->error,
               r->ok ? "ok" : "WRONG");
  fflush(stdout);
}

/* Measures one row, whose orders are made. Returns the exit status. */
static int run_row(batch_bench *b, batch_row *r) {
  char why[WHY_SIZE];
  const reason to = {why, sizeof why};
  double flops, bytes;
  count_work(r, &flops, &bytes);
  if (!copy_rate_measure(b->ctx, bytes, &b->copy, &to) || !make_row(b, r, &to) || !measure(b, r, &to))
    return failed("bench", "%s", why);
  print_row(b, r, flops, b->copy.bytes_per_second > 0 ? bytes / b->copy.bytes_per_second : NAN);
  return r->ok ? EXIT_DONE : failed("bench", "%s: not all residuals are below their limits", r->sizes);
}

static int run_sizes(batch_bench *b, const char *sizes) {
  char why[WHY_SIZE];
  int status = EXIT_DONE;
  for (int t = 0; t < b->types_count && status == EXIT_DONE; t++) {
    batch_row r = {.sizes = sizes, .type = (trigon_type)b->type[t]};
    status = orders_make(sizes, b->count, &r.orders, why, sizeof why) ? run_row(b, &r)
                                                                      : usage_error("bench", "--sizes: %s", why);
    free_row(b, &r);
  }
  return status;
}

/* Each of the sizes in turn. */
static int run_all(batch_bench *b) {
  char *list = strdup(b->sizes), *rest = list, *sizes;
  int status = list ? EXIT_DONE : failed("bench", "out of memory");
  print_begin(b->csv, b->backend, trigon_describe(b->ctx));
  if (!b->csv)
    printf("%%\n%% potrf_batch %c\n%% sizes                  type  batch  largest      Gflop/s (ms)     floor (ms) "
           "ms/floor  error  ok\n",
           b->uplo == TRIGON_LOWER ? 'L' : 'U');
  while (status == EXIT_DONE && (sizes = strsep(&rest, ",")) != NULL) status = run_sizes(b, sizes);
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

int bench_batch_command(int argc, char **argv) {
  batch_bench b = {.sizes = "uniform:128",
                   .count_text = "5000",
                   .types = "d",
                   .variant = "L",
                   .backend = "cpu",
                   .seconds_text = "1"};
  const option options[] = {{"sizes", 0, &b.sizes, NULL},
                            {"batch", 0, &b.count_text, NULL},
                            {"max", 0, NULL, &b.tells_largest},
                            {"type", 0, &b.types, NULL},
                            {"variant", 0, &b.variant, NULL},
                            {"backend", 0, &b.backend, NULL},
                            {"repeat", 0, &b.repeat_text, NULL},
                            {"seconds", 0, &b.seconds_text, NULL},
                            {"csv", 0, NULL, &b.csv},
                            {NULL, 0, NULL, NULL}};
  const syntax s = {"bench", help, options, &b.routine, 1, 1, "which routine?"};
  char why[WHY_SIZE];
  int status = parse_arguments(&s, argc, argv);
  if (status != PARSED || (status = parse_values(&b)) != PARSED) return status;
  if (strcmp(b.routine, "potrf_batch") != 0) return usage_error("bench", "unknown routine '%s'", b.routine);
  if (trigon_create(b.backend, &b.ctx, why, sizeof why) != TRIGON_OK) return failed("bench", "%s", why);
  status = run_all(&b);
  trigon_destroy(b.ctx);
  return status;
}

/* bench_batch.c - the command bench for batches: times a routine for many matrices of different orders in one call.
 *
 * All matrices are leading blocks of one matrix. Before each call its operands are made fresh. Each result of the last
 * call is checked. */
#include "bench_batch.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../command.h"
#include "../../command_line.h"
#include "../../report.h"
#include "../../type_list.h"
#include "../bench_print.h"
#include "../measure/copy_rate.h"
#include "batch_print.h"

static const char help_format[] =
    "usage: trigon bench ROUTINE [OPTIONS]\n"
    "\n"
    "Times a batch: many matrices of different orders in one call. ROUTINE is NAME_batch, with one of the names\n"
    "%s (heevd for c and z).\n"
    "Every result is checked. Prints the median time of a call, and the floor: the bytes of all operands at the rate\n"
    "of a copy. The rows of one batch are measured in turns, a call of each.\n"
    "\n"
    "  --sizes LIST    fixed:N (all of order N), uniform:N (1 to N), skewed:N (one in a hundred of order N, the\n"
    "                  others 1 to N/10), each perhaps with the number of matrices: fixed:32x4096 is 4096 of order\n"
    "                  32; or a CSV with the columns columns,rows (perhaps .gz): matrices of order columns; several\n"
    "                  as fixed:32,uniform:256x1000 (default: uniform:128). The order is that of the triangle, and\n"
    "                  of C; of gemm_batch it is the rows of C\n"
    "  --batch COUNT   how many matrices, where --sizes does not say it (default: 5000)\n"
    "  --nrhs K        right-hand sides of each matrix (potrs_batch, posv_batch; default: 1); the columns of B, from\n"
    "                  the right its rows (trsm_batch, trmm_batch), and of C (gemm_batch), where n stands for the\n"
    "                  order (default: n)\n"
    "  --k K           the inner size of each product (syrk_batch, herk_batch, gemm_batch); n stands for the order\n"
    "                  (default: n)\n"
    "  --max           tell the call the largest order, if it takes it; otherwise it learns the orders from the\n"
    "                  arrays alone\n"
    "  --type T        of s, d, c, z; several as d,z or sdcz (default: d)\n"
    "  --variant V     its flags, as in the benchmark of the routine of one matrix: a letter for each of side (L, R),\n"
    "                  uplo (L, U), transposition (N, T, C) and diagonal (N, U) that the routine has, or the first of\n"
    "                  them (default: L and N); of syevd_batch V or N (vectors and values, or values) and L or U\n"
    "                  (default: VL)\n"
    "  --backend NAME  compute with this (default: cpu)\n"
    "  --schedule LIST of auto, ssde, dsse, device, device:N (N parents launch): a row for each schedule of POTRF on "
    "a\n"
    "                  GPU (see trigon_create); for potrf_batch and posv_batch\n"
    "  --vs LIST       of native, native-loop; none (default): more rows, and the ratio of the faster one's time to\n"
    "                  Trigon's. native: on the CPU the BLAS or LAPACK, called for each matrix in a loop that threads\n"
    "                  share, as many as of the backend; on a GPU the vendor's batch: for fixed:N its batched potrf,\n"
    "                  trsm and gemm, else the BLAS's routine in a loop over streams. native-loop: the routine of one\n"
    "                  matrix (native=1), called for one matrix after the other\n"
    "  --native LIBRARY the BLAS and LAPACK to compare with on the CPU (default: the backend's library or, for the\n"
    "                  backend cpu, libopenblas.so.0 or libblis.so.4)\n"
    "  --repeat R      calls to time (default: what fits into --seconds, 3 to 100)\n"
    "  --seconds S     how long the calls of all rows of one batch take together (default: 1)\n"
    "  --csv           comma-separated values instead of a table\n"
    "  -h, --help      this text\n"
    "\n"
    "With --vs the last line is a summary: the geometric mean of the ratios, and the lowest ratio. With --csv the\n"
    "summary goes to standard error.\n"
    "Exit status: 0 done; 1 a call failed or a residual is too large; 2 wrong usage.\n"
    "\n"
    "examples:\n"
    "  trigon bench potrf_batch --sizes uniform:64,uniform:256 --batch 1000\n"
    "  trigon bench syevd_batch --sizes fixed:8x50000,fixed:32x10000 --max --vs native\n"
    "  trigon bench potrs_batch --nrhs 16 --sizes fronts.csv --backend cuda:0\n"
    "  trigon bench trsm_batch --sizes fixed:32,uniform:64 --variant RLTN --nrhs 8 --vs native\n"
    "  trigon bench potrf_batch --sizes uniform:512 --max --backend cuda:0 --schedule auto,ssde,dsse,device:264\n"
    "  trigon bench potrf_batch --sizes fixed:32x4096,fixed:4096x1 --type s --backend cuda:0 --vs native,native-loop\n";

/* One of the sizes: its text, and the orders that it stands for. */
typedef struct listed_size {
  const char *text;
  batch_orders orders;
} listed_size;

typedef struct batch_bench {
  const char *name, *sizes, *count_text, *columns_text, *inner_text, *types, *asked_variant, *repeat_text,
      *seconds_text;
  char variant[MOST_VARIANT];
  batch_choice choice;
  bool csv;
  char type[MOST_TYPES];
  int types_count;
  int64_t count, columns, inner;
  char *list; /* a copy of `sizes` that is cut into the texts of `size` */
  listed_size *size;
  int sizes_count;
  batch_timing timing;
  contenders contenders;
  copy_rate copy;
  batch_summary summary[MOST_CONTENDERS];
} batch_bench;

/* The batched routine with this name: "trsm_batch". NULL: there is none. */
static const batch_routine *routine_of(const char *name) {
  const char *const end = strrchr(name, '_');
  return strcmp(end, "_batch") == 0 ? batch_routine_find(name, (size_t)(end - name)) : NULL;
}

/* Whether the text is a list of routines with a batch among them. */
static bool names_batch(const char *text) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789,_";
  const char *const batch = strstr(text, "_batch");
  return batch && text[strspn(text, letters)] == '\0' && (batch[6] == '\0' || batch[6] == ',');
}

/* The argument that names a batch, or NULL. */
static const char *batch_argument(int argc, char **argv) {
  for (int i = 1; i < argc; i++)
    if (names_batch(argv[i])) return argv[i];
  return NULL;
}

bool asks_for_batch(int argc, char **argv) { return batch_argument(argc, argv) != NULL; }

/* ---------------------------------------------------------------------------------------------------- rows -- */

/* The least time: the bytes that must be read and written, at the rate of a copy. */
static bool find_floor(batch_bench *b, const batch_operands *on, double *floor, const verdict *to) {
  double bytes = 0;
  for (int64_t i = 0; i < on->orders.count; i++) {
    const problem p = batch_problem(on, i);
    bytes += problem_bytes(&p);
  }
  if (!copy_rate_measure(on->ctx, bytes, &b->copy, to)) return false;
  *floor = b->copy.bytes_per_second > 0 ? bytes / b->copy.bytes_per_second : NAN;
  return true;
}

/* Measures a batch, whose orders are made. Returns the exit status. */
static int run_batch(batch_bench *b, const char *sizes, batch_operands *on) {
  char why[WHY_SIZE];
  const verdict to = {why, sizeof why};
  batch_result result[MOST_CONTENDERS];
  batch_rows rows = {sizes, b->variant, on, &b->contenders, result, NAN, b->timing.tells_largest};
  const int status = contenders_prepare(&b->contenders, on);
  if (status != EXIT_DONE) return status;
  if (!find_floor(b, on, &rows.floor, &to) || !batch_operands_make(on, &to) ||
      !batch_measure(&b->timing, &b->contenders, on, result, &to))
    return failed("bench", "%s", why);
  batch_print_rows(&rows, b->csv);
  batch_summary_add(b->summary, &rows);
  for (int i = 0; i < b->contenders.count; i++)
    if (result[i].measured && !result[i].ok)
      return failed("bench", "%s: not all residuals are below their limits", sizes);
  return EXIT_DONE;
}

/* Batch number i: a type of a size. Its operands are not made. */
static batch_operands operands_of(const batch_bench *b, int i) {
  return (batch_operands){.batch = b->choice.batch,
                          .routine = b->choice.routine,
                          .type = (trigon_type)b->type[i % b->types_count],
                          .variant = b->variant,
                          .columns = b->columns,
                          .inner = b->inner,
                          .orders = b->size[i / b->types_count].orders,
                          .ctx = b->contenders.contender[0].ctx};
}

/* Each batch, one after the other. All of them are checked before the first line is printed. */
static int run_all(batch_bench *b) {
  const int count = b->sizes_count * b->types_count;
  int status = EXIT_DONE;
  for (int i = 0; i < count && status == EXIT_DONE; i++) {
    const batch_operands on = operands_of(b, i);
    status = contenders_prepare(&b->contenders, &on);
  }
  if (status != EXIT_DONE) return status;
  print_begin(b->csv, b->choice.native.backend, trigon_describe(b->contenders.contender[0].ctx));
  print_library(b->csv, "native", &b->contenders.library, b->contenders.native);
  if (*b->contenders.no_native) print_remark(b->csv, "without native: %s", b->contenders.no_native);
  if (!b->csv) batch_print_heading(b->choice.routine, b->variant, &b->contenders);
  for (int i = 0; i < count && status == EXIT_DONE; i++) {
    batch_operands on = operands_of(b, i);
    status = run_batch(b, b->size[i / b->types_count].text, &on);
    batch_operands_free(&on);
  }
  if (status == EXIT_DONE) batch_print_summary(b->summary, &b->contenders, b->csv);
  return status;
}

/* -------------------------------------------------------------------------------------------- command line -- */

/* A whole number from 1 to `most`, or 0. */
static int64_t parse_count(const char *text, int64_t most) {
  char *end;
  const long long count = strtoll(text, &end, 10);
  return end > text && !*end && count >= 1 && count <= most ? count : 0;
}

/* What the flags of --variant are, letter by letter, for a message. */
static void describe_variants(const bench_routine *r, char *text, size_t size) {
  static const struct {
    char kind;
    const char *letters;
  } flags[] = {{'S', "L or R"}, {'U', "L or U"}, {'O', "N, T or C"}, {'D', "N or U"}, {'J', "V or N"}};
  size_t length = 0;
  for (const char *choice = r->choices; *choice && length < size; choice++) {
    int i = 0;
    while (flags[i].kind != *choice) i++;
    length += (size_t)snprintf(text + length, size - length, "%s%s", length > 0 ? " and then " : "", flags[i].letters);
  }
}

/* The letters that are not given are those of the default. An eigensolver needs both. */
static int parse_variant(batch_bench *b) {
  const bench_routine *const r = b->choice.routine;
  const char *const asked = b->asked_variant ? b->asked_variant : r->default_variant;
  const size_t given = strlen(asked), all = strlen(r->choices);
  const bool fits = given > 0 && given <= all && (given == all || !routine_is_eigen(r));
  snprintf(b->variant, sizeof b->variant, "%s%s", fits ? asked : "", fits ? r->default_variant + given : "");
  for (int i = 0; i < b->types_count; i++) {
    problem p = {.routine = r, .type = (trigon_type)b->type[i]};
    char flags[80];
    if (fits && problem_set_variant(&p, b->variant)) continue;
    describe_variants(r, flags, sizeof flags);
    return usage_error("bench", "--variant: %s is expected for type %c, not '%s'", flags, b->type[i], asked);
  }
  return PARSED;
}

/* A size beside the order: a number, or n for the order, which becomes 0. */
static int parse_extent(const char *name, const char *text, int64_t otherwise, int64_t *size) {
  const int64_t most = INT64_C(1) << 30;
  *size = !text ? otherwise : strcmp(text, "n") == 0 ? 0 : parse_count(text, most);
  if (text && *size == 0 && strcmp(text, "n") != 0)
    return usage_error("bench", "%s: a number from 1 to %" PRId64 " is expected, or n, not '%s'", name, most, text);
  return PARSED;
}

static int parse_extents(batch_bench *b) {
  const char *const name = b->choice.batch->name;
  if (b->columns_text && !routine_has(b->choice.routine, 'm'))
    return usage_error("bench", "--nrhs: %s_batch has no right-hand sides", name);
  if (b->inner_text && !routine_has(b->choice.routine, 'k'))
    return usage_error("bench", "--k: %s_batch has no inner size", name);
  const int status = parse_extent("--nrhs", b->columns_text, b->choice.batch->columns, &b->columns);
  return status != PARSED ? status : parse_extent("--k", b->inner_text, 0, &b->inner);
}

static int parse_values(batch_bench *b) {
  const int64_t most = INT64_C(1) << 30;
  char *end;
  if ((b->count = parse_count(b->count_text, most)) == 0)
    return usage_error("bench", "--batch: a number from 1 to %" PRId64 " is expected, not '%s'", most, b->count_text);
  if (b->repeat_text && (b->timing.repeat = (int)parse_count(b->repeat_text, MOST_REPEATS)) == 0)
    return usage_error("bench", "--repeat: a number from 1 to %d is expected, not '%s'", MOST_REPEATS, b->repeat_text);
  b->timing.seconds = strtod(b->seconds_text, &end);
  if (*end || end == b->seconds_text || !(b->timing.seconds > 0 && b->timing.seconds <= 1000))
    return usage_error("bench", "--seconds: a number above 0, at most 1000, is expected, not '%s'", b->seconds_text);
  int status = parse_types("bench", b->types, b->type, &b->types_count);
  if (status == PARSED) status = parse_variant(b);
  return status == PARSED ? parse_extents(b) : status;
}

/* Makes the orders of all sizes. */
static int make_sizes(batch_bench *b) {
  int most = 1;
  for (const char *at = b->sizes; *at; at++) most += *at == ',';
  char *rest = b->list = strdup(b->sizes), *text;
  b->size = calloc((size_t)most, sizeof *b->size);
  if (!b->list || !b->size) return failed("bench", "out of memory");
  int status = EXIT_DONE;
  while (status == EXIT_DONE && (text = strsep(&rest, ",")) != NULL) {
    listed_size *const size = &b->size[b->sizes_count++];
    size->text = text;
    status = orders_make(text, b->count, &size->orders);
  }
  return status;
}

static void free_sizes(batch_bench *b) {
  for (int i = 0; i < b->sizes_count; i++) free(b->size[i].orders.n);
  free(b->size);
  free(b->list);
}

int bench_batch_command(int argc, char **argv) {
  batch_bench b = {
      .sizes = "uniform:128", .count_text = "5000", .types = "d", .choice.native.backend = "cpu", .seconds_text = "1"};
  const option options[] = {{"sizes", 0, &b.sizes, NULL},
                            {"batch", 0, &b.count_text, NULL},
                            {"nrhs", 0, &b.columns_text, NULL},
                            {"k", 0, &b.inner_text, NULL},
                            {"max", 0, NULL, &b.timing.tells_largest},
                            {"type", 0, &b.types, NULL},
                            {"variant", 0, &b.asked_variant, NULL},
                            {"backend", 0, &b.choice.native.backend, NULL},
                            {"native", 0, &b.choice.native.library, NULL},
                            {"schedule", 0, &b.choice.schedules, NULL},
                            {"repeat", 0, &b.repeat_text, NULL},
                            {"seconds", 0, &b.seconds_text, NULL},
                            {"vs", 0, &b.choice.rivals, NULL},
                            {"csv", 0, NULL, &b.csv},
                            {NULL, 0, NULL, NULL}};
  char names[MOST_BATCH_NAMES], help[sizeof help_format + MOST_BATCH_NAMES];
  batch_routine_names(names, "", ", ");
  snprintf(help, sizeof help, help_format, names);
  const syntax s = {"bench", help, options, &b.name, 1, 1, "which routine?"};
  const char *const name = batch_argument(argc, argv);
  b.choice.batch = routine_of(name);
  batch_routine_names(names, "_batch", ", ");
  if (!b.choice.batch) /* before the options, of which other benchmarks have others */
    return usage_error("bench", "no batch '%s' to measure; one of %s is expected", name, names);
  b.choice.routine = batch_routine_single(b.choice.batch);
  int status = parse_arguments(&s, argc, argv);
  if (status != PARSED || (status = parse_values(&b)) != PARSED || (status = native_check(&b.choice.native)) != PARSED)
    return status;
  if ((status = make_sizes(&b)) == EXIT_DONE && (status = contenders_make(&b.choice, &b.contenders)) == EXIT_DONE)
    status = run_all(&b);
  contenders_free(&b.contenders);
  free_sizes(&b);
  return status;
}

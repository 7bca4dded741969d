/* bench.c - the command bench: reads what is to be measured, goes through it, prints it. */
#include "bench_report.h"
#include "command.h"
#include "file_path.h"
#include "options.h"
#include "plot.h"
#include "progress.h"
#include "size_list.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: trigon bench ROUTINE [OPTIONS]\n"
    "\n"
    "Times a routine on random data, one call at a time, and prints medians, beside the same calls handed whole to "
    "the\n"
    "BLAS underneath (native). What each computed is checked.\n"
    "\n"
    "ROUTINE: gemm trmm trsm syrk herk syr2k her2k symm hemm potrf potrs posv trtri lauum potri\n"
    "\n"
    "  --type T            of s, d, c, z; several as d,z or sdcz (default: d)\n"
    "  --m LIST            order of the triangle (trmm, trsm, potrs, posv) or of the symmetric matrix (symm, hemm);\n"
    "                      rows of C (gemm)\n"
    "  --n LIST            right-hand sides (for side R, B is n × m); columns of C (gemm); order of C (syrk, herk,\n"
    "                      syr2k, her2k); order of the matrix (potrf, trtri, lauum, potri)\n"
    "  --k LIST            the inner size (gemm, syrk, herk, syr2k, her2k)\n"
    "                      LIST is 512,1024 or 512:4096:*2 or 512:2048:+512, or a mix; --n m means n = m.\n"
    "                      Default: 512:2048:*2 for the routine's first size, the others equal to it.\n"
    "  --variant V         LLNN, LL, LN, NT, L, ... (see below); several as LLNN,RUTU; all: every one\n"
    "  --backend NAME      compute with this (default: cpu), for example cuda:0 or cpu?stop=64; with trace=1 in its\n"
    "                      name, what the recursion hands to the BLAS is printed under each row\n"
    "  --vs LIST           compare with: native, gemm (GEMM of the same size, the ceiling), none (default: native)\n"
    "  --repeat R          calls to time (default: what fits into a second, 5 to 100; on a GPU 3 to 100)\n"
    "  --csv               comma-separated values instead of a table\n"
    "  --plot FILE.svg     draw Gflop/s over size too (needs gnuplot)\n"
    "  -h, --help          this text\n"
    "\n"
    "Variants: trmm, trsm LLNN (side L R, triangle L U, op N T C, diagonal N U = unit); symm, hemm LL (side, "
    "triangle);\n"
    "syrk, herk, syr2k, her2k LN (triangle, op); gemm NN (both op); trtri LN (triangle, diagonal);\n"
    "potrf, potrs, posv, lauum, potri L (triangle).\n"
    "Columns: sizes, speed and time, those of the others, ratio of native's time to Trigon's (above 1: Trigon is\n"
    "faster), the residual, and whether all residuals are below their limits.\n"
    "Exit status: 0 done; 1 a call failed or a residual is too large; 2 wrong usage.\n"
    "\n"
    "examples:\n"
    "  trigon bench trsm --m 512:4096:*2 --n m --vs native,gemm\n"
    "  trigon bench potrf --type sdcz --n 1024\n"
    "  trigon bench trmm --variant all --m 500 --n 64 --csv > trmm.csv\n"
    "  trigon bench potri --n 512:3072:+512 --plot potri.svg\n";

enum { MOST_VARIANTS = 64, MOST_TYPES = 4, WHY_SIZE = 1024 };
static const char default_sizes[] = "512:2048:*2", size_letters[] = "mnk";

/* What is to be measured. */
typedef struct bench_job {
  const routine *routine;
  const char *types, *sizes[3], *variant, *backend, *vs, *repeat, *plot;
  bool csv, wanted[IMPLS];
  bench_plan plan;
  char type[MOST_TYPES];
  int type_count;
  size_list size[3];
  bench_row *rows;
  int count, total;
  bool failed;
  char no_native[WHY_SIZE]; /* why there is none, or "" */
} bench_job;

/* ------------------------------------------------------------------------------------------------- options -- */

static int parse_types(bench_job *j) {
  for (const char *at = j->types; *at; at++) {
    if (*at == ',') continue;
    char type = (char)tolower((unsigned char)*at);
    if (!strchr("sdcz", type)) return misused("bench", "--type: 's', 'd', 'c' or 'z' is expected at '%s'", at);
    if (memchr(j->type, type, (size_t)j->type_count)) continue;
    j->type[j->type_count++] = type;
  }
  return j->type_count ? PARSED : misused("bench", "--type: 's', 'd', 'c' or 'z' is expected");
}

static int parse_vs(bench_job *j) {
  static const struct {
    const char *name;
    int impl;
  } known[] = {{"native", NATIVE_IMPL}, {"gemm", GEMM_IMPL}, {"none", TRIGON_IMPL}};
  j->wanted[TRIGON_IMPL] = true;
  for (const char *at = j->vs; at;) {
    size_t length = strcspn(at, ","), i = 0;
    while (i < 3 && (strlen(known[i].name) != length || strncmp(known[i].name, at, length) != 0)) i++;
    if (i == 3) return misused("bench", "--vs: 'native', 'gemm' or 'none' is expected at '%s'", at);
    j->wanted[known[i].impl] = true;
    at = at[length] ? at + length + 1 : NULL;
  }
  return PARSED;
}

static int parse_repeat(bench_job *j) {
  char *end;
  if (!j->repeat) return PARSED;
  long repeat = strtol(j->repeat, &end, 10);
  if (*end || end == j->repeat || repeat < 1 || repeat > MOST_REPEATS_ALLOWED)
    return misused("bench", "--repeat: a number from 1 to %d is expected, not '%s'", MOST_REPEATS_ALLOWED, j->repeat);
  j->plan.repeat = (int)repeat;
  return PARSED;
}

/* Sizes that are equal to another must end at a list. */
static int check_ties(const bench_job *j) {
  for (int i = 0; i < 3; i++) {
    int at = i;
    for (int steps = 0; j->size[at].same_as; steps++, at = size_index(j->size[at].same_as)) {
      if (!routine_has(j->routine, j->size[at].same_as))
        return misused("bench", "%s has no size %c", j->routine->name, j->size[at].same_as);
      if (steps == 3) return misused("bench", "--%c: this size is only said to be equal to itself", size_letters[i]);
    }
  }
  return PARSED;
}

static int parse_sizes(bench_job *j) {
  const routine *r = j->routine;
  char first = r->sizes[0], tie[] = {first, 0}, why[WHY_SIZE];
  const char **m = &j->sizes[0], **n = &j->sizes[1];
  if (*m && !*n && !routine_has(r, 'm') && routine_has(r, 'k')) *n = *m, *m = NULL; /* C is n × n: m is n */
  for (int i = 0; i < 3; i++) {
    char letter = size_letters[i];
    if (!routine_has(r, letter)) {
      if (j->sizes[i]) return misused("bench", "%s has no size %c: it takes --%c", r->name, letter, first);
      j->size[i] = (size_list){.count = 1}; /* 0, once, for the loops */
      continue;
    }
    const char *text = j->sizes[i] ? j->sizes[i] : letter == first ? default_sizes : tie;
    if (!size_list_parse(text, size_letters, &j->size[i], why, sizeof why))
      return misused("bench", "--%c: %s", letter, why);
  }
  return check_ties(j);
}

static int parse_plot(const bench_job *j) {
  if (!j->plot) return PARSED;
  size_t length = strlen(j->plot);
  if (length < 5 || strcmp(j->plot + length - 4, ".svg") != 0)
    return misused("bench", "--plot: a name that ends in .svg is expected, not '%s'", j->plot);
  if (!program_found("gnuplot")) return failed("bench", "--plot needs gnuplot, which is not installed");
  char why[WHY_SIZE];
  return output_check(j->plot, why, sizeof why) ? PARSED : failed("bench", "%s", why);
}

static int parse_bench(bench_job *j, int argc, char **argv) {
  const char *name = NULL;
  const option options[] = {{"type", 0, &j->types, NULL},
                            {"m", 0, &j->sizes[0], NULL},
                            {"n", 0, &j->sizes[1], NULL},
                            {"k", 0, &j->sizes[2], NULL},
                            {"variant", 0, &j->variant, NULL},
                            {"backend", 0, &j->backend, NULL},
                            {"vs", 0, &j->vs, NULL},
                            {"repeat", 0, &j->repeat, NULL},
                            {"csv", 0, NULL, &j->csv},
                            {"plot", 0, &j->plot, NULL},
                            {NULL, 0, NULL, NULL}};
  const syntax s = {"bench", help, options, &name, 1, 1, "which routine?"};
  int status = parse_arguments(&s, argc, argv);
  if (status != PARSED) return status;
  j->routine = routine_find(name);
  if (!j->routine) return misused("bench", "unknown routine '%s'; known: %s", name, routine_names());
  if ((status = parse_types(j)) == PARSED && (status = parse_vs(j)) == PARSED && (status = parse_repeat(j)) == PARSED &&
      (status = parse_sizes(j)) == PARSED)
    status = parse_plot(j);
  return status;
}

/* -------------------------------------------------------------------------------------------------- cases -- */

/* The variants asked for that the type has; returns how many, or a negative exit status where one is none. */
static int list_variants(const bench_job *j, trigon_type type, char variants[MOST_VARIANTS][MOST_VARIANT]) {
  int count = 0;
  bool end = false;
  const char *asked = j->variant ? j->variant : j->routine->variant;
  if (strcmp(asked, "all") == 0) {
    for (int i = 0; !end; i++) count += case_list_variant(j->routine, type, i, variants[count], &end);
    return count;
  }
  for (const char *at = asked; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
    bench_case c = {.routine = j->routine, .type = type};
    char text[MOST_VARIANT] = "";
    for (size_t i = 0; i < strcspn(at, ",") && i + 1 < sizeof text; i++) text[i] = (char)toupper((unsigned char)at[i]);
    if (strcspn(at, ",") >= sizeof text || !case_set_variant(&c, text))
      return -misused("bench", "--variant: '%.*s' is no variant of %s for type %c (letters as in %s)",
                      (int)strcspn(at, ","), at, j->routine->name, type, j->routine->variant);
    if (count == MOST_VARIANTS) return -misused("bench", "--variant: more than %d", MOST_VARIANTS);
    strcpy(variants[count++], text);
  }
  return count;
}

static bool add_row(bench_job *j, const bench_case *c) {
  if ((j->total & (j->total + 1)) == 0) { /* full at 0, 1, 3, 7, ... */
    bench_row *rows = realloc(j->rows, sizeof *rows * (2 * (size_t)j->total + 1));
    if (!rows) return false;
    j->rows = rows;
  }
  j->rows[j->total++] = (bench_row){.c = *c};
  return true;
}

/* One row for each combination of sizes. */
static bool add_sizes(bench_job *j, bench_case c) {
  int at[3], counts[3];
  for (int i = 0; i < 3; i++) counts[i] = j->size[i].same_as ? 1 : j->size[i].count;
  for (at[0] = 0; at[0] < counts[0]; at[0]++)
    for (at[1] = 0; at[1] < counts[1]; at[1]++)
      for (at[2] = 0; at[2] < counts[2]; at[2]++) {
        for (int i = 0; i < 3; i++) {
          int from = i;
          while (j->size[from].same_as) from = size_index(j->size[from].same_as);
          c.size[i] = j->size[from].size[at[from]];
        }
        if (!routine_has(c.routine, 'm') && routine_has(c.routine, 'k')) c.size[0] = c.size[1]; /* C is n × n */
        if (!add_row(j, &c)) return false;
      }
  return true;
}

/* All rows, not yet measured. */
static int make_rows(bench_job *j) {
  char variants[MOST_VARIANTS][MOST_VARIANT];
  for (int t = 0; t < j->type_count; t++) {
    bench_case c = {.routine = j->routine, .type = (trigon_type)j->type[t]};
    int count = list_variants(j, c.type, variants);
    if (count < 0) return -count;
    for (int v = 0; v < count; v++) {
      case_set_variant(&c, variants[v]);
      if (!add_sizes(j, c)) return failed("bench", "out of memory");
    }
  }
  return EXIT_DONE;
}

/* ------------------------------------------------------------------------------------------------ the run -- */

/* A device has no native factorizations, and the parts for some have nothing native at all: that column is left out
 * then, and the ceiling is GEMM as the backend itself does it. */
static int create_native(bench_job *j, int impl) {
  char name[WHY_SIZE], why[WHY_SIZE];
  const char *plain = j->backend;
  trigon_context **ctx = &j->plan.ctx[impl];
  snprintf(name, sizeof name, "%s%cnative=1", plain, strchr(plain, '?') ? '&' : '?');
  trigon_status status = trigon_create(name, ctx, why, sizeof why);
  bool supported = status != TRIGON_NOT_SUPPORTED;
  if (status == TRIGON_OK && impl == NATIVE_IMPL && !trigon_on_host(*ctx))
    supported = bench_supported(*ctx, &j->rows[0].c, why, sizeof why);
  if (!supported && impl == NATIVE_IMPL) {
    trigon_destroy(*ctx);
    *ctx = NULL;
    j->wanted[impl] = false;
    snprintf(j->no_native, sizeof j->no_native, "%s", why);
  }
  if (!supported) status = impl == GEMM_IMPL ? trigon_create(plain, ctx, why, sizeof why) : TRIGON_OK;
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

static bool measure_row(bench_job *j, bench_row *row) {
  char why[WHY_SIZE];
  const bench_case *c = &row->c;
  progress *phase = progress_begin(true, "%c%s %s, %" PRId64 " (%d of %d)", c->type, c->routine->name, c->variant,
                                   case_size(c, c->routine->sizes[0]), (int)(row - j->rows) + 1, j->total);
  bool measured = bench_measure(&j->plan, row, why, sizeof why);
  progress_end(phase);
  if (!measured) failed("bench", "%s", why);
  return measured;
}

static void measure_rows(bench_job *j) {
  report_begin(j->csv, j->backend, trigon_describe(j->plan.ctx[TRIGON_IMPL]), j->no_native);
  for (; j->count < j->total && !ferror(stdout); j->count++) {
    bench_row *row = &j->rows[j->count];
    bool opens = j->count == 0 || row[-1].c.type != row->c.type || strcmp(row[-1].c.variant, row->c.variant) != 0;
    if (opens && !j->csv) report_group(&row->c, j->wanted);
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
  char why[WHY_SIZE], title[WHY_SIZE];
  snprintf(title, sizeof title, "%s, backend %s", j->routine->name, j->backend);
  const char *below = trigon_describe(j->plan.ctx[TRIGON_IMPL]);
  if (!plot_rows(j->plot, j->rows, j->count, title, below, why, sizeof why)) return failed("bench", "%s", why);
  if (!j->csv) print_clean(stdout, "%% drawn in %s\n", j->plot);
  return EXIT_DONE;
}

int bench_command(int argc, char **argv) {
  static const bench_job defaults = {.types = "d", .backend = "cpu", .vs = "native"};
  bench_job *j = malloc(sizeof *j); /* the lists of sizes are too much for a stack */
  if (!j) return failed("bench", "out of memory");
  *j = defaults;
  int status = parse_bench(j, argc, argv);
  if (status == PARSED) {
    if ((status = make_rows(j)) == EXIT_DONE && (status = create_contexts(j)) == EXIT_DONE) {
      measure_rows(j);
      if (j->plot && j->count > 0) status = draw(j);
      if (j->failed) status = EXIT_FAILED;
    }
  }
  for (int i = 0; i < IMPLS; i++) trigon_destroy(j->plan.ctx[i]);
  free(j->rows);
  free(j);
  return status;
}

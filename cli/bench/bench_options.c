/* bench_options.c - the help of bench; reads and checks its command line. */
#include "../command.h"
#include "../command_line.h"
#include "../files/path.h"
#include "../matrix/random.h"
#include "batch/batch_routines.h"
#include "bench_print.h"
#include "job.h"
#include "picture/plot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The help, in two parts, because C does not promise longer strings. %s: the names of the routines, and of the batched
 * ones. */
static const char help_format[] =
    "usage: trigon bench ROUTINE[,ROUTINE...] [OPTIONS]\n"
    "\n"
    "Times routines on random data and prints the median time of a call. Compares with the same calls handed whole\n"
    "to a BLAS or the GPU's library (native), and with the floor, the least time: its flops at GEMM's rate, or bytes\n"
    "at the rate of a copy. The result of each routine is checked.\n"
    "\n"
    "ROUTINE: %s\n"
    "Batches, NAME_batch: %s; their options:\n"
    "trigon bench potrf_batch --help\n"
    "\n"
    "  --type T            of s, d, c, z; several as d,z or sdcz (default: d)\n"
    "  --m LIST            order of the triangle (trmm, trsm, potrs, posv) or of the symmetric matrix (symm, hemm);\n"
    "                      rows of C (gemm), of op(A) (gemv) or of A (ger)\n"
    "  --n LIST            right-hand sides (for side R, B is n × m); columns of C (gemm), of op(A) (gemv) or of A\n"
    "                      (ger); order of C (syrk, herk, syr2k, her2k); order of the matrix (potrf, trtri, lauum,\n"
    "                      potri, symv, hemv, trmv, trsv, syr, her, syr2, her2, syevd, syevdx, sygvd)\n"
    "  --k LIST            the inner size (gemm, syrk, herk, syr2k, her2k); how many values (syevdx)\n"
    "                      LIST is 512,1024 or 512:4096:*2 or 512:2048:+512, or a mix; --n m means n = m.\n"
    "                      Default: 512:2048:*2 for the routine's first size, the others equal to it.\n"
    "  --variant V         LLNN, LL, LN, NT, L, ... (see below); several as LLNN,RUTU; all: every one\n"
    "  --backend NAME      compute with this (default: cpu), for example cuda:0 or cpu?stop=64; with trace=1 in its\n"
    "                      name, what the recursion hands to the BLAS is printed under each row\n"
    "  --vs LIST           compare with: native (the same calls, handed whole to the BLAS); direct (as native, the\n"
    "                      BLAS's and LAPACK's routines, called without Trigon); trsv (as native, the BLAS's TRSV, "
    "for\n"
    "                      trsm with side L and --n 1); gemm (the BLAS's GEMM of the same size, and copies: the "
    "floor);\n"
    "                      none (default: native,gemm)\n"
    "  --native LIBRARY    the BLAS to compare with on the CPU, for example libblis.so.4 or, with 64-bit integers,\n"
    "                      cpu64:LIBRARY (default: the backend's library or, for the backend cpu, libopenblas.so.0 or\n"
    "                      libblis.so.4)\n"
    "  --only IMPL         measure this alone: trigon, native or gemm. Then no other threads disturb it: some\n"
    "                      libraries' threads spin while they have no work\n"
    "  --repeat R          samples to time: single calls or, if calls are too short for the clock, several calls\n"
    "                      (default: what fits into --seconds, 5 to 100; on a GPU 3 to 100)\n"
    "  --seconds S         how long the samples of a row take together, at most 1000 (default: 1)\n"
    "  --spread PHI        multiply each random number by exp(PHI·z), z of the normal distribution; off the diagonal\n"
    "                      of triangles by exp(-PHI·|z|); PHI from 0 to 50, of types s and c to 5 (default: "
    "0)\n" FP64_HELP "                      Rows tell what was emulated and, of gemm, the largest error over |A||B|\n"
    "  --beside N[,NICE]   N other processes compute all the while, as on a busy machine, with this nice value (0);\n"
    "                      rows have the 95th percentile of the samples, too\n"
    "  --hard              triangles whose diagonal tiles have no usable inverse, so that dataflow leaves on GPUs\n"
    "                      substitute (trsm, potrs, trtri)\n"
    "  --csv               comma-separated values instead of a table\n"
    "  --plot FILE.svg     draw Gflop/s over size, and below it the ratio to native: a panel for each routine, type,\n"
    "                      variant, and value of the sizes that are not along the axis (needs gnuplot)\n"
    "  -h, --help          this text\n"
    "\n";
static const char help_end[] =
    "Variants: trmm, trsm LLNN (side L R, triangle L U, op N T C, diagonal N U = unit); symm, hemm LL (side, "
    "triangle);\n"
    "syrk, herk, syr2k, her2k LN (triangle, op); gemm NN (both op); trtri LN (triangle, diagonal);\n"
    "potrf, potrs, posv, lauum, potri, symv, hemv, syr, her, syr2, her2 L (triangle); gemv N (op);\n"
    "trmv, trsv LNN (triangle, op, diagonal); ger none; syevd, syevdx, sygvd VL (job V N: vectors and values, or\n"
    "values; triangle).\n"
    "syevd, syevdx and sygvd are heevd, heevdx and hegvd for c and z. syevdx computes the k smallest values; sygvd\n"
    "solves A·Z = B·Z·W. Flops of syevd: 4/3 n^3, with vectors 14/3 n^3 (times 4 for c and z). Native is LAPACK's\n"
    "routine with its workspaces (of syevdx: SYEVR), and the residual that of A·Z = Z·W and Z'Z = I or, without\n"
    "vectors, of trace and norm.\n"
    "Several routines: those without m take --m as their order (without --m, all take --n); each takes the sizes\n"
    "and variants that it has.\n"
    "Columns: sizes, speed and time, those of the others, ratio of native's time to Trigon's (above 1: Trigon is\n"
    "faster), the floor and Trigon's time divided by it, the residual, and whether all residuals are below their\n"
    "limits.\n"
    "Exit status: 0 done; 1 a call failed or a residual is too large; 2 wrong usage.\n"
    "\n"
    "examples:\n"
    "  trigon bench trsm --m 512:4096:*2 --n m --vs native,gemm\n"
    "  trigon bench potrf --type sdcz --n 1024\n"
    "  trigon bench trmm --variant all --m 500 --n 64 --csv > trmm.csv\n"
    "  trigon bench potrf --n 256:4096:*2 --vs native,gemm --plot potrf.svg\n"
    "  trigon bench trsm,trmm,potrf --m 256:2048:*2 --n m --vs native,gemm --plot three.svg\n"
    "  trigon bench trsm --m 1024,4096 --n 1:256:*2 --plot thin.svg\n";

static const char default_sizes[] = "512:2048:*2";

static int parse_vs(bench_job *j) {
  static const struct {
    const char *name;
    int impl;
    native_kind kind;
  } known[] = {{"native", NATIVE_IMPL, NATIVE_CONTEXT},
               {"direct", NATIVE_IMPL, NATIVE_DIRECT},
               {"trsv", NATIVE_IMPL, NATIVE_TRSV},
               {"gemm", GEMM_IMPL, NATIVE_CONTEXT},
               {"none", TRIGON_IMPL, NATIVE_CONTEXT}};
  const size_t count = sizeof known / sizeof *known;
  bool *wanted = j->wanted;
  wanted[TRIGON_IMPL] = true;
  for (const char *at = j->vs; at;) {
    size_t length = strcspn(at, ","), i = 0;
    while (i < count && (strlen(known[i].name) != length || strncmp(known[i].name, at, length) != 0)) i++;
    if (i == count)
      return usage_error("bench", "--vs: 'native', 'direct', 'trsv', 'gemm' or 'none' is expected at '%s'", at);
    if (known[i].impl == NATIVE_IMPL && wanted[NATIVE_IMPL] && known[i].kind != j->native)
      return usage_error("bench", "--vs: at most one of native, direct and trsv");
    if (known[i].impl == NATIVE_IMPL) j->native = known[i].kind;
    wanted[known[i].impl] = true;
    at = at[length] ? at + length + 1 : NULL;
  }
  return PARSED;
}

static int parse_only(bench_job *j) {
  int impl = 0;
  if (!j->only) return PARSED;
  while (impl < IMPLS && strcmp(j->only, impl_names[impl]) != 0) impl++;
  if (impl == IMPLS) return usage_error("bench", "--only: 'trigon', 'native' or 'gemm' is expected, not '%s'", j->only);
  for (int i = 0; i < IMPLS; i++) j->wanted[i] = i == impl;
  return PARSED;
}

static int parse_seconds(bench_job *j) {
  char *end;
  if (!j->seconds) return PARSED;
  double seconds = strtod(j->seconds, &end);
  if (*end || end == j->seconds || !(seconds > 0 && seconds <= 1000))
    return usage_error("bench", "--seconds: a number above 0, at most 1000, is expected, not '%s'", j->seconds);
  j->setup.seconds = seconds;
  return PARSED;
}

/* Needs the types. */
static int parse_spread(bench_job *j) {
  char *end;
  if (!j->spread_text) return PARSED;
  j->spread = strtod(j->spread_text, &end);
  const bool is_number = end > j->spread_text && !*end && j->spread >= 0;
  for (int i = 0; i < j->types_count; i++) {
    const double most = random_most_spread((trigon_type)j->type[i]);
    if (!is_number || j->spread > most)
      return usage_error("bench", "--spread: a number from 0 to %g is expected for type %c, not '%s'", most, j->type[i],
                         j->spread_text);
  }
  return PARSED;
}

static int parse_beside(bench_job *j) {
  if (!j->beside_text || beside_parse(j->beside_text, &j->beside)) return PARSED;
  return usage_error("bench", "--beside: N or N,NICE is expected, with N from 1 to %d and NICE from 0 to %d, not '%s'",
                     (int)MOST_BESIDE, (int)MOST_NICE, j->beside_text);
}

static int parse_repeat(bench_job *j) {
  char *end;
  if (!j->repeat) return PARSED;
  long repeat = strtol(j->repeat, &end, 10);
  if (*end || end == j->repeat || repeat < 1 || repeat > MOST_REPEATS_ALLOWED)
    return usage_error("bench", "--repeat: a number from 1 to %d is expected, not '%s'", MOST_REPEATS_ALLOWED,
                       j->repeat);
  j->setup.repeat = (int)repeat;
  return PARSED;
}

/* --------------------------------------------------------------------------------------------------- sizes -- */

static bool some_has(const bench_job *j, char size) {
  for (int i = 0; i < j->tasks_count; i++)
    if (routine_has(j->task[i].routine, size)) return true;
  return false;
}

static bool all_have(const bench_job *j, char size) {
  for (int i = 0; i < j->tasks_count; i++)
    if (!routine_has(j->task[i].routine, size)) return false;
  return true;
}

/* Whether the text is the letter of a size that this size is to equal. */
static bool is_tie(const char *text) { return strlen(text) == 1 && strchr(size_letters, *text); }

/* Which of --m, --n and --k gives each size of the routine r. If several routines are measured, they share an order,
 * which is m for those that have m and n for the others; --m or --n gives it, and each routine ignores the sizes that
 * it lacks. */
static void choose_sizes(const bench_job *j, const bench_routine *r, const char *text[SIZES]) {
  bool several = j->tasks_count > 1, has_m = routine_has(r, 'm');
  for (int i = 0; i < SIZES; i++) text[i] = j->sizes[i];
  if (!has_m && text[M] && (several || (!text[N] && routine_has(r, 'k')))) { /* C is n × n: m is n */
    text[N] = text[M];
    text[M] = NULL;
  } else if (has_m && !text[M] && text[N] && !is_tie(text[N]) && !all_have(j, 'm')) {
    text[M] = text[N];
    text[N] = "m";
  }
  for (int i = 0; several && i < SIZES; i++)
    if (text[i] && (!routine_has(r, size_letters[i]) || (is_tie(text[i]) && !routine_has(r, *text[i])))) text[i] = NULL;
}

/* Checks that each size leads to a list, directly or over the sizes that it equals. */
static int check_ties(const bench_task *t) {
  for (int i = 0; i < SIZES; i++) {
    int at = i;
    for (int steps = 0; t->size[at].same_as; steps++, at = size_index(t->size[at].same_as)) {
      if (!routine_has(t->routine, t->size[at].same_as))
        return usage_error("bench", "%s has no size %c", t->routine->name, t->size[at].same_as);
      if (steps == SIZES)
        return usage_error("bench", "--%c: this size is only said to be equal to itself", size_letters[i]);
    }
  }
  return PARSED;
}

static int parse_task_sizes(const bench_job *j, bench_task *t) {
  const bench_routine *r = t->routine;
  char first = r->sizes[0], tie[] = {first, 0}, why[WHY_SIZE];
  const char *text[SIZES];
  choose_sizes(j, r, text);
  for (int i = 0; i < SIZES; i++) {
    char letter = size_letters[i];
    if (!routine_has(r, letter)) {
      if (text[i]) return usage_error("bench", "%s has no size %c: it takes --%c", r->name, letter, first);
      t->size[i] = (size_list){.count = 1}; /* one 0 */
      continue;
    }
    if (!text[i]) text[i] = letter == first ? default_sizes : tie;
    if (!size_list_parse(text[i], size_letters, &t->size[i], why, sizeof why))
      return usage_error("bench", "--%c: %s", letter, why);
  }
  return check_ties(t);
}

static int parse_sizes(bench_job *j) {
  int status = PARSED;
  for (int i = 0; j->tasks_count > 1 && i < SIZES; i++)
    if (j->sizes[i] && i != M && !some_has(j, size_letters[i]))
      return usage_error("bench", "none of %s has a size %c", j->routines, size_letters[i]);
  for (int i = 0; i < j->tasks_count && status == PARSED; i++) status = parse_task_sizes(j, &j->task[i]);
  return status;
}

/* --------------------------------------------------------------------------------------------------- routines -- */

/* Makes the tasks; a routine that is named twice is measured once. */
static int parse_routines(bench_job *j, const char *names) {
  for (const char *at = j->routines; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
    int length = (int)strcspn(at, ","), known = 0;
    const bench_routine *r = routine_find(at, (size_t)length);
    if (!r) return usage_error("bench", "unknown routine '%.*s'; known: %s", length, at, names);
    while (known < j->tasks_count && j->task[known].routine != r) known++;
    j->task[known].routine = r;
    if (known == j->tasks_count) j->tasks_count++;
  }
  return PARSED;
}

static int check_hard(const bench_job *j) {
  for (int i = 0; j->hard && i < j->tasks_count; i++)
    if (!*j->task[i].routine->solves)
      return usage_error("bench", "--hard: only trsm, potrs and trtri solve with a triangle, not %s",
                         j->task[i].routine->name);
  return PARSED;
}

static int parse_plot(const bench_job *j) {
  if (!j->plot) return PARSED;
  if (!j->wanted[TRIGON_IMPL]) return usage_error("bench", "--plot draws Trigon's speed: not with --only %s", j->only);
  size_t length = strlen(j->plot);
  if (length < 5 || strcmp(j->plot + length - 4, ".svg") != 0)
    return usage_error("bench", "--plot: a name that ends in .svg is expected, not '%s'", j->plot);
  if (!program_found("gnuplot")) return failed("bench", "--plot needs gnuplot, which is not installed");
  char why[WHY_SIZE];
  return output_check(j->plot, why, sizeof why) ? PARSED : failed("bench", "%s", why);
}

int bench_parse(bench_job *j, int argc, char **argv) {
  char names[MOST_NAMES], batches[MOST_BATCH_NAMES];
  char help[sizeof help_format + sizeof help_end + MOST_NAMES + MOST_BATCH_NAMES];
  routine_names(names);
  batch_routine_names(batches, "", " ");
  snprintf(help, sizeof help, help_format, names, batches);
  strcat(help, help_end);
  const option options[] = {
      {"type", 0, &j->types, NULL},
      {"m", 0, &j->sizes[0], NULL},
      {"n", 0, &j->sizes[1], NULL},
      {"k", 0, &j->sizes[2], NULL},
      {"variant", 0, &j->variant, NULL},
      {"backend", 0, &j->choice.backend, NULL},
      {"native", 0, &j->choice.library, NULL},
      {"vs", 0, &j->vs, NULL},
      {"only", 0, &j->only, NULL},
      {"repeat", 0, &j->repeat, NULL},
      {"seconds", 0, &j->seconds, NULL},
      {"hard", 0, NULL, &j->hard},
      {"csv", 0, NULL, &j->csv},
      {"plot", 0, &j->plot, NULL},
      {"fp64", 0, &j->fp64, NULL},
      {"spread", 0, &j->spread_text, NULL},
      {"beside", 0, &j->beside_text, NULL},
      {NULL, 0, NULL, NULL},
  };
  const syntax s = {"bench", help, options, &j->routines, 1, 1, "which routine?"};
  int status = parse_arguments(&s, argc, argv);
  if (status != PARSED) return status;
  if ((status = parse_routines(j, names)) == PARSED &&
      (status = parse_types("bench", j->types, j->type, &j->types_count)) == PARSED &&
      (status = parse_vs(j)) == PARSED && (status = parse_only(j)) == PARSED && (status = parse_repeat(j)) == PARSED &&
      (status = parse_seconds(j)) == PARSED && (status = parse_spread(j)) == PARSED &&
      (status = parse_beside(j)) == PARSED && (status = parse_fp64("bench", j->fp64, &j->setup.fp64)) == PARSED &&
      (status = parse_sizes(j)) == PARSED && (status = check_hard(j)) == PARSED &&
      (status = native_check(&j->choice)) == PARSED)
    status = parse_plot(j);
  return status;
}

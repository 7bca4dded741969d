/* fronts [FILE [CONTEXT]] - factors and solves with the fronts of a sparse Cholesky factorization.
 *
 * A sparse Cholesky factorization works on many small dense matrices, its fronts. FILE lists them: the first line is
 * `columns,rows`, and each further line is one front. The program takes the block of columns × columns that the front
 * factors: a symmetric positive definite matrix A, here a random one, and B = A·X with a known X. Two calls factor and
 * solve all fronts, trigon_dpotrf_batch and trigon_dpotrs_batch. Then one call does the same, trigon_dposv_batch. The
 * program checks each info and each solution. It prints the times of each class of sizes alone, and of all fronts.
 *
 * If FILE is missing or `-`, the program makes a list. The default of CONTEXT is cpu. fronts.gp draws the table. The
 * exit status is 1 if anything fails. */
#include <assert.h>
#include <err.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <trigon.h>

enum {
  MOST_COLUMNS = 100000, /* of a front; such a matrix takes 80 GB */
  LEVELS = 12,           /* of the list that the program makes */
  TOP = 600,             /* columns of the first front of this list */
  LEAST_RUNS = 3,        /* of each call; the shortest time counts, because the first run also prepares memory */
  MOST_RUNS = 20,        /* further runs take place until ENOUGH time has passed */
};
#define ENOUGH 0.2   /* seconds of processor time for the runs of a batch */
#define HOLD 1e-3    /* seconds for which a device waits before it times a call; the host launches the call meanwhile */
#define TOLERANCE 30 /* the largest allowed error, in units of n·2^-53: the threshold of LAPACK's own tests */

/* The largest order of each class of sizes. */
static const int64_t CLASSES[] = {16, 32, 64, 128, 256, 512, 1024, MOST_COLUMNS};

typedef struct front {
  int64_t n;    /* columns */
  int64_t line; /* the line of the file; in a list that the program makes, the number of the front */
} front;

/* Matrices that one call computes together. Matrix i has the order n[i]. In host memory and in the context's memory the
 * matrices lie one behind the other. All arrays have elements of 8 bytes. */
typedef struct batch {
  int64_t count, largest;          /* matrices; the largest order */
  int64_t elements, rows;          /* of all A together; of all X together */
  double *A, *B, *X;               /* host memory: the operands before a call, and the known solution */
  int64_t *n, *line, *info;        /* host memory */
  double *dA, *dB;                 /* the context's memory: the operands of a call */
  int64_t *dn, *dnrhs, *dinfo;     /* the context's memory: arrays of a call; n also is each leading dimension */
  double **A_address, **B_address; /* the context's memory: where each matrix begins in dA and dB */
} batch;

typedef enum routine { POTRF, POTRS, POSV } routine;
static const char *const NAMES[] = {"trigon_dpotrf_batch", "trigon_dpotrs_batch", "trigon_dposv_batch"};

static trigon_context *ctx;
static const char *source; /* the name of the list of fronts, for messages */
static front *fronts;
static int64_t count, room; /* fronts in the list; fronts for which there is memory */

/* ------------------------------------------------------------------------------------------ the list of fronts -- */

static void add_front(int64_t n, int64_t line) {
  if (count == room) {
    room = room ? 2 * room : 1024;
    fronts = realloc(fronts, (size_t)room * sizeof *fronts);
    if (!fronts) err(1, "%s", source);
  }
  fronts[count++] = (front){n, line};
}

/* Returns the columns of a line `columns,rows`, or 0 if the line is no front. */
static int64_t parse_columns(const char *line) {
  char *end;
  const long long columns = strtoll(line, &end, 10);
  if (end == line || *end != ',') return 0;
  const char *second = end + 1;
  const long long rows = strtoll(second, &end, 10);
  const bool is_number = end > second && *end == '\0';
  return is_number && columns > 0 && columns <= rows && columns <= MOST_COLUMNS ? columns : 0;
}

static void read_fronts(void) {
  char line[100];
  FILE *file = fopen(source, "r");
  if (!file) err(1, "%s", source);
  for (int64_t number = 1; fgets(line, sizeof line, file); number++) {
    line[strcspn(line, "\r\n")] = '\0';
    if (number == 1) {
      if (strcmp(line, "columns,rows") != 0) errx(1, "%s:1: the first line must be 'columns,rows'", source);
      continue;
    }
    const int64_t n = parse_columns(line);
    if (n == 0)
      errx(1, "%s:%" PRId64 ": '%s' is no front; a front is columns,rows with 1 <= columns <= rows and columns <= %d",
           source, number, line, MOST_COLUMNS);
    add_front(n, number);
  }
  if (ferror(file) || fclose(file)) err(1, "%s", source);
  if (count == 0) errx(1, "%s: the file has no fronts", source);
}

/* Makes a list like that of nested dissection on a square grid. A separator of the grid is a front. The separator cuts
 * the grid into halves, and the separators of the halves are shorter by a factor of √2. */
static void make_fronts(void) {
  for (int level = 0; level < LEVELS; level++)
    for (int i = 0; i < 1 << level; i++) add_front((int64_t)round(TOP * pow(0.5, 0.5 * level)), count + 1);
}

/* ------------------------------------------------------------------------------------------------- memory -- */

static void succeed(const char *call, trigon_status status) {
  if (status == TRIGON_OK) return;
  errx(1, "%s: %s: %s", call, trigon_status_string(status), trigon_message(ctx));
}

/* Zeros in host memory. */
static void *host_array(int64_t elements) {
  void *data = calloc((size_t)elements, 8);
  if (!data) err(1, "%" PRId64 " MB of host memory", elements * 8 / 1000000);
  return data;
}

static void *context_array(int64_t elements) {
  void *data;
  succeed("trigon_alloc", trigon_alloc(ctx, 8 * elements, &data));
  return data;
}

/* An array as a matrix of one column, for trigon_upload and trigon_download. These functions copy bits, so that arrays
 * of integers and of addresses are copied as doubles, too. */
static trigon_matrix column(void *array, int64_t elements) {
  static_assert(sizeof(double) == 8 && sizeof(void *) == 8, "all elements have the size of a double");
  return (trigon_matrix){array, TRIGON_D, elements, 1, elements};
}

static void upload(void *from, void *to, int64_t elements) {
  succeed("trigon_upload", trigon_upload(ctx, column(from, elements), column(to, elements)));
}

static void download(void *from, void *to, int64_t elements) {
  succeed("trigon_download", trigon_download(ctx, column(from, elements), column(to, elements)));
}

/* ------------------------------------------------------------------------------------------------ a batch -- */

/* A random number in (-1, 1): xorshift64 of Marsaglia. Every machine gets the same numbers. */
static double random_number(void) {
  static uint64_t state = 88172645463325252;
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (double)(state >> 11) / 0x1p52 - 1;
}

/* Fills the lower triangle of A (n × n), x, and b = A·x. b holds zeros before. The diagonal dominates: eigenvalues are
 * from n to 3n, so that the error of the solution is small. */
static void fill(int64_t n, double *A, double *x, double *b) {
  for (int64_t i = 0; i < n; i++) x[i] = random_number();
  for (int64_t j = 0; j < n; j++) {
    double *const a = A + j * n; /* column j */
    a[j] = 2.0 * (double)n;
    b[j] += a[j] * x[j];
    for (int64_t i = j + 1; i < n; i++) {
      a[i] = random_number();
      b[i] += a[i] * x[j];
      b[j] += a[i] * x[i]; /* the other triangle: A is symmetric */
    }
  }
}

/* Lists the fronts of orders from `least` to `most`, and counts the elements of their matrices. */
static void choose(batch *b, int64_t least, int64_t most) {
  b->n = host_array(count);
  b->line = host_array(count);
  b->info = host_array(count);
  for (int64_t f = 0; f < count; f++) {
    const int64_t n = fronts[f].n;
    if (n < least || n > most) continue;
    b->n[b->count] = n;
    b->line[b->count++] = fronts[f].line;
    b->elements += n * n;
    b->rows += n;
    b->largest = n > b->largest ? n : b->largest;
  }
}

/* Puts the arrays of a call into the context's memory. A device's addresses can be computed on the host. */
static void make_arrays(batch *b) {
  double **A = host_array(b->count), **B = host_array(b->count);
  int64_t *nrhs = host_array(b->count);
  for (int64_t i = 0, element = 0, row = 0; i < b->count; i++) {
    A[i] = b->dA + element;
    B[i] = b->dB + row;
    nrhs[i] = 1;
    element += b->n[i] * b->n[i];
    row += b->n[i];
  }
  upload(A, b->A_address = context_array(b->count), b->count);
  upload(B, b->B_address = context_array(b->count), b->count);
  upload(nrhs, b->dnrhs = context_array(b->count), b->count);
  upload(b->n, b->dn = context_array(b->count), b->count);
  b->dinfo = context_array(b->count);
  free(A), free(B), free(nrhs);
}

/* Makes the matrices and arrays of the fronts that were chosen. */
static void make_batch(batch *b) {
  b->A = host_array(b->elements);
  b->B = host_array(b->rows);
  b->X = host_array(b->rows);
  double *A = b->A;
  for (int64_t i = 0, row = 0; i < b->count; i++) {
    fill(b->n[i], A, b->X + row, b->B + row);
    A += b->n[i] * b->n[i];
    row += b->n[i];
  }
  b->dA = context_array(b->elements);
  b->dB = context_array(b->rows);
  make_arrays(b);
}

static void free_batch(const batch *b) {
  void *const host[] = {b->A, b->B, b->X, b->n, b->line, b->info};
  void *const context[] = {b->dA, b->dB, b->dn, b->dnrhs, b->dinfo, b->A_address, b->B_address};
  for (size_t i = 0; i < sizeof host / sizeof *host; i++) free(host[i]);
  for (size_t i = 0; i < sizeof context / sizeof *context; i++) succeed("trigon_free", trigon_free(ctx, context[i]));
}

/* --------------------------------------------------------------------------------------- calls and checks -- */

static trigon_status call(const batch *b, routine r) {
  if (r == POTRF)
    return trigon_dpotrf_batch(ctx, TRIGON_LOWER, b->count, b->largest, b->dn, b->A_address, b->dn, b->dinfo);
  return (r == POTRS ? trigon_dpotrs_batch : trigon_dposv_batch)(
      ctx, TRIGON_LOWER, b->count, b->largest, b->dn, b->dnrhs, b->A_address, b->dn, b->B_address, b->dn, b->dinfo);
}

/* Calls a routine for the whole batch, and lowers *seconds if this run was shorter. Ends the program if a front has an
 * info that is not 0. */
static void run(const batch *b, routine r, double *seconds) {
  double time;
  succeed("trigon_timer_start", trigon_timer_start(ctx, HOLD));
  succeed(NAMES[r], call(b, r));
  succeed("trigon_timer_stop", trigon_timer_stop(ctx, &time));
  *seconds = fmin(*seconds, time);
  download(b->dinfo, b->info, b->count);
  for (int64_t i = 0; i < b->count; i++)
    if (b->info[i] != 0)
      errx(1, "%s:%" PRId64 ": %s: info is %" PRId64 " for this front of %" PRId64 " columns", source, b->line[i],
           NAMES[r], b->info[i], b->n[i]);
}

/* Compares the solutions of all fronts with X. Returns the largest error of an element, in units of n·2^-53. */
static double check_solutions(const batch *b) {
  double worst = 0, *solution = host_array(b->rows);
  download(b->dB, solution, b->rows);
  for (int64_t i = 0, row = 0; i < b->count; i++) {
    const double unit = 0x1p-53 * (double)b->n[i];
    for (const int64_t end = row + b->n[i]; row < end; row++) {
      const double error = fabs(solution[row] - b->X[row]) / unit;
      if (!(error <= TOLERANCE)) /* also if the error is NaN */
        errx(1, "%s:%" PRId64 ": the solution of this front of %" PRId64 " columns is wrong: %g instead of %g", source,
             b->line[i], b->n[i], solution[row], b->X[row]);
      worst = fmax(worst, error);
    }
  }
  free(solution);
  return worst;
}

/* Factors and solves in both ways, several times. Stores the shortest time of each routine, and returns the largest
 * error. Calls overwrite A and B, so each way begins with new copies. */
static double measure(const batch *b, double seconds[]) {
  double worst = 0;
  const clock_t end = clock() + (clock_t)(ENOUGH * CLOCKS_PER_SEC);
  for (int i = 0; i < LEAST_RUNS || (i < MOST_RUNS && clock() < end); i++) {
    upload(b->A, b->dA, b->elements);
    upload(b->B, b->dB, b->rows);
    run(b, POTRF, &seconds[POTRF]);
    run(b, POTRS, &seconds[POTRS]);
    worst = fmax(worst, check_solutions(b));

    upload(b->A, b->dA, b->elements);
    upload(b->B, b->dB, b->rows);
    run(b, POSV, &seconds[POSV]);
    worst = fmax(worst, check_solutions(b));
  }
  return worst;
}

/* ---------------------------------------------------------------------------------------------- the table -- */

/* The flops of POTRF and POTRS with one right-hand side, for the fronts of orders from `least` to `most`. */
static double flops_of(int64_t least, int64_t most) {
  double sum = 0;
  for (int64_t f = 0; f < count; f++) {
    const double n = (double)fronts[f].n;
    if (fronts[f].n >= least && fronts[f].n <= most) sum += n * n * n / 3 + n * n / 2 + n / 6 + 2 * n * n;
  }
  return sum;
}

/* Measures the batch of the fronts of orders from `least` to `most`, and prints a line of the table. Returns the
 * largest error. */
static double report(const char *label, int64_t least, int64_t most) {
  batch b = {0};
  double seconds[] = {INFINITY, INFINITY, INFINITY}, worst = 0;
  const double flops = flops_of(least, most), share = 100 * flops / flops_of(1, MOST_COLUMNS);
  choose(&b, least, most);
  if (b.count > 0) {
    make_batch(&b);
    worst = measure(&b, seconds);
    const double potrf = seconds[POTRF], potrs = seconds[POTRS], posv = seconds[POSV];
    printf("%-10s %7" PRId64 " %7.2f %10.3f %10.3f %8.2f %10.3f %8.2f\n", label, b.count, share, 1e3 * potrf,
           1e3 * potrs, 1e-9 * flops / (potrf + potrs), 1e3 * posv, 1e-9 * flops / posv);
  }
  free_batch(&b);
  return worst;
}

/* Prints the table: a line for each class that has fronts, and a line for all fronts. gnuplot skips lines with #. */
static void print_table(void) {
  char label[50];
  double worst = 0;
  int64_t least = 1;
  puts("# orders   fronts flops % POTRF (ms) POTRS (ms)  Gflop/s  POSV (ms)  Gflop/s");
  for (size_t i = 0; i < sizeof CLASSES / sizeof *CLASSES; i++) {
    snprintf(label, sizeof label, CLASSES[i] < MOST_COLUMNS ? "%" PRId64 "-%" PRId64 : "%" PRId64 "-", least,
             CLASSES[i]);
    worst = fmax(worst, report(label, least, CLASSES[i]));
    least = CLASSES[i] + 1;
  }
  worst = fmax(worst, report("all", 1, MOST_COLUMNS));
  printf("# each info is 0; the largest error of a solution is %.1f n·2^-53\n", worst);
}

int main(int argc, char **argv) {
  char why[512];
  if (argc > 3) errx(1, "usage: fronts [FILE [CONTEXT]]");
  const bool has_file = argc > 1 && strcmp(argv[1], "-") != 0;
  source = has_file ? argv[1] : "nested dissection of a grid";
  if (has_file)
    read_fronts();
  else
    make_fronts();
  if (trigon_create(argc > 2 ? argv[2] : "cpu", &ctx, why, sizeof why) != TRIGON_OK) errx(1, "%s", why);
  printf("# %s: %" PRId64 " fronts; %s\n", source, count, trigon_describe(ctx));
  print_table();
  trigon_destroy(ctx);
  free(fronts);
  if (ferror(stdout) || fclose(stdout)) err(1, "standard output");
  return 0;
}

/* solve.c - the commands solve, factor and invert: read, compute in place, judge the result, report, write. */
#include "command.h"
#include "dense.h"
#include "options.h"
#include "placed.h"
#include "progress.h"
#include "spd.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WHY_SIZE = 1024, RANDOM_VECTORS = 4 };

/* Residuals above this many u are not what a backward stable method gives (LAPACK's and MAGMA's testers' limit). */
static const double residual_limit = 30;

#define COMMON_HELP                                                                                                    \
  "  --uplo lower|upper  take this triangle of A for the whole, without a look at the other\n"                         \
  "  --backend NAME      compute with this (default: cpu; see 'trigon info')\n"                                        \
  "  -q, --quiet         print errors only\n"                                                                          \
  "  -h, --help          this text\n"                                                                                  \
  "\n"                                                                                                                 \
  "Files are Matrix Market (.mtx, .mtx.gz) or NumPy (.npy), told apart by content when read, by name when written.\n"  \
  "Unless its file declares it symmetric or Hermitian, or --uplo is given, A is checked for symmetry.\n"               \
  "Exit status: 0 done; 1 it failed (not positive definite, a broken file, a residual above 30 u); 2 wrong usage.\n"   \
  "\n"

static const char solve_help[] =
    "usage: trigon solve A [B] [-o X] [OPTIONS]\n"
    "\n"
    "Solves A·X = B, A symmetric or Hermitian positive definite, by Cholesky's method. Without B, B is A times a "
    "vector\n"
    "of ones, so that the exact X is known. Where the types of A and B differ, both are converted to the smallest "
    "type\n"
    "that holds them. Prints sizes, time, speed, the backward error |B - AX| / (n |A| |X|), also in units of the\n"
    "rounding error u, and the forward error where it is known (the norms are 1-norms).\n"
    "\n"
    "  -o, --output X      write the solution to this file\n" COMMON_HELP "examples:\n"
    "  trigon solve stiffness.mtx.gz\n"
    "  trigon solve covariance.npy y.npy -o weights.npy\n"
    "  trigon solve half.npy y.npy --uplo lower -o x.mtx\n";

static const char factor_help[] =
    "usage: trigon factor A -o L [OPTIONS]\n"
    "\n"
    "Writes the Cholesky factor of the symmetric or Hermitian positive definite A: the lower triangular L of A = "
    "L·Lᴴ,\n"
    "or, with --uplo upper, the upper triangular U of A = Uᴴ·U, zeros in the other triangle. The residual printed is\n"
    "|(A - LLᴴ)x| / (n |A| |x|) for random vectors x, also in units of the rounding error u.\n"
    "\n"
    "  -o, --output L      write the factor to this file\n" COMMON_HELP "examples:\n"
    "  trigon factor covariance.npy -o L.npy\n"
    "  trigon factor stiffness.mtx.gz --uplo upper -o U.mtx.gz\n";

static const char invert_help[] =
    "usage: trigon invert A -o AINV [OPTIONS]\n"
    "\n"
    "Writes the inverse of the symmetric or Hermitian positive definite A, both triangles (Matrix Market: declared\n"
    "symmetric or Hermitian). The residual printed is |x - A(A⁻¹x)| / (n |A| |A⁻¹| |x|) for random vectors x, also in\n"
    "units of the rounding error u; the condition number is |A| |A⁻¹| (1-norm).\n"
    "\n"
    "  -o, --output AINV   write the inverse to this file\n" COMMON_HELP "examples:\n"
    "  trigon invert covariance.npy -o precision.npy\n";

/* One run of one of the commands. */
typedef struct job {
  const char *command, *operands[2], *output, *backend, *uplo;
  bool quiet;
  trigon_context *ctx, *host; /* the second computes on the host, and is the first where that does, too */
  spd A;
  trigon_matrix there; /* A where ctx computes */
  double read_seconds, copy_seconds;
} job;

/* One line of the report. */
static void report(const job *j, const char *key, const char *format, ...) PRINTF_LIKE(3, 4);
static void report(const job *j, const char *key, const char *format, ...) {
  if (j->quiet) return;
  va_list values;
  va_start(values, format);
  printf("%-18s", key);
  vprintf(format, values);
  putchar('\n');
  va_end(values);
}

/* The status of a library call as an exit status. */
static int called(const job *j, const trigon_context *ctx, trigon_status status) {
  if (status == TRIGON_OK) return EXIT_DONE;
  const char *message = trigon_message(ctx);
  return failed(j->command, "%s", *message ? message : trigon_status_string(status));
}

static int no_memory(const job *j) { return failed(j->command, "out of memory"); }
static trigon_uplo opposite(trigon_uplo uplo) { return uplo == TRIGON_LOWER ? TRIGON_UPPER : TRIGON_LOWER; }
static const trigon_scalar plus_one = {1, 0}, minus_one = {-1, 0}, zero = {0, 0};

/* --------------------------------------------------------------------------------- what the commands share -- */

static int parse_job(job *j, int argc, char **argv, const char *text, int most, bool needs_output) {
  const option options[] = {{"output", 'o', &j->output, NULL},
                            {"uplo", 0, &j->uplo, NULL},
                            {"backend", 0, &j->backend, NULL},
                            {"quiet", 'q', NULL, &j->quiet},
                            {NULL, 0, NULL, NULL}};
  const syntax s = {j->command, text, options, j->operands, 1, most, "which matrix? A file name is missing"};
  char why[WHY_SIZE];
  int status = parse_arguments(&s, argc, argv);
  if (status != PARSED) return status;
  if (j->uplo && strcmp(j->uplo, "lower") != 0 && strcmp(j->uplo, "upper") != 0)
    return misused(j->command, "--uplo is 'lower' or 'upper', not '%s'", j->uplo);
  if (needs_output && !j->output) return misused(j->command, "-o is missing: which file is to be written?");
  if (!j->output) return PARSED;
  if (!matrix_writable_name(j->output, why, sizeof why)) return misused(j->command, "%s", why);
  status = check_output_folder(j->command, j->output);
  return status == EXIT_DONE ? PARSED : status;
}

static int open_job(job *j) {
  char why[WHY_SIZE];
  trigon_uplo uplo = j->uplo && *j->uplo == 'u' ? TRIGON_UPPER : TRIGON_LOWER;
  if (trigon_create(j->backend, &j->ctx, why, sizeof why) != TRIGON_OK) return failed(j->command, "%s", why);
  j->host = j->ctx;
  if (!trigon_on_host(j->ctx) && trigon_create("cpu", &j->host, why, sizeof why) != TRIGON_OK)
    return failed(j->command, "%s", why);
  double begun = seconds_now();
  progress *phase = progress_begin(!j->quiet, "reading %.60s", j->operands[0]);
  int status = spd_read(j->command, j->operands[0], j->uplo ? &uplo : NULL, j->quiet, &j->A);
  progress_end(phase);
  j->read_seconds = seconds_now() - begun;
  return status;
}

/* Gives up the copies of a device, which can fail like any call; the first failure is the one to tell. */
static int release(const job *j, trigon_matrix *there, int status) {
  trigon_status freed = unplace(j->ctx, there);
  return status == EXIT_DONE ? called(j, j->ctx, freed) : status;
}

static int run_job(job *j, int argc, char **argv, const char *text, int most, bool needs_output, int (*run)(job *)) {
  j->backend = "cpu";
  int status = parse_job(j, argc, argv, text, most, needs_output);
  if (status != PARSED) return status;
  status = open_job(j);
  if (status == EXIT_DONE) status = release(j, &j->there, run(j));
  spd_free(&j->A);
  if (j->host != j->ctx) trigon_destroy(j->host);
  trigon_destroy(j->ctx);
  return status;
}

/* Makes `name` known to the context that computes: on a device, copies it there. */
static int send_matrix(job *j, const char *name, const trigon_matrix *M, trigon_matrix *there) {
  double begun = seconds_now();
  progress *phase = progress_begin(!j->quiet && j->host != j->ctx, "copying %s to %.60s", name, j->backend);
  trigon_status status = place(j->ctx, M, there);
  progress_end(phase);
  j->copy_seconds += seconds_now() - begun;
  if (status != TRIGON_NO_MEMORY) return called(j, j->ctx, status);
  return failed(j->command, "%s, %" PRId64 " × %" PRId64 " of type %c, does not fit: %s", name, M->rows, M->cols,
                M->type, trigon_message(j->ctx));
}

static int fetch_matrix(job *j, const trigon_matrix *there, const trigon_matrix *M) {
  double begun = seconds_now();
  trigon_status status = fetch(j->ctx, there, M);
  j->copy_seconds += seconds_now() - begun;
  return called(j, j->ctx, status);
}

/* Waits for the call that gave this status. Its info, which lives where matrices live, is asked for here. */
static trigon_status finish(job *j, trigon_status status, int64_t *info) {
  return status == TRIGON_OK ? trigon_finish(j->ctx, info) : status;
}

/* Factors A, which takes *seconds, where the context has it. */
static int factor(job *j, double *seconds) {
  const trigon_matrix *A = &j->there;
  int64_t info = 0;
  int sent = send_matrix(j, "A", &j->A.matrix, &j->there);
  if (sent != EXIT_DONE) return sent;
  progress *phase = progress_begin(!j->quiet, "factoring %" PRId64 " × %" PRId64, A->rows, A->cols);
  double begun = seconds_now();
  trigon_status status = finish(j, trigon_potrf(j->ctx, j->A.uplo, *A, NULL), &info);
  *seconds = seconds_now() - begun;
  progress_end(phase);
  if (status == TRIGON_OK && info > 0)
    return failed(j->command,
                  "A is not positive definite: the leading minor of order %" PRId64 " failed (pivot %" PRId64 ")", info,
                  info);
  return called(j, j->ctx, status);
}

/* Y = A·X·alpha + Y·beta with the A that was read, on the host, from the triangle that is not being factored. */
static trigon_status multiply(job *j, trigon_scalar alpha, trigon_matrix X, trigon_scalar beta, trigon_matrix Y) {
  spd_swap_diagonal(&j->A);
  trigon_status status = trigon_hemm(j->host, TRIGON_LEFT, opposite(j->A.uplo), alpha, j->A.matrix, X, beta, Y);
  spd_swap_diagonal(&j->A);
  return status;
}

/* residual / (n · norms); NaN where a norm is infinite, so that overflow does not pass for exactness. */
static double relative(double residual, int64_t n, const double *norms, int count) {
  double error = n > 0 ? residual / (double)n : residual;
  for (int i = 0; i < count; i++) {
    if (!isfinite(norms[i])) return NAN;
    error = residual == 0 ? 0 : error / norms[i];
  }
  return error;
}

/* Reports the error and whether it is acceptable. */
static int judge(const job *j, const char *key, double error) {
  double units = error / type_roundoff(j->A.matrix.type);
  bool ok = units < residual_limit;
  report(j, key, "%.3g = %.3g u: %s (limit %g u)", error, units, ok ? "ok" : "NOT ok", residual_limit);
  if (ok) return EXIT_DONE;
  return failed(j->command, "the %s, %.3g, is not below %g u%s", key, error, residual_limit,
                j->output ? "; nothing is written" : "");
}

static void report_input(const job *j) {
  const trigon_matrix *A = &j->A.matrix;
  report(j, "A", "%s: %" PRId64 " × %" PRId64 ", type %c (%s)", j->operands[0], A->rows, A->cols, A->type,
         type_words(A->type));
}

static void report_times(const job *j, const char *what, double seconds, double flops) {
  flops *= type_is_complex(j->A.matrix.type) ? 4 : 1;
  report(j, "backend", "%s", j->backend);
  report(j, "reading", "%.3f s", j->read_seconds);
  if (j->host != j->ctx) report(j, "copying", "%.3f s", j->copy_seconds);
  report(j, what, "%.3f s, %.1f Gflop/s", seconds, seconds > 0 ? 1e-9 * flops / seconds : 0);
}

static int write_output(const job *j, const char *name, const trigon_matrix *X, structure kind) {
  char why[WHY_SIZE];
  if (!j->output) return EXIT_DONE;
  progress *phase = progress_begin(!j->quiet, "writing %.60s", j->output);
  bool written = matrix_write(j->output, X, kind, why, sizeof why);
  progress_end(phase);
  if (!written) return failed(j->command, "%s", why);
  report(j, name, "%s: %" PRId64 " × %" PRId64, j->output, X->rows, X->cols);
  return EXIT_DONE;
}

/* Two blocks of vectors of A's type: X, and a Y of the same shape. */
static bool two_blocks(const job *j, int64_t columns, trigon_matrix *X, trigon_matrix *Y) {
  const trigon_matrix *A = &j->A.matrix;
  if (!dense_alloc(A->type, A->rows, columns, X)) return false;
  if (dense_alloc(A->type, A->rows, columns, Y)) return true;
  free(X->data);
  X->data = NULL;
  return false;
}

/* Flops of the factorization, for real types. */
static double factor_flops(int64_t order) {
  double n = (double)order;
  return n * n * n / 3 + n * n / 2 + n / 6;
}

/* -------------------------------------------------------------------------------------------------- solve -- */

/* B = A·ones, where there is no B. */
static int make_right_side(job *j, trigon_matrix *B) {
  trigon_matrix ones;
  if (!two_blocks(j, 1, &ones, B)) return no_memory(j);
  for (int64_t i = 0; i < ones.rows; i++) dense_store(&ones, i, 0, 1, (double[]){1, 0});
  trigon_status status = trigon_hemm(j->host, TRIGON_LEFT, j->A.uplo, plus_one, j->A.matrix, ones, zero, *B);
  free(ones.data);
  return called(j, j->host, status);
}

static int read_right_side(job *j, trigon_matrix *B) {
  char why[WHY_SIZE];
  matrix_file file;
  trigon_matrix *A = &j->A.matrix;
  if (!matrix_read(j->operands[1], &file, why, sizeof why)) return failed(j->command, "%s", why);
  *B = file.matrix;
  if (B->rows != A->rows)
    return failed(j->command, "%s: B must have as many rows as A, %" PRId64 ", but is %" PRId64 " × %" PRId64,
                  j->operands[1], A->rows, B->rows, B->cols);
  trigon_type type = common_type(A->type, B->type);
  if (type != B->type && !j->quiet) note(j->command, "B is converted from type %c to %c", B->type, type);
  if (type != A->type && !j->quiet) note(j->command, "A is converted from type %c to %c", A->type, type);
  if (!dense_convert(A, type) || !dense_convert(B, type)) return no_memory(j);
  return check_finite(j->command, "B", B);
}

static double distance_from_ones(const trigon_matrix *X) {
  double worst = 0, x[2];
  for (int64_t i = 0; i < X->rows; i++) {
    dense_load(X, i, 0, 1, x);
    double distance = hypot(x[0] - 1, x[1]);
    if (distance > worst || isnan(distance)) worst = distance;
  }
  return worst;
}

/* Overwrites X, which is B, by the solution; that adds to *seconds. */
static int substitute(job *j, const trigon_matrix *X, double *seconds) {
  trigon_matrix there = {0};
  int status = send_matrix(j, "B", X, &there);
  if (status == EXIT_DONE) {
    progress *phase = progress_begin(!j->quiet, "solving for %" PRId64 " right-hand sides", X->cols);
    double begun = seconds_now();
    trigon_status solved = finish(j, trigon_potrs(j->ctx, j->A.uplo, j->there, there), NULL);
    *seconds += seconds_now() - begun;
    progress_end(phase);
    status = called(j, j->ctx, solved);
  }
  if (status == EXIT_DONE) status = fetch_matrix(j, &there, X);
  return release(j, &there, status);
}

/* Solves A·X = B, then turns B into the residual B - A·X. */
static int solve_right_side(job *j, trigon_matrix B, trigon_matrix X) {
  double seconds, n = (double)X.rows, columns = (double)X.cols;
  int status = factor(j, &seconds);
  if (status == EXIT_DONE) status = substitute(j, &X, &seconds);
  if (status == EXIT_DONE) status = called(j, j->host, multiply(j, minus_one, X, plus_one, B));
  if (status != EXIT_DONE) return status;
  report_input(j);
  report(j, "B", "%s: %" PRId64 " right-hand side%s", j->operands[1] ? j->operands[1] : "A times ones", X.cols,
         X.cols == 1 ? "" : "s");
  report_times(j, "factor and solve", seconds, factor_flops(X.rows) + 2 * n * n * columns);
  double norms[] = {j->A.norm, dense_norm1(&X)};
  status = judge(j, "backward error", relative(dense_norm1(&B), X.rows, norms, 2));
  if (!j->operands[1]) report(j, "forward error", "%.3g (largest |x - 1|)", distance_from_ones(&X));
  return status == EXIT_DONE ? write_output(j, "X", &X, GENERAL) : status;
}

static int run_solve(job *j) {
  trigon_matrix B = {0}, X = {0};
  int status = j->operands[1] ? read_right_side(j, &B) : make_right_side(j, &B);
  if (status == EXIT_DONE && !dense_alloc(B.type, B.rows, B.cols, &X)) status = no_memory(j);
  if (status == EXIT_DONE) {
    dense_copy(&B, &X);
    status = solve_right_side(j, B, X);
  }
  free(B.data);
  free(X.data);
  return status;
}

/* -------------------------------------------------------------------------------------------------- factor -- */

/* Y = L·Lᴴ·X - A·X, or with Uᴴ·U. */
static trigon_status factor_residual(job *j, trigon_matrix X, trigon_matrix Y) {
  trigon_op first = j->A.uplo == TRIGON_LOWER ? TRIGON_CONJTRANS : TRIGON_NOTRANS;
  trigon_op second = j->A.uplo == TRIGON_LOWER ? TRIGON_NOTRANS : TRIGON_CONJTRANS;
  dense_copy(&X, &Y);
  trigon_status status = trigon_trmm(j->host, TRIGON_LEFT, j->A.uplo, first, TRIGON_NONUNIT, plus_one, j->A.matrix, Y);
  if (status == TRIGON_OK)
    status = trigon_trmm(j->host, TRIGON_LEFT, j->A.uplo, second, TRIGON_NONUNIT, plus_one, j->A.matrix, Y);
  return status == TRIGON_OK ? multiply(j, minus_one, X, plus_one, Y) : status;
}

static int run_factor(job *j) {
  trigon_matrix X, Y, *A = &j->A.matrix;
  double seconds;
  int status = factor(j, &seconds);
  if (status == EXIT_DONE) status = fetch_matrix(j, &j->there, A);
  if (status != EXIT_DONE) return status;
  if (!two_blocks(j, RANDOM_VECTORS, &X, &Y)) return no_memory(j);
  dense_random(&X, 1);
  status = called(j, j->host, factor_residual(j, X, Y));
  if (status == EXIT_DONE) {
    double norms[] = {j->A.norm, dense_norm1(&X)};
    report_input(j);
    report_times(j, "factor", seconds, factor_flops(A->rows));
    status = judge(j, "residual", relative(dense_norm1(&Y), A->rows, norms, 2));
  }
  free(X.data);
  free(Y.data);
  if (status != EXIT_DONE) return status;
  dense_clear_opposite(A, j->A.uplo);
  return write_output(j, j->A.uplo == TRIGON_LOWER ? "L" : "U", A, GENERAL);
}

/* -------------------------------------------------------------------------------------------------- invert -- */

/* Turns the factor into the inverse, which adds to *seconds. */
static int invert_factor(job *j, double *seconds) {
  int64_t info = 0, n = j->A.matrix.rows;
  progress *phase = progress_begin(!j->quiet, "inverting %" PRId64 " × %" PRId64, n, n);
  double begun = seconds_now();
  trigon_status status = finish(j, trigon_potri(j->ctx, j->A.uplo, j->there, NULL), &info);
  *seconds += seconds_now() - begun;
  progress_end(phase);
  if (status == TRIGON_OK && info > 0)
    return failed(j->command, "the factor is singular: its diagonal element %" PRId64 " is zero", info);
  return called(j, j->ctx, status);
}

/* Judges the inverse: X - A·(A⁻¹·X) with random X. Then both triangles become the inverse. */
static int judge_inverse(job *j, trigon_matrix X, trigon_matrix Y) {
  trigon_matrix *A = &j->A.matrix;
  dense_random(&X, 1);
  double norms[] = {j->A.norm, dense_norm1(&X), 0};
  trigon_status status = trigon_hemm(j->host, TRIGON_LEFT, j->A.uplo, plus_one, *A, X, zero, Y);
  if (status == TRIGON_OK) status = multiply(j, minus_one, Y, plus_one, X);
  if (status != TRIGON_OK) return called(j, j->host, status);
  dense_mirror(A, j->A.uplo);
  norms[2] = dense_norm1(A);
  int judged = judge(j, "residual", relative(dense_norm1(&X), A->rows, norms, 3));
  if (judged == EXIT_DONE) report(j, "condition number", "%.3g", norms[0] * norms[2]);
  return judged;
}

static int run_invert(job *j) {
  trigon_matrix X, Y, *A = &j->A.matrix;
  double seconds, n = (double)A->rows;
  int status = factor(j, &seconds);
  if (status == EXIT_DONE) status = invert_factor(j, &seconds);
  if (status == EXIT_DONE) status = fetch_matrix(j, &j->there, A);
  if (status != EXIT_DONE) return status;
  if (!two_blocks(j, RANDOM_VECTORS, &X, &Y)) return no_memory(j);
  report_input(j);
  report_times(j, "factor and invert", seconds, factor_flops(A->rows) + 2 * n * n * n / 3);
  status = judge_inverse(j, X, Y);
  free(X.data);
  free(Y.data);
  if (status != EXIT_DONE) return status;
  return write_output(j, "inverse", A, type_is_complex(A->type) ? HERMITIAN : SYMMETRIC);
}

/* ------------------------------------------------------------------------------------------------- entries -- */

int solve_command(int argc, char **argv) {
  return run_job(&(job){.command = "solve"}, argc, argv, solve_help, 2, false, run_solve);
}

int factor_command(int argc, char **argv) {
  return run_job(&(job){.command = "factor"}, argc, argv, factor_help, 1, true, run_factor);
}

int invert_command(int argc, char **argv) {
  return run_job(&(job){.command = "invert"}, argc, argv, invert_help, 1, true, run_invert);
}

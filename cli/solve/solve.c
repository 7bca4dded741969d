/* solve.c - the command solve: solves A·X = B. */
#include "../command.h"
#include "../files/path.h"
#include "../flops.h"
#include "../matrix/dense.h"
#include "../matrix/element_type.h"
#include "../report.h"
#include "factorization.h"
#include "solve_run.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static const char help[] =
    "usage: trigon solve A [B] [-o X] [OPTIONS]\n"
    "\n"
    "Solves A·X = B by Cholesky's method; A is symmetric or Hermitian positive definite. If B is not given, B is A\n"
    "times a vector of ones, and the exact X is known. If the types of A and B differ, both are converted to the\n"
    "smallest type that holds them. Prints sizes, time, speed, the natural logarithm of A's determinant, the backward\n"
    "error |B - AX| / (n |A| |X|), also in units of the rounding error u, and, if X is known, the forward error. "
    "Norms\n"
    "are 1-norms.\n"
    "\n"
    "  -o, --output X      write the solution to this file\n" SOLVE_HELP "examples:\n"
    "  trigon solve stiffness.mtx.gz\n"
    "  trigon solve covariance.npy y.npy -o weights.npy\n"
    "  trigon solve half.npy y.npy --uplo lower -o x.mtx\n";

/* The right-hand sides and the solution of A·X = B. */
typedef struct right_sides {
  trigon_matrix B, X;
  const char *file;         /* of B, or NULL: B is A times ones */
  file_structure structure; /* X is written as B was read: a vector as a vector */
} right_sides;

/* ------------------------------------------------------------------------------------------ right-hand sides -- */

/* B = A·ones. */
static int make_right_side(const solve_options *o, const session *s, const spd *A, trigon_matrix *B) {
  trigon_matrix ones;
  if (!spd_alloc_vectors(A, 1, &ones, B)) return failed(o->command, "out of memory");
  for (int64_t i = 0; i < ones.rows; i++) dense_store(&ones, i, 0, 1, (double[]){1, 0});
  trigon_status status = trigon_hemm(s->host, TRIGON_LEFT, A->uplo, plus_one, A->matrix, ones, zero, *B);
  free(ones.data);
  return exit_status(o->command, s->host, status);
}

/* Converts A and B to the smallest type that holds both. */
static int unify_types(const solve_options *o, trigon_matrix *A, trigon_matrix *B) {
  trigon_type type = type_common(A->type, B->type);
  if (type != B->type && !o->quiet) note(o->command, "B is converted from type %c to %c", B->type, type);
  if (type != A->type && !o->quiet) note(o->command, "A is converted from type %c to %c", A->type, type);
  return dense_convert(A, type) && dense_convert(B, type) ? EXIT_DONE : failed(o->command, "out of memory");
}

static int read_right_sides(const solve_options *o, trigon_matrix *A, right_sides *b) {
  char why[WHY_SIZE];
  matrix_file file;
  trigon_matrix *B = &b->B;
  const char *name = input_name(b->file);
  progress *shown = progress_begin(!o->quiet, "reading %s", name);
  bool read = matrix_read(b->file, &file, why, sizeof why);
  progress_end(shown);
  if (!read) return failed(o->command, "%s", why);
  print_note(o->command, &file, o->quiet);
  *B = file.matrix;
  b->structure = file.structure == VECTOR ? VECTOR : GENERAL;
  if (B->rows != A->rows)
    return failed(o->command, "%s: B must have as many rows as A, %" PRId64 ", but is %" PRId64 " × %" PRId64, name,
                  A->rows, B->rows, B->cols);
  int status = unify_types(o, A, B);
  return status == EXIT_DONE ? check_finite(o->command, name, "B", B, NULL) : status;
}

/* Reads B or, if no file is given, makes B from A, after the jitter is added. */
static int find_right_sides(const solve_options *o, const session *s, spd *A, right_sides *b, double *jitter_added) {
  int status = b->file ? read_right_sides(o, &A->matrix, b) : EXIT_DONE;
  if (status == EXIT_DONE) status = add_jitter(o, A, jitter_added);
  return status == EXIT_DONE && !b->file ? make_right_side(o, s, A, &b->B) : status;
}

/* ------------------------------------------------------------------------------------------------- solution -- */

/* Overwrites X, which is B, by the solution. F is the factor in the memory of the session's ctx. */
static int substitute(const solve_options *o, const session *s, trigon_uplo uplo, trigon_matrix F,
                      const trigon_matrix *X, results *r) {
  trigon_matrix copy = {0};
  int status = session_send(s, o, "B", X, &copy, &r->copy_seconds);
  if (status == EXIT_DONE) {
    phase p = phase_begin(progress_begin(!o->quiet, "solving for %" PRId64 " right-hand sides", X->cols), s);
    trigon_status solved = phase_end(p, s->ctx, trigon_potrs(s->ctx, uplo, F, copy), NULL, &r->compute_seconds);
    if (solved == TRIGON_OK) solved = results_note_call(r, o, s, "potrs");
    status = exit_status(o->command, s->ctx, solved);
  }
  if (status == EXIT_DONE) status = session_fetch(s, o->command, &copy, X, &r->copy_seconds);
  return session_free(s, o->command, &copy, status);
}

/* Factors A and solves for X. */
static int find_solution(const solve_options *o, const session *s, const spd *A, const right_sides *b, results *r) {
  trigon_matrix F = {0};
  dense_copy(&b->B, &b->X);
  int status = factor_matrix(o, s, A, &F, r);
  if (status == EXIT_DONE) status = substitute(o, s, A->uplo, F, &b->X, r);
  return session_free(s, o->command, &F, status);
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

static void print_work(const solve_options *o, const session *s, const spd *A, const right_sides *b, results *r) {
  double n = (double)b->X.rows;
  int64_t columns = b->X.cols;
  results_input(r, o, A);
  printer_entry(&r->printer, "B", text_value(b->file), "B", "%s: %" PRId64 " right-hand side%s",
                b->file ? input_name(b->file) : "A times ones", columns, columns == 1 ? "" : "s");
  printer_member(&r->printer, "right_hand_sides", integer_value(columns));
  results_times(r, o, s, b->X.type, "factor and solve", potrf_flops(n) + potrs_flops(n, (double)columns));
}

/* Turns B into the residual B - A·X, and judges X. */
static int judge_solution(const solve_options *o, const session *s, spd *A, const right_sides *b, results *r) {
  const trigon_matrix *X = &b->X;
  trigon_status status = spd_multiply(s->host, A, minus_one, *X, plus_one, b->B);
  if (status != TRIGON_OK) return exit_status(o->command, s->host, status);
  print_work(o, s, A, b, r);
  double norms[] = {A->norm, dense_norm1(X)}, error = relative_residual(X->rows, dense_norm1(&b->B), norms, 2);
  int judged = judge_error(&r->printer, o, X->type, "backward_error", "backward error", error);
  error = b->file ? NAN : distance_from_ones(X);
  printer_entry(&r->printer, "forward_error", number_value(error), b->file ? NULL : "forward error",
                "%.3g (largest |x - 1|)", error);
  return judged;
}

static int solve(const solve_options *o, const session *s, spd *A, results *r) {
  right_sides b = {.file = o->operands[1]};
  int status = find_right_sides(o, s, A, &b, &r->jitter_added);
  if (status == EXIT_DONE && !dense_alloc(b.B.type, b.B.rows, b.B.cols, &b.X))
    status = failed(o->command, "out of memory");
  if (status == EXIT_DONE) status = find_solution(o, s, A, &b, r);
  if (status == EXIT_DONE) status = judge_solution(o, s, A, &b, r);
  if (status == EXIT_DONE) status = write_output(&r->printer, o, "X", &b.X, b.structure);
  free(b.B.data);
  free(b.X.data);
  return status;
}

int solve_command(int argc, char **argv) {
  static const solve_syntax form = {"solve", help, 2, false};
  return run_with_matrix(&form, solve, argc, argv);
}

/* solve.c - the command solve. */
#include "../command.h"
#include "../dense.h"
#include "../files/path.h"
#include "../report.h"
#include "outcome.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static const char help[] =
    "usage: trigon solve A [B] [-o X] [OPTIONS]\n"
    "\n"
    "Solves A·X = B, A symmetric or Hermitian positive definite, by Cholesky's method. Without B, B is A times a "
    "vector\n"
    "of ones, so that the exact X is known. Where the types of A and B differ, both are converted to the smallest "
    "type\n"
    "that holds them. Prints sizes, time, speed, the natural logarithm of A's determinant, the backward error\n"
    "|B - AX| / (n |A| |X|), also in units of the rounding error u, and the forward error where it is known (the "
    "norms\n"
    "are 1-norms).\n"
    "\n"
    "  -o, --output X      write the solution to this file\n" SOLVE_HELP "examples:\n"
    "  trigon solve stiffness.mtx.gz\n"
    "  trigon solve covariance.npy y.npy -o weights.npy\n"
    "  trigon solve half.npy y.npy --uplo lower -o x.mtx\n";

/* B = A·ones. */
static int make_right_side(session *s, trigon_matrix *B) {
  trigon_matrix ones;
  if (!session_blocks(s, 1, &ones, B)) return session_no_memory(s);
  for (int64_t i = 0; i < ones.rows; i++) dense_store(&ones, i, 0, 1, (double[]){1, 0});
  trigon_status status = trigon_hemm(s->host, TRIGON_LEFT, s->A.uplo, plus_one, s->A.matrix, ones, zero, *B);
  free(ones.data);
  return session_called(s, s->host, status);
}

static int read_right_side(session *s, trigon_matrix *B) {
  char why[WHY_SIZE];
  matrix_file file;
  trigon_matrix *A = &s->A.matrix;
  const solve_options *o = s->options;
  const char *name = input_name(o->operands[1]);
  progress *shown = progress_begin(!o->quiet, "reading %s", name);
  bool read = matrix_read(o->operands[1], &file, why, sizeof why);
  progress_end(shown);
  if (!read) return failed(o->command, "%s", why);
  tell_note(o->command, &file, o->quiet);
  *B = file.matrix;
  if (file.structure == VECTOR) s->X_structure = VECTOR;
  if (B->rows != A->rows)
    return failed(o->command, "%s: B must have as many rows as A, %" PRId64 ", but is %" PRId64 " × %" PRId64, name,
                  A->rows, B->rows, B->cols);
  trigon_type type = common_type(A->type, B->type);
  if (type != B->type && !o->quiet) note(o->command, "B is converted from type %c to %c", B->type, type);
  if (type != A->type && !o->quiet) note(o->command, "A is converted from type %c to %c", A->type, type);
  if (!dense_convert(A, type) || !dense_convert(B, type)) return session_no_memory(s);
  return check_finite(o->command, name, "B", B, NULL);
}

/* B as it was read, or made if none is given. */
static int find_right_side(session *s, trigon_matrix *B) {
  const char *name = s->options->operands[1];
  int status = name ? read_right_side(s, B) : EXIT_DONE;
  if (status == EXIT_DONE) status = session_add_jitter(s);
  return status == EXIT_DONE && !name ? make_right_side(s, B) : status;
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

/* Overwrites X, which is B, by the solution. */
static int substitute(session *s, const trigon_matrix *X) {
  trigon_matrix there = {0};
  int status = session_send(s, "B", X, &there);
  if (status == EXIT_DONE) {
    phase p = {progress_begin(!s->options->quiet, "solving for %" PRId64 " right-hand sides", X->cols), seconds_now()};
    trigon_status solved = session_finish(s, p, trigon_potrs(s->ctx, s->A.uplo, s->there, there), NULL);
    status = session_called(s, s->ctx, solved);
  }
  if (status == EXIT_DONE) status = session_fetch(s, &there, X);
  return session_release(s, &there, status);
}

/* Solves A·X = B, then turns B into the residual B - A·X. */
static int solve_right_side(session *s, results *r, trigon_matrix B, trigon_matrix X) {
  double n = (double)X.rows, columns = (double)X.cols;
  const char *name = s->options->operands[1] ? input_name(s->options->operands[1]) : NULL;
  int status = session_factor(s);
  if (status == EXIT_DONE) status = substitute(s, &X);
  if (status == EXIT_DONE) status = session_called(s, s->host, session_multiply(s, minus_one, X, plus_one, B));
  if (status != EXIT_DONE) return status;
  outcome_input(r, s);
  results_add(r, "B", text_value(s->options->operands[1]), "B", "%s: %" PRId64 " right-hand side%s",
              name ? name : "A times ones", X.cols, X.cols == 1 ? "" : "s");
  results_member(r, "right_hand_sides", integer_value(X.cols));
  outcome_times(r, s, "factor and solve", factor_flops(X.rows) + 2 * n * n * columns);
  double norms[] = {s->A.norm, dense_norm1(&X)};
  status = outcome_judge(r, s, "backward_error", "backward error", outcome_relative(s, dense_norm1(&B), norms, 2));
  double error = name ? NAN : distance_from_ones(&X);
  results_add(r, "forward_error", number_value(error), name ? NULL : "forward error", "%.3g (largest |x - 1|)", error);
  return status == EXIT_DONE ? outcome_write(r, s, "X", &X, s->X_structure) : status;
}

static int solve(session *s, results *r) {
  trigon_matrix B = {0}, X = {0};
  int status = find_right_side(s, &B);
  if (status == EXIT_DONE && !dense_alloc(B.type, B.rows, B.cols, &X)) status = session_no_memory(s);
  if (status == EXIT_DONE) {
    dense_copy(&B, &X);
    status = solve_right_side(s, r, B, X);
  }
  free(B.data);
  free(X.data);
  return status;
}

int solve_command(int argc, char **argv) {
  static const solve_syntax form = {"solve", help, 2, false};
  return session_run(&form, solve, argc, argv);
}

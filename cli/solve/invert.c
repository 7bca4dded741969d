/* invert.c - the command invert. */
#include "../command.h"
#include "../dense.h"
#include "outcome.h"

#include <inttypes.h>
#include <stdlib.h>

static const char help[] =
    "usage: trigon invert A -o AINV [OPTIONS]\n"
    "\n"
    "Writes the inverse of the symmetric or Hermitian positive definite A, both triangles (Matrix Market: declared\n"
    "symmetric or Hermitian). The residual printed is |x - A(A⁻¹x)| / (n |A| |A⁻¹| |x|) for random vectors x, also in\n"
    "units of the rounding error u; the condition number is |A| |A⁻¹| (1-norm).\n"
    "\n"
    "  -o, --output AINV   write the inverse to this file\n" SOLVE_HELP "examples:\n"
    "  trigon invert covariance.npy -o precision.npy\n";

/* Turns the factor into the inverse. */
static int invert_factor(session *s) {
  int64_t info = 0, n = s->A.matrix.rows;
  phase p = {progress_begin(!s->options->quiet, "inverting %" PRId64 " × %" PRId64, n, n), seconds_now()};
  trigon_status status = session_finish(s, p, trigon_potri(s->ctx, s->A.uplo, s->there, NULL), &info);
  if (status == TRIGON_OK && info > 0)
    return failed(s->options->command, "the factor is singular: its diagonal element %" PRId64 " is zero", info);
  return session_called(s, s->ctx, status);
}

/* Judges the inverse: X - A·(A⁻¹·X) with random X. Then both triangles become the inverse. */
static int judge(session *s, results *r, trigon_matrix X, trigon_matrix Y) {
  trigon_matrix *A = &s->A.matrix;
  dense_random(&X, 1);
  double norms[] = {s->A.norm, dense_norm1(&X), 0};
  trigon_status status = trigon_hemm(s->host, TRIGON_LEFT, s->A.uplo, plus_one, *A, X, zero, Y);
  if (status == TRIGON_OK) status = session_multiply(s, minus_one, Y, plus_one, X);
  if (status != TRIGON_OK) return session_called(s, s->host, status);
  dense_mirror(A, s->A.uplo);
  norms[2] = dense_norm1(A);
  int judged = outcome_judge(r, s, "residual", "residual", outcome_relative(s, dense_norm1(&X), norms, 3));
  double condition = norms[0] * norms[2];
  if (judged == EXIT_DONE)
    results_add(r, "condition_number", number_value(condition), "condition number", "%.3g", condition);
  return judged;
}

static int invert(session *s, results *r) {
  trigon_matrix X, Y, *A = &s->A.matrix;
  double n = (double)A->rows;
  int status = session_add_jitter(s);
  if (status == EXIT_DONE) status = session_factor(s);
  if (status == EXIT_DONE) status = invert_factor(s);
  if (status == EXIT_DONE) status = session_fetch(s, &s->there, A);
  if (status != EXIT_DONE) return status;
  if (!session_blocks(s, RANDOM_VECTORS, &X, &Y)) return session_no_memory(s);
  outcome_input(r, s);
  outcome_times(r, s, "factor and invert", factor_flops(A->rows) + 2 * n * n * n / 3);
  status = judge(s, r, X, Y);
  free(X.data);
  free(Y.data);
  if (status != EXIT_DONE) return status;
  return outcome_write(r, s, "inverse", A, type_is_complex(A->type) ? HERMITIAN : SYMMETRIC);
}

int invert_command(int argc, char **argv) {
  static const solve_syntax form = {"invert", help, 1, true};
  return session_run(&form, invert, argc, argv);
}

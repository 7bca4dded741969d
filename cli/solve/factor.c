/* factor.c - the command factor. */
#include "../command.h"
#include "../dense.h"
#include "outcome.h"

#include <stdlib.h>

static const char help[] =
    "usage: trigon factor A -o L [OPTIONS]\n"
    "\n"
    "Writes the Cholesky factor of the symmetric or Hermitian positive definite A: the lower triangular L of A = "
    "L·Lᴴ,\n"
    "or, with --uplo upper, the upper triangular U of A = Uᴴ·U, zeros in the other triangle. The residual printed is\n"
    "|(A - LLᴴ)x| / (n |A| |x|) for random vectors x, also in units of the rounding error u. The natural logarithm\n"
    "of A's determinant is printed, too.\n"
    "\n"
    "  -o, --output L      write the factor to this file\n" SOLVE_HELP "examples:\n"
    "  trigon factor covariance.npy -o L.npy\n"
    "  trigon factor stiffness.mtx.gz --uplo upper -o U.mtx.gz\n";

/* Y = L·Lᴴ·X - A·X, or with Uᴴ·U. */
static trigon_status subtract(session *s, trigon_matrix X, trigon_matrix Y) {
  const spd *A = &s->A;
  trigon_op first = A->uplo == TRIGON_LOWER ? TRIGON_CONJTRANS : TRIGON_NOTRANS;
  trigon_op second = A->uplo == TRIGON_LOWER ? TRIGON_NOTRANS : TRIGON_CONJTRANS;
  dense_copy(&X, &Y);
  trigon_status status = trigon_trmm(s->host, TRIGON_LEFT, A->uplo, first, TRIGON_NONUNIT, plus_one, A->matrix, Y);
  if (status == TRIGON_OK)
    status = trigon_trmm(s->host, TRIGON_LEFT, A->uplo, second, TRIGON_NONUNIT, plus_one, A->matrix, Y);
  return status == TRIGON_OK ? session_multiply(s, minus_one, X, plus_one, Y) : status;
}

static int judge(session *s, results *r) {
  trigon_matrix X, Y;
  if (!session_blocks(s, RANDOM_VECTORS, &X, &Y)) return session_no_memory(s);
  dense_random(&X, 1);
  int status = session_called(s, s->host, subtract(s, X, Y));
  if (status == EXIT_DONE) {
    double norms[] = {s->A.norm, dense_norm1(&X)};
    outcome_input(r, s);
    outcome_times(r, s, "factor", factor_flops(s->A.matrix.rows));
    status = outcome_judge(r, s, "residual", "residual", outcome_relative(s, dense_norm1(&Y), norms, 2));
  }
  free(X.data);
  free(Y.data);
  return status;
}

static int factor(session *s, results *r) {
  const trigon_matrix *A = &s->A.matrix;
  int status = session_add_jitter(s);
  if (status == EXIT_DONE) status = session_factor(s);
  if (status == EXIT_DONE) status = session_fetch(s, &s->there, A);
  if (status == EXIT_DONE) status = judge(s, r);
  if (status != EXIT_DONE) return status;
  dense_clear_opposite(A, s->A.uplo);
  return outcome_write(r, s, s->A.uplo == TRIGON_LOWER ? "L" : "U", A, GENERAL);
}

int factor_command(int argc, char **argv) {
  static const solve_syntax form = {"factor", help, 1, true};
  return session_run(&form, factor, argc, argv);
}

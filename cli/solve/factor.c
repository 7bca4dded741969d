/* factor.c - the command factor: writes the Cholesky factor of a matrix. */
#include "../command.h"
#include "../flops.h"
#include "../matrix/dense.h"
#include "../matrix/random.h"
#include "factorization.h"
#include "solve_run.h"

#include <stdlib.h>

static const char help[] =
    "usage: trigon factor A -o L [OPTIONS]\n"
    "\n"
    "Writes the Cholesky factor of the symmetric or Hermitian positive definite A: the lower triangular L of\n"
    "A = L·Lᴴ or, with --uplo upper, the upper triangular U of A = Uᴴ·U. The other triangle of the file is zero. "
    "Prints\n"
    "the residual |(A - LLᴴ)x| / (n |A| |x|) for random vectors x, also in units of the rounding error u, and the\n"
    "natural logarithm of A's determinant.\n"
    "\n"
    "  -o, --output L      write the factor to this file\n" SOLVE_HELP "examples:\n"
    "  trigon factor covariance.npy -o L.npy\n"
    "  trigon factor stiffness.mtx.gz --uplo upper -o U.mtx.gz\n";

/* Y = L·Lᴴ·X - A·X, or with Uᴴ·U: A's triangle `uplo` holds the factor. */
static trigon_status multiply_residual(trigon_context *host, spd *A, trigon_matrix X, trigon_matrix Y) {
  trigon_op first = A->uplo == TRIGON_LOWER ? TRIGON_CONJTRANS : TRIGON_NOTRANS;
  trigon_op second = A->uplo == TRIGON_LOWER ? TRIGON_NOTRANS : TRIGON_CONJTRANS;
  const trigon_matrix *M = &A->matrix;
  dense_copy(&X, &Y);
  trigon_status status = trigon_trmm(host, TRIGON_LEFT, A->uplo, first, TRIGON_NONUNIT, plus_one, *M, Y);
  if (status == TRIGON_OK) status = trigon_trmm(host, TRIGON_LEFT, A->uplo, second, TRIGON_NONUNIT, plus_one, *M, Y);
  return status == TRIGON_OK ? spd_multiply(host, A, minus_one, X, plus_one, Y) : status;
}

static int judge_factor(const solve_options *o, const session *s, spd *A, results *r) {
  trigon_matrix X, Y;
  int64_t n = A->matrix.rows;
  trigon_type type = A->matrix.type;
  if (!spd_alloc_vectors(A, RANDOM_VECTORS, &X, &Y)) return failed(o->command, "out of memory");
  random_fill(&X, 1);
  int status = exit_status(o->command, s->host, multiply_residual(s->host, A, X, Y));
  if (status == EXIT_DONE) {
    double norms[] = {A->norm, dense_norm1(&X)}, error = relative_residual(n, dense_norm1(&Y), norms, 2);
    results_input(r, o, A);
    results_times(r, o, s, type, "factor", potrf_flops((double)n));
    status = judge_error(&r->printer, o, type, "residual", "residual", error);
  }
  free(X.data);
  free(Y.data);
  return status;
}

static int factor(const solve_options *o, const session *s, spd *A, results *r) {
  trigon_matrix L = {0};
  int status = add_jitter(o, A, &r->jitter_added);
  if (status == EXIT_DONE) status = factor_matrix(o, s, A, &L, r);
  if (status == EXIT_DONE) status = session_fetch(s, o->command, &L, &A->matrix, &r->copy_seconds);
  status = session_free(s, o->command, &L, status);
  if (status == EXIT_DONE) status = judge_factor(o, s, A, r);
  if (status != EXIT_DONE) return status;
  dense_clear_opposite(&A->matrix, A->uplo);
  return write_output(&r->printer, o, A->uplo == TRIGON_LOWER ? "L" : "U", &A->matrix, GENERAL);
}

int factor_command(int argc, char **argv) {
  static const solve_syntax form = {"factor", help, 1, true};
  return run_with_matrix(&form, factor, argc, argv);
}

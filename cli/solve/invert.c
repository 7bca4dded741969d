/* invert.c - the command invert: writes the inverse of a matrix. */
#include "../command.h"
#include "../flops.h"
#include "../matrix/dense.h"
#include "../matrix/element_type.h"
#include "../matrix/random.h"
#include "factorization.h"
#include "solve_run.h"

#include <inttypes.h>
#include <stdlib.h>

static const char help[] =
    "usage: trigon invert A -o AINV [OPTIONS]\n"
    "\n"
    "Writes the inverse of the symmetric or Hermitian positive definite A, both triangles (Matrix Market: declared\n"
    "symmetric or Hermitian). Prints the residual |x - A(A⁻¹x)| / (n |A| |A⁻¹| |x|) for random vectors x, also in "
    "units\n"
    "of the rounding error u, and the condition number |A| |A⁻¹| (1-norm).\n"
    "\n"
    "  -o, --output AINV   write the inverse to this file\n" SOLVE_HELP "examples:\n"
    "  trigon invert covariance.npy -o precision.npy\n";

/* Overwrites the factor F, in the memory of the session's ctx, by the inverse. */
static int invert_factor(const solve_options *o, const session *s, trigon_uplo uplo, trigon_matrix F, results *r) {
  int64_t info = 0;
  phase p = phase_begin(progress_begin(!o->quiet, "inverting %" PRId64 " × %" PRId64, F.rows, F.cols), s);
  trigon_status status = phase_end(p, s->ctx, trigon_potri(s->ctx, uplo, F, NULL), &info, &r->compute_seconds);
  if (status == TRIGON_OK) status = results_note_call(r, o, s, "potri");
  if (status == TRIGON_OK && info > 0)
    return failed(o->command, "the factor is singular: its diagonal element %" PRId64 " is zero", info);
  return exit_status(o->command, s->ctx, status);
}

/* Replaces A by its inverse, in the triangle `uplo`. */
static int find_inverse(const solve_options *o, const session *s, spd *A, results *r) {
  trigon_matrix F = {0};
  int status = factor_matrix(o, s, A, &F, r);
  if (status == EXIT_DONE) status = invert_factor(o, s, A->uplo, F, r);
  if (status == EXIT_DONE) status = session_fetch(s, o->command, &F, &A->matrix, &r->copy_seconds);
  return session_free(s, o->command, &F, status);
}

/* Judges the inverse by X - A·(A⁻¹·X), X random, and completes its other triangle. */
static int judge_inverse(const solve_options *o, const session *s, spd *A, printer *p, trigon_matrix X,
                         trigon_matrix Y) {
  trigon_matrix *M = &A->matrix;
  random_fill(&X, 1);
  double norms[] = {A->norm, dense_norm1(&X), 0};
  trigon_status status = trigon_hemm(s->host, TRIGON_LEFT, A->uplo, plus_one, *M, X, zero, Y);
  if (status == TRIGON_OK) status = spd_multiply(s->host, A, minus_one, Y, plus_one, X);
  if (status != TRIGON_OK) return exit_status(o->command, s->host, status);
  dense_mirror(M, A->uplo);
  norms[2] = dense_norm1(M);
  double error = relative_residual(M->rows, dense_norm1(&X), norms, 3), condition = norms[0] * norms[2];
  int judged = judge_error(p, o, M->type, "residual", "residual", error);
  if (judged == EXIT_DONE)
    printer_entry(p, "condition_number", number_value(condition), "condition number", "%.3g", condition);
  return judged;
}

static int invert(const solve_options *o, const session *s, spd *A, results *r) {
  trigon_matrix X, Y, *M = &A->matrix;
  double n = (double)M->rows;
  int status = add_jitter(o, A, &r->jitter_added);
  if (status == EXIT_DONE) status = find_inverse(o, s, A, r);
  if (status != EXIT_DONE) return status;
  if (!spd_alloc_vectors(A, RANDOM_VECTORS, &X, &Y)) return failed(o->command, "out of memory");
  results_input(r, o, A);
  results_times(r, o, s, M->type, "factor and invert", potrf_flops(n) + potri_flops(n));
  status = judge_inverse(o, s, A, &r->printer, X, Y);
  free(X.data);
  free(Y.data);
  if (status != EXIT_DONE) return status;
  return write_output(&r->printer, o, "inverse", M, type_is_complex(M->type) ? HERMITIAN : SYMMETRIC);
}

int invert_command(int argc, char **argv) {
  static const solve_syntax form = {"invert", help, 1, true};
  return run_with_matrix(&form, invert, argc, argv);
}

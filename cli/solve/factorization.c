/* factorization.c - adds the jitter, factors, takes the determinant, and explains why a matrix cannot be factored. */
#include "factorization.h"
#include "../command.h"
#include "../matrix/dense.h"
#include "../matrix/element_type.h"
#include "../matrix/transfer.h"

#include <inttypes.h>
#include <math.h>

/* -------------------------------------------------------------------------------------------------- jitter -- */

static double diagonal_mean(const spd *A) {
  int64_t n = A->matrix.rows;
  double mean = 0;
  for (int64_t i = 0; i < n; i++) mean += A->diagonal[2 * i] / (double)n; /* the sum of large elements could overflow */
  return mean;
}

int add_jitter(const solve_options *o, spd *A, double *added) {
  *added = 0;
  if (o->jitter == 0) return EXIT_DONE;
  *added = o->jitter * diagonal_mean(A);
  bool changed = spd_shift_diagonal(A, *added);
  if (!isfinite(A->norm)) return failed(o->command, "--jitter %s: the diagonal overflows", o->jitter_text);
  if (!changed && A->matrix.rows > 0 && !o->quiet)
    note(o->command, "--jitter %s changes nothing: it is lost in rounding", o->jitter_text);
  return EXIT_DONE;
}

/* ------------------------------------------------------------------------------------------- factorization -- */

/* Says why A cannot be factored. The jitter that is proposed is well above rounding errors, and well below the errors
 * that data usually have. */
static int not_definite(const solve_options *o, const spd *A, int64_t info) {
  bool jittered = o->jitter > 0;
  double mean = diagonal_mean(A);
  if (mean <= 0)
    return failed(
        o->command,
        "A is not positive definite, and no --jitter makes it so: the mean of its diagonal is %.3g, not positive",
        mean);
  const char *enough = type_roundoff(A->matrix.type) < 1e-12 ? "1e-10" : "1e-06";
  return failed(o->command,
                "A is not positive definite%s%s: its leading minor of order %" PRId64
                " fails; check that A is symmetric positive definite, or try %s--jitter%s%s",
                jittered ? " with --jitter " : "", jittered ? o->jitter_text : "", info, jittered ? "a larger " : "",
                jittered ? "" : " ", jittered ? "" : enough);
}

/* Sums the logarithms where the factor is, so that only one number is copied back. */
static int take_log_determinant(const session *s, const char *command, const trigon_matrix *factor, double *log) {
  trigon_matrix host = {log, TRIGON_D, 1, 1, 1}, copy = {0};
  trigon_status status = transfer_to(s->ctx, &host, &copy);
  if (status == TRIGON_OK) status = trigon_logdet(s->ctx, *factor, copy.data);
  if (status == TRIGON_OK) status = trigon_finish(s->ctx, NULL);
  if (status == TRIGON_OK) status = transfer_from(s->ctx, &copy, &host);
  return session_free(s, command, &copy, exit_status(command, s->ctx, status));
}

int factor_matrix(const solve_options *o, const session *s, const spd *A, trigon_matrix *factor, results *r) {
  int64_t info = 0, n = A->matrix.rows;
  int sent = session_send(s, o, "A", &A->matrix, factor, &r->copy_seconds);
  if (sent != EXIT_DONE) return sent;
  phase p = phase_begin(progress_begin(!o->quiet, "factoring %" PRId64 " × %" PRId64, n, n), s);
  trigon_status status = trigon_potrf(s->ctx, A->uplo, *factor, NULL);
  status = phase_end(p, s->ctx, status, &info, &r->compute_seconds);
  if (status == TRIGON_OK) status = results_note_call(r, o, s, "potrf");
  if (status != TRIGON_OK) return exit_status(o->command, s->ctx, status);
  return info > 0 ? not_definite(o, A, info) : take_log_determinant(s, o->command, factor, &r->log_determinant);
}

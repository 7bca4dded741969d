/* session.c - a matrix that is to be factored and the contexts that compute with it. */
#include "session.h"
#include "../command.h"
#include "../command_line.h"
#include "../dense.h"
#include "../files/path.h"
#include "../report.h"
#include "../transfer.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

const trigon_scalar plus_one = {1, 0}, minus_one = {-1, 0}, zero = {0, 0};

/* ------------------------------------------------------------------------------------- beginning and end -- */

static int create(session *s) {
  char why[WHY_SIZE];
  const char *command = s->options->command;
  if (trigon_create(s->options->backend, &s->ctx, why, sizeof why) != TRIGON_OK) return failed(command, "%s", why);
  s->host = s->ctx;
  if (!trigon_on_host(s->ctx) && trigon_create("cpu", &s->host, why, sizeof why) != TRIGON_OK)
    return failed(command, "%s", why);
  return EXIT_DONE;
}

static int read_matrix(session *s) {
  const solve_options *o = s->options;
  trigon_uplo uplo = o->uplo && *o->uplo == 'u' ? TRIGON_UPPER : TRIGON_LOWER;
  double begun = seconds_now();
  progress *shown = progress_begin(!o->quiet, "reading %s", input_name(o->operands[0]));
  int status = spd_read(o->command, o->operands[0], o->uplo ? &uplo : NULL, o->quiet, &s->A);
  progress_end(shown);
  s->read_seconds = seconds_now() - begun;
  return status;
}

static void close_session(session *s) {
  spd_free(&s->A);
  if (s->host != s->ctx) trigon_destroy(s->host);
  trigon_destroy(s->ctx);
}

int session_run(const solve_syntax *form, session_work *work, int argc, char **argv) {
  solve_options options;
  int status = solve_options_parse(form, argc, argv, &options);
  if (status != PARSED) return status;
  session s = {.options = &options};
  results r = {.json = options.json, .quiet = options.quiet, .width = 17};
  r.to = writes_to_stdout(&options) ? stderr : stdout;
  status = create(&s);
  if (status == EXIT_DONE) status = read_matrix(&s);
  if (status == EXIT_DONE) status = session_release(&s, &s.there, work(&s, &r));
  results_end(&r);
  close_session(&s);
  return status;
}

/* ------------------------------------------------------------------------------------------------ failures -- */

int session_called(const session *s, const trigon_context *ctx, trigon_status status) {
  if (status == TRIGON_OK) return EXIT_DONE;
  const char *message = trigon_message(ctx);
  return failed(s->options->command, "%s", *message ? message : trigon_status_string(status));
}

int session_no_memory(const session *s) { return failed(s->options->command, "out of memory"); }

/* ----------------------------------------------------------------------------------------- there and back -- */

int session_send(session *s, const char *name, const trigon_matrix *M, trigon_matrix *there) {
  const solve_options *o = s->options;
  double begun = seconds_now();
  progress *shown = progress_begin(!o->quiet && s->host != s->ctx, "copying %s to %s", name, o->backend);
  trigon_status status = place(s->ctx, M, there);
  progress_end(shown);
  s->copy_seconds += seconds_now() - begun;
  if (status != TRIGON_NO_MEMORY) return session_called(s, s->ctx, status);
  return failed(o->command, "%s, %" PRId64 " × %" PRId64 " of type %c, does not fit: %s", name, M->rows, M->cols,
                M->type, trigon_message(s->ctx));
}

int session_fetch(session *s, const trigon_matrix *there, const trigon_matrix *M) {
  double begun = seconds_now();
  trigon_status status = fetch(s->ctx, there, M);
  s->copy_seconds += seconds_now() - begun;
  return session_called(s, s->ctx, status);
}

int session_release(const session *s, trigon_matrix *there, int status) {
  trigon_status freed = unplace(s->ctx, there);
  return status == EXIT_DONE ? session_called(s, s->ctx, freed) : status;
}

/* ---------------------------------------------------------------------------------------------------- work -- */

trigon_status session_finish(session *s, phase p, trigon_status status, int64_t *info) {
  if (status == TRIGON_OK) status = trigon_finish(s->ctx, info);
  s->compute_seconds += seconds_now() - p.begun;
  progress_end(p.shown);
  return status;
}

/* Adds `amount` to the diagonal, in A and in the copy that spd keeps. Returns whether rounding left a change. */
static bool shift_diagonal(spd *A, double amount) {
  bool changed = false;
  for (int64_t i = 0; i < A->matrix.rows; i++) {
    double *kept = A->diagonal + 2 * i, before = kept[0];
    kept[0] += amount;
    dense_store(&A->matrix, i, i, 1, kept);
    dense_load(&A->matrix, i, i, 1, kept);
    changed |= kept[0] != before;
  }
  return changed;
}

static double diagonal_mean(const spd *A) {
  int64_t n = A->matrix.rows;
  double mean = 0;
  for (int64_t i = 0; i < n; i++) mean += A->diagonal[2 * i] / (double)n; /* a sum of large elements may overflow */
  return mean;
}

int session_add_jitter(session *s) {
  const solve_options *o = s->options;
  if (o->jitter == 0) return EXIT_DONE;
  s->jitter_added = o->jitter * diagonal_mean(&s->A);
  bool changed = shift_diagonal(&s->A, s->jitter_added);
  s->A.norm = dense_norm1(&s->A.matrix);
  if (!isfinite(s->A.norm)) return failed(o->command, "--jitter %s: the diagonal overflows", o->jitter_text);
  if (!changed && s->A.matrix.rows > 0 && !o->quiet)
    note(o->command, "--jitter %s changes nothing: it is lost in rounding", o->jitter_text);
  return EXIT_DONE;
}

/* The jitter proposed is well above rounding and well below what the data are likely to be worth. */
static int not_definite(const session *s, int64_t info) {
  const solve_options *o = s->options;
  bool jittered = o->jitter > 0;
  double mean = diagonal_mean(&s->A);
  if (mean <= 0)
    return failed(
        o->command,
        "A is not positive definite, and no --jitter makes it so: the mean of its diagonal is %.3g, not positive",
        mean);
  const char *enough = type_roundoff(s->A.matrix.type) < 1e-12 ? "1e-10" : "1e-06";
  return failed(o->command,
                "A is not positive definite%s%s: its leading minor of order %" PRId64
                " fails; check that A is symmetric positive definite, or try %s--jitter%s%s",
                jittered ? " with --jitter " : "", jittered ? o->jitter_text : "", info, jittered ? "a larger " : "",
                jittered ? "" : " ", jittered ? "" : enough);
}

/* The sum of the logarithms is formed where the factor is; one number comes back. */
static int find_log_determinant(session *s) {
  trigon_matrix host = {&s->log_determinant, TRIGON_D, 1, 1, 1}, there = {0};
  trigon_status status = place(s->ctx, &host, &there);
  if (status == TRIGON_OK) status = trigon_logdet(s->ctx, s->there, there.data);
  if (status == TRIGON_OK) status = trigon_finish(s->ctx, NULL);
  if (status == TRIGON_OK) status = fetch(s->ctx, &there, &host);
  return session_release(s, &there, session_called(s, s->ctx, status));
}

int session_factor(session *s) {
  const trigon_matrix *A = &s->there;
  int64_t info = 0;
  int sent = session_send(s, "A", &s->A.matrix, &s->there);
  if (sent != EXIT_DONE) return sent;
  phase p = {progress_begin(!s->options->quiet, "factoring %" PRId64 " × %" PRId64, A->rows, A->cols), seconds_now()};
  trigon_status status = session_finish(s, p, trigon_potrf(s->ctx, s->A.uplo, *A, NULL), &info);
  if (status == TRIGON_OK && info > 0) return not_definite(s, info);
  return status == TRIGON_OK ? find_log_determinant(s) : session_called(s, s->ctx, status);
}

static trigon_uplo opposite(trigon_uplo uplo) { return uplo == TRIGON_LOWER ? TRIGON_UPPER : TRIGON_LOWER; }

trigon_status session_multiply(session *s, trigon_scalar alpha, trigon_matrix X, trigon_scalar beta, trigon_matrix Y) {
  spd_swap_diagonal(&s->A);
  trigon_status status = trigon_hemm(s->host, TRIGON_LEFT, opposite(s->A.uplo), alpha, s->A.matrix, X, beta, Y);
  spd_swap_diagonal(&s->A);
  return status;
}

bool session_blocks(const session *s, int64_t columns, trigon_matrix *X, trigon_matrix *Y) {
  const trigon_matrix *A = &s->A.matrix;
  if (!dense_alloc(A->type, A->rows, columns, X)) return false;
  if (dense_alloc(A->type, A->rows, columns, Y)) return true;
  free(X->data);
  X->data = NULL;
  return false;
}

/* session.c - a matrix that is to be factored and the contexts that compute with it. */
#include "session.h"
#include "command.h"
#include "dense.h"
#include "options.h"
#include "placed.h"

#include <inttypes.h>
#include <stdlib.h>

enum { WHY_SIZE = 1024 };

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
  progress *shown = progress_begin(!o->quiet, "reading %.60s", o->operands[0]);
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
  results r = {.quiet = options.quiet, .width = 17};
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
  progress *shown = progress_begin(!o->quiet && s->host != s->ctx, "copying %s to %.60s", name, o->backend);
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

static int not_definite(const session *s, int64_t info) {
  return failed(s->options->command,
                "A is not positive definite: the leading minor of order %" PRId64 " failed (pivot %" PRId64 ")", info,
                info);
}

int session_factor(session *s) {
  const trigon_matrix *A = &s->there;
  int64_t info = 0;
  int sent = session_send(s, "A", &s->A.matrix, &s->there);
  if (sent != EXIT_DONE) return sent;
  phase p = {progress_begin(!s->options->quiet, "factoring %" PRId64 " × %" PRId64, A->rows, A->cols), seconds_now()};
  trigon_status status = session_finish(s, p, trigon_potrf(s->ctx, s->A.uplo, *A, NULL), &info);
  if (status == TRIGON_OK && info > 0) return not_definite(s, info);
  return session_called(s, s->ctx, status);
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

/* session.c - creates contexts, copies matrices, waits for calls. */
#include "session.h"
#include "../command.h"
#include "../matrix/transfer.h"
#include "../report.h"

#include <inttypes.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ contexts -- */

/* Whether the context's calls are done when they return, on matrices in host memory. */
static bool computes_at_once(const solve_options *o) { return strncmp(o->backend, "cpu", 3) == 0; }

int session_open(const solve_options *o, session *s) {
  char why[WHY_SIZE];
  *s = (session){NULL, NULL};
  if (trigon_create(o->backend, &s->ctx, why, sizeof why) != TRIGON_OK) return failed(o->command, "%s", why);
  s->host = s->ctx;
  if (set_fp64_mode(s->ctx, &o->fp64) != TRIGON_OK) return failed(o->command, "%s", trigon_message(s->ctx));
  const char *host = computes_at_once(o) ? o->backend : "cpu";
  if ((!computes_at_once(o) || o->fp64.given) && trigon_create(host, &s->host, why, sizeof why) != TRIGON_OK)
    return failed(o->command, "%s", why);
  return EXIT_DONE;
}

void session_close(session *s) {
  if (s->host != s->ctx) trigon_destroy(s->host);
  trigon_destroy(s->ctx);
}

bool session_copies(const session *s) { return !trigon_on_host(s->ctx); }

/* --------------------------------------------------------------------------------------------------- calls -- */

int exit_status(const char *command, const trigon_context *ctx, trigon_status status) {
  if (status == TRIGON_OK) return EXIT_DONE;
  const char *message = trigon_message(ctx);
  return failed(command, "%s", *message ? message : trigon_status_string(status));
}

phase phase_begin(progress *shown, const session *s) {
  progress_follow(shown, s->ctx);
  return (phase){shown, seconds_now()};
}

trigon_status phase_end(phase p, trigon_context *ctx, trigon_status status, int64_t *info, double *seconds) {
  if (status == TRIGON_OK) status = trigon_finish(ctx, info);
  *seconds += seconds_now() - p.begun;
  progress_end(p.shown);
  return status;
}

/* -------------------------------------------------------------------------------------------------- copies -- */

int session_send(const session *s, const solve_options *o, const char *name, const trigon_matrix *M,
                 trigon_matrix *copy, double *seconds) {
  double begun = seconds_now();
  progress *shown = progress_begin(!o->quiet && session_copies(s), "copying %s to %s", name, o->backend);
  trigon_status status = transfer_to(s->ctx, M, copy);
  progress_end(shown);
  *seconds += seconds_now() - begun;
  if (status != TRIGON_NO_MEMORY) return exit_status(o->command, s->ctx, status);
  return failed(o->command, "%s, %" PRId64 " × %" PRId64 " of type %c, does not fit: %s", name, M->rows, M->cols,
                M->type, trigon_message(s->ctx));
}

int session_fetch(const session *s, const char *command, const trigon_matrix *copy, const trigon_matrix *M,
                  double *seconds) {
  double begun = seconds_now();
  trigon_status status = transfer_from(s->ctx, copy, M);
  *seconds += seconds_now() - begun;
  return exit_status(command, s->ctx, status);
}

int session_free(const session *s, const char *command, trigon_matrix *copy, int status) {
  trigon_status freed = transfer_free(s->ctx, copy);
  return status == EXIT_DONE ? exit_status(command, s->ctx, freed) : status;
}

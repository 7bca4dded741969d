/* session.h - a matrix that is to be factored and the contexts that compute with it: what solve, factor and invert
 * share. Functions that return an int return EXIT_DONE, or say on standard error what failed and return EXIT_FAILED. */
#ifndef TRIGON_CLI_SOLVE_SESSION_H
#define TRIGON_CLI_SOLVE_SESSION_H

#include "../printer.h"
#include "../progress.h"
#include "options.h"
#include "spd.h"

typedef struct session {
  const solve_options *options;
  trigon_context *ctx, *host; /* the second computes on the host, and is the first if the first does, too */
  spd A;
  structure X_structure; /* how X is written: one-dimensional if B is */
  trigon_matrix there;   /* A where ctx computes */
  double read_seconds, copy_seconds, compute_seconds;
  double jitter_added; /* to each element of the diagonal */
  double log_determinant;
} session;

/* One of the commands: reads its command line, creates the contexts, reads A, and lets `work` do the rest. */
typedef int session_work(session *s, results *r);
int session_run(const solve_syntax *syntax, session_work *work, int argc, char **argv);

/* What became of a library call. */
int session_called(const session *s, const trigon_context *ctx, trigon_status status);

/* Says that memory is short. */
int session_no_memory(const session *s);

/* Work that is shown while it lasts, and whose time counts. */
typedef struct phase {
  progress *shown;
  double begun;
} phase;

/* Waits for the call that gave this status and ends its phase. Its info, which lives where matrices live, is asked for
 * here if `info` is not NULL. */
trigon_status session_finish(session *s, phase phase, trigon_status status, int64_t *info);

/* Makes `name` known to the context that computes: on a device, copies it there. And copies it back. session_release
 * gives up the copy, and returns the first failure. */
int session_send(session *s, const char *name, const trigon_matrix *M, trigon_matrix *there);
int session_fetch(session *s, const trigon_matrix *there, const trigon_matrix *M);
int session_release(const session *s, trigon_matrix *there, int status);

/* Adds --jitter to the diagonal of A. Results and residuals are those of the changed A. To be called when A's type is
 * known, before A is used. */
int session_add_jitter(session *s);

/* Factors A where ctx has it, and takes the logarithm of its determinant from the factor. */
int session_factor(session *s);

/* Y = A·X·alpha + Y·beta with the A that was read, on the host, from the triangle that is not being factored. */
trigon_status session_multiply(session *s, trigon_scalar alpha, trigon_matrix X, trigon_scalar beta, trigon_matrix Y);

/* Two blocks of `columns` vectors of A's type, which the caller frees. Returns false, with nothing to free, if memory is
 * short. */
bool session_blocks(const session *s, int64_t columns, trigon_matrix *X, trigon_matrix *Y);

extern const trigon_scalar plus_one, minus_one, zero;

#endif

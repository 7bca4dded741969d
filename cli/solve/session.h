/* session.h - the contexts with which solve, factor and invert compute, and copies of matrices to them and back.
 *
 * Functions that return an int return EXIT_DONE, or say on standard error what failed and return EXIT_FAILED. */
#ifndef TRIGON_CLI_SOLVE_SESSION_H
#define TRIGON_CLI_SOLVE_SESSION_H

#include "../progress.h"
#include "solve_options.h"

typedef struct session {
  trigon_context *ctx;  /* computes, as --backend and --fp64 say */
  trigon_context *host; /* computes residuals on the host by native products; ctx itself if ctx does the same */
} session;

/* Creates the contexts. session_close is to be called in either case. */
int session_open(const solve_options *options, session *s);
void session_close(session *s);

/* Whether ctx computes on a device, with copies of the matrices. */
bool session_copies(const session *s);

/* Stores in *copy the matrix with which ctx computes in place of M, which messages call `name`: a copy on the device,
 * or M itself on the host. Adds the time to *seconds. */
int session_send(const session *s, const solve_options *options, const char *name, const trigon_matrix *M,
                 trigon_matrix *copy, double *seconds);

/* Copies *copy back to M, and adds the time to *seconds. */
int session_fetch(const session *s, const char *command, const trigon_matrix *copy, const trigon_matrix *M,
                  double *seconds);

/* Frees *copy, which may be zeros, on a device. Returns `status` if it is a failure. */
int session_free(const session *s, const char *command, trigon_matrix *copy, int status);

/* The exit status for the status of a library call, whose message is printed if it failed. */
int exit_status(const char *command, const trigon_context *ctx, trigon_status status);

/* Work whose progress is shown, and whose time counts. */
typedef struct phase {
  progress *shown;
  double begun;
} phase;

/* Begins a phase of the session's ctx. */
phase phase_begin(progress *shown, const session *s);

/* Ends the phase: waits for the call that returned `status`, and adds the time since the phase began to *seconds. If
 * info is not NULL, stores the call's info, as trigon_finish does. */
trigon_status phase_end(phase phase, trigon_context *ctx, trigon_status status, int64_t *info, double *seconds);

#endif

/* solve_run.h - runs one of the commands solve, factor and invert, from its command line to its exit status. */
#ifndef TRIGON_SOLVE_RUN_H
#define TRIGON_SOLVE_RUN_H

#include "results.h"
#include "session.h"
#include "spd.h"

/* The work of one command on the matrix A, which has been read. Returns the exit status. */
typedef int command_work(const solve_options *options, const session *s, spd *A, results *r);

/* Reads the command line, creates the contexts, reads A, and calls `work`. Returns the exit status. */
int run_with_matrix(const solve_syntax *form, command_work *work, int argc, char **argv);

#endif

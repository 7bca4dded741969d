/* results.h - what solve, factor and invert found out and how long it took; how they print, judge and write it. */
#ifndef TRIGON_CLI_SOLVE_RESULTS_H
#define TRIGON_CLI_SOLVE_RESULTS_H

#include "../files/matrix_file.h"
#include "../printer.h"
#include "session.h"
#include "solve_options.h"
#include "spd.h"

enum { MOST_CALLS = 2 };

typedef struct results {
  printer printer;
  double read_seconds, copy_seconds, compute_seconds;
  double jitter_added; /* to each element of the diagonal */
  double log_determinant;
  struct {
    const char *name;
    trigon_fp64_report fp64;
  } call[MOST_CALLS]; /* what each call emulated, if --fp64 was given */
  int calls;
} results;

/* Notes what the last call of ctx emulated, if --fp64 was given. `name` is the call's. */
trigon_status results_note_call(results *r, const solve_options *options, const session *s, const char *name);

/* Prints which matrix was read, and what was added to its diagonal. */
void results_input(results *r, const solve_options *options, const spd *A);

/* Prints the backend, the mode of products, the times, the speed and the log-determinant. `work` says what took
 * compute_seconds; `flops` are those over real types. */
void results_times(results *r, const solve_options *options, const session *s, trigon_type type, const char *work,
                   double flops);

/* How many random vectors the residuals of factor and invert are taken on. */
enum { RANDOM_VECTORS = 4 };

/* A residual relative to n and norms: residual / (n · norms[0] · norms[1] ...). NaN if a norm is infinite, so that
 * overflow does not pass for an exact result. */
double relative_residual(int64_t n, double residual, const double *norms, int count);

/* Prints an error in units of the type's u, and whether it is below the limit. Returns EXIT_DONE or, with a message,
 * EXIT_FAILED. */
int judge_error(printer *p, const solve_options *options, trigon_type type, const char *key, const char *label,
                double error);

/* Writes X to the output file, if the command line names one, and prints so under this label. Returns the exit
 * status. */
int write_output(printer *p, const solve_options *options, const char *label, const trigon_matrix *X,
                 file_structure kind);

#endif

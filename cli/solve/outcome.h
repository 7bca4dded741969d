/* outcome.h - what solve, factor and invert tell of their work, how they judge it, and the file that they write. */
#ifndef TRIGON_CLI_SOLVE_OUTCOME_H
#define TRIGON_CLI_SOLVE_OUTCOME_H

#include "../printer.h"
#include "session.h"

/* How many random vectors a residual is taken on. */
enum { RANDOM_VECTORS = 4 };

/* Tells which matrix was read, and what was added to it. */
void outcome_input(results *r, const session *s);

/* Tells what computed, how fast (`flops` are those for real types), and what the factor tells of A. */
void outcome_times(results *r, const session *s, const char *what, double flops);

/* Flops of the factorization, for real types. */
double factor_flops(int64_t order);

/* residual / (n · norms), n being A's order; NaN if a norm is infinite, so that overflow does not pass for exactness. */
double outcome_relative(const session *s, double residual, const double *norms, int count);

/* Tells the error, and whether it is acceptable, which the exit status says. */
int outcome_judge(results *r, const session *s, const char *key, const char *label, double error);

/* Writes X if there is a file to write, and tells so under this label. */
int outcome_write(results *r, const session *s, const char *label, const trigon_matrix *X, structure kind);

#endif

/* factorization.h - the Cholesky factorization of solve, factor and invert, with jitter and log-determinant. */
#ifndef TRIGON_CLI_SOLVE_FACTORIZATION_H
#define TRIGON_CLI_SOLVE_FACTORIZATION_H

#include "results.h"
#include "session.h"
#include "spd.h"

/* Adds --jitter to the diagonal of A, and stores in *added what each element got. Residuals are those of the changed A.
 * To be called when A's type is final, before A is used. Returns the exit status. */
int add_jitter(const solve_options *options, spd *A, double *added);

/* Factors A with the session's ctx. Stores the factor, in the memory of ctx, in *factor, which session_free frees, and
 * the times and the logarithm of A's determinant in *r. Returns the exit status. */
int factor_matrix(const solve_options *options, const session *s, const spd *A, trigon_matrix *factor, results *r);

#endif

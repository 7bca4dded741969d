/* check.h - judges what a routine computed, by the residuals of LAPACK's and MAGMA's testers, with loops of our own. */
#ifndef TRIGON_CLI_BENCH_CHECK_H
#define TRIGON_CLI_BENCH_CHECK_H

#include "problem.h"

/* Stores the relative residual of the routine's identity (bench_routine.h) for the operands before and after a call.
 * Stores the limit, too, that the residual must stay below. Frobenius norms are estimated: |E| by |E·X| with a few
 * random columns X. This takes O(n²) operations, and every wrong element shows. Values without vectors of sygvd and
 * syevdx are an exception: a context of the CPU computes what they are compared with. *error is NaN if any element is
 * NaN. Returns false if memory is short. */
bool bench_check(const problem *p, const trigon_matrix *before, const trigon_matrix *after, double *error,
                 double *limit);

#endif

/* check.h - judges what a routine computed, by loops of our own and the residuals that its peers' testers use. */
#ifndef TRIGON_CLI_BENCH_CHECK_H
#define TRIGON_CLI_BENCH_CHECK_H

#include "problem.h"

/* The relative residual of the routine's identity (bench_case.h) between its operands before and after the call, and
 * how large it may be. Frobenius norms are estimated: |E| from |E·X| with a few random columns X, which costs n² and
 * which no wrong element escapes. NaN where anything is NaN; returns false where memory is short. */
bool bench_check(const bench_case *c, const trigon_matrix *before, const trigon_matrix *after, double *error,
                 double *limit);

#endif

/* solver_judge.h - judges what a call of an eigensolver has stored.
 *
 * Errors are in units of u·sqrt(n)·‖A‖₂, or of u·sqrt(n) for orthogonality, and what the smallest number of the type
 * costs is added to each unit. The bound of all is 30: LAPACK's testers have 30 and n. */
#ifndef TRIGON_TESTS_SOLVER_JUDGE_H
#define TRIGON_TESTS_SOLVER_JUDGE_H

#include "solver_calls.h"

enum { judged_bound = 30 };

typedef struct figures {
  double residual, overlap, values;
  bool is_sorted;
} figures;

/* The largest of both. */
figures worst_of(figures, figures);

/* ‖A‖₂ of the values that were found, kept between the bounds that ‖A‖F gives. */
double norm_of_values(const dense *A, const double *values);

/* The values that were stored, in memory that the caller frees. */
double *case_values(const solver_case *, int64_t count);

/* Judges all values, and all vectors if the call asked for them. If `exact` is NULL, the sums of the values and of
 * their squares are compared with A's. */
figures judge_case(const solver_case *, const dense *A, const long double *exact);

/* The largest distance of two lists of values, in the unit of values. */
double judge_values(trigon_type type, int64_t n, double norm, int64_t count, const double *a, const double *b);

/* Whether figures are good; else a text. */
const char *fault_of(figures);

#endif

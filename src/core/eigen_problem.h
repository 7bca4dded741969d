/* eigen_problem.h - what a symmetric eigenproblem is asked for, beside its matrix: values or vectors, all or a part. */
#ifndef TRIGON_EIGEN_PROBLEM_H
#define TRIGON_EIGEN_PROBLEM_H

#include <trigon_eigen.h>

#include "view.h"

typedef struct eigen_problem {
  int itype; /* SYGST, SYGVD: 1, 2 or 3, as in LAPACK */
  trigon_job job;
  trigon_range range;
  double lower, upper; /* TRIGON_RANGE_INTERVAL: values in (lower, upper] */
  int64_t first, last; /* TRIGON_RANGE_INDICES: from 1, in ascending order */
  view values;         /* n × 1, real */
  int64_t *found;      /* how many values were found, where A lives; NULL: the caller does not ask */
  void *memory;        /* the workspace, from eigen_support's `take`; NULL: the routine takes none */
  int64_t bytes;       /* of the workspace */
} eigen_problem;

static inline bool wants_vectors(const eigen_problem *p) { return p->job == TRIGON_VECTORS; }

#endif

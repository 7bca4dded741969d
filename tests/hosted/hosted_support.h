/* hosted_support.h - contexts with their matrices in host memory, and matrices for their tests. */
#ifndef TRIGON_HOSTED_SUPPORT_H
#define TRIGON_HOSTED_SUPPORT_H

#include <math.h>
#include <stdlib.h>
#include <trigon.h>

#include "support/check.h"

enum { N = 75, COLUMNS = 40, LD = N + 3 }; /* 5 tiles of 16 */

static inline trigon_context *create(const char *name) {
  char why[400];
  trigon_context *ctx = NULL;
  const trigon_status status = trigon_create(name, &ctx, why, sizeof why);
  check_that(status == TRIGON_OK, "trigon_create(\"%s\"): %s", name, why);
  return ctx;
}

/* ------------------------------------------------------------------------------------------------- matrices -- */

static inline double entry(int64_t i, int64_t j) { return 1.0 / (double)(1 + (i > j ? i - j : j - i)); }

/* A positive definite matrix, with NaN between its columns. */
static inline void fill_definite(double *A) {
  for (int64_t i = 0; i < LD * N; i++) A[i] = NAN;
  for (int64_t j = 0; j < N; j++)
    for (int64_t i = 0; i < N; i++) A[i + j * LD] = entry(i, j) + (i == j ? 3 : 0);
}

static inline void fill_columns(double *B) {
  for (int64_t i = 0; i < LD * COLUMNS; i++) B[i] = NAN;
  for (int64_t j = 0; j < COLUMNS; j++)
    for (int64_t i = 0; i < N; i++) B[i + j * LD] = cos((double)(i + 7 * j));
}

typedef struct pair {
  double A[LD * N], B[LD * COLUMNS];
} pair;

static inline void fill(pair *p) {
  fill_definite(p->A);
  fill_columns(p->B);
}

/* Whether column 3 of A times its inverse, of which the lower triangle is stored, is that of the identity. */
static inline bool is_inverse(const pair *p) {
  double worst = 0;
  for (int64_t i = 0; i < N; i++) {
    double sum = 0;
    for (int64_t k = 0; k < N; k++) sum += (entry(i, k) + (i == k ? 3 : 0)) * p->A[k >= 3 ? k + 3 * LD : 3 + k * LD];
    worst = fmax(worst, fabs(sum - (i == 3)));
  }
  return worst < 1e-12;
}

/* Factors A, solves, inverts, without a wait in between. */
static inline trigon_status compute(trigon_context *ctx, pair *p) {
  trigon_status status = trigon_dposv(ctx, TRIGON_LOWER, N, COLUMNS, p->A, LD, p->B, LD, NULL);
  if (status == TRIGON_OK)
    status =
        trigon_dtrmm(ctx, TRIGON_LEFT, TRIGON_LOWER, TRIGON_TRANS, TRIGON_NONUNIT, N, COLUMNS, 2, p->A, LD, p->B, LD);
  if (status == TRIGON_OK) status = trigon_dpotri(ctx, TRIGON_LOWER, N, p->A, LD, NULL);
  return status;
}

#endif

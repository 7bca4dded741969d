/* fp64.h - products of doubles by integer products: the host reference of the mode `int8`. */
#ifndef TRIGON_FP64_H
#define TRIGON_FP64_H

#include "../../core/engine.h"

/* fixed: the caller names the number of moduli. fast: the least number for a bound by norms. guaranteed: the least
 * number that proves |C - (αAB + βC0)| <= 2k·2^-53·|α||A||B| + 2·2^-53·|βC0| + 2^-1074 for each element. */
typedef enum fp64_grade { FP64_FIXED, FP64_FAST, FP64_GUARANTEED } fp64_grade;

/* What a call did. Tiles have 128 × 128 elements of C. */
typedef struct fp64_report {
  int moduli;                          /* 0: everything was computed natively */
  double bits;                         /* kept of each operand */
  int64_t tiles, not_finite, unproved; /* tiles; those computed natively because of NaN or infinity, or without proof */
  const char *why;                     /* why everything was computed natively, or NULL */
} fp64_report;

/* The least workspace in bytes, and one that computes C in one block. */
int64_t fp64_least_workspace(int64_t m, int64_t n);
int64_t fp64_best_workspace(int64_t m, int64_t n, int64_t k);

/* Computes a GEMM of doubles. `native` computes what falls back, and lends its threads. The result does not depend on
 * the threads nor on the size of the workspace. `moduli` is read for FP64_FIXED alone. */
trigon_status fp64_gemm(engine *native, const operation *, fp64_grade, int moduli, void *workspace, int64_t bytes,
                        fp64_report *);

#endif

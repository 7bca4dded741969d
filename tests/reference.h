/* reference.h - what a call must have done, by naive loops in higher precision.
 *
 * s and c are judged in double, d and z in long double. Where that is x86's, its 64 bits leave the judge's own error
 * a thousand times below every threshold, at a fortieth of the time that 128-bit software arithmetic takes; its range
 * holds the squares of 1e-300.
 *
 * Every routine is judged by one number, ‖P·Q·alpha + beta·C - Z‖F, in units of u times the scale that MAGMA's testers
 * divide by, and never divides by alpha:
 *   products       Z the result          3 (c·sqrt(k + 2)·|alpha|·‖P‖F·‖Q‖F + 2·|beta|·‖C‖F), c = 2 for SYR2K, HER2K
 *   TRSM, POTRS    P·X - alpha·B        30 n·‖P‖F·‖X‖F
 *   POTRF          L·Lᴴ - A             30 n·‖A‖F
 *   TRTRI, POTRI   A·X - I              30 n·‖A‖F·‖X‖F
 * plus what products below the normal range may lose. What no product enters (alpha == 0 or k == 0) must be exact. */
#ifndef TRIGON_TESTS_REFERENCE_H
#define TRIGON_TESTS_REFERENCE_H

#include "calls.h"

/* Memory that is given back all at once. */
typedef struct arena {
  unsigned char *base;
  size_t used, size;
} arena;

/* Exits the program where memory runs out, here or at the first use: a test can do nothing about it. */
arena arena_make(size_t size);
void *arena_take(arena *a, size_t bytes);
void arena_free(arena *a);

typedef struct verdict {
  double residual, threshold; /* in u of the type */
  bool held;
  const char *what; /* what was judged */
} verdict;

/* The result of a product, computed once for many judgements; opaque. For is_product routines only,
 * NULL for the others. */
typedef struct expectation expectation;

/* Whether no product of matrices enters the result: it is beta·C exactly, or zero, and A and B are not read. */
bool product_vanishes(const call *c);
/* Whether the routine returns at once by BLAS's rules, leaving everything as it was. */
bool returns_at_once(const call *c);

/* Whether the result is a product, plus a multiple of what was there; the other routines solve for something. */
bool is_product(enum tested_routine routine);

/* `before` and `after` are the same call over its matrices as they were and as they are. */
typedef struct reference_of_type {
  const expectation *(*expect)(arena *a, const call *before);
  verdict (*judge)(arena *a, const call *before, const call *after, const expectation *expected);
  /* Whether every element that cannot be finite is not, and where nan is set every one that must be NaN is. */
  verdict (*judge_nonfinite)(arena *a, const call *before, const call *after, bool nan);
} reference_of_type;

extern const reference_of_type reference_s, reference_d, reference_c, reference_z;
const reference_of_type *reference_for(trigon_type type);

#endif

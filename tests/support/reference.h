/* reference.h - what a call must have computed, by naive loops in higher precision.
 *
 * s and c are judged in double, d and z in long double. If long double is x86's type, the judge's own error is a
 * thousand times below every threshold because of its 64 bits. This type takes a fortieth of the time of 128-bit
 * software arithmetic, and its range holds the squares of 1e-300.
 *
 * Every routine is judged by one number, ‖P·Q·alpha + beta·C - Z‖F, in units of u times the scale that MAGMA's testers
 * divide by. The judge never divides by alpha:
 *   products       Z the result          3 (c·sqrt(k + 2)·|alpha|·‖P‖F·‖Q‖F + 2·|beta|·‖C‖F), c = 2 for SYR2K, HER2K
 *   TRSM, POTRS    P·X - alpha·B        30 n·‖P‖F·‖X‖F
 *   POTRF          L·Lᴴ - A             30 n·‖A‖F
 *   TRTRI, POTRI   A·X - I              30 n·‖A‖F·‖X‖F
 * To each threshold comes what products below the normal range may lose. If no product enters the result (alpha == 0
 * or k == 0), the result must be exact. */
#ifndef TRIGON_TESTS_REFERENCE_H
#define TRIGON_TESTS_REFERENCE_H

#include "calls.h"

/* Memory whose pieces are all freed at once. */
typedef struct arena {
  unsigned char *base;
  size_t used, size;
} arena;

/* Ends the program if memory runs out, here or at the first use, because a test cannot continue without memory. */
arena arena_make(size_t size);
void *arena_take(arena *a, size_t bytes);
void arena_free(arena *a);

typedef struct verdict {
  double residual, threshold; /* in units of u of the type */
  bool held;
  const char *what; /* what the judge judged */
} verdict;

/* The result of a product, computed once for many judgements. The type is opaque. Only is_product routines have an
 * expectation; for other routines the pointer is NULL. */
typedef struct expectation expectation;

/* Returns whether no product of matrices enters the result. The result is then exactly beta·C, or zero, and A and B
 * are not read. */
bool product_vanishes(const call *c);
/* Returns whether the routine returns at once by BLAS's rules and leaves everything unchanged. */
bool returns_at_once(const call *c);

/* Returns whether the result is a product plus a multiple of the old matrix. The other routines solve equations. */
bool is_product(enum tested_routine routine);

/* `before` and `after` are the same call. The matrices of `before` are those before the call; the matrices of
 * `after` are the results. */
typedef struct reference_of_type {
  const expectation *(*expect)(arena *a, const call *before);
  verdict (*judge)(arena *a, const call *before, const call *after, const expectation *expected);
  /* Checks that every element is not finite if it cannot be finite. If nan is set, also checks that every element
   * that must be NaN is NaN. */
  verdict (*judge_nonfinite)(arena *a, const call *before, const call *after, bool nan);
} reference_of_type;

extern const reference_of_type reference_s, reference_d, reference_c, reference_z;
const reference_of_type *reference_for(trigon_type type);

#endif

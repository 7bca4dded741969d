/* spectra.h - Hermitian matrices that are hard for eigensolvers: LAPACK's test types (dchkst), those of the tester of
 * tridiagonal solvers (ACM TOMS algorithm 880), and structures that break reductions. */
#ifndef TRIGON_TESTS_SPECTRA_H
#define TRIGON_TESTS_SPECTRA_H

#include "dense.h"
#include "support/matrices.h"

/* `size` is the order, `epsilon` belongs to the precision in which the matrix will be stored. */
typedef struct spectrum {
  const char *name;
  void (*fill)(dense *, double epsilon, random_stream *);
} spectrum;

extern const spectrum spectra[];
extern const int spectra_count;

/* The matrix. With `complex` a real one is multiplied by phases: the spectrum stays. */
dense spectrum_matrix(const spectrum *, int64_t n, trigon_type type, random_stream *);

/* A random Hermitian matrix. */
dense random_matrix(int64_t n, trigon_type type, random_stream *);
/* A positive definite matrix whose condition number is about 4. */
dense positive_matrix(int64_t n, trigon_type type, random_stream *);

/* Multiplies by a number so that the largest element becomes `size`. Zeros stay. */
void scale_to(dense *, double size);

#endif

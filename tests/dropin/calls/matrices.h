/* matrices.h - guarded matrices by columns or rows. What no routine may read is NaN. */
#ifndef TRIGON_TESTS_DROPIN_MATRICES_H
#define TRIGON_TESTS_DROPIN_MATRICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct number_type {
  char letter;
  int real_bytes, parts; /* a complex number has two parts */
} number_type;
extern const number_type types[4];

/* Twice the unit roundoff. */
double epsilon_of(number_type type);

/* The part of a matrix that a routine uses. STRICT leaves the diagonal out. */
enum shape { NO_MATRIX, ALL, LOWER, UPPER };
enum content {
  RANDOM,     /* in [-1, 1] */
  TRIANGLE,   /* well-conditioned, with a real diagonal */
  POSITIVE,   /* positive definite and well-conditioned */
  NOT_NUMBERS /* NaN */
};

typedef struct matrix {
  number_type type;
  int64_t rows, cols, ld;
  bool by_rows;
  bool is_vector; /* a column by rows, so that ld is the distance of its elements */
  enum shape shape;
  bool strict;
  enum content content;
  bool is_written;      /* by the routine */
  unsigned char *block; /* guard, matrix, guard */
  size_t bytes;
} matrix;

/* The rows of a column of the memory, and how many columns the memory has. */
static inline int64_t memory_rows(const matrix *M) { return M->by_rows ? M->cols : M->rows; }
static inline int64_t memory_cols(const matrix *M) { return M->by_rows ? M->rows : M->cols; }

void matrix_fill(matrix *M);
matrix matrix_copy(const matrix *M);
void *matrix_data(const matrix *M);
double matrix_get(const matrix *M, int64_t i, int64_t j, int part);
void matrix_put(matrix *M, int64_t i, int64_t j, int part, double value);

/* Whether all bytes are the same. */
bool matrices_are_same(const matrix *A, const matrix *B);
/* Whether all bytes outside the shape are the same. */
bool matrices_agree_outside(const matrix *A, const matrix *B);
/* The largest difference inside the shape. What is not finite must be equal: otherwise the result is HUGE_VAL. */
double matrices_difference(const matrix *A, const matrix *B);

/* The next number of a fixed sequence, in [-1, 1], and below a count. */
double next_unit(void);
int next_below(int count);

#endif

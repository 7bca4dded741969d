/* problem.h - a problem to be benchmarked: a routine with its type, variant and sizes. */
#ifndef TRIGON_CLI_BENCH_PROBLEM_H
#define TRIGON_CLI_BENCH_PROBLEM_H

#include "bench_routine.h"

#include <trigon_eigen.h>

enum { MOST_VARIANT = 8 };

typedef struct problem {
  const bench_routine *routine;
  trigon_type type;
  char variant[MOST_VARIANT];
  trigon_side side;
  trigon_uplo uplo;
  trigon_op op[2];
  trigon_diag diag;
  trigon_job job;
  int64_t size[SIZES];
  bool hard;     /* see random_fill_hard: the triangle's diagonal tiles have no usable inverses */
  double spread; /* of the sizes of the elements: see random_fill_spread */
} problem;

/* Sets the variant, and the flags that its letters stand for. The routine and the type must be set. Returns false if
 * they have no such variant. */
bool problem_set_variant(problem *p, const char *variant);

/* Stores variant number i, from 0, of a routine. Returns false if the type does not have that one, or if i is behind
 * the last one (*end). Real types lack the variants with C, which would repeat those with T. */
bool problem_variant(const bench_routine *r, trigon_type type, int i, char variant[MOST_VARIANT], bool *end);

/* Whether both have the same routine, type and variant. */
bool same_group(const problem *a, const problem *b);

/* The value of the size with this letter. */
int64_t problem_size(const problem *p, char size);

/* How many values an eigensolver computes. */
int64_t problem_values(const problem *p);

/* The letters of the sizes that are the rows and columns of an operand as it is stored, or 1. */
typedef struct shape_letters {
  char rows, cols;
} shape_letters;
shape_letters problem_letters(const problem *p, int operand);

/* The shape of an operand as it is stored. */
void problem_shape(const problem *p, int operand, int64_t *rows, int64_t *cols);

/* The GEMM of the same sizes and type: the ceiling. */
problem problem_gemm(const problem *p);

double problem_flops(const problem *p);

/* Bytes that a call must move at least: each stored element that the call reads, once, and each that it writes, once. A
 * triangle or half of order n has n(n+1)/2 elements, a unit triangle n(n-1)/2. */
double problem_bytes(const problem *p);

#endif

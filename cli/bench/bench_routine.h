/* bench_routine.h - the routines that can be benchmarked: a table of their names, sizes, operands, flops and
 * identities. */
#ifndef TRIGON_BENCH_ROUTINE_H
#define TRIGON_BENCH_ROUTINE_H

#include <stdbool.h>
#include <stddef.h>
#include <trigon.h>

enum { MOST_OPERANDS = 3, MOST_ROUTINES = 32 };

/* The sizes m, n and k, and their letters in this order. What flops depend on: the sizes, and whether vectors are
 * computed. */
enum { M, N, K, SIZES, VECTORS = SIZES, COUNTED };
extern const char size_letters[];

/* Which matrix a stored operand stands for: all of it; a triangle; the symmetric or the Hermitian matrix of which it
 * holds one triangle; the diagonal matrix whose real elements begin the column (spectrum.h). */
typedef enum form { FULL, TRIANGLE, SYMMETRIC_HALF, HERMITIAN_HALF, DIAGONAL } form;

/* An operand, stored as `rows` × `cols` (letters of sizes, or 1). The two change places if transposed_by is 's' and
 * side is RIGHT, or if transposed_by is 'a' or 'b' and the first or second op transposes: the routine then sees
 * op(stored matrix). */
typedef struct bench_operand {
  char rows, cols, transposed_by;
  form before, after; /* before the call and after it; the same for inputs */
  bool dominant;      /* diagonally dominant, so that it is well conditioned, and positive definite if it is a half */
  bool written;
} bench_operand;

struct problem;
typedef trigon_status routine_call(trigon_context *ctx, const struct problem *p, const trigon_matrix *X);

typedef struct bench_routine {
  const char *name;
  const char *choices; /* what the letters of a variant choose: Side, Uplo, Op, Diag, Job */
  const char *default_variant;
  const char *sizes;                    /* the letters of the sizes that it has */
  const char *gemm_sizes;               /* m, n and k of the GEMM that is its ceiling, if side is LEFT */
  char refused_op;                      /* the letter of an op that complex types do not have, or 0 */
  double (*flops)(const double *sizes); /* of m, n, k, and 1 with vectors or 0, over real types */
  routine_call *call;
  bench_operand operand[MOST_OPERANDS];
  /* The identity that holds after the call, as a sum of signed products that is zero. Small letters are the operands
   * (a, b, c) before the call, capitals are the operands after it; ' transposes, and conjugates unless `plain`; an
   * empty product is the unit matrix. The second identity holds for side RIGHT or, if there is no side, for UPPER. */
  const char *identity[2];
  const char *norms; /* the residual of the identity is judged relative to the product of these products' norms, */
  char inner;        /* times sqrt(this size + 2) if is_product, else times this size, */
  char added;        /* plus twice the norm of this operand, if not 0 */
  bool is_product, plain;
  /* A letter for each solve with the triangle that is the first operand: l as the flags say, from the left if there are
   * none; t with the transposed triangle, or from the right. */
  const char *solves;
} bench_routine;

/* The routine whose name is the first `length` bytes of `name`, or NULL. */
const bench_routine *routine_find(const char *name, size_t length);

/* Stores all names, separated by blanks. */
enum { MOST_NAMES = 8 * MOST_ROUTINES };
void routine_names(char names[MOST_NAMES]);

/* Whether the routine has this size. */
bool routine_has(const bench_routine *r, char size);

/* How many operands the routine has. */
int routine_operands(const bench_routine *r);

/* Whether it is an eigensolver. Its operands are A, B of a generalized problem, and the values. With vectors both
 * identities hold; without vectors spectrum.h judges the values. No context hands the routine to a BLAS, so that native
 * calls LAPACK's routine itself. */
bool routine_is_eigen(const bench_routine *r);

/* Whether it is one of a generalized problem; whether it computes the k smallest values alone. */
bool routine_is_general(const bench_routine *r);
bool routine_is_part(const bench_routine *r);

/* M, N or K for a letter of size_letters. */
int size_index(char size);

#endif

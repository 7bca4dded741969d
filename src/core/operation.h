/* operation.h - one call of a routine, public or a leaf: its flags, scalars and operands, its sizes, its work. */
#ifndef TRIGON_OPERATION_H
#define TRIGON_OPERATION_H

#include "eigen_problem.h"
#include "matrix_batch.h"
#include "routine.h"
#include "view.h"

/* If the routine lacks an operand, that view is empty. If the routine lacks a flag or a scalar, that member is 0. */
typedef struct operation {
  routine routine;
  trigon_side side;
  trigon_uplo uplo;
  trigon_op op, opB;
  trigon_op adjoint; /* SYRK, SYR2K, SYMM: TRIGON_TRANS if symmetric, TRIGON_CONJTRANS if Hermitian */
  trigon_diag diag;
  bool vectors;              /* a routine of BLAS's level 2: operands are vectors, which may have increments */
  bool both;                 /* POTRI, of batches: the other triangle is written, too */
  trigon_scalar alpha, beta; /* in the precision of the matrices */
  view A, B, C;
  int64_t column; /* how many columns of the caller's matrix come before A's first column */
  bool in_batch;  /* one matrix of a batch: each leading dimension must fit, even if no address depends on it */
  bool continues; /* a later step of the caller's call: what is told about the call goes on */
  int64_t *info;
  double *logdet;
  const eigen_problem *eigen; /* what an eigenproblem is asked for; else NULL */
  const matrix_batch *batch;  /* the operands, if not NULL; then A has a type alone, and each matrix has its own info */
} operation;

/* The sizes of an operation by BLAS's letters. k is the inner size, or the number of right-hand sides. */
typedef struct sizes {
  int64_t m, n, k;
} sizes;

static inline sizes sizes_of(const operation *o) {
  const bool transposed = o->op != TRIGON_NOTRANS;
  switch (o->routine) {
  case ROUTINE_GEMM: return (sizes){o->C.m, o->C.n, transposed ? o->A.m : o->A.n};
  case ROUTINE_SYRK:
  case ROUTINE_SYR2K: return (sizes){0, o->C.m, transposed ? o->A.m : o->A.n};
  case ROUTINE_SYMM: return (sizes){o->C.m, o->C.n, 0};
  case ROUTINE_TRMM:
  case ROUTINE_TRSM: return (sizes){o->B.m, o->B.n, 0};
  default: return (sizes){0, o->A.m, o->B.n};
  }
}

/* The order of the triangle, of the symmetric matrix, or of C in an update. */
static inline int64_t order_of(const operation *o) {
  return o->routine == ROUTINE_SYRK || o->routine == ROUTINE_SYR2K ? o->C.n : o->A.n;
}

/* Whether an operand is a vector whose neighbours are apart. */
static inline bool has_increments(const operation *o) { return (o->A.gap | o->B.gap | o->C.gap) != 0; }

/* Routines that read a diagonal, and compute nothing that is shared or handed to a BLAS. */
static inline bool only_reads_diagonal(const operation *o) {
  return o->routine == ROUTINE_LOGDET || o->routine == ROUTINE_CHECK_DIAGONAL;
}

/* Whether the operation neither multiplies, solves nor factors: its output is empty, or is only scaled. */
static inline bool is_trivial(const operation *o) {
  if (o->batch) return o->batch->count == 0;
  const sizes s = sizes_of(o);
  switch (o->routine) {
  case ROUTINE_GEMM: return s.m == 0 || s.n == 0 || s.k == 0 || is_zero(o->alpha);
  case ROUTINE_SYRK:
  case ROUTINE_SYR2K: return s.n == 0 || s.k == 0 || is_zero(o->alpha);
  case ROUTINE_TRMM:
  case ROUTINE_TRSM:
  case ROUTINE_SYMM: return s.m == 0 || s.n == 0 || is_zero(o->alpha);
  case ROUTINE_POTRS: return s.n == 0 || s.k == 0;
  case ROUTINE_CHECK_DIAGONAL:
  case ROUTINE_LOGDET: return true;
  default: return s.n == 0;
  }
}

/* Real flops of one block (a complex multiply-add counts 8), and the bytes of its operands that are read and written.
 * Both are 0 for composite routines, and for routines that only read a diagonal. */
typedef struct workload {
  double flops, bytes;
} workload;
workload work_of(const operation *o);

/* ------------------------------------------------------------------------------------- operations as formulas --
 * The arguments have the order of the formula. */

/* C = alpha·op(A)·op(B) + beta·C */
static inline operation gemm(trigon_op op, trigon_op opB, trigon_scalar alpha, view A, view B, trigon_scalar beta,
                             view C) {
  return (operation){
      .routine = ROUTINE_GEMM, .op = op, .opB = opB, .alpha = alpha, .A = A, .B = B, .beta = beta, .C = C};
}

/* B = alpha·op(A)·B, or B = alpha·B·op(A) */
static inline operation trmm(trigon_side side, trigon_uplo uplo, trigon_op op, trigon_diag diag, trigon_scalar alpha,
                             view A, view B) {
  return (operation){
      .routine = ROUTINE_TRMM, .side = side, .uplo = uplo, .op = op, .diag = diag, .alpha = alpha, .A = A, .B = B};
}

/* op(A)·X = alpha·B, or X·op(A) = alpha·B */
static inline operation trsm(trigon_side side, trigon_uplo uplo, trigon_op op, trigon_diag diag, trigon_scalar alpha,
                             view A, view B) {
  operation o = trmm(side, uplo, op, diag, alpha, A, B);
  o.routine = ROUTINE_TRSM;
  return o;
}

/* C = alpha·A·Aᴴ + beta·C, or alpha·Aᴴ·A + beta·C */
static inline operation herk(trigon_uplo uplo, trigon_op op, trigon_scalar alpha, view A, trigon_scalar beta, view C) {
  return (operation){.routine = ROUTINE_SYRK,
                     .adjoint = TRIGON_CONJTRANS,
                     .uplo = uplo,
                     .op = op,
                     .alpha = alpha,
                     .A = A,
                     .beta = beta,
                     .C = C};
}

/* C = alpha·A·Bᴴ + conj(alpha)·B·Aᴴ + beta·C, or alpha·Aᴴ·B + conj(alpha)·Bᴴ·A + beta·C */
static inline operation her2k(trigon_uplo uplo, trigon_op op, trigon_scalar alpha, view A, view B, trigon_scalar beta,
                              view C) {
  operation o = herk(uplo, op, alpha, A, beta, C);
  o.routine = ROUTINE_SYR2K, o.B = B;
  return o;
}

/* C = alpha·A·B + beta·C, or alpha·B·A + beta·C, with a Hermitian A */
static inline operation hemm(trigon_side side, trigon_uplo uplo, trigon_scalar alpha, view A, view B,
                             trigon_scalar beta, view C) {
  operation o = gemm(TRIGON_NOTRANS, TRIGON_NOTRANS, alpha, A, B, beta, C);
  o.routine = ROUTINE_SYMM, o.adjoint = TRIGON_CONJTRANS, o.side = side, o.uplo = uplo;
  o.op = o.opB = 0; /* flags that SYMM lacks */
  return o;
}

/* The product of matrices of which an update of rank k computes a triangle; of SYR2K, the first of two. */
static inline operation product_of_update(const operation *o) {
  const bool transposed = o->op != TRIGON_NOTRANS;
  const view right = o->routine == ROUTINE_SYR2K ? o->B : o->A;
  return gemm(o->op, transposed ? TRIGON_NOTRANS : o->adjoint, o->alpha, o->A, right, o->beta, o->C);
}

/* The product that SYMM is, if A were stored as a whole. */
static inline operation product_of_symm(const operation *o) {
  const bool left = o->side == TRIGON_LEFT;
  return gemm(TRIGON_NOTRANS, TRIGON_NOTRANS, o->alpha, left ? o->A : o->B, left ? o->B : o->A, o->beta, o->C);
}

/* The operation o with other operands. */
static inline operation over(const operation *o, view A, view B, view C) {
  operation other = *o;
  other.A = A, other.B = B, other.C = C;
  return other;
}

/* Another routine with the same flags and operands. */
static inline operation as_routine(const operation *o, routine r) {
  operation other = *o;
  other.routine = r;
  return other;
}

#endif

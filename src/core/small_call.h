/* small_call.h - a public call without views. If the order is small, views would take longer than the arithmetic. */
#ifndef TRIGON_SMALL_CALL_H
#define TRIGON_SMALL_CALL_H

#include "operation.h"

/* A call of a routine with one triangle A of order n. B is n × width, or width × n if A is on the right. If the routine
 * lacks a flag or an operand, that member is 0. */
typedef struct small_call {
  routine routine;
  trigon_type type;
  trigon_side side;
  trigon_uplo uplo;
  trigon_op op;
  trigon_diag diag;
  trigon_scalar alpha; /* in the precision of the matrices; real if they are */
  void *A, *B;
  int64_t n, width, lda, ldb;
  int64_t *info;
  const eigen_problem *eigen; /* SYEVD, in batches alone: what is asked for, and memory for all calls at once */
  void *values;
} small_call;

/* Leading dimensions beyond 32 bits are left to the checks of all arguments, which know the address space. */
static inline bool is_plain_matrix(const void *data, int64_t rows, int64_t cols, int64_t ld) {
  return data && rows > 0 && cols > 0 && ld >= rows && ld <= INT32_MAX;
}

/* Whether no argument is wrong and the call is not trivial. If not, the checks of all arguments say why. */
static inline bool is_plain(const small_call *s) {
  const bool sided = s->routine == ROUTINE_TRMM || s->routine == ROUTINE_TRSM;
  const bool solve = s->routine == ROUTINE_POTRS || s->routine == ROUTINE_POSV;
  const bool left = s->side == TRIGON_LEFT, right = s->side == TRIGON_RIGHT;
  if (!is_plain_matrix(s->A, s->n, s->n, s->lda)) return false;
  if (s->uplo != TRIGON_LOWER && s->uplo != TRIGON_UPPER) return false;
  if ((sided || s->routine == ROUTINE_TRTRI) && s->diag != TRIGON_UNIT && s->diag != TRIGON_NONUNIT) return false;
  if (!sided) return !solve || is_plain_matrix(s->B, s->n, s->width, s->ldb);
  if (s->op != TRIGON_NOTRANS && s->op != TRIGON_TRANS && s->op != TRIGON_CONJTRANS) return false;
  if (is_zero(s->alpha)) return false;
  return (left || right) && is_plain_matrix(s->B, right ? s->width : s->n, right ? s->n : s->width, s->ldb);
}

/* ------------------------------------------------------------------------------------------------- products -- */

/* A call of GEMM: op(A) is m × k, op(B) is k × n, and C is m × n. Or a call of SYRK or HERK: op(A) is m × k,
 * n is m, and one triangle of C is computed. If the routine lacks a flag or an operand, that member is 0. */
typedef struct small_product_call {
  routine routine;
  trigon_type type;
  trigon_uplo uplo;
  trigon_op op, opB, adjoint; /* `adjoint` as in operation.h */
  trigon_scalar alpha, beta;  /* in the precision of the matrices; real if they are */
  void *A, *B, *C;
  int64_t m, n, k, lda, ldb, ldc;
} small_product_call;

static inline bool is_op(trigon_op op) { return op == TRIGON_NOTRANS || op == TRIGON_TRANS || op == TRIGON_CONJTRANS; }

/* As is_plain. */
static inline bool is_plain_product(const small_product_call *s) {
  const bool plain = s->op == TRIGON_NOTRANS, plainB = s->opB == TRIGON_NOTRANS;
  if (!is_op(s->op) || is_zero(s->alpha)) return false;
  if (!is_plain_matrix(s->A, plain ? s->m : s->k, plain ? s->k : s->m, s->lda)) return false;
  if (!is_plain_matrix(s->C, s->m, s->n, s->ldc)) return false;
  if (s->routine == ROUTINE_GEMM)
    return is_op(s->opB) && is_plain_matrix(s->B, plainB ? s->k : s->n, plainB ? s->n : s->k, s->ldb);
  if (s->uplo != TRIGON_LOWER && s->uplo != TRIGON_UPPER) return false;
  return plain || s->op == s->adjoint || !type_is_complex(s->type);
}

/* -------------------------------------------------------------------------------------------------- vectors -- */

/* A call of level 2, as a routine of level 3 of width one. A is m × n, x and y are vectors. GEMM is GEMV, or GER if the
 * matrix is updated. If the routine lacks a flag or an operand, that member is 0. */
typedef struct vectors_call {
  routine routine;
  bool updates; /* the matrix is overwritten: GER, SYR, SYR2 */
  trigon_type type;
  trigon_uplo uplo;
  trigon_op op, opB, adjoint; /* as in operation.h */
  trigon_diag diag;
  trigon_scalar alpha, beta; /* in the precision of the matrix; real if it is */
  void *A, *x, *y;
  int64_t m, n, lda, incx, incy;
} vectors_call;

static inline bool is_plain_vector(const void *data, int64_t inc) {
  return data && inc != 0 && inc >= -INT32_MAX && inc <= INT32_MAX;
}

/* As is_plain. */
static inline bool is_plain_with_vectors(const vectors_call *s) {
  const bool triangle = s->routine == ROUTINE_TRMM || s->routine == ROUTINE_TRSM, general = s->routine == ROUTINE_GEMM;
  if (!is_plain_matrix(s->A, s->m, s->n, s->lda) || !is_plain_vector(s->x, s->incx) || is_zero(s->alpha)) return false;
  if (!general && s->uplo != TRIGON_LOWER && s->uplo != TRIGON_UPPER) return false;
  if ((general || triangle) && !is_op(s->op)) return false;
  if (triangle) return s->diag == TRIGON_UNIT || s->diag == TRIGON_NONUNIT;
  return s->routine == ROUTINE_SYRK || is_plain_vector(s->y, s->incy);
}

#endif

/* routine.h - the table of the routines: their names, their arguments, and the shapes of their operands. */
#ifndef TRIGON_ROUTINE_H
#define TRIGON_ROUTINE_H

#include "type.h"

/* The Hermitian forms (HERK, HER2K, HEMM) are the symmetric routines with another `adjoint`. */
typedef enum routine {
  ROUTINE_GEMM,
  ROUTINE_TRMM,
  ROUTINE_TRSM,
  ROUTINE_SYRK,
  ROUTINE_SYR2K,
  ROUTINE_SYMM,
  ROUTINE_POTRF,
  ROUTINE_INVERT, /* inverts a triangle whose diagonal holds no zero; no public routine */
  ROUTINE_LAUUM,
  ROUTINE_CHECK_DIAGONAL, /* fails at the first exact zero of a diagonal */
  ROUTINE_LOGDET,
  ROUTINE_MIRROR, /* stores the adjoint of a triangle in the other one; for POTRI of batches on the host */
  /* Routines that consist of other routines: */
  ROUTINE_TRTRI, /* CHECK_DIAGONAL, INVERT */
  ROUTINE_POTRS, /* two TRSM */
  ROUTINE_POSV,  /* POTRF, POTRS */
  ROUTINE_POTRI, /* TRTRI, LAUUM */
  ROUTINE_SYGST, /* TRSM, SYMM, SYR2K */
  ROUTINE_SYEVD, /* a reduction by SYMM and SYR2K, a tridiagonal eigenproblem, GEMM */
  ROUTINE_SYGVD, /* POTRF, SYGST, SYEVD, TRSM */
  ROUTINE_STEDC, /* the eigenproblem of a tridiagonal matrix: A and B are its diagonals, C its vectors */
  ROUTINES
} routine;

/* The flags and other arguments that a routine takes. */
enum takes {
  TAKES_SIDE = 1,
  TAKES_UPLO = 2,
  TAKES_OP = 4,
  TAKES_OPB = 8, /* GEMM alone, whose op is named opA */
  TAKES_DIAG = 16,
  TAKES_ALPHA = 32,
  TAKES_BETA = 64
};

/* The shape of an operand as the operand is stored. `rows` and `cols` are 1, the letters m, n and k (see `sizes`), or o
 * for the order of the triangle: m on the left side, n on the right side. `transposed_by` names the flag that can
 * transpose the operand: 'a' is op, 'b' is opB, 0 is no flag. Then rows and columns change places. If `rows` is 0, the
 * routine does not have the operand. */
typedef struct stored_shape {
  char rows, cols, transposed_by;
} stored_shape;

typedef struct routine_spec {
  const char *name, *hermitian; /* in small letters; `hermitian` names the Hermitian form, or is NULL */
  /* The names of the arguments behind the context, in order: in BLAS's spelling, and in the spelling over matrices. */
  const char *blas, *matrix;
  unsigned takes;
  stored_shape A, B, C;
  const char *sizes; /* the sizes of BLAS's spelling, in order; 'r' stands for a k that is named nrhs */
} routine_spec;

extern const routine_spec routine_table[ROUTINES];

/* Whether the routine reports a failure by info. */
static inline bool is_factorization(routine r) {
  return r == ROUTINE_POTRF || r == ROUTINE_CHECK_DIAGONAL || r == ROUTINE_TRTRI || r == ROUTINE_POSV ||
         r == ROUTINE_POTRI || r == ROUTINE_SYEVD || r == ROUTINE_SYGVD || r == ROUTINE_STEDC;
}

static inline bool is_composite(routine r) { return r >= ROUTINE_TRTRI; }

#endif

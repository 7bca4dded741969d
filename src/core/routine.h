/* routine.h - the routines: one table of their names, their arguments, and the shapes of their operands. */
#ifndef TRIGON_ROUTINE_H
#define TRIGON_ROUTINE_H

#include "type.h"

/* The Hermitian forms (HERK, HER2K, HEMM) are the symmetric ones with another `adjoint`. */
typedef enum routine {
  ROUTINE_GEMM,
  ROUTINE_TRMM,
  ROUTINE_TRSM,
  ROUTINE_SYRK,
  ROUTINE_SYR2K,
  ROUTINE_SYMM,
  ROUTINE_POTRF,
  ROUTINE_INVERT, /* a triangle, whose diagonal holds no zero; no public routine */
  ROUTINE_LAUUM,
  ROUTINE_CHECK_DIAGONAL, /* the first exact zero on it is a failure; no public routine */
  ROUTINE_LOGDET,
  /* Made of others: */
  ROUTINE_TRTRI, /* CHECK_DIAGONAL, INVERT */
  ROUTINE_POTRS, /* two TRSM */
  ROUTINE_POSV,  /* POTRF, POTRS */
  ROUTINE_POTRI, /* TRTRI, LAUUM */
  ROUTINES
} routine;

/* Which of the flags and other arguments a routine has. */
enum takes {
  TAKES_SIDE = 1,
  TAKES_UPLO = 2,
  TAKES_OP = 4,
  TAKES_OPB = 8, /* GEMM alone: its op is named opA then */
  TAKES_DIAG = 16,
  TAKES_ALPHA = 32,
  TAKES_BETA = 64
};

/* The shape of an operand as it is stored: letters m, n, k (see `sizes`) or o, the order of the triangle on its side.
 * `turned` names a flag: 'a' is op, 'b' is opB, 0 is no flag. If this flag transposes, rows and columns change places.
 * If the routine has no such operand, `rows` is 0. */
typedef struct shape {
  char rows, cols, turned;
} shape;

typedef struct routine_spec {
  const char *name, *hermitian; /* in small letters; of the Hermitian form, or NULL */
  /* The names of the arguments behind the context, in order, in BLAS's spelling and in that over matrices. */
  const char *blas, *matrix;
  unsigned takes;
  shape A, B, C;
  const char *sizes; /* the sizes that BLAS's spelling has, in order; 'r' stands for k named nrhs */
} routine_spec;

extern const routine_spec routine_table[ROUTINES];

static inline bool is_composite(routine r) { return r >= ROUTINE_TRTRI; }

#endif

/* calls.h - every routine of trigon.h as data, so that tests can loop over routines, flags and both spellings.
 *
 * A `call` holds the arguments of any routine. `routines` says which arguments a routine has, in which order, and
 * which shapes its matrices have. call_matrix and call_blas make the call, each in one spelling. */
#ifndef TRIGON_TESTS_CALLS_H
#define TRIGON_TESTS_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trigon.h"

enum tested_routine {
  GEMM,
  TRMM,
  TRSM,
  TRTRI,
  LAUUM,
  SYRK,
  HERK,
  SYR2K,
  HER2K,
  SYMM,
  HEMM,
  POTRF,
  POTRS,
  POSV,
  POTRI,
  TESTED_ROUTINES
};

/* The kinds of stored matrices. FACTOR is a triangle with a positive diagonal, as POTRF leaves it. */
enum storage { GENERAL, TRIANGULAR, FACTOR, SYMMETRIC, HERMITIAN, POSITIVE };

/* A matrix argument. The name is 0 after the last argument. The shape is in the call's letters; 'o' is the order of
 * the matrix on `side`. The matrix is stored transposed if the flag named by `op` says so ('a': op, 'b': opB). The
 * last member says whether the routine writes the matrix. */
typedef struct operand {
  char name, rows, cols, op;
  enum storage storage;
  bool written;
} operand;

typedef struct tested_spec {
  const char *name;
  const char *blas, *matrix; /* argument lists of both spellings after the context; names as in trigon.h */
  operand operand[3];
} tested_spec;

extern const tested_spec routines[TESTED_ROUTINES];

/* The arguments of any routine; k is also the number of right-hand sides. `stored` follows the spec's operands. */
typedef struct call {
  enum tested_routine routine;
  trigon_type type;
  trigon_side side;
  trigon_uplo uplo;
  trigon_op op, opB;
  trigon_diag diag;
  int64_t m, n, k;
  trigon_scalar alpha, beta;
  trigon_matrix stored[3];
  int64_t *info;
} call;

bool is_complex(trigon_type type);
bool is_single(trigon_type type);
size_t element_size(trigon_type type);

/* How many matrices the routine has. */
int operands(enum tested_routine routine);
/* The position, from 1, of the argument `name` in an argument list; 0 if the list does not have the argument. */
int argument_position(const char *list, const char *name);
/* Returns whether the routine has an argument of that name in its BLAS spelling. */
bool takes(enum tested_routine routine, const char *name);
/* Returns whether trigon.h accepts op for this routine and type. */
bool op_allowed(enum tested_routine routine, trigon_type type, trigon_op op);
/* Rows and columns of a matrix argument as stored. */
void operand_shape(const call *c, int index, int64_t *rows, int64_t *cols);

/* Returns whether the call exists in the BLAS spelling. The Hermitian products over s and d do not exist there. */
bool has_blas(enum tested_routine routine, trigon_type type);
trigon_status call_matrix(trigon_context *ctx, const call *c);
trigon_status call_blas(trigon_context *ctx, const call *c);

/* Writes all arguments of a call on one line. The line is enough to make the call again. */
void call_print(const call *c, char *text, size_t size);

#endif

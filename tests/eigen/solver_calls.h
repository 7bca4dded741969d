/* solver_calls.h - the functions of trigon_eigen.h as data, and their operands in guarded memory. */
#ifndef TRIGON_TESTS_SOLVER_CALLS_H
#define TRIGON_TESTS_SOLVER_CALLS_H

#include <trigon_eigen.h>

#include "dense.h"
#include "support/guarded.h"

typedef enum solver_routine { SYEVD, SYEVDX, SYGST, SYGVD, STEDC, STEBZ } solver_routine;

/* The arguments of any function. STEDC: A is Z, w is d, B is e. STEBZ: the columns of B are d and e. */
typedef struct solver_call {
  solver_routine routine;
  trigon_type type;
  int itype;
  trigon_job job;
  trigon_range range;
  trigon_uplo uplo;
  int64_t n, lda, ldb, il, iu;
  double vl, vu;
  void *A, *B, *w;
  int64_t *found, *info;
} solver_call;

trigon_status make_solver_call(trigon_context *, const solver_call *);

/* The function and its flags, in a text that lives until the next call of this function. */
const char *describe_solver_call(const solver_call *);

trigon_type real_type_of(trigon_type type);
/* The unit roundoff, the smallest positive number, and the largest finite number of a type. */
double roundoff_of(trigon_type type);
double smallest_of(trigon_type type);
double largest_of(trigon_type type);

/* A call with operands of its own. Elements that the call must not read are NaN: the other triangle, the imaginary part
 * of the diagonal of A, and all of w. `gap` is what leading dimensions are larger than the order. */
typedef struct solver_case {
  solver_call call;
  int64_t gap, info, found;
  guarded A, B, w;
} solver_case;

/* Stores the Hermitian matrices in the operands. B may be NULL, or the matrix or the factor that the call reads. */
void case_fill(solver_case *, const dense *A, const dense *B);
/* Stores the diagonals of a tridiagonal matrix in the operands of STEDC or STEBZ. */
void case_fill_tridiagonal(solver_case *, const dense *T);

/* Memory of a device for one operand: all bytes of its guarded block. */
typedef struct device_operand {
  const guarded *host;
  void *data;
} device_operand;

/* Copies an operand to the device, and returns the address of its matrix there; and back, which frees the memory. */
void *operand_upload(trigon_context *, device_operand *, const guarded *host);
void operand_take_back(trigon_context *, device_operand *);

/* Makes the call, with info and found set to numbers that no call stores. If the context's matrices live on a device,
 * the operands are copied there with their guards, and back. */
trigon_status case_run(trigon_context *, solver_case *);
/* The first write outside what the call may write, or NULL. */
const char *case_stray(const solver_case *, char *text, size_t size);
/* The first byte that differs from the operands before the call, or NULL. */
const char *case_change(const solver_case *, char *text, size_t size);
/* Value i, as the call stored it. */
double case_value(const solver_case *, int64_t i);
void case_free(solver_case *);

#endif

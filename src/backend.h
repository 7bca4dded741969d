/* backend.h - the seam: everything that the algorithms ask of a machine, and the contract between the two.
 *
 * - Calls are asynchronous and take effect as if in order. Only `finish` waits.
 * - Operands have one type and equal counts of rectangles; block i of each belongs together. An empty rectangle is
 *   allowed everywhere.
 * - beta == 0 overwrites without reading; alpha == 0 does not read A (nor B, where B is not the output).
 * - A triangle named by `uplo` is all that is read or written of a triangular, symmetric or Hermitian operand. Imaginary
 *   parts of a Hermitian diagonal are taken as zero, and written as zero.
 * - `adjoint` says which form a symmetric routine has: TRIGON_TRANS is symmetric (SYRK, SYMM), TRIGON_CONJTRANS is
 *   Hermitian (HERK, HEMM). `op` of such a routine is TRIGON_NOTRANS or `adjoint`.
 * - A factorization that fails in column j of the *stored matrix* (from 0; a view's `col` plus the column in it) records
 *   j + 1 if nothing smaller is recorded yet, and goes on: it never stops the recursion.
 * - A status other than TRIGON_OK goes back to the caller, its reason stands in `why`. Once work has
 *   begun it means that it has stopped half done, whatever its name: the caller is told TRIGON_DEVICE_FAILED. */
#ifndef TRIGON_BACKEND_H
#define TRIGON_BACKEND_H

#include "view.h"

/* Hands a failed status on to the caller. */
#define TRY(call)                                                                                                      \
  do {                                                                                                                 \
    trigon_status status_ = (call);                                                                                    \
    if (status_ != TRIGON_OK) return status_;                                                                          \
  } while (0)

/* Why a status is not TRIGON_OK; owned by the context, written by its backend. */
typedef struct reason {
  const char *argument; /* the one that is to blame, by its name in trigon.h; NULL: none of them */
  char text[320];
} reason;

/* The public routines that are made of several, or of no work that is counted. */
typedef enum composite { PROBLEM_POTRS = TRIGON_ROUTINES, PROBLEM_POSV, PROBLEM_POTRI, PROBLEM_LOGDET } composite;

/* One public call, as the backend hears of it before any work: for what it prepares, for what it runs whole. Operands that
 * the routine has not are empty, flags and scalars that it has not are 0. */
typedef struct problem {
  int routine; /* a trigon_routine or a composite */
  trigon_side side;
  trigon_uplo uplo;
  trigon_op op, opB, adjoint;
  trigon_diag diag;
  trigon_scalar alpha, beta; /* in the precision of the matrices */
  view A, B, C;
  bool trivial; /* nothing is multiplied, solved or factored: the output is empty, or scaled alone */
  int64_t *info;
  double *logdet;
} problem;

typedef struct backend backend;

/* Where the operands of a machine live, and what it takes beyond them. The contracts are those of trigon.h; arguments
 * have been checked for sign, shape and type, and nothing empty comes here, nor NULL (but for buffer and stream). NULL
 * entries, among the last five: the machine has no such thing. TRIGON_BAD_ARGUMENT names the argument. */
typedef struct storage_ops {
  bool on_host;
  trigon_status (*alloc)(backend *, int64_t bytes, void **data);
  trigon_status (*release)(backend *, void *data);
  trigon_status (*upload)(backend *, view from, view to); /* `from` on the host */
  trigon_status (*download)(backend *, view from, view to);
  trigon_status (*copy)(backend *, view from, view to);
  int64_t (*memory)(backend *); /* bytes held beyond what alloc gave */
  trigon_status (*set_workspace)(backend *, void *buffer, int64_t bytes);
  trigon_status (*reserve)(backend *, int64_t bytes);
  trigon_status (*set_stream)(backend *, void *stream);
  trigon_status (*start_timer)(backend *, double hold);
  trigon_status (*stop_timer)(backend *, double *seconds);
} storage_ops;

struct backend {
  /* C = alpha·op(A)·op(B) + beta·C */
  trigon_status (*gemm)(backend *, trigon_op opA, trigon_op opB, trigon_scalar alpha, view A, view B,
                        trigon_scalar beta, view C);

  /* Leaves: the routine of the same name on blocks for which `split` answers 0. */
  trigon_status (*trmm)(backend *, trigon_side, trigon_uplo, trigon_op, trigon_diag, trigon_scalar alpha, view A,
                        view B);
  trigon_status (*trsm)(backend *, trigon_side, trigon_uplo, trigon_op, trigon_diag, trigon_scalar alpha, view A,
                        view B);
  trigon_status (*syrk)(backend *, trigon_op adjoint, trigon_uplo, trigon_op, trigon_scalar alpha, view A,
                        trigon_scalar beta, view C);
  trigon_status (*syr2k)(backend *, trigon_op adjoint, trigon_uplo, trigon_op, trigon_scalar alpha, view A, view B,
                         trigon_scalar beta, view C);
  trigon_status (*symm)(backend *, trigon_op adjoint, trigon_side, trigon_uplo, trigon_scalar alpha, view A, view B,
                        trigon_scalar beta, view C);
  trigon_status (*potrf)(backend *, trigon_uplo, view A);
  trigon_status (*trtri)(backend *, trigon_uplo, trigon_diag, view A);
  trigon_status (*lauum)(backend *, trigon_uplo, view A);

  /* Records the first exact zero on A's diagonal as a failure. */
  trigon_status (*check_diagonal)(backend *, view A);

  /* *logdet = 2·Σ log|real part| over A's diagonal; *logdet is where A is. */
  trigon_status (*logdet)(backend *, view A, double *logdet);

  /* 0 where a leaf takes a triangle of order n (with `width` rows or columns of the other operand), else the order of
   * the first diagonal block, between 1 and n - 1. */
  int64_t (*split)(backend *, trigon_routine, trigon_type, int64_t n, int64_t width);

  /* These bracket one public call; its first failure, or 0, goes to *info, or, where that is NULL, is kept for `finish`.
   * `begin` may refuse the problem, naming the argument where one is to blame, before anything is touched: no `end`
   * follows then. Or it runs the problem, where that is not trivial, and says so in *done before it starts, whether that
   * goes well or not: nothing but `end` follows. `complete` says that no work has failed; else info is left alone. `end`
   * reports what could not be done for info. */
  trigon_status (*begin)(backend *, const problem *, bool *done);
  trigon_status (*end)(backend *, bool complete);

  /* The failure of the present call so far, from 1, as far as it is known without waiting; else 0. */
  int64_t (*failed)(backend *);

  /* Waits for everything; stores the first failure kept since the last `finish`, or 0. */
  trigon_status (*finish)(backend *, int64_t *info);

  const char *(*describe)(backend *);

  /* One sentence on what would make this machine faster, or "" if nothing is known. NULL: nothing ever is. Decorators
   * are not asked. */
  const char *(*advice)(backend *);

  void (*destroy)(backend *);

  const storage_ops *storage;
  reason *why;
};

#endif

/* engine.h - the seam: the functions that the algorithms call and that every engine provides, and their contract.
 *
 * - Calls are asynchronous and take effect as if in order. Only a machine's `finish` waits.
 * - Operands have one type and equal counts of rectangles; block i of each belongs together. An empty rectangle is
 *   allowed everywhere. Scalars are in the precision of the matrices.
 * - beta == 0 overwrites without reading; alpha == 0 does not read A (nor B, unless B is the output).
 * - Of a triangular, symmetric or Hermitian operand, an engine reads and writes the triangle `uplo` alone. Imaginary
 *   parts of a Hermitian diagonal are taken as zero, and written as zero.
 * - The `op` of a symmetric update is TRIGON_NOTRANS or the operation's `adjoint`.
 * - A factorization that fails in column j of A (from 0) records operation.column + j + 1, unless a smaller number is
 *   recorded already. Then the factorization goes on: a failure never stops the recursion.
 * - A status other than TRIGON_OK goes back to the caller, and the machine's reason says why. After `begin` such a
 *   status means that the call has stopped half done. Then TRIGON_DEVICE_FAILED stays, and any other status (the
 *   vendor's BLAS has no memory for itself, or refuses a size) becomes TRIGON_INCOMPLETE, because TRIGON_NO_MEMORY
 *   would tell the caller that nothing was written. So an engine returns TRIGON_DEVICE_FAILED only if the device, its
 *   driver or a library of its vendor has failed. If memory is missing, or a library cannot do its work, the engine
 *   returns the status that says so. */
#ifndef TRIGON_ENGINE_H
#define TRIGON_ENGINE_H

#include "machine.h"
#include "small_ops.h"

struct engine {
  /* `begin` and `end` bracket one public call. The number of the call's first failure, or 0, goes to operation.info. If
   * operation.info is NULL, the number is kept for `finish`. Only `begin` reads operation.info. `begin` may refuse the
   * operation before anything is touched. The refusal names the argument if an argument is wrong, and no `end` follows
   * a refusal. Otherwise *work is the engine that computes the call: the engine itself, or an engine that it wraps if
   * it adds nothing to the call, or NULL if the call is done already (a replayed graph). The caller calls `end` of the
   * engine whose `begin` it has called. `succeeded` says that no work has failed; if it is false, `end` does not touch
   * info. `end` fails if info could not be stored. */
  trigon_status (*begin)(engine *, const operation *, engine **work);
  trigon_status (*end)(engine *, bool succeeded);

  /* Returns 0 if `run` computes the operation. Otherwise an algorithm divides the operation, and `cut` returns the
   * order of the first diagonal block, between 1 and the operation's order - 1. For a routine that consists of other
   * routines, `cut` returns 1 then. */
  int64_t (*cut)(engine *, const operation *);
  trigon_status (*run)(engine *, const operation *);

  /* Returns the bytes of workspace with which the operation runs best, if they depend on its size, else 0. A call asks
   * its machine to lend them when it begins; with fewer, it still runs. To be asked, as `cut`, within a call. */
  int64_t (*need)(engine *, const operation *);

  /* Returns the number of the present call's first failure (from 1) if it is known without waiting, else 0. */
  int64_t (*known_failure)(engine *);

  /* Waits for the work of the engine and of its machine, and frees both. */
  void (*destroy)(engine *);

  const small_ops *small; /* NULL: every call is begun here, one after the other */
  machine *machine;
};

/* The `need` of an engine that takes the same workspace for all sizes. */
static inline int64_t needs_nothing(engine *e, const operation *o) { return (void)e, (void)o, 0; }

#endif

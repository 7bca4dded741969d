/* engine.h - the seam: what the algorithms ask of those that compute, and the contract between the two.
 *
 * - Calls are asynchronous and take effect as if in order. Only a machine's `finish` waits.
 * - Operands have one type and equal counts of rectangles; block i of each belongs together. An empty rectangle is allowed
 *   everywhere. Scalars are in the precision of the matrices.
 * - beta == 0 overwrites without reading; alpha == 0 does not read A (nor B, unless B is the output).
 * - A triangle named by `uplo` is all that is read or written of a triangular, symmetric or Hermitian operand. Imaginary
 *   parts of a Hermitian diagonal are taken as zero, and written as zero.
 * - `op` of a symmetric update is TRIGON_NOTRANS or its `adjoint`.
 * - A factorization that fails in column j of A (from 0) records operation.column + j + 1 if nothing smaller is recorded
 *   yet, and goes on: it never stops the recursion.
 * - A status other than TRIGON_OK goes back to the caller; the machine's reason says why. Behind `begin` the call has
 *   stopped half done: TRIGON_DEVICE_FAILED stays, and any other status (the vendor's BLAS has no memory for itself, or
 *   refuses a size) becomes TRIGON_INCOMPLETE, because TRIGON_NO_MEMORY would tell the caller that nothing was written.
 *   So an engine says TRIGON_DEVICE_FAILED only if the device, its driver or a library of its vendor has failed; if
 *   memory is missing, or a library cannot do what it is asked for, the engine says so. */
#ifndef TRIGON_ENGINE_H
#define TRIGON_ENGINE_H

#include "machine.h"
#include "operation.h"

typedef struct engine engine;

struct engine {
  /* `begin` and `end` bracket one public call. Its first failure, or 0, goes to operation.info or, if that is NULL, is kept
   * for `finish`; info is read by `begin` alone.
   * `begin` may refuse the operation, naming the argument if one is to blame, before anything is touched: no `end` follows
   * then. Else *work is who computes the call: the engine itself, one that it wraps and to which it has nothing to add, or
   * NULL if the call is done already (a replayed graph). `end` goes to the engine whose `begin` was called; `succeeded` says
   * that no work has failed; else info is left alone. It reports what could not be done for info. */
  trigon_status (*begin)(engine *, const operation *, engine **work);
  trigon_status (*end)(engine *, bool succeeded);

  /* 0: `run` takes the operation. Else an algorithm takes it, and this is the order of its first diagonal block, between 1
   * and its order - 1; for a routine that is made of others, 1. */
  int64_t (*cut)(engine *, const operation *);
  trigon_status (*run)(engine *, const operation *);

  /* The failure of the present call so far, from 1, as far as it is known without waiting; else 0. */
  int64_t (*known_failure)(engine *);

  /* Waits for the work of the engine and of its machine, and frees both. */
  void (*destroy)(engine *);

  machine *machine;
};

#endif

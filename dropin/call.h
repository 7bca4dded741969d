/* call.h - a call of a symbol: Trigon computes it, or the host does. With TRIGON_BLAS_LOG=1 the process prints at its
 * end what was called how often, how long it took, and who computed it. */
#ifndef TRIGON_DROPIN_CALL_H
#define TRIGON_DROPIN_CALL_H

#include <stdatomic.h>

#include "host.h"
#include "pool.h"

/* What one of the two has computed. */
typedef struct share_of_log {
  atomic_llong calls, nanoseconds;
} share_of_log;

/* One for each symbol. */
typedef struct record {
  const char *symbol;
  _Atomic(any_function *) host;
  share_of_log ours, theirs;
  atomic_flag is_listed;
  struct record *next;
} record;

typedef struct call {
  record *of;
  trigon_context *context; /* NULL: the host computes */
  trigon_status status;    /* of Trigon */
  borrowed *borrowed;
  int64_t begun;
} call;

/* Products of elements; negative if a size is. */
static inline double products(int64_t m, int64_t n, int64_t k) {
  if (m < 0 || n < 0 || k < 0) return -1;
  return (double)m * (double)n * (double)k;
}

/* Borrows a context for a call with so many products of elements; none if the number is negative: then the call is bad,
 * and the host's. */
call begin_call(record *, double products);

/* Returns whether Trigon has computed the call, by the status of a call with `context`. If not, the host must: it also
 * tells the caller which argument is bad. Ends the process with a message if the call stopped half done, because BLAS
 * has no way to report that. */
bool has_computed(call *, trigon_status);

/* The host's function. If there is none, prints a message; then returns a function that does nothing, if the call has a
 * bad argument, and else ends the process. */
any_function *begin_host(call *);
void end_host(call *);

#endif

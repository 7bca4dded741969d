/* call.h - a call of a symbol: Trigon computes it, or the host does. With TRIGON_BLAS_LOG=1 the process prints at its
 * end what was called how often, how long it took, and who computed it. */
#ifndef TRIGON_DROPIN_CALL_H
#define TRIGON_DROPIN_CALL_H

#include <stdatomic.h>

#include "host.h"
#include "pool.h"
#include "routing.h"

/* What one of the three has computed. */
typedef struct share_of_log {
  atomic_llong calls, nanoseconds;
} share_of_log;

/* One for each symbol. */
typedef struct record {
  const char *symbol;
  enum routed routine;
  char letter;
  _Atomic(const route *) route; /* NULL: not known yet */
  _Atomic(any_function *) host;
  share_of_log ours, gpus, theirs;
  atomic_flag is_listed;
  struct record *next;
} record;

#define RECORD(name, type, exported)                                                                                   \
  { .symbol = QUOTE(exported), .routine = JOIN(ROUTED_, name, , , ), .letter = QUOTE(type)[0] }

typedef struct call {
  record *of;
  trigon_context *context, *gpu; /* both NULL: the host computes; gpu NULL: the CPU does */
  trigon_status status;          /* of Trigon */
  borrowed *borrowed;
  int64_t begun;
} call;

/* Borrows a context for a call of sizes m, n, k; none if a size is negative or the table of routes says so: then the
 * call is the host's. The call is filled in its place, because a returned structure would be copied. */
void begin_call_of(call *, record *, int64_t m, int64_t n, int64_t k);
static inline void begin_call(call *c, record *r, sizes s) { begin_call_of(c, r, s.m, s.n, s.k); }

/* Whether the host computes an eigenproblem of order n. Without a host, Trigon computes all. */
bool is_left_to_host(record *, int64_t n, eigen_orders ours);

/* Returns whether Trigon has computed the call, by the status of a call with `context`. If not, the host must: it also
 * tells the caller which argument is bad. Ends the process with a message if the call stopped half done, because BLAS
 * has no way to report that. */
bool has_computed(call *, trigon_status);

/* The same for a call with `gpu`. If it returns false, the CPU must compute. */
bool has_offloaded(call *, trigon_status);

/* The host's function. If there is none, prints a message; then returns a function that does nothing, if the call has a
 * bad argument, and else ends the process. */
any_function *begin_host(call *);
void end_host(call *);

#endif

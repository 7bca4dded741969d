/* small_ops.h - what an engine has for many small calls: ways past `begin` and `run`, and engines for threads. */
#ifndef TRIGON_SMALL_OPS_H
#define TRIGON_SMALL_OPS_H

#include "small_call.h"

typedef struct engine engine; /* engine.h */

/* How many small calls an engine computes at once; 0: none. Their orders are at most `order`. If the routine has
 * right-hand sides, a call has at least one, and at most most_small_columns. */
enum { most_small_batch = 16, most_small_batch_order = 128, most_small_columns = 16 };
typedef struct small_batch_limits {
  int count;
  int64_t order;
  int64_t bytes; /* SYEVD: the memory that they take together */
} small_batch_limits;

/* A decorator with nothing to add has the table of the engine inside, so the engine in a call may be a decorator. The
 * functions find the struct of their engine by the machine, which all decorators share, and never by a conversion of
 * the engine. If an engine has to see each call, `run`, `run_product`, `run_vectors`, `run_batch` and
 * `batch_limits` are NULL. */
typedef struct small_ops {
  /* Computes a whole public call, as `begin`, `cut`, `run` and `end` would do, if it is small. The call is plain (see
   * small_call.h). Returns whether it was computed. */
  bool (*run)(engine *, const small_call *);
  bool (*run_product)(engine *, const small_product_call *);

  bool (*run_vectors)(engine *, const vectors_call *);

  /* Computes `count` such calls of one routine, type and uplo at once, with infos that are not NULL. The limits tell
   * which calls these may be, and how many. Returns whether the calls were computed. What a call computes does not
   * depend on the others. */
  bool (*run_batch)(engine *, const small_call *calls, int count);
  small_batch_limits (*batch_limits)(engine *, routine, trigon_type);

  /* An engine serves one call at a time. Returns `count` other engines, at most machine_threads, for as many threads:
   * on each of them a thread runs whole public calls (small ones, or begin to end) whose info is not NULL. No decorator
   * wraps these engines. So the operands of the calls must be square: then `begin` refuses the leading dimension if a
   * size does not fit. They stay this engine's, and later calls get the same ones. Returns NULL if there is no memory:
   * then the caller makes the calls on this engine. */
  engine *const *(*workers)(engine *, int count);
} small_ops;

#endif

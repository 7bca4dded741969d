/* batch_call.h - call_batch, behind the batched routines in all precisions. */
#ifndef TRIGON_BATCH_CALL_H
#define TRIGON_BATCH_CALL_H

#include "checks.h"

/* Checks and runs a batched call of the operation's routine. The operation has the flags, the scalars, A's type and the
 * batch `b`. The batch has the arguments, with strides in elements; the rest of its members is filled in here. `name`
 * is that of the public function, `arguments` names the function's arguments. */
trigon_status call_batch(trigon_context *ctx, const char *name, const char *arguments, operation *o, matrix_batch *b);

/* Runs a checked batch on the host (batch_host.c): each matrix as one call, on all threads of the engine. Returns the
 * status of *failed, the first matrix that could not be computed, and `why` gets the engine's reason. If *failed is -1,
 * all is computed, or the engine has refused matrices that are a stride apart before anything was touched. */
trigon_status run_batch_on_host(engine *e, const operation *o, int64_t *failed, reason *why);

#endif

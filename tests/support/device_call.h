/* device_call.h - calls over guarded matrices on any context.
 *
 * If the matrices of a context live on a device, they are copied to the device and back. Guards and gaps are copied,
 * too, so that stray writes of the device are found like stray writes of the host. */
#ifndef TRIGON_TESTS_DEVICE_CALL_H
#define TRIGON_TESTS_DEVICE_CALL_H

#include "calls.h"
#include "guarded.h"

/* Memory of a device. The first `written` bytes may have any value. All other bytes are NaN. */
typedef struct device_block {
  void *data;
  int64_t bytes, written;
} device_block;

/* A context, and its memory for the operands and the info of a call. The memory grows as needed and is kept from
 * call to call. A call_target starts as {.ctx = ...}. */
typedef struct call_target {
  trigon_context *ctx;
  device_block block[3], info;
  char message[512]; /* what trigon_message said after the last call */
} call_target;

/* Makes the call c in BLAS's spelling or in the other spelling. The operands are the matrices of `stored`. When the
 * function returns, *c->info and the blocks hold the results. If memory or a transfer fails, nothing can be tested,
 * and the function ends the program. */
trigon_status call_on(call_target *p, const call *c, const guarded stored[3], bool blas);

/* Frees the memory. Must be called before the context is destroyed. */
void call_target_free(call_target *p);

#endif

/* device_call.h - calls over guarded matrices on any context: where its matrices live on a device, they go there and come
 * back, guards and gaps included, so that strays of the device are found like those of the host. */
#ifndef TRIGON_TESTS_DEVICE_CALL_H
#define TRIGON_TESTS_DEVICE_CALL_H

#include "calls.h"
#include "guarded.h"

/* Memory of a device. Its first `written` bytes may be anything, the others are NaN. */
typedef struct device_block {
  void *data;
  int64_t bytes, written;
} device_block;

/* A context, and its memory for the operands of a call and its info, which grows as needed and is kept from call to call.
 * Starts as {.ctx = ...}. */
typedef struct call_place {
  trigon_context *ctx;
  device_block block[3], info;
  char message[512]; /* of the last call: what trigon_message said */
} call_place;

/* Makes the call c, whose operands are the matrices of `stored`, in BLAS's spelling or in the other; *c->info and the
 * blocks have the results when it returns. Where memory or a transfer fails there is nothing to test: exits. */
trigon_status call_on(call_place *p, const call *c, const guarded stored[3], bool blas);

/* Frees the memory; before the context is destroyed. */
void call_place_free(call_place *p);

#endif

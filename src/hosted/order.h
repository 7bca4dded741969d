/* order.h - the order in which the steps of a plan run, so that work begins while data arrive. */
#ifndef TRIGON_ORDER_H
#define TRIGON_ORDER_H

#include "call_plan.h"

/* Stores the numbers of the steps in the order in which they run: each behind the steps whose tiles it needs or
 * overwrites. In core a step comes early if few of its bytes are missing. Out of core the plan's own order stays,
 * because it moves least. TRIGON_NO_MEMORY: the host has no memory. */
trigon_status order_steps(const plan *, int64_t *order);

#endif

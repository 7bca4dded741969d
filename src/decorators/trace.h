/* trace.h - makes an engine that counts the operations, flops and bytes of the engine inside. */
#ifndef TRIGON_TRACE_H
#define TRIGON_TRACE_H

#include "../core/engine.h"

/* Makes a decorator that counts the operations that go to `inner`. The decorator owns `inner`. On failure `inner` and
 * *out are untouched. */
trigon_status trace_create(engine *inner, engine **out);

/* Stores the counts of an engine from trace_create, and sets the counts to 0. */
void trace_take(engine *traced, trigon_count counts[TRIGON_ROUTINES]);

#endif

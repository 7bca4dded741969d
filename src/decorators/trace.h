/* trace.h - makes an engine that counts the operations, flops and bytes of the engine inside. */
#ifndef TRIGON_TRACE_H
#define TRIGON_TRACE_H

#include "core/engine.h"

/* Makes a decorator that counts the operations that go to `inner`. The decorator owns `inner`. On failure `inner` and
 * *out are untouched. */
trigon_status trace_create(engine *inner, engine **out);

/* Does what trigon_trace says, for an engine that trace_create made. The arguments have been checked. */
void trace_take(engine *traced, trigon_count *counts, int64_t count);

#endif

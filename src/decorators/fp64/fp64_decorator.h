/* fp64_decorator.h - makes an engine that emulates the products of the engine inside. */
#ifndef TRIGON_FP64_DECORATOR_H
#define TRIGON_FP64_DECORATOR_H

#include "core/engine.h"

/* Makes a decorator that computes natively until fp64_set asks for something else. The decorator owns `inner`. `stop`:
 * the order at which the recursion ends, or 0 for the default. On failure `inner` and *out are untouched. */
trigon_status fp64_create(engine *inner, int64_t stop, engine **out);

/* Takes the memory that products of operands of up to `bytes` bytes need. */
trigon_status fp64_reserve(engine *, int64_t bytes);

/* What trigon_set_fp64 and trigon_last_fp64 say, for an engine that fp64_create made. Arguments have been checked. */
void fp64_set(engine *, trigon_fp64 mode, int accuracy);
trigon_fp64 fp64_mode(engine *);
trigon_status fp64_last_report(engine *, trigon_fp64_report *);

#endif

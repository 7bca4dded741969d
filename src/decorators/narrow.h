/* narrow.h - an engine for large sizes over one whose integers are small. */
#ifndef TRIGON_NARROW_H
#define TRIGON_NARROW_H

#include "../core/engine.h"

/* A decorator that cuts the sizes that integers up to `int_max` cannot hold, and owns `inner`. On failure `inner` and *out
 * are untouched. */
trigon_status narrow_create(engine *inner, int64_t int_max, engine **out);

#endif

/* narrow.h - makes an engine that takes any size over an engine whose BLAS has 32-bit integers. */
#ifndef TRIGON_NARROW_H
#define TRIGON_NARROW_H

#include "core/engine.h"

/* Makes a decorator that cuts every dimension above `int_max`. The decorator owns `inner`. On failure `inner` and *out
 * are untouched. */
trigon_status narrow_create(engine *inner, int64_t int_max, engine **out);

#endif

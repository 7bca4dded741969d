/* decorator.h - a decorator: an engine that wraps another engine and changes some of its entries.
 *
 * The struct of a decorator begins with the struct `decorator`. An entry that a decorator does not set forwards
 * the call. Small calls go past a decorator, unless it sets the table `small` (small_ops.h). */
#ifndef TRIGON_DECORATOR_H
#define TRIGON_DECORATOR_H

#include <stddef.h>

#include "engine.h"

typedef struct decorator {
  engine engine; /* first: an engine * is a decorator * */
  engine *inner; /* owned */
  engine *work;  /* computes the present call below this decorator; NULL: the call is done already */
} decorator;

/* Makes every entry of `d` forward to `inner`. `d` comes from malloc; `destroy` frees `d`. */
void decorate(decorator *d, engine *inner);

/* The `begin` of a decorator that takes part in every call: *work is `e`, or NULL if the call is done already. */
static inline trigon_status decorator_begin(engine *e, const operation *o, engine **work) {
  decorator *d = (decorator *)e;
  TRY(d->inner->begin(d->inner, o, &d->work));
  *work = d->work ? e : NULL;
  return TRIGON_OK;
}

#endif

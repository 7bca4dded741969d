/* decorator.h - engines that wrap another one. A decorator is this struct first, and only the entries that it changes; the
 * others forward. */
#ifndef TRIGON_DECORATOR_H
#define TRIGON_DECORATOR_H

#include "engine.h"

typedef struct decorator {
  engine engine; /* first: an engine * is a decorator * */
  engine *inner; /* owned */
  engine *work;  /* who computes the present call below this decorator; NULL: nobody does any more */
} decorator;

/* Makes `d` forward everything to `inner`. Its memory comes from malloc, and `destroy` frees it. */
void decorate(decorator *d, engine *inner);

/* What a decorator that takes part in every call does in `begin`. */
trigon_status decorator_begin(engine *e, const operation *o, engine **work);

#endif

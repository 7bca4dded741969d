/* context.h - the members of a context. */
#ifndef TRIGON_CONTEXT_H
#define TRIGON_CONTEXT_H

#include <time.h>

#include "core/engine.h"

struct trigon_context {
  engine *engine;   /* the outermost decorator: calls go to it */
  machine *machine; /* the engine's machine, where the operands are */
  reason why;       /* of the last failure of the engine or of its machine */
  char message[512];
  char *rows;                  /* the text of trigon_rows, or NULL until a caller has asked */
  engine *fp64;                /* the decorator that emulates products, or NULL; of several devices, the first one's */
  int emulating;               /* how many engines have such a decorator */
  engine *hosted;              /* the engine for matrices in host memory on devices, or NULL */
  int64_t stop;                /* the option `stop` */
  bool traced;                 /* the outermost decorator is a trace */
  bool timing;                 /* the timer was started */
  struct timespec timer_begun; /* if the machine has no timer of its own */
};

#endif

/* context.h - what a context holds. */
#ifndef TRIGON_CONTEXT_H
#define TRIGON_CONTEXT_H

#include <time.h>

#include "../core/engine.h"

struct trigon_context {
  engine *engine;   /* in its decorators: work goes to it */
  machine *machine; /* the engine's: the operands live there */
  reason why;       /* of the engine's or its machine's last failure */
  char message[512];
  bool traced;                 /* the outermost decorator counts */
  bool timing;                 /* the timer was started */
  struct timespec timer_begun; /* of a machine without a timer of its own */
};

#endif

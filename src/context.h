/* context.h - what a context holds. */
#ifndef TRIGON_CONTEXT_H
#define TRIGON_CONTEXT_H

#include <time.h>

#include "backend.h"

struct trigon_context {
  backend *machine; /* owns the operands' memory: storage operations go to it */
  backend *backend; /* the machine, in its decorators: work goes to it */
  reason why;       /* of the backend's last failure */
  char message[512];
  bool traced;                 /* the outermost decorator counts */
  bool timing;                 /* the timer was started */
  struct timespec timer_begun; /* of a machine without a timer of its own */
};

#endif

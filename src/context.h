/* context.h - what a context holds. */
#ifndef TRIGON_CONTEXT_H
#define TRIGON_CONTEXT_H

#include "backend.h"

struct trigon_context {
  backend *backend; /* the machine, in its decorators */
  reason why;       /* of the backend's last failure */
  char message[512];
  bool traced; /* the outermost decorator counts */
};

#endif

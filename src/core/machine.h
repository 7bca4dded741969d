/* machine.h - where the data of a context live, and when things happen there. */
#ifndef TRIGON_MACHINE_H
#define TRIGON_MACHINE_H

#include "error.h"
#include "view.h"

typedef struct machine machine;

/* The contracts are those of trigon.h. Arguments have been checked for sign, shape and type; nothing empty comes here, and
 * no NULL (except a buffer, a stream and info). TRIGON_BAD_ARGUMENT names the argument. An entry of the second group is NULL
 * if the machine has no such thing. */
typedef struct machine_ops {
  bool on_host;
  trigon_status (*alloc)(machine *, int64_t bytes, void **data);
  trigon_status (*release)(machine *, void *data);
  trigon_status (*upload)(machine *, view from, view to); /* `from` is on the host */
  trigon_status (*download)(machine *, view from, view to);
  trigon_status (*copy)(machine *, view from, view to);
  int64_t (*memory)(machine *); /* bytes held beyond what alloc gave */
  /* Waits for everything; stores the first failure kept since the last `finish`, or 0. */
  trigon_status (*finish)(machine *, int64_t *info);
  const char *(*describe)(machine *);
  const char *(*advice)(machine *);

  trigon_status (*set_workspace)(machine *, void *buffer, int64_t bytes);
  trigon_status (*reserve)(machine *, int64_t bytes);
  trigon_status (*set_stream)(machine *, void *stream);
  trigon_status (*start_timer)(machine *, double hold);
  trigon_status (*stop_timer)(machine *, double *seconds);
} machine_ops;

struct machine {
  const machine_ops *ops;
  reason *why; /* of the last failure of the machine or of an engine on it; the context owns it */
};

#endif

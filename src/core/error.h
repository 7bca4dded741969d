/* error.h - statuses on their way to the caller, and the reasons that go with them. */
#ifndef TRIGON_ERROR_H
#define TRIGON_ERROR_H

#include <stdbool.h>
#include <trigon.h>

/* Hands a failed status on to the caller. */
#define TRY(call)                                                                                                      \
  do {                                                                                                                 \
    trigon_status status_ = (call);                                                                                    \
    if (status_ != TRIGON_OK) return status_;                                                                          \
  } while (0)

/* Why a status is not TRIGON_OK. The context owns the reason; its backend writes it. */
typedef struct reason {
  const char *argument; /* the name, in trigon.h, of the argument that is to blame; NULL: no argument is */
  char text[320];
} reason;

#endif

/* error.h - how a failed status goes back to the caller, and the reason that goes with the status. */
#ifndef TRIGON_ERROR_H
#define TRIGON_ERROR_H

#include <stdbool.h>
#include <trigon.h>

/* Returns the status of the call if the call failed. */
#define TRY(call)                                                                                                      \
  do {                                                                                                                 \
    trigon_status status_ = (call);                                                                                    \
    if (status_ != TRIGON_OK) return status_;                                                                          \
  } while (0)

/* Why a status is not TRIGON_OK. The context owns the reason. The engine and its machine write the reason. */
typedef struct reason {
  const char *argument; /* the bad argument's name in trigon.h; NULL: no argument is bad */
  char text[320];
} reason;

#endif

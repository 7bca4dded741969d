/* on_condition.h - work that the host launches, and that runs only if the device finds a number to be zero: the body of
 * a conditional node of CUDA's graphs. The vendor's routines can be such work. HIP, the simulated GPU and drivers
 * before CUDA 12.4 have no such nodes. A body that does not run takes about 10 us on an H200, and 50 us of the host. */
#ifndef TRIGON_ON_CONDITION_H
#define TRIGON_ON_CONDITION_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/vendor/vendor.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct conditional conditional;

/* Whether this program and the driver have such nodes. */
bool has_conditions(void);

/* Makes a body that runs if *number is 0 when its turn comes. From now on what is launched into the stream `recording`,
 * which has no other work, belongs to the body. NULL: the driver could not make it. */
conditional *condition_record(const int32_t *number, cudaStream_t recording);

/* Ends the record. Returns whether the body is wanted and can be launched. No failure here is one of the stream. */
bool condition_end(conditional *, bool wanted);

/* Launches a body for which condition_end has returned true. */
cudaError_t condition_launch(conditional *, cudaStream_t stream);

/* Keeps a body until it has run, in a list. condition_free frees those of the list that have, or (`all`) every one. The
 * driver waits for all work of the device then, whatever stream it is in. */
void condition_keep(conditional **list, conditional *);
void condition_free(conditional **list, bool all);

int condition_count(const conditional *list); /* the bodies in it */

#ifdef __cplusplus
}
#endif

#endif

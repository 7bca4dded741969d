/* on_condition.h - work that the host launches, and that runs only if the device finds a number to be zero: the body of
 * a conditional node of CUDA's graphs. The vendor's routines can be such work. HIP, the simulated GPU and drivers
 * before CUDA 12.4 have no such nodes. A body that does not run takes about 10 us on an H200, and 50 us of the host. */
#ifndef TRIGON_ON_CONDITION_H
#define TRIGON_ON_CONDITION_H

#include <stdbool.h>
#include <stdint.h>

#include "../vendor/vendor.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct conditional conditional;

/* Whether this program can make such nodes. The driver may still have none. */
bool has_conditions(void);

/* Makes a body that runs if *number is 0 when its turn comes. From now on what is launched into the stream `recording`,
 * which has no other work, belongs to the body. *out is NULL after an error, and if the driver has no such nodes. */
cudaError_t condition_record(conditional **out, const int32_t *number, cudaStream_t recording);

/* Ends the record, and launches the body into the stream. If `wanted` is false, or after an error, it does not. */
cudaError_t condition_launch(conditional *, cudaStream_t stream, bool wanted);

/* Keeps a body until it has run, in a list. Frees those of the list that have, or (`all`) every one. To free a body
 * that is in use would wait for it. */
void condition_keep(conditional **list, conditional *);
void condition_free(conditional **list, bool all);

#ifdef __cplusplus
}
#endif

#endif

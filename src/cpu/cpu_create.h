/* cpu_create.h - makes the engine on the CPU: with our own kernels, or over a BLAS loaded by name. */
#ifndef TRIGON_CPU_CREATE_H
#define TRIGON_CPU_CREATE_H

#include "core/engine.h"
#include "core/options.h"

/* `library` names a BLAS to load, or is NULL: our own kernels compute. `wide` says that the BLAS's integers have 64
 * bits. *int_max becomes the largest integer of the BLAS: the engine takes no larger size. `why` gets the reason of
 * each failure, as long as the engine lives. On failure *out is untouched. */
trigon_status cpu_create(const char *library, bool wide, const engine_options *options, reason *why, engine **out,
                         int64_t *int_max);

#endif

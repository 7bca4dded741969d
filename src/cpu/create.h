/* create.h - the engine on the CPU. */
#ifndef TRIGON_CPU_CREATE_H
#define TRIGON_CPU_CREATE_H

#include "../core/engine.h"
#include "../core/options.h"

/* `library` is the name of a BLAS to load, or NULL for the linked one; `wide` says that its integers have 64 bits. *int_max
 * becomes the largest of its integers: the engine takes no larger size. `why` gets the reasons of failures, now and as long
 * as the engine lives. On failure *out is untouched. */
trigon_status cpu_create(const char *library, bool wide, const engine_options *options, reason *why, engine **out,
                         int64_t *int_max);

#endif

/* backends.h - how contexts get their backends. */
#ifndef TRIGON_BACKENDS_H
#define TRIGON_BACKENDS_H

#include "../backend.h"
#include "options.h"

/* The CPU: `library` is the name of a BLAS to load, or NULL for the one linked; `wide` says that its integers have 64
 * bits. `why` gets the reasons of failures, now and as long as the backend lives. On failure *out is untouched. */
trigon_status cpu_create(const char *library, bool wide, backend_options options, reason *why, backend **out);

/* A decorator that counts what `inner` is handed, and owns it. On failure `inner` and *out are untouched. */
trigon_status trace_create(backend *inner, backend **out);

/* The counts of a backend made by trace_create, which start anew. */
void trace_take(backend *traced, trigon_count counts[TRIGON_ROUTINES]);

#endif

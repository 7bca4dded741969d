/* backends.h - how contexts get their backends. */
#ifndef TRIGON_BACKENDS_H
#define TRIGON_BACKENDS_H

#include "part.h"

/* The CPU: `library` is the name of a BLAS to load, or NULL for the one linked; `wide` says that its integers have 64
 * bits. `why` gets the reasons of failures, now and as long as the engine lives. On failure *out is untouched. */
trigon_status cpu_create(const char *library, bool wide, const engine_options *options, reason *why, engine **out);

/* A machine that a part of the library serves which is loaded on its own, the file libtrigon-KIND.so: in the folder
 * that TRIGON_BACKEND_PATH names by an absolute path, and nowhere else; if the variable is not set, in `trigon` beside the
 * shared object that holds this code, or else where it would have been installed. The first file that is there is taken.
 * TRIGON_NOT_FOUND where there is none, or it cannot be loaded; else as part.h says. Parts stay loaded until the process
 * ends: they hold what a device's driver calls back. */
trigon_status part_load(const part_request *request, reason *why, engine **out);

/* A decorator that cuts the sizes that integers up to `int_max` cannot hold, and owns `inner`. On failure `inner` and *out are
 * untouched. */
trigon_status narrow_create(engine *inner, int64_t int_max, engine **out);

/* A decorator that counts what `inner` is handed, and owns it. On failure `inner` and *out are untouched. */
trigon_status trace_create(engine *inner, engine **out);

/* The contract of trigon_trace, for an engine made by trace_create; the arguments have been checked. */
void trace_take(engine *traced, trigon_count *counts, int64_t count);

#endif

/* backends.h - how contexts get their backends. */
#ifndef TRIGON_BACKENDS_H
#define TRIGON_BACKENDS_H

#include "part.h"

/* The CPU: `library` is the name of a BLAS to load, or NULL for the one linked; `wide` says that its integers have 64
 * bits. `why` gets the reasons of failures, now and as long as the backend lives. On failure *out is untouched. */
trigon_status cpu_create(const char *library, bool wide, backend_options options, reason *why, backend **out);

/* What a context on the CPU holds: its leaf buffer, in bytes. */
int64_t cpu_memory(backend *);

/* Where the CPU's operands live: in host memory. */
extern const storage_ops host_storage;

/* A machine that a part of the library serves which is loaded on its own, the file libtrigon-KIND.so: in the folder
 * that TRIGON_BACKEND_PATH names by an absolute path, and nowhere else; if the variable is not set, in `trigon` beside the
 * shared object that holds this code, or else where it would have been installed. The first file that is there is taken.
 * TRIGON_NOT_FOUND where there is none, or it cannot be loaded; else as part.h says. Parts stay loaded until the process
 * ends: they hold what a device's driver calls back. */
trigon_status part_load(const part_request *request, reason *why, backend **out);

/* A decorator that counts what `inner` is handed, and owns it. On failure `inner` and *out are untouched. */
trigon_status trace_create(backend *inner, backend **out);

/* The counts of a backend made by trace_create, which start anew. */
void trace_take(backend *traced, trigon_count counts[TRIGON_ROUTINES]);

#endif

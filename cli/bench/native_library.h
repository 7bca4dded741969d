/* native_library.h - which BLAS native calls, and a context that hands each routine whole to it. */
#ifndef TRIGON_CLI_BENCH_NATIVE_LIBRARY_H
#define TRIGON_CLI_BENCH_NATIVE_LIBRARY_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <trigon.h>

/* As --backend and --native name them. */
typedef struct native_choice {
  const char *backend, *library; /* library: LIBRARY, cpu:LIBRARY, cpu64:LIBRARY; NULL: not given */
} native_choice;

/* The context for native, without its options: "cpu:LIBRARY" or "cpu64:LIBRARY", or a device's name. */
enum { NATIVE_NAME_SIZE = PATH_MAX + 16 };
typedef struct native_library {
  char name[NATIVE_NAME_SIZE];
  char context[2 * NATIVE_NAME_SIZE]; /* with its options, native=1 among them */
  bool is_backends;                   /* the backend computes with the same library */
} native_library;

/* Returns PARSED; or, if --native makes no sense, prints why and returns the exit status. */
int native_check(const native_choice *choice);

/* Whether the context computes on the host, according to its name. */
bool native_on_host(const char *backend);

/* Makes the context with native=1. The library is the first of these: the one that --native names; the one that the
 * backend names; an installed OpenBLAS or BLIS. Another library than the backend's gets none of the backend's options.
 * TRIGON_NOT_FOUND or TRIGON_NOT_SUPPORTED if there is no such library, or the backend has no such mode; `why` has the
 * reason then, as for any other status. The caller destroys the context. */
trigon_status native_create(const native_choice *choice, native_library *found, trigon_context **ctx, char *why,
                            size_t why_size);

#endif

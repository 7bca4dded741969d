/* device_runtime.h - the runtime of the device under test: what a caller of Trigon does with its device on his own. The functions
 * are CUDA's, and the simulated GPU's of the same names behind another prefix, found when the test runs. */
#ifndef TRIGON_TESTS_DEVICE_RUNTIME_H
#define TRIGON_TESTS_DEVICE_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RUNTIME_TO_HOST = 2, RUNTIME_ON_DEVICE = 3 }; /* kinds of a copy */
enum { RUNTIME_ORDERED = 0, RUNTIME_UNORDERED = 1 }; /* streams: ordered with the legacy stream, or not */

/* Errors are ints, 0 is none; streams, graphs and their instances are pointers. */
typedef struct runtime {
  int (*get_device_count)(int *);
  int (*get_device)(int *);
  int (*set_device)(int);
  int (*mem_get_info)(size_t *available, size_t *total);
  int (*malloc)(void **, size_t);
  int (*free)(void *);
  int (*memcpy_async)(void *to, const void *from, size_t, int kind, void *stream);
  int (*memset_async)(void *to, int value, size_t, void *stream);
  int (*stream_create)(void **, unsigned flags);
  int (*stream_destroy)(void *);
  int (*stream_synchronize)(void *);
  int (*begin_capture)(void *stream, int mode);
  int (*end_capture)(void *stream, void **graph);
  int (*instantiate)(void **instance, void *graph, unsigned long long flags);
  int (*launch)(void *instance, void *stream);
  int (*graph_destroy)(void *);
  int (*instance_destroy)(void *);
  int (*last_error)(void);
  /* CUDA's driver, else NULL: the current context; whether a device has a context in use. */
  int (*current_context)(void **);
  int (*primary_state)(int device, unsigned *flags, int *active);

  /* What the simulated GPU alone tells (simulator/sim.h); else NULL. */
  int64_t (*operations)(int device, const char *kind);
  int64_t (*allocated)(int device);
  int64_t (*handles)(int device);
} runtime;

/* Finds the functions of "cuda" or "sim", whose plugin of Trigon is loaded already. Returns NULL, or what is missing. */
const char *runtime_open(runtime *, const char *kind);

/* Whether this process has no current context, and `others` devices none at all (or nobody knows). */
bool runtime_untouched(const runtime *, const int *others, int count);

#endif

/* device_runtime.h - the runtime of the device under test: what a caller of Trigon does with the device without Trigon.
 *
 * The functions are CUDA's functions, or functions of the simulated GPU with the same names and another prefix. The
 * test finds the functions when it runs. */
#ifndef TRIGON_TESTS_DEVICE_RUNTIME_H
#define TRIGON_TESTS_DEVICE_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RUNTIME_TO_HOST = 2, RUNTIME_ON_DEVICE = 3 }; /* kinds of a copy */
enum { RUNTIME_ORDERED = 0, RUNTIME_UNORDERED = 1 }; /* whether a stream is ordered with the legacy stream */

/* Errors are ints; 0 means success. Streams, graphs and their instances are pointers. */
typedef struct runtime {
  int (*get_device_count)(int *);
  int (*get_device)(int *);
  int (*set_device)(int);
  int (*get_attribute)(int *value, int attribute, int device);
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
  /* For CUDA, from its driver; otherwise NULL. The functions tell the current context, and whether a device has a
   * context in use. */
  int (*current_context)(void **);
  int (*primary_state)(int device, unsigned *flags, int *active);

  /* Functions of the simulated GPU alone (simulator/sim.h); otherwise NULL. */
  int64_t (*operations)(int device, const char *kind);
  int64_t (*allocated)(int device);
  int64_t (*handles)(int device);
} runtime;

/* Finds the functions of "cuda" or "sim". Trigon's plugin of this name must be loaded already. Returns NULL, or the
 * name of the first function that is missing. */
const char *runtime_open(runtime *, const char *kind);

/* Returns whether this process has no current context, and no context on the `count` devices in `others`. Returns
 * true if nobody knows. */
bool runtime_untouched(const runtime *, const int *others, int count);

#endif

/* device_recording.h - calls of a context captured as a graph, and the graph replayed. */
#ifndef TRIGON_TESTS_DEVICE_RECORDING_H
#define TRIGON_TESTS_DEVICE_RECORDING_H

#include "device_job.h"

enum { GLOBAL = 0, THREAD_LOCAL = 1, RELAXED = 2 }; /* modes of a capture */

typedef struct recording {
  const device *d;
  void *stream, *instance;
} recording;

/* A stream to capture in. */
recording record_new(const device *d);
/* Begins the capture. */
void record_start(recording *r, int mode);
/* The context comes to a stream that is captured already. */
void record_into(recording *r, trigon_context *ctx);
/* A stream that the context is in and that is captured. The order of the two steps, which depends on the mode, makes no
 * difference. */
recording record_begin(const device *d, trigon_context *ctx, int mode);
/* The end of a capture that must have stayed valid. */
void record_end(recording *r);
/* The job's call, captured alone. */
recording record(const device *d, trigon_context *ctx, job *j, int mode);
/* The end of graph and stream; the context is in its own stream again. */
void record_free(recording *r, trigon_context *ctx);
/* One replay, on the data that are there. */
void record_launch(recording *r, const char *what);
/* A replay on the job's data, whose results are checked. */
void replay(recording *r, job *j, const char *when);
/* The replay of new data, and the same data called directly: one result. */
void replay_and_compare(recording *r, job *j, uint64_t seed, const char *when);

/* The part of the test in device_captures.c. */
void test_captures(const device *);

#endif

/* device_recording.h - captures calls of a context as a graph, and replays the graph. */
#ifndef TRIGON_TESTS_DEVICE_RECORDING_H
#define TRIGON_TESTS_DEVICE_RECORDING_H

#include "device_job.h"

enum { GLOBAL = 0, THREAD_LOCAL = 1, RELAXED = 2 }; /* modes of a capture */

typedef struct recording {
  const device *d;
  void *stream, *instance;
} recording;

/* Makes a stream for a capture. */
recording record_new(const device *d);
/* Begins the capture. */
void record_start(recording *r, int mode);
/* Moves the context into a stream that is being captured. */
void record_into(recording *r, trigon_context *ctx);
/* Moves the context into a stream and begins the capture of the stream. The mode decides which step is first. The
 * order makes no difference. */
recording record_begin(const device *d, trigon_context *ctx, int mode);
/* Ends the capture. The capture must be valid. */
void record_end(recording *r);
/* Captures the job's call alone. */
recording record(const device *d, trigon_context *ctx, job *j, int mode);
/* Destroys the graph and the stream. The context is in its own stream again. */
void record_free(recording *r, trigon_context *ctx);
/* Replays once on the present data. */
void record_launch(recording *r, const char *what);
/* Replays on the job's data and checks the results. */
void replay(recording *r, job *j, const char *when);
/* Replays on new data, and calls directly on the same data. The results must be the same. */
void replay_and_compare(recording *r, job *j, uint64_t seed, const char *when);

/* The tests in device_captures.c and device_forks.c. */
void test_captures(const device *);
void test_forks(const device *);

#endif

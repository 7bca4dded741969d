/* device_job.h - what the parts of the test of device contexts share: the device under test, and calls over matrices in
 * its memory together with what they were on the host. */
#ifndef TRIGON_TESTS_DEVICE_JOB_H
#define TRIGON_TESTS_DEVICE_JOB_H

#include "device_runtime.h"
#include "guarded.h"
#include "matrices.h"

/* Counts a check; a failed one is said. */
void check(bool held, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Checks that the context has accepted a call; else its message is said. */
void accepted(const trigon_context *, trigon_status, const char *what);
/* Checks the info that trigon_finish returns. */
void finish_tells(trigon_context *, int64_t due, const char *what);

/* The device under test. */
typedef struct device {
  const char *name; /* of its contexts */
  bool simulated;
  int number, count; /* of the device; of all of its kind */
  runtime runtime;
} device;

/* A context on the device, `options` being added to its name; ends the program where there is none. */
trigon_context *device_open(const device *, const char *options);
/* The name with options added. */
const char *device_name(const device *, const char *options, char *text, size_t size);

/* A call whose matrices lie in device memory, with guards around them. */
typedef struct job {
  trigon_context *ctx;
  call call;       /* what is called */
  guarded host[3]; /* each matrix and its guards: what came back, and as copy what was sent */
  void *memory[3]; /* the same on the device */
  int64_t *info;   /* on the device; call.info points to it at first */
  int64_t due;     /* the info that the present data must give */
  uint64_t seed;
  char text[256]; /* the call in words */
} job;

/* Makes a job of about that order, with flags chosen by the seed; memory comes from ctx. */
void job_make(job *, trigon_context *ctx, enum tested_routine, trigon_type, int64_t order, uint64_t seed);
/* The same with sizes as the caller wants them: the letters of BLAS; the Cholesky family has order n and m right-hand
 * sides. */
void job_make_sized(job *, trigon_context *ctx, enum tested_routine, trigon_type, int64_t m, int64_t n, int64_t k,
                    uint64_t seed);
void job_free(job *);

/* New data, in the host's copy and on the device. */
void job_fill(job *, uint64_t seed);
void job_send(job *);
/* For routines with an info: makes the data fail in column `at` (from 0). */
void job_spoil(job *, int64_t at);
bool job_can_fail(const job *);

/* Calls, and checks that the call was accepted. */
void job_call(job *);
/* Downloads everything, and checks guards, info (where the call has one of its own), and the residual. */
void job_check(job *, const char *when);
void job_receive(job *);
/* Whether what came back last is what it was when `kept` was made by job_keep: bit by bit. */
unsigned char *job_keep(const job *);
bool job_same(const job *, const unsigned char *kept);

/* Fill, send, call, check: whether the context computes. */
void job_whole(trigon_context *ctx, enum tested_routine, trigon_type, int64_t order, uint64_t seed, const char *when);

/* The whole block of a matrix, guards and all, as one column. */
trigon_matrix whole_block(const guarded *, void *data);

/* What a context holds at least, and the unit of caps. */
enum { LEAF_BUFFER = 2 << 20, MIB = 1 << 20 };

/* The parts of the test. */
void test_memory(const device *);
void test_pointers(const device *);
void test_current_device(const device *);
void test_streams(const device *);
void test_graphs(const device *);
void test_workspaces(const device *);
void test_failures(const device *);
void test_dirty(const device *);

#endif

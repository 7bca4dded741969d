/* device_job.h - the device under test, and calls over matrices in device memory, with copies on the host.
 *
 * The files of test_device share this code. */
#ifndef TRIGON_TESTS_DEVICE_JOB_H
#define TRIGON_TESTS_DEVICE_JOB_H

#include "device_runtime.h"
#include "guarded.h"
#include "matrices.h"

/* Counts a check. Prints a check that failed. */
void check(bool held, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Checks that the context has accepted a call. If not, prints the context's message. */
void accepted(const trigon_context *, trigon_status, const char *what);
/* Checks the info that trigon_finish returns. */
void expect_finish(trigon_context *, int64_t due, const char *what);

/* The device under test. */
typedef struct device {
  const char *name; /* name of the contexts of the device */
  bool simulated;
  int number, count; /* number of the device; number of all devices of this kind */
  runtime runtime;
} device;

/* Creates a context on the device, with `options` added to the name. Ends the program if there is no such context. */
trigon_context *device_open(const device *, const char *options);
/* Returns the name of the context with `options` added. */
const char *device_name(const device *, const char *options, char *text, size_t size);

/* A part of a test. */
typedef struct device_part {
  const char *name;
  void (*run)(const device *);
} device_part;

/* Runs the parts, or the part `only` if this is not NULL, on the device of the context `name`. Checks that each part
 * leaves nothing on the device. Returns the exit status of the program. */
int run_parts(const char *name, const char *only, const device_part *parts, size_t count);

/* A call whose matrices lie in device memory, with guards around them. */
typedef struct job {
  trigon_context *ctx;
  call call;       /* the call */
  guarded host[3]; /* each matrix and its guards; `copy` is what was sent, `block` is what came back */
  void *memory[3]; /* the same matrices in device memory */
  int64_t *info;   /* on the device; at first call.info points to this info */
  int64_t due;     /* the info that the present data must give */
  uint64_t seed;
  char text[256]; /* the call as text */
} job;

/* Makes a job of about that order with flags that the seed chooses. The memory comes from ctx. */
void job_make(job *, trigon_context *ctx, enum tested_routine, trigon_type, int64_t order, uint64_t seed);
/* Makes a job of the given sizes m, n and k, as in BLAS. The Cholesky family has order n and m right-hand sides. */
void job_make_sized(job *, trigon_context *ctx, enum tested_routine, trigon_type, int64_t m, int64_t n, int64_t k,
                    uint64_t seed);
void job_free(job *);

/* Writes new data to the host's copy and to the device. */
void job_fill(job *, uint64_t seed);
void job_send(job *);
/* For routines with an info: changes the data so that the routine fails in column `at` (from 0). */
void job_spoil(job *, int64_t at);
bool job_can_fail(const job *);

/* Makes the call and checks that the call was accepted. */
void job_call(job *);
/* Downloads everything. Checks the guards, the residual and, if the call has one of its own, info. */
void job_check(job *, const char *when);
void job_receive(job *);
/* job_keep copies what came back last. job_same compares what came back last with this copy, bit by bit. */
unsigned char *job_keep(const job *);
bool job_same(const job *, const unsigned char *kept);

/* Fills, sends, calls and checks, to see whether the context computes. */
void job_whole(trigon_context *ctx, enum tested_routine, trigon_type, int64_t order, uint64_t seed, const char *when);

/* Returns the whole block of a matrix, guards included, as one column. */
trigon_matrix whole_block(const guarded *, void *data);

/* The number of bytes that a context holds at least, and the unit of caps. */
enum { LEAF_BUFFER = 2 << 20, MIB = 1 << 20 };

/* The tests, one in each file. */
void test_memory(const device *);
void test_pointers(const device *);
void test_current_device(const device *);
void test_streams(const device *);
void test_graphs(const device *);
void test_workspaces(const device *);
void test_failures(const device *);
void test_dirty(const device *);
void test_kernels(const device *);
void test_dataflow(const device *);
void test_leaves(const device *);
void test_vendor(const device *);
void test_rows(const device *);

#endif

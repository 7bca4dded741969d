/* batch_case.h - a batch of any routine as a test case: its matrices with guards, its call, and the judgement. */
#ifndef TRIGON_TESTS_BATCH_CASE_H
#define TRIGON_TESTS_BATCH_CASE_H

#include "batch_calls.h"
#include "support/guarded.h"
#include "support/matrices.h"
#include "support/reference.h"

enum { CASE_MOST = 90, CASE_UNTOUCHED = -77 };

/* One batch: the calls that its matrices stand for, their matrices, and all memory of an operand as the call
 * sees it. `due` is what the infos must be. */
typedef struct batch_case {
  batch_call all;
  call one[CASE_MOST];
  guarded stored[3][CASE_MOST];
  char *pool[3];               /* where the call finds the operand: on the host, or on the device */
  size_t offset[3][CASE_MOST]; /* of each matrix with its guards */
  size_t bytes[3];
  int64_t n[CASE_MOST], m[CASE_MOST], k[CASE_MOST], ld[3][CASE_MOST], info[CASE_MOST], due[CASE_MOST];
  void *at[3][CASE_MOST];
} batch_case;

/* Where the cases run. `ctx` moves memory. `caller` computes; it may fail. */
typedef struct batch_target {
  trigon_context *ctx, *caller;
  bool on_device, device_arrays;
  arena scratch;             /* of the judge */
  void (*before_call)(void); /* or NULL; `after_call`, too */
  void (*after_call)(void);
} batch_target;
extern batch_target batch_at;

/* check and checked of check.h, with one count for all files of the test. */
void case_check(bool held, const char *what);
int case_checked(void);

/* Memory that a call may use, with these bytes; and back, which frees the memory. */
void *case_send(const void *from, size_t bytes, bool to_device);
void case_receive(void *from, void *to, size_t bytes, bool from_device);

/* Makes a batch with random flags and sizes. */
batch_case *case_make(enum tested_routine routine, trigon_type type, bool strided, random_stream *r);
/* A strided batch of two: left, lower, not transposed, of this order with k columns. */
batch_case *case_of(enum tested_routine routine, trigon_type type, int64_t n, int64_t k, random_stream *r);
/* A batch of matrices of these orders, with so many columns. */
batch_case *case_of_sizes(enum tested_routine routine, trigon_type type, trigon_uplo uplo, int64_t count,
                          const int64_t *n, const int64_t *k, random_stream *r);
void case_free(batch_case *t);

/* Sends the matrices, calls, and brings everything back. spoil(t), if not NULL, changes entries before the call. */
trigon_status case_run(batch_case *t, void (*spoil)(batch_case *));

/* Checks each matrix: it must be computed, or, if an error is due, untouched. */
void case_judge(const batch_case *t);

/* batch_solves.c: TRSM with few columns. The first one: triangles whose reciprocals overflow. */
void test_missing_reciprocals(trigon_type type, int64_t n, int64_t k, random_stream *r);
void test_solves(trigon_type type);
/* batch_posv.c: POSV at the orders and numbers of columns at which its kernels change. `part`: for detectors of races,
 * which take long. */
void test_posv(trigon_type type, bool part);
/* batch_native.c: batches by the vendor's BLAS, in the context of this name, which has native=1. */
void test_native(const char *name);
/* On the simulated GPU of this name: a strided batch of small orders is one launch. */
void test_posv_launches(const char *name);

#endif

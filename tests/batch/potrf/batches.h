/* batches.h - batches for tests: guarded matrices of any orders, sent to a device if the test has one, and the tests
 * that hold on every machine. */
#ifndef TRIGON_TESTS_BATCHES_H
#define TRIGON_TESTS_BATCHES_H

#include "support/guarded.h"
#include "support/reference.h"

enum { BATCH_MOST = 64, BATCH_UNTOUCHED = -77 };

/* A batch with a guard around every matrix. Infos hold BATCH_UNTOUCHED before a call. */
typedef struct batch {
  trigon_type type;
  trigon_uplo uplo;
  int64_t count, n[BATCH_MOST], ld[BATCH_MOST], info[BATCH_MOST];
  void *A[BATCH_MOST];
  guarded stored[BATCH_MOST];
} batch;

extern arena batch_scratch; /* of the judges; the test makes it */

/* check and checked of check.h, with one count for all files of the test. */
void batch_check(bool held, const char *what);
int batch_checked(void);

/* Whether the test has a device, where the matrices and the arrays go for each call. */
extern bool batch_on_device;

/* Makes a context. Returns NULL if the machine has no such BLAS, device or instructions, and says so. */
trigon_context *batch_context(const char *name);

/* Makes positive definite matrices of these orders. */
void batch_fill(batch *b, trigon_type type, trigon_uplo uplo, int64_t count, const int64_t *orders);
void batch_free(batch *b);

/* Calls POTRF of the batch, and brings everything back. */
trigon_status batch_factor(trigon_context *ctx, batch *b, int64_t max_n);
/* Calls POTRF of the batch with these arrays, in memory of the context, and brings nothing back. */
trigon_status batch_factor_there(trigon_context *ctx, const batch *b, int64_t max_n, const int64_t *n, void *const *A,
                                 const int64_t *ld, int64_t *info);

/* Copy bytes to memory of the device, and back; the second frees that memory. */
void *batch_send(trigon_context *ctx, const void *from, size_t bytes);
void batch_receive(trigon_context *ctx, void *from, void *to, size_t bytes);

/* Whether matrix i holds its factor, and nothing else has changed; whether nothing but its triangle has changed;
 * whether nothing has changed. */
bool batch_is_factored(const batch *b, int64_t i);
bool batch_is_within(const batch *b, int64_t i);
bool batch_is_untouched(const batch *b, int64_t i);

/* Orders around those at which the leaves change, in no order. The last one is most of the work. */
static const int64_t mixed[] = {17, 0, 1, 130, 2, 64, 33, 0, 129, 5, 8, 65, 16, 3, 128, 31, 9, 48, 192, 63, 257, 515};
enum { BATCH_MIXED = sizeof mixed / sizeof *mixed };

/* The first `count` of these orders, twice: the bound of the orders is unknown, and known. */
void test_mixed_orders(trigon_context *ctx, trigon_type type, trigon_uplo uplo, int64_t count);
void test_bad_entries(trigon_context *ctx, trigon_type type);
void test_failures(trigon_context *ctx, trigon_type type, trigon_uplo uplo);

/* batch_groups.c: small matrices by these register kernels. */
void test_groups(const char *kernels);

/* batch_device.c: the tests of a device, and a part of them. `small`: a simulated GPU, which takes long. */
int test_device(const char *name, bool small);
int test_part(const char *name);

/* batch_shared.c, on the simulated GPU: blocks that share a large matrix, or a part of that; launches of a strided
 * batch. */
void test_shared(const char *name, bool part);
void test_strided_launches(const char *name);

#endif

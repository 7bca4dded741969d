/* test_solver_workspace.c - the eigensolvers' memory: a buffer of the size that trigon_eigen_workspace tells suffices
 * and is not overrun, less memory is refused before anything is written, and results never depend on where the memory
 * comes from, or on what it held before. */
#include <stdlib.h>
#include <string.h>

#include "solver_calls.h"
#include "spectra.h"
#include "support/check.h"

static const trigon_type types[] = {TRIGON_S, TRIGON_D, TRIGON_C, TRIGON_Z};
static trigon_context *ctx;
static const char *context_name;
static solver_case one;
static dense A, B; /* the matrices of the present case */

static const char *title(void) {
  static char text[300];
  snprintf(text, sizeof text, "%s: %s", context_name, describe_solver_call(&one.call));
  return text;
}

static void set_case(solver_routine routine, trigon_type type, trigon_job job, int64_t n) {
  random_stream r = {(uint64_t)n};
  dense_free(&A), dense_free(&B);
  A = random_matrix(n, type, &r), B = positive_matrix(n, type, &r);
  one.call = (solver_call){.routine = routine, .type = type, .itype = 1, .job = job, .n = n, .uplo = TRIGON_LOWER};
  one.call.range = TRIGON_RANGE_INDICES, one.call.il = 1, one.call.iu = n / 2 + 1;
}

static trigon_status run(void) {
  case_fill(&one, &A, one.call.routine == SYGVD ? &B : NULL);
  return case_run(ctx, &one);
}

/* A copy of what a call has stored: A and w. */
typedef struct bits {
  unsigned char *A, *w;
} bits;

static bits run_good(void) {
  const trigon_status status = run();
  check_that(status == TRIGON_OK && one.info == 0, "%s: status %d, info %d: %s", title(), (int)status, (int)one.info,
             trigon_message(ctx));
  bits b = {malloc(one.A.bytes), malloc(one.w.bytes)};
  if (!b.A || !b.w) exit(2);
  memcpy(b.A, one.A.block, one.A.bytes), memcpy(b.w, one.w.block, one.w.bytes);
  return b;
}

static bool has_bits(const bits *b) {
  return memcmp(b->A, one.A.block, one.A.bytes) == 0 && memcmp(b->w, one.w.block, one.w.bytes) == 0;
}

static void free_bits(bits *b) { free(b->A), free(b->w); }

/* ------------------------------------------------------------------------------------------------------ memory -- */

static int64_t query(void) {
  int64_t bytes = -1;
  check_that(trigon_eigen_workspace(ctx, one.call.type, one.call.job, one.call.n, &bytes) == TRIGON_OK && bytes >= 0,
             "%s: %s", title(), trigon_message(ctx));
  return bytes;
}

static void set_workspace(void *buffer, int64_t bytes) {
  check_that(trigon_set_workspace(ctx, buffer, bytes) == TRIGON_OK, "%s", trigon_message(ctx));
}

/* Back to the state of a new context, which has no cap: a context of its own would have other memory. */
static void remake_context(void) {
  char why[400] = "";
  trigon_destroy(ctx);
  check_that(trigon_create(context_name, &ctx, why, sizeof why) == TRIGON_OK, "%s", why);
}

/* A buffer of exactly the size at any address, between guards. */
static void check_buffer(const bits *expected, int64_t bytes, int offset) {
  enum { guard = 512, poison = 0x5a };
  unsigned char *block = malloc((size_t)bytes + 2 * guard), *buffer = block + guard + offset;
  int64_t stray = 0;
  if (!block) exit(2);
  memset(block, poison, (size_t)bytes + 2 * guard);
  set_workspace(buffer, bytes);
  const trigon_status status = run();
  check_that(status == TRIGON_OK && has_bits(expected), "%s: a buffer of %lld bytes, %d bytes off: status %d: %s",
             title(), (long long)bytes, offset, (int)status, trigon_message(ctx));
  for (unsigned char *p = block; p < buffer; p++) stray += *p != poison;
  for (unsigned char *p = buffer + bytes; p < block + bytes + 2 * guard; p++) stray += *p != poison;
  check_that(stray == 0, "%s: %lld bytes around the buffer are written", title(), (long long)stray);
  set_workspace(NULL, 0);
  free(block);
}

/* Whether a message has two different numbers of several digits. */
static int numbers_in(const char *message) {
  int count = 0;
  for (const char *p = message; *p; p++)
    count += *p >= '0' && *p <= '9' && (p == message || p[-1] < '0' || p[-1] > '9');
  return count;
}

static void check_too_little(void *buffer, int64_t bytes) {
  char text[200];
  set_workspace(buffer, bytes);
  const trigon_status status = run();
  check_that(status == TRIGON_NO_MEMORY, "%s: %lld bytes suffice?", title(), (long long)bytes);
  check_that(numbers_in(trigon_message(ctx)) == 2, "%s: the message lacks a number: %s", title(), trigon_message(ctx));
  const char *change = case_change(&one, text, sizeof text);
  check_that(!change && one.info == -77, "%s: without memory, but %s, info %d", title(), change, (int)one.info);
}

static void check_caps(const bits *expected, int64_t bytes) {
  enum { alignment = 256 }; /* of the memory that a call takes */
  static unsigned char some[1024];
  set_workspace(NULL, bytes);
  check_that(run() == TRIGON_OK && has_bits(expected), "%s: a cap of %lld bytes: %s", title(), (long long)bytes,
             trigon_message(ctx));
  check_too_little(NULL, bytes - 2 * alignment);
  check_too_little(NULL, 0);
  check_too_little(NULL, 1);
  check_too_little(some, sizeof some);
  check_too_little(some + 3, 5);
}

/* ---------------------------------------------------------------------------------------------- the same bits -- */

/* Calls of other types, orders and routines. */
static void make_other_calls(void) {
  static double a[30 * 30], w[30];
  static float c[2 * 77 * 77], v[77];
  int64_t info = 0;
  for (int i = 0; i < 30 * 30; i++) a[i] = i % 7;
  for (int i = 0; i < 2 * 77 * 77; i++) c[i] = (float)(i % 11);
  check(trigon_dsyevd(ctx, TRIGON_VECTORS, TRIGON_UPPER, 30, a, 30, w, &info) == TRIGON_OK, "another call");
  check(trigon_cheevd(ctx, TRIGON_VECTORS, TRIGON_LOWER, 77, c, 77, v, &info) == TRIGON_OK, "another call");
  for (int i = 0; i < 30 * 30; i++) a[i] = i % 31 == 0 ? 100 : 1;
  check(trigon_dpotrf(ctx, TRIGON_LOWER, 30, a, 30, &info) == TRIGON_OK && info == 0, "POTRF between");
}

static void check_case(void) {
  const int64_t bytes = query();
  bits first = run_good();
  bits again = run_good();
  check_that(has_bits(&first), "%s: two calls have different bits", title());
  make_other_calls();
  check_that(run() == TRIGON_OK && has_bits(&first), "%s: other bits after other calls", title());
  check_buffer(&first, bytes, 0);
  check_buffer(&first, bytes, 1);
  check_buffer(&first, bytes, 100);
  check_caps(&first, bytes);
  remake_context();
  check_that(run() == TRIGON_OK && has_bits(&first), "%s: other bits on a new context", title());
  free_bits(&first), free_bits(&again);
}

/* ------------------------------------------------------------------------------------------------------ sizes -- */

static int64_t size_of(trigon_type type, trigon_job job, int64_t n) {
  set_case(SYEVD, type, job, 1);
  one.call.n = n;
  return query();
}

/* What the header promises of the size. */
static void check_sizes(void) {
  for (int kind = 0; kind < 4; kind++) {
    const int64_t size = (int64_t)element_size(types[kind]), n = 4000;
    const double vectors = (double)size_of(types[kind], TRIGON_VECTORS, n) / (double)(n * n * size);
    const int64_t values = size_of(types[kind], TRIGON_VALUES, n), rows = n * size, most = 38 * rows + (10 << 20);
    check_that(values > 30 * rows && values <= most, "%c: values take %lld bytes, at most %lld were promised",
               (char)types[kind], (long long)values, (long long)most);
    check_that(vectors < (is_complex(types[kind]) ? 1.55 : 2.05), "%c: vectors take %g matrices", (char)types[kind],
               vectors);
  }
}

/* Sizes of orders that no memory holds do not overflow. */
static void check_huge(void) {
  int64_t before = 0;
  for (int64_t n = INT64_C(1) << 20; n > 0 && n < INT64_MAX / 2; n *= 2) {
    const int64_t bytes = size_of(TRIGON_Z, TRIGON_VECTORS, n);
    check_that(bytes >= before, "order %lld needs %lld bytes, half the order %lld", (long long)n, (long long)bytes,
               (long long)before);
    before = bytes;
  }
  check(size_of(TRIGON_D, TRIGON_VECTORS, INT64_MAX) == INT64_MAX, "the size of the largest order");
}

/* An order whose matrix fits the address space, but not its workspace. ASan ends the program if memory is refused. */
static void check_unobtainable(void) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  float a[1], w[1];
  for (int64_t n = INT64_C(1) << 27; n <= INT64_C(1) << 29; n *= 2) {
    int64_t info = -77;
    const trigon_status status = trigon_ssyevd(ctx, TRIGON_VECTORS, TRIGON_LOWER, n, a, n, w, &info);
    check_that(status == TRIGON_NO_MEMORY && info == -77, "order %lld: status %d: %s", (long long)n, (int)status,
               trigon_message(ctx));
  }
#endif
}

int main(void) {
  static const char *const contexts[] = {"cpu", "cpu?dirty=1&threads=2&stop=16"};
  static const int64_t orders[] = {1, 2, 33, 100};
  static const solver_routine solvers[] = {SYEVD, SYEVDX, SYGVD};
  for (int i = 0; i < 2; i++) {
    char why[400] = "";
    context_name = contexts[i];
    if (trigon_create(context_name, &ctx, why, sizeof why) != TRIGON_OK) return puts(why), 1;
    for (int kind = 0; kind < 4; kind++)
      for (int job = 0; job < 2; job++)
        for (int k = 0; k < 4; k++)
          for (int s = 0; s < 3; s++) {
            set_case(solvers[s], types[kind], job ? TRIGON_VECTORS : TRIGON_VALUES, orders[k]);
            check_case();
          }
    check_sizes();
    check_huge();
    check_unobtainable();
    trigon_destroy(ctx);
  }
  dense_free(&A), dense_free(&B), case_free(&one);
  return checked();
}

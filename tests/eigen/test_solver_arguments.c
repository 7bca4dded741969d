/* test_solver_arguments.c - the eigensolvers refuse bad arguments one by one, with the argument's name, position and
 * value, and write nothing. Contexts without an eigensolver refuse every call. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solver_calls.h"
#include "spectra.h"
#include "support/check.h"

static const trigon_type types[] = {TRIGON_S, TRIGON_D, TRIGON_C, TRIGON_Z};
static trigon_context *ctx;
static solver_case one;

/* A good call of order 3. */
static solver_call good_call(solver_routine routine, trigon_type type) {
  return (solver_call){.routine = routine,
                       .type = type,
                       .itype = 1,
                       .job = TRIGON_VECTORS,
                       .range = TRIGON_RANGE_ALL,
                       .uplo = TRIGON_LOWER,
                       .n = 3};
}

static void fill(solver_call c) {
  random_stream r = {3};
  one.call = c, one.gap = 1;
  one.call.n = 3;
  dense A = random_matrix(3, c.type, &r), B = positive_matrix(3, c.type, &r);
  case_fill(&one, &A, &B);
  dense_free(&A), dense_free(&B);
}

/* The call of `one`, with a change, is refused with these words, and nothing is written. */
static void refuse(trigon_status expected, const char *words) {
  char text[200];
  const trigon_status status = case_run(ctx, &one);
  const char *message = trigon_message(ctx);
  check_that(status == expected, "%s: status %d instead of %d", words, (int)status, (int)expected);
  check_that(strstr(message, words) != NULL, "\"%s\" instead of \"%s\"", message, words);
  const char *change = case_change(&one, text, sizeof text);
  check_that(!change, "%s: %s", words, change);
  check_that(one.info == -77 && one.found == -77, "%s: info or found is written", words);
}

/* The words that a message begins with: the function, and the argument with its position. */
static const char *words_of(const char *function, int position, const char *argument, const char *value) {
  static char text[200];
  const trigon_type type = one.call.type;
  snprintf(text, sizeof text, "trigon_%c%s%s: argument %d (%s) is %s", (char)type, is_complex(type) ? "he" : "sy",
           function, position, argument, value);
  return text;
}

static const char *const functions[] = {"evd", "evdx", "gst", "gvd"};

/* Arguments that stand at different positions in different functions; 0: the function has no such argument. */
typedef struct places {
  int itype, job, range, uplo, n, A, lda, B, ldb, w;
} places;
static const places positions[] = {{0, 1, 0, 2, 3, 4, 5, 0, 0, 6},
                                   {0, 1, 2, 3, 4, 5, 6, 0, 0, 12},
                                   {1, 0, 0, 2, 3, 4, 5, 6, 7, 0},
                                   {1, 2, 0, 3, 4, 5, 6, 7, 8, 9}};

#define REFUSED(argument, field, bad, value)                                                                           \
  if (at->argument > 0) {                                                                                              \
    fill(good_call(routine, type));                                                                                    \
    one.call.field = bad;                                                                                              \
    refuse(TRIGON_BAD_ARGUMENT, words_of(functions[routine], at->argument, #argument, value));                         \
  }

static void check_function(solver_routine routine, trigon_type type) {
  const places *at = &positions[routine];
  REFUSED(itype, itype, 0, "0")
  REFUSED(itype, itype, 4, "4")
  REFUSED(itype, itype, -1, "-1")
  REFUSED(job, job, (trigon_job)7, "7")
  REFUSED(job, job, (trigon_job)TRIGON_RANGE_ALL, "161")
  REFUSED(range, range, (trigon_range)99, "99")
  REFUSED(range, range, (trigon_range)164, "164")
  REFUSED(uplo, uplo, (trigon_uplo)3, "3")
  REFUSED(uplo, uplo, (trigon_uplo)TRIGON_VECTORS, "152")
  REFUSED(n, n, -1, "-1")
  REFUSED(n, n, INT64_MIN, "-9223372036854775808")
  REFUSED(A, A, NULL, "NULL")
  REFUSED(lda, lda, 2, "2")
  REFUSED(lda, lda, 0, "0")
  REFUSED(lda, lda, -4, "-4")
  REFUSED(B, B, NULL, "NULL")
  REFUSED(ldb, ldb, 2, "2")
  REFUSED(w, w, NULL, "NULL")
}

/* The first bad argument is blamed. */
static void check_order_of_checks(void) {
  fill(good_call(SYGVD, TRIGON_D));
  one.call.itype = 9, one.call.job = (trigon_job)1, one.call.n = -3;
  refuse(TRIGON_BAD_ARGUMENT, "argument 1 (itype) is 9");
  fill(good_call(SYEVDX, TRIGON_Z));
  one.call.range = (trigon_range)1, one.call.uplo = (trigon_uplo)1;
  refuse(TRIGON_BAD_ARGUMENT, "argument 2 (range) is 1");
}

static void refuse_part(trigon_range range, double vl, double vu, int64_t il, int64_t iu, const char *words) {
  for (int kind = 0; kind < 4; kind++) {
    fill(good_call(SYEVDX, types[kind]));
    one.call.range = range, one.call.vl = vl, one.call.vu = vu, one.call.il = il, one.call.iu = iu;
    refuse(TRIGON_BAD_ARGUMENT, words);
  }
}

static void check_parts(void) {
  const trigon_range indices = TRIGON_RANGE_INDICES, interval = TRIGON_RANGE_INTERVAL;
  refuse_part(indices, 0, 0, 0, 2, "argument 9 (il) is 0");
  refuse_part(indices, 0, 0, 4, 4, "argument 9 (il) is 4");
  refuse_part(indices, 0, 0, -2, 1, "argument 9 (il) is -2");
  refuse_part(indices, 0, 0, 2, 1, "argument 10 (iu) is 1");
  refuse_part(indices, 0, 0, 2, 4, "argument 10 (iu) is 4");
  refuse_part(indices, 0, 0, 1, INT64_MAX, "argument 10 (iu) is 9223372036854775807");
  refuse_part(interval, 2, 2, 0, 0, "argument 8 (vu) is 2");
  refuse_part(interval, 2, -1.5, 0, 0, "argument 8 (vu) is -1.5");
  refuse_part(interval, (double)NAN, 1, 0, 0, "argument 8 (vu) is 1");
  refuse_part(interval, 0, (double)NAN, 0, 0, "argument 8 (vu) is nan");
}

/* Matrices that no address space holds. */
static void check_spans(void) {
  fill(good_call(SYEVD, TRIGON_D));
  one.call.n = one.call.lda = INT64_C(1) << 40;
  refuse(TRIGON_BAD_ARGUMENT, "argument 4 (A) spans");
  fill(good_call(SYGVD, TRIGON_D));
  one.call.ldb = INT64_MAX / 2;
  refuse(TRIGON_BAD_ARGUMENT, "argument 7 (B) spans");
}

static void check_no_context(void) {
  double a[4] = {1, 0, 0, 1}, w[2] = {5, 5};
  int64_t info = 9, bytes = 9;
  check(trigon_dsyevd(NULL, TRIGON_VALUES, TRIGON_LOWER, 2, a, 2, w, &info) == TRIGON_BAD_ARGUMENT, "no context");
  check(trigon_eigen_workspace(NULL, TRIGON_D, TRIGON_VALUES, 2, &bytes) == TRIGON_BAD_ARGUMENT, "no context");
  check(a[0] == 1 && w[0] == 5 && info == 9 && bytes == 9, "a call without a context has written");
}

static void refuse_query(trigon_type type, trigon_job job, int64_t n, bool has_bytes, const char *words) {
  int64_t bytes = -77;
  const trigon_status status = trigon_eigen_workspace(ctx, type, job, n, has_bytes ? &bytes : NULL);
  check_that(status == TRIGON_BAD_ARGUMENT && strstr(trigon_message(ctx), words), "status %d, \"%s\", not \"%s\"",
             (int)status, trigon_message(ctx), words);
  check_that(bytes == -77, "%s: bytes is written", words);
}

static void check_query(void) {
  refuse_query((trigon_type)7, TRIGON_VALUES, 2, true, "trigon_eigen_workspace: argument 1 (type) is 7");
  refuse_query(TRIGON_D, (trigon_job)3, 2, true, "trigon_eigen_workspace: argument 2 (job) is 3");
  refuse_query(TRIGON_D, TRIGON_VALUES, -2, true, "trigon_eigen_workspace: argument 3 (n) is -2");
  refuse_query(TRIGON_D, TRIGON_VALUES, 2, false, "trigon_eigen_workspace: argument 4 (bytes) is NULL");
}

/* Order 0 needs no memory. It is not an error, and info and found are written. */
static void check_empty(void) {
  for (int routine = 0; routine < 4; routine++)
    for (int kind = 0; kind < 4; kind++) {
      int64_t info = -77, found = -77;
      solver_call c = good_call((solver_routine)routine, types[kind]);
      c.n = 0, c.lda = c.ldb = 1, c.info = &info, c.found = &found;
      const trigon_status status = make_solver_call(ctx, &c);
      check_that(status == TRIGON_OK && info == (routine == SYGST ? -77 : 0) && found == (routine == SYEVDX ? 0 : -77),
                 "%s: status %d, info %d, found %d", describe_solver_call(&c), (int)status, (int)info, (int)found);
    }
}

/* The calls' operands are in host memory: these contexts must refuse before they look at the matrices. */
static void check_unsupported(const char *name) {
  char why[400] = "";
  const trigon_status status = trigon_create(name, &ctx, why, sizeof why);
  if (status != TRIGON_OK) {
    printf("skipped: \"%s\": %s\n", name, why);
    return;
  }
  if (trigon_on_host(ctx))
    for (int routine = 0; routine < 4; routine++)
      for (int kind = 0; kind < 4; kind++) {
        fill(good_call((solver_routine)routine, types[kind]));
        refuse(TRIGON_NOT_SUPPORTED, "eigensolver");
      }
  void *data = NULL;
  int64_t info = -77, bytes = -77;
  check_that(trigon_eigen_workspace(ctx, TRIGON_D, TRIGON_VALUES, 2, &bytes) == TRIGON_NOT_SUPPORTED && bytes == -77,
             "%s: the query: %s", name, trigon_message(ctx));
  check_that(trigon_alloc(ctx, 1 << 12, &data) == TRIGON_OK, "%s: %s", name, trigon_message(ctx));
  const trigon_status refused = trigon_dsyevd(ctx, TRIGON_VECTORS, TRIGON_LOWER, 3, data, 3, data, &info);
  check_that(refused == TRIGON_NOT_SUPPORTED && info == -77, "%s: status %d: %s", name, (int)refused,
             trigon_message(ctx));
  trigon_free(ctx, data);
  trigon_destroy(ctx);
}

int main(void) {
  char why[400] = "";
  if (trigon_create("cpu", &ctx, why, sizeof why) != TRIGON_OK) return puts(why), 1;
  for (int routine = 0; routine < 4; routine++)
    for (int kind = 0; kind < 4; kind++) check_function((solver_routine)routine, types[kind]);
  check_order_of_checks();
  check_parts();
  check_spans();
  check_no_context();
  check_query();
  check_empty();
  trigon_destroy(ctx);
  check_unsupported("sim:0:host");
  case_free(&one);
  return checked();
}

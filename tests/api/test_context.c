/* test_context.c - the functions around the routines, such as finish, workspace caps, memory and messages.
 *
 * The tests also cover creation, failing allocations, dirty memory, traces, views, and the version. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/context.h"
#include "cpu/cpu.h"
#include "cpu/cpu_create.h"
#include "decorators/trace.h"
#include "support/check.h"
#include "support/small_system.h"

/* The linker's --wrap replaces the allocators by these functions. Call number `fail_at`, from 1, fails. */
static int allocations, fail_at;
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
static bool fails(void) { return ++allocations == fail_at; }
void *__wrap_malloc(size_t size) { return fails() ? NULL : __real_malloc(size); }
void *__wrap_calloc(size_t count, size_t size) { return fails() ? NULL : __real_calloc(count, size); }
void *__wrap_realloc(void *old, size_t size) { return fails() ? NULL : __real_realloc(old, size); }

/* A size that no machine has fails here, because a sanitizer would end the program. */
void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  return fails() || size > (size_t)1 << 50 ? NULL : __real_aligned_alloc(alignment, size);
}

/* Creates the context with each allocation failing in turn. Returns the number of allocations. */
static int fail_each_allocation(const char *name) {
  char why[400];
  for (fail_at = 1;; fail_at++) {
    allocations = 0;
    trigon_context *ctx = (trigon_context *)why;
    trigon_status status = trigon_create(name, &ctx, why, sizeof why);
    if (allocations < fail_at) {
      check(status == TRIGON_OK && solves(ctx), "creation without a failing allocation");
      trigon_destroy(ctx);
      break;
    }
    check(status == TRIGON_NO_MEMORY && !ctx && strstr(why, "out of memory"), "a failing allocation gives a status");
  }
  int needed = fail_at - 1;
  fail_at = 0;
  return needed;
}

static void test_allocations(void) {
  check(fail_each_allocation("cpu?trace=1") == 7,
        "context, engine, leaf buffer, register kernels, their two buffers and trace allocate once each");
  /* It stays loaded: the runtime of OpenMP keeps memory that nobody frees when it is unloaded. */
  void *library = dlopen("libopenblas.so.0", RTLD_LAZY | RTLD_NODELETE);
  if (library) {
    check(fail_each_allocation("cpu:libopenblas.so.0") == 5,
          "a context on a library loaded by name needs as many allocations");
    check(fail_each_allocation("cpu:libopenblas.so.0") == 4,
          "the second context on a loaded library needs one allocation fewer");
    dlclose(library);
  } else {
    printf("skipped: no libopenblas.so.0; the test of failing allocations during loading is left out\n");
  }

  trigon_context *ctx;
  check(trigon_create("cpu", &ctx, NULL, 0) == TRIGON_OK, "create");
  allocations = 0;
  check(solves(ctx) && allocations == 0, "a routine on the CPU allocates nothing");
  trigon_destroy(ctx);
}

static void test_finish(void) {
  trigon_context *ctx;
  if (trigon_create("cpu?stop=2", &ctx, NULL, 0) != TRIGON_OK) abort();
  double bad3[] = {1, 0, 0, 0, 1, 0, 0, 0, -1}, bad1[] = {-1}, good[] = {1};
  int64_t info = -1;
  check(trigon_dpotrf(ctx, TRIGON_LOWER, 1, good, 1, NULL) == TRIGON_OK, "potrf without info");
  check(trigon_dpotrf(ctx, TRIGON_LOWER, 3, bad3, 3, NULL) == TRIGON_OK, "a failed factorization is no error");
  check(trigon_dpotrf(ctx, TRIGON_LOWER, 1, bad1, 1, NULL) == TRIGON_OK, "a second failed factorization is no error");
  check(trigon_finish(ctx, &info) == TRIGON_OK && info == 3, "finish tells the first failure");
  check(trigon_finish(ctx, &info) == TRIGON_OK && info == 0, "finish tells the first failure only once");
  bad1[0] = -1;
  check(trigon_dpotrf(ctx, TRIGON_LOWER, 1, bad1, 1, &info) == TRIGON_OK && info == 1, "a call with its own info");
  check(trigon_finish(ctx, &info) == TRIGON_OK && info == 0, "finish does not tell a failure that info has told");
  bad1[0] = -1;
  check(trigon_dpotrf(ctx, TRIGON_LOWER, 1, bad1, 1, NULL) == TRIGON_OK && trigon_finish(ctx, NULL) == TRIGON_OK,
        "finish without info");
  check(trigon_finish(ctx, &info) == TRIGON_OK && info == 0, "finish without info forgets the failure");
  trigon_destroy(ctx);
}

static void test_workspace(void) {
  static const int64_t caps[] = {0, 1, 1 << 20, INT64_MAX};
  static double buffer[8];
  trigon_context *ctx;
  if (trigon_create("cpu", &ctx, NULL, 0) != TRIGON_OK) abort();
  for (int i = 0; i < 4; i++)
    check(trigon_set_workspace(ctx, NULL, caps[i]) == TRIGON_OK && solves(ctx), "the context computes under every cap");
  check(trigon_set_workspace(ctx, buffer, sizeof buffer) == TRIGON_OK && solves(ctx),
        "the context computes in a buffer of the caller's");
  check(trigon_set_workspace(ctx, NULL, -5) == TRIGON_BAD_ARGUMENT, "a negative cap is refused");
  check(strstr(trigon_message(ctx), "argument 2 (bytes) is -5") != NULL, "the message names a negative cap");
  check(solves(ctx), "the context computes after a refused cap");
  trigon_destroy(ctx);
}

static void test_memory(void) {
  static const int64_t many[] = {1, 255, 256, 257, 1 << 20},
                       too_much[] = {INT64_C(1) << 51, INT64_MAX - 256, INT64_MAX};
  trigon_context *ctx;
  void *data = &ctx;
  if (trigon_create("cpu?trace=1", &ctx, NULL, 0) != TRIGON_OK) abort();
  check(trigon_on_host(ctx) == 1 && trigon_on_host(NULL) == 0, "the CPU's matrices live on the host");
  check(trigon_alloc(ctx, 0, &data) == TRIGON_OK && !data, "an allocation of 0 bytes gives NULL");
  for (int i = 0; i < 5; i++) {
    check(trigon_alloc(ctx, many[i], &data) == TRIGON_OK && data && (uintptr_t)data % 256 == 0,
          "allocated memory is aligned");
    if (data) memset(data, 7, (size_t)many[i]);
    check(trigon_free(ctx, data) == TRIGON_OK, "aligned memory is freed");
  }
  for (int i = 0; i < 3; i++) {
    data = &ctx;
    check(trigon_alloc(ctx, too_much[i], &data) == TRIGON_NO_MEMORY && !data,
          "an allocation that is too large is refused");
    check(strstr(trigon_message(ctx), "trigon_alloc: out of memory") != NULL, "the message says out of memory");
  }
  allocations = 0, fail_at = 1, data = &ctx;
  check(trigon_alloc(ctx, 8, &data) == TRIGON_NO_MEMORY && !data && allocations == 1,
        "a failing allocation is reported");
  fail_at = 0;
  check(trigon_free(ctx, NULL) == TRIGON_OK && !*trigon_message(ctx),
        "trigon_free accepts NULL and clears the message");
  check(trigon_reserve(ctx, 0) == TRIGON_OK && trigon_reserve(ctx, INT64_MAX) == TRIGON_OK,
        "trigon_reserve has nothing to do on the CPU");
  check(trigon_set_stream(ctx, NULL) == TRIGON_OK, "the CPU accepts the stream NULL");
  check(trigon_set_stream(ctx, &data) == TRIGON_NOT_SUPPORTED &&
            strstr(trigon_message(ctx), "trigon_set_stream: argument 1 (stream) is 0x") != NULL,
        "a stream is refused and named");
  check(solves(ctx), "the context still computes");
  trigon_destroy(ctx);
}

/* Returns how many bytes of the CPU's leaf buffer are not 0xff, the bytes of a NaN. */
static int clean_bytes(const cpu *c) {
  int clean = 0;
  for (int i = 0; i < leaf_copy_bytes; i++) clean += ((const unsigned char *)c->leaf_copy)[i] != 0xff;
  return clean;
}

/* If dirty=1, a call finds NaN in the leaf buffer, whatever earlier calls have written there. */
static void test_dirty(bool dirty) {
  enum { order = 20 };
  double A[order * order] = {0}, B[1] = {1};
  reason why = {0};
  cpu *c;
  trigon_context ctx = {0};
  const engine_options options = {.dirty = dirty, .forced = true, .leaf = VARIANT_VENDOR};
  int64_t int_max;
  if (cpu_create("libopenblas.so.0", false, &options, &why, &ctx.engine, &int_max) != TRIGON_OK) abort();
  ctx.machine = ctx.engine->machine;
  c = cpu_on(ctx.machine);
  for (int i = 0; i < order; i++) A[i * (order + 1)] = 1;
  for (int round = 0; round < 2; round++) {
    check(trigon_dpotrf(&ctx, TRIGON_LOWER, order, A, order, NULL) == TRIGON_OK, "a call that copies its block");
    check(!dirty || clean_bytes(c) <= (int)sizeof A, "a call writes no more of the leaf buffer than its block needs");
    check(!dirty || !c->lib.lapack || clean_bytes(c) > 0,
          "a call writes to the leaf buffer if LAPACK factors the block");
    check(trigon_dtrsm(&ctx, TRIGON_LEFT, TRIGON_LOWER, TRIGON_NOTRANS, TRIGON_UNIT, 1, 1, 1, B, 1, B, 1) == TRIGON_OK,
          "a call that copies no block");
    check((clean_bytes(c) == 0) == dirty, "the leaf buffer is all NaN exactly if the context is dirty");
  }
  ctx.engine->destroy(ctx.engine);
}

/* An engine that refuses the operation and blames the argument `fake_culprit`. If the culprit is `nobody`, the
 * engine fails at the end of the call. */
static const char *const nobody = "nobody", *fake_culprit;
static trigon_status fake_end_status;

static trigon_status fake_begin(engine *e, const operation *o, engine **work) {
  reason *why = e->machine->why;
  (void)o;
  *work = e;
  if (fake_culprit == nobody) return TRIGON_OK;
  why->argument = fake_culprit;
  snprintf(why->text, sizeof why->text, "not this one");
  return TRIGON_NOT_SUPPORTED;
}

static trigon_status fake_end(engine *e, bool succeeded) {
  check(succeeded, "a call without an error ends with success");
  snprintf(e->machine->why->text, sizeof e->machine->why->text, "gone");
  return fake_end_status;
}

/* The message names the culprit. After the call has begun, a failure keeps its status only if the device is the
 * culprit. */
static void test_blame(void) {
  const struct {
    const char *culprit;
    trigon_status at_end, status;
    const char *message;
  } cases[] = {{"A", TRIGON_OK, TRIGON_NOT_SUPPORTED, "trigon_dposv: argument 4 (A): not this one"},
               {"B", TRIGON_OK, TRIGON_NOT_SUPPORTED, "trigon_dposv: argument 6 (B): not this one"},
               {"info", TRIGON_OK, TRIGON_NOT_SUPPORTED, "trigon_dposv: argument 8 (info): not this one"},
               {NULL, TRIGON_OK, TRIGON_NOT_SUPPORTED, "trigon_dposv: not this one"},
               {nobody, TRIGON_DEVICE_FAILED, TRIGON_DEVICE_FAILED, "trigon_dposv: gone"},
               {nobody, TRIGON_NOT_SUPPORTED, TRIGON_INCOMPLETE, "trigon_dposv: gone"},
               {nobody, TRIGON_NO_MEMORY, TRIGON_INCOMPLETE, "trigon_dposv: gone"}};
  trigon_context ctx = {0};
  machine nowhere = {.why = &ctx.why};
  engine fake = {.begin = fake_begin, .end = fake_end, .machine = &nowhere};
  double A[1] = {1}, B[1] = {1};
  int64_t info = 0;
  ctx.engine = &fake, ctx.machine = &nowhere;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    fake_culprit = cases[i].culprit, fake_end_status = cases[i].at_end;
    trigon_status status = trigon_dposv(&ctx, TRIGON_LOWER, 0, 0, A, 1, B, 1, &info);
    check(status == cases[i].status && strcmp(trigon_message(&ctx), cases[i].message) == 0, cases[i].message);
  }
}

/* An engine that takes every operation whole, or that has finished the operation when the operation begins. The
 * tests check what the engine is told, and that nothing else is asked of the engine. */
static operation fake_seen;
static trigon_status fake_status;
static bool fake_replays;
static int fake_succeeded, fake_failed; /* how often the engine's `end` was called */

static trigon_status whole_begin(engine *e, const operation *o, engine **work) {
  fake_seen = *o;
  *work = fake_replays ? NULL : e;
  return TRIGON_OK;
}

static int64_t whole_cut(engine *e, const operation *o) {
  (void)e, (void)o;
  return 0;
}

static trigon_status whole_run(engine *e, const operation *o) {
  check(o->routine == fake_seen.routine || is_trivial(&fake_seen), "the engine runs the operation that was announced");
  snprintf(e->machine->why->text, sizeof e->machine->why->text, "half way");
  return fake_status;
}

static trigon_status whole_end(engine *e, bool succeeded) {
  (void)e;
  fake_succeeded += succeeded;
  fake_failed += !succeeded;
  return TRIGON_OK;
}

static void keep_fake(engine *e) { (void)e; }

static const engine whole = {
    .begin = whole_begin, .cut = whole_cut, .run = whole_run, .end = whole_end, .destroy = keep_fake};

/* An operation that runs whole counts as one call. POTRS counts as its two solves. */
static void test_whole_traced(bool replays) {
  static float A[9], B[6];
  trigon_context ctx = {.traced = true};
  machine nowhere = {.why = &ctx.why};
  engine fake = whole;
  enum { KINDS = TRIGON_SYMM + 1 }; /* the array is shorter than the library's list of counts */
  trigon_count counts[KINDS];
  const trigon_matrix square = {A, TRIGON_S, 3, 3, 3}, wide = {B, TRIGON_S, 3, 2, 3};
  const trigon_scalar unity = {1, 0};
  fake.machine = ctx.machine = &nowhere;
  fake_replays = replays;
  check(trace_create(&fake, &ctx.engine) == TRIGON_OK, "a trace");
  trigon_gemm(&ctx, TRIGON_NOTRANS, TRIGON_NOTRANS, unity, square, wide, unity, wide);
  trigon_trmm(&ctx, TRIGON_LEFT, TRIGON_LOWER, TRIGON_NOTRANS, TRIGON_UNIT, unity, square, wide);
  trigon_trsm(&ctx, TRIGON_LEFT, TRIGON_LOWER, TRIGON_NOTRANS, TRIGON_UNIT, unity, square, wide);
  trigon_syrk(&ctx, TRIGON_LOWER, TRIGON_NOTRANS, unity, wide, unity, square);
  trigon_syr2k(&ctx, TRIGON_LOWER, TRIGON_NOTRANS, unity, wide, wide, unity, square);
  trigon_symm(&ctx, TRIGON_LEFT, TRIGON_LOWER, unity, square, wide, unity, wide);
  trigon_potrs(&ctx, TRIGON_LOWER, square, wide);
  fake_status = TRIGON_NO_MEMORY;
  if (!replays) trigon_potrs(&ctx, TRIGON_LOWER, square, wide);
  fake_status = TRIGON_OK;
  check(trigon_trace(&ctx, counts, KINDS) == TRIGON_OK, "the counts of the trace");
  check(counts[TRIGON_GEMM].calls == 1 && counts[TRIGON_GEMM].flops == 36, "GEMM");
  check(counts[TRIGON_TRMM].calls == 1 && counts[TRIGON_TRMM].flops == 18, "TRMM");
  check(counts[TRIGON_TRSM].calls == 3 && counts[TRIGON_TRSM].flops == 54,
        "TRSM and one POTRS; a failed POTRS does not count");
  check(counts[TRIGON_SYRK].calls == 1 && counts[TRIGON_SYRK].flops == 24, "SYRK");
  check(counts[TRIGON_SYR2K].calls == 1 && counts[TRIGON_SYR2K].flops == 48, "SYR2K");
  check(counts[TRIGON_SYMM].calls == 1 && counts[TRIGON_SYMM].flops == 36, "SYMM");
  ctx.engine->destroy(ctx.engine);
}

static void test_whole(void) {
  static const struct {
    trigon_status cause, status;
  } half_way[] = {{TRIGON_DEVICE_FAILED, TRIGON_DEVICE_FAILED},
                  {TRIGON_NO_MEMORY, TRIGON_INCOMPLETE},
                  {TRIGON_NOT_SUPPORTED, TRIGON_INCOMPLETE}};
  trigon_context ctx = {0};
  machine nowhere = {.why = &ctx.why};
  engine fake = whole;
  float A[9] = {0}, B[6] = {0};
  ctx.engine = &fake, fake.machine = ctx.machine = &nowhere;
  fake_replays = false, fake_succeeded = fake_failed = 0;
  check(trigon_strsm(&ctx, TRIGON_RIGHT, TRIGON_UPPER, TRIGON_TRANS, TRIGON_UNIT, 2, 3, 0.1f, A, 3, B, 2) == TRIGON_OK,
        "an operation that runs whole");
  check(fake_succeeded == 1 && fake_failed == 0 && fake_seen.routine == ROUTINE_TRSM &&
            fake_seen.side == TRIGON_RIGHT && fake_seen.uplo == TRIGON_UPPER && fake_seen.op == TRIGON_TRANS &&
            fake_seen.diag == TRIGON_UNIT && fake_seen.alpha.re == (double)0.1f && !is_trivial(&fake_seen) &&
            fake_seen.A.base == A && fake_seen.B.base == B && fake_seen.B.m == 2 && fake_seen.C.m == 0,
        "the engine gets the operation as the caller described it");
  check(trigon_strsm(&ctx, TRIGON_LEFT, TRIGON_UPPER, TRIGON_TRANS, TRIGON_UNIT, 2, 3, 0, A, 2, B, 2) == TRIGON_OK &&
            is_trivial(&fake_seen),
        "alpha = 0 leaves nothing to solve");
  for (size_t i = 0; i < sizeof half_way / sizeof half_way[0]; i++) {
    fake_succeeded = fake_failed = 0;
    fake_status = half_way[i].cause;
    check(trigon_strsm(&ctx, TRIGON_LEFT, TRIGON_UPPER, TRIGON_TRANS, TRIGON_UNIT, 2, 3, 1, A, 2, B, 2) ==
                  half_way[i].status &&
              strcmp(trigon_message(&ctx), "trigon_strsm: half way") == 0,
          "a failure in the middle of a call says that the call is incomplete, and why");
    check(fake_succeeded == 0 && fake_failed == 1, "a failed call ends once");
  }
  fake_status = TRIGON_OK;
}

static void test_views(void) {
  double A[1];
  view all = {.base = A, .type = TRIGON_D, .m = 16, .n = 16, .ld = 16, .count = 1}, two, four;
  check(merge_halves(block(all, 0, 0, 8, 8), block(all, 8, 8, 8, 8), &two), "two halves of a diagonal pair up");
  check(two.count == 2 && two.row_step == 8 && two.col_step == 8, "paired halves are half the order apart");
  check(merge_halves(block(two, 0, 0, 4, 4), block(two, 4, 4, 4, 4), &four), "interleaved halves of a pair pair up");
  check(four.count == 4 && four.row_step == 4 && four.col_step == 4 && four.row == 0,
        "interleaved halves give four quarters");
  check(!merge_halves(block(all, 0, 0, 9, 9), block(all, 9, 9, 7, 7), &two), "blocks of unequal sizes do not pair up");
  check(!merge_halves(block(four, 0, 0, 1, 1), block(four, 1, 1, 1, 1), &two), "blocks at uneven steps do not pair up");
}

#if TRIGON_VERSION_NUMBER < 100 /* the preprocessor can compare the number */
#error "a version before the first"
#endif

/* The library's number is the header's number, and the string says the same. */
static void test_version(void) {
  const int number = trigon_version_number();
  char text[32];
  snprintf(text, sizeof text, "%d.%d.%d", number / 10000, number / 100 % 100, number % 100);
  check(number == TRIGON_VERSION_NUMBER && number == 100, "the version as a number");
  check(strcmp(trigon_version(), text) == 0 && strcmp(text, "0.1.0") == 0, "the version as a string");
}

int main(void) {
  test_allocations();
  test_finish();
  test_workspace();
  test_memory();
  test_dirty(true);
  test_dirty(false);
  test_blame();
  test_whole();
  test_whole_traced(false);
  test_whole_traced(true);
  test_views();
  test_version();
  check(strcmp(trigon_status_string(TRIGON_INCOMPLETE), "stopped half done") == 0, "the last status");
  check(strcmp(trigon_status_string((trigon_status)99), "unknown status") == 0, "an unknown status");
  check(trigon_finish(NULL, NULL) == TRIGON_BAD_ARGUMENT && *trigon_message(NULL), "a NULL context");
  trigon_destroy(NULL);
  return checked();
}

/* test_arguments.c - every bad argument of every routine, in both spellings, one by one.
 *
 * A bad call must return TRIGON_BAD_ARGUMENT, change nothing, and leave a message with `argument POSITION (NAME)`
 * and the value. The arguments and their positions are data (calls.h). The bad values below are data, too. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/guarded.h"
#include "support/matrices.h"

typedef struct tester {
  trigon_context *ctx;
  guarded stored[3];
  int64_t checks, failures;
} tester;

static void check(tester *t, bool held, const call *c, const char *how, const char *what) {
  char text[256];
  t->checks++;
  if (held) return;
  t->failures++;
  if (c) call_print(c, text, sizeof text);
  printf("FAIL %s: %s: %s (message: \"%s\")\n", c ? text : "context", how, what, t->ctx ? trigon_message(t->ctx) : "");
}

/* Returns a good call whose sizes are all different, so that no two shapes agree by chance. */
static call good_call(tester *t, enum tested_routine routine, trigon_type type) {
  call c = {.routine = routine,
            .type = type,
            .side = TRIGON_LEFT,
            .uplo = TRIGON_LOWER,
            .op = TRIGON_NOTRANS,
            .opB = TRIGON_NOTRANS,
            .diag = TRIGON_NONUNIT,
            .m = 5,
            .n = 4,
            .k = 3,
            .alpha = {1, 0},
            .beta = {1, 0}};
  random_stream r = {7};
  for (int i = 0; i < operands(routine); i++) {
    int64_t rows, cols;
    operand_shape(&c, i, &rows, &cols);
    guarded_shape(&t->stored[i], type, rows, cols, 2);
    c.stored[i] = t->stored[i].matrix;
    matrix_fill(c.stored[i], routines[routine].operand[i].storage, c.uplo, c.diag, RANDOM, &r);
    guarded_snapshot(&t->stored[i]);
  }
  return c;
}

static bool unchanged(const tester *t, const call *c) {
  char where[128];
  for (int i = 0; i < operands(c->routine); i++)
    if (guarded_stray(&t->stored[i], (region){REGION_NONE, false}, where, sizeof where)) return false;
  return true;
}

/* Makes the bad call. The message must name the argument and, if `value` is not NULL, hold the value. */
static void expect_refusal(tester *t, call *c, bool blas, const char *name, const char *value) {
  enum { SENTINEL = 4711 };
  int64_t info = SENTINEL;
  char argument[64], how[96];
  const char *list = blas ? routines[c->routine].blas : routines[c->routine].matrix;
  c->info = &info;
  const trigon_status status = blas ? call_blas(t->ctx, c) : call_matrix(t->ctx, c);
  c->info = NULL;
  snprintf(argument, sizeof argument, "argument %d (%s)", argument_position(list, name), name);
  snprintf(how, sizeof how, "%s spelling, bad %s %s", blas ? "BLAS" : "matrix", name, value ? value : "");
  check(t, status == TRIGON_BAD_ARGUMENT, c, how, "must be refused as a bad argument");
  check(t, strstr(trigon_message(t->ctx), argument) != NULL, c, how, argument);
  check(t, strstr(trigon_message(t->ctx), routines[c->routine].name) != NULL, c, how, "must name the routine");
  if (value) check(t, strstr(trigon_message(t->ctx), value) != NULL, c, how, "must hold the value");
  check(t, unchanged(t, c), c, how, "a matrix has changed");
  check(t, info == SENTINEL, c, how, "info has changed");
}

/* A good call works after a bad call, and clears the message. */
static void expect_recovery(tester *t, enum tested_routine routine, trigon_type type, bool blas) {
  call c = good_call(t, routine, type);
  int64_t info = -1;
  c.info = &info;
  const trigon_status status = blas ? call_blas(t->ctx, &c) : call_matrix(t->ctx, &c);
  c.info = NULL;
  check(t, status == TRIGON_OK && *trigon_message(t->ctx) == 0, &c, "a good call after bad ones", "must work");
  check(t, !takes(routine, "info") || info == 0, &c, "a good call after bad ones", "info must be 0");
}

/* ----------------------------------------------------------------------------------------------------- flags -- */

static void set_flag(call *c, const char *name, int value) {
  if (strcmp(name, "side") == 0) c->side = (trigon_side)value;
  if (strcmp(name, "uplo") == 0) c->uplo = (trigon_uplo)value;
  if (strcmp(name, "diag") == 0) c->diag = (trigon_diag)value;
  if (strcmp(name, "op") == 0 || strcmp(name, "opA") == 0) c->op = (trigon_op)value;
  if (strcmp(name, "opB") == 0) c->opB = (trigon_op)value;
}

static void bad_flags(tester *t, enum tested_routine routine, trigon_type type, bool blas) {
  static const char *const flags[] = {"side", "uplo", "op", "opA", "opB", "diag"};
  static const int values[] = {0, 1, 110, 114, 120, 123, 130, 133, 140, 143, 'L', -5, 1 << 20};
  for (size_t f = 0; f < sizeof flags / sizeof *flags; f++)
    for (size_t v = 0; takes(routine, flags[f]) && v < sizeof values / sizeof *values; v++) {
      char text[16];
      call c = good_call(t, routine, type);
      set_flag(&c, flags[f], values[v]);
      snprintf(text, sizeof text, "%d", values[v]);
      expect_refusal(t, &c, blas, flags[f], text);
    }
  static const trigon_op ops[] = {TRIGON_TRANS, TRIGON_CONJTRANS};
  for (int i = 0; i < 2; i++) { /* valid for other routines, but not for this one */
    call c = good_call(t, routine, type);
    if (op_allowed(routine, type, ops[i]) || !takes(routine, "op")) continue;
    c.op = ops[i];
    expect_refusal(t, &c, blas, "op", NULL);
  }
}

/* ---------------------------------------------------------------------------------------------- sizes, operands -- */

/* Only the BLAS spelling has sizes. */
static void bad_sizes(tester *t, enum tested_routine routine, trigon_type type) {
  static const char *const names[] = {"m", "n", "k", "nrhs"};
  static const int64_t values[] = {-1, -7, INT64_MIN};
  for (int i = 0; i < 4; i++)
    for (int v = 0; takes(routine, names[i]) && v < 3; v++) {
      char text[32];
      call c = good_call(t, routine, type);
      *(i == 0 ? &c.m : i == 1 ? &c.n : &c.k) = values[v];
      snprintf(text, sizeof text, "%" PRId64, values[v]);
      expect_refusal(t, &c, true, names[i], text);
    }
}

/* The names that the message gives for a bad leading dimension. The BLAS spelling has an argument for each leading
 * dimension. */
typedef struct operand_names {
  char matrix[2], leading[4];
} operand_names;

static operand_names names_of(enum tested_routine routine, int index, bool blas) {
  const char name = routines[routine].operand[index].name;
  operand_names names = {.matrix = {name, 0}, .leading = {name, 0}};
  if (blas) memcpy(names.leading, (char[]){'l', 'd', (char)(name + ('a' - 'A')), 0}, sizeof names.leading);
  return names;
}

static void bad_operands(tester *t, enum tested_routine routine, trigon_type type, bool blas) {
  for (int i = 0; i < operands(routine); i++) {
    const operand_names names = names_of(routine, i, blas);
    const int64_t rows = good_call(t, routine, type).stored[i].rows, values[] = {rows - 1, 0, -1, INT64_MIN};
    for (int v = 0; v < 4; v++) {
      char text[32];
      call c = good_call(t, routine, type);
      c.stored[i].ld = values[v];
      snprintf(text, sizeof text, "%" PRId64, values[v]);
      expect_refusal(t, &c, blas, names.leading, text);
    }
    call c = good_call(t, routine, type);
    c.stored[i].data = NULL;
    expect_refusal(t, &c, blas, names.matrix, "NULL");
  }
}

/* An empty matrix needs no address, but its ld must be at least 1. */
static void empty_calls(tester *t, enum tested_routine routine, trigon_type type, bool blas) {
  call c = good_call(t, routine, type);
  int64_t info = -1;
  c.m = c.n = c.k = 0;
  for (int i = 0; i < operands(routine); i++) c.stored[i] = (trigon_matrix){NULL, type, 0, 0, 1};
  c.info = &info;
  const trigon_status status = blas ? call_blas(t->ctx, &c) : call_matrix(t->ctx, &c);
  check(t, status == TRIGON_OK, &c, "empty matrices at NULL", "must be accepted");
  check(t, !takes(routine, "info") || info == 0, &c, "empty matrices at NULL", "info must be 0");
  for (int i = 0; i < operands(routine); i++) {
    call bad = c;
    bad.stored[i].ld = 0;
    expect_refusal(t, &bad, blas, names_of(routine, i, blas).leading, "0");
  }
}

/* ---------------------------------------------------------------------------------------------- matrix spelling -- */

/* If sizes disagree, the message may blame any matrix of the call. The message must name one matrix and its size. */
static void expect_mismatch(tester *t, call *c, const char *how) {
  const trigon_status status = call_matrix(t->ctx, c);
  bool named = false;
  for (int i = 0; i < operands(c->routine); i++) {
    char argument[32];
    const char name[] = {routines[c->routine].operand[i].name, 0};
    snprintf(argument, sizeof argument, "argument %d (%s)", argument_position(routines[c->routine].matrix, name), name);
    named = named || strstr(trigon_message(t->ctx), argument);
  }
  check(t, status == TRIGON_BAD_ARGUMENT, c, how, "must be refused as a bad argument");
  check(t, named, c, how, "must name one of the matrices");
  check(t, unchanged(t, c), c, how, "a matrix has changed");
}

/* Returns whether one dimension of a matrix must agree with a dimension of another matrix. Here A is on the left and
 * not transposed. */
static bool shared_side(enum tested_routine routine, int index, int dimension) {
  const operand *x = routines[routine].operand;
  const char letter = dimension ? x[index].cols : x[index].rows;
  for (int i = 0; i < operands(routine); i++) {
    const char rows = x[i].rows == 'o' ? 'm' : x[i].rows, cols = x[i].cols == 'o' ? 'm' : x[i].cols;
    if (i != index && (rows == letter || cols == letter)) return true;
  }
  return false;
}

static void bad_shapes(tester *t, enum tested_routine routine, trigon_type type) {
  for (int i = 0; i < operands(routine); i++) {
    const enum storage storage = routines[routine].operand[i].storage;
    const char name[] = {routines[routine].operand[i].name, 0};
    for (int dimension = 0; dimension < 2; dimension++) {
      call c = good_call(t, routine, type);
      *(dimension ? &c.stored[i].cols : &c.stored[i].rows) -= 1;
      char shape[64];
      snprintf(shape, sizeof shape, "%" PRId64 " × %" PRId64, c.stored[i].rows, c.stored[i].cols);
      if (storage != GENERAL)
        expect_refusal(t, &c, false, name, shape); /* not square, so no other matrix can be blamed */
      else if (shared_side(routine, i, dimension))
        expect_mismatch(t, &c, shape);
      c = good_call(t, routine, type);
      *(dimension ? &c.stored[i].cols : &c.stored[i].rows) = -1;
      expect_refusal(t, &c, false, name, "-1");
    }
  }
}

static void bad_types(tester *t, enum tested_routine routine, trigon_type type) {
  for (int i = 0; i < operands(routine); i++) {
    if (operands(routine) == 1) {
      call c = good_call(t, routine, type);
      c.stored[i].type = (trigon_type)'x';
      expect_refusal(t, &c, false, names_of(routine, i, false).matrix, NULL);
      continue;
    }
    for (const char *other = "sdczx"; *other; other++) {
      call c = good_call(t, routine, type);
      c.stored[i].type = (trigon_type)*other;
      if (*other != (char)type) expect_mismatch(t, &c, "mixed types");
    }
  }
}

static void bad_scalars(tester *t, enum tested_routine routine, trigon_type type) {
  static const double values[] = {2, -0.5, NAN};
  if (is_complex(type)) return;
  for (int v = 0; v < 3; v++) {
    call c = good_call(t, routine, type);
    c.alpha.im = values[v];
    if (takes(routine, "alpha") && routine != HERK) expect_refusal(t, &c, false, "alpha", NULL);
    c = good_call(t, routine, type);
    c.beta.im = values[v];
    if (takes(routine, "beta") && routine != HERK && routine != HER2K) expect_refusal(t, &c, false, "beta", NULL);
  }
}

/* ----------------------------------------------------------------------------------------------------- context -- */

static void no_context(tester *t, enum tested_routine routine, trigon_type type) {
  for (int blas = 0; blas < 2; blas++) {
    if (blas && !has_blas(routine, type)) continue;
    call c = good_call(t, routine, type);
    int64_t info = -1;
    c.info = &info;
    const trigon_status status = blas ? call_blas(NULL, &c) : call_matrix(NULL, &c);
    c.info = NULL;
    check(t, status == TRIGON_BAD_ARGUMENT, &c, "no context", "must be refused as a bad argument");
    check(t, unchanged(t, &c) && info == -1, &c, "no context", "something has changed");
  }
}

static void context_functions(tester *t) {
  trigon_count counts[1];
  int64_t info = -1;
  char workspace[64];
  check(t, trigon_finish(NULL, &info) == TRIGON_BAD_ARGUMENT, NULL, "trigon_finish", "no context");
  check(t, trigon_set_workspace(NULL, NULL, 0) == TRIGON_BAD_ARGUMENT, NULL, "trigon_set_workspace", "no context");
  check(t, trigon_trace(NULL, counts, 1) == TRIGON_BAD_ARGUMENT, NULL, "trigon_trace", "no context");
  check(t, trigon_trace(t->ctx, counts, 1) == TRIGON_NOT_SUPPORTED, NULL, "trigon_trace", "without trace=1");
  check(t, strcmp(trigon_message(t->ctx), "trigon_trace: the context was created without trace=1") == 0, NULL,
        "trigon_trace", "must say why");
  check(t, trigon_trace(t->ctx, NULL, 1) == TRIGON_BAD_ARGUMENT, NULL, "trigon_trace", "no array");
  check(t, strstr(trigon_message(t->ctx), "argument 1 (counts) is NULL, must point to 1 element") != NULL, NULL,
        "trigon_trace", "must name the array");
  check(t, trigon_trace(t->ctx, counts, -3) == TRIGON_BAD_ARGUMENT, NULL, "trigon_trace", "-3 elements");
  check(t, strstr(trigon_message(t->ctx), "argument 2 (count) is -3, must be at least 0") != NULL, NULL, "trigon_trace",
        "must name the number");
  check(t, trigon_set_threads(NULL, 1) == TRIGON_BAD_ARGUMENT, NULL, "trigon_set_threads", "no context");
  check(t, trigon_set_threads(t->ctx, -1) == TRIGON_BAD_ARGUMENT && strstr(trigon_message(t->ctx), "is -1, must be"),
        NULL, "trigon_set_threads", "-1 threads");
  check(t, trigon_set_threads(t->ctx, 1025) == TRIGON_BAD_ARGUMENT, NULL, "trigon_set_threads", "too many threads");
  check(t, trigon_set_threads(t->ctx, 1) == TRIGON_OK && strstr(trigon_describe(t->ctx), "1 thread,"), NULL,
        "trigon_set_threads", "one thread");
  check(t, trigon_set_threads(t->ctx, 0) == TRIGON_OK && *trigon_message(t->ctx) == 0, NULL, "trigon_set_threads",
        "the default");
  check(t, trigon_set_workspace(t->ctx, NULL, -1) == TRIGON_BAD_ARGUMENT, NULL, "trigon_set_workspace", "-1 bytes");
  check(t, strstr(trigon_message(t->ctx), "-1") != NULL, NULL, "trigon_set_workspace", "must name the value");
  check(t, trigon_set_workspace(t->ctx, NULL, 0) == TRIGON_OK, NULL, "trigon_set_workspace", "strictly in place");
  check(t, trigon_set_workspace(t->ctx, workspace, sizeof workspace) == TRIGON_OK, NULL, "trigon_set_workspace", "own");
  check(t, trigon_set_workspace(t->ctx, NULL, 1 << 20) == TRIGON_OK, NULL, "trigon_set_workspace", "allocated");
  check(t, *trigon_message(t->ctx) == 0, NULL, "trigon_set_workspace", "must clear the message");
  check(t, trigon_finish(t->ctx, &info) == TRIGON_OK && info == 0, NULL, "trigon_finish", "bad calls leave no info");
  check(t, *trigon_describe(t->ctx) && !strchr(trigon_describe(t->ctx), '\n'), NULL, "trigon_describe", "one line");
  check(t, !strchr(trigon_advice(t->ctx), '\n') && !*trigon_advice(NULL), NULL, "trigon_advice", "one line, or none");
  check(t, strstr(trigon_rows(t->ctx), "potrf ") && strstr(trigon_rows(t->ctx), "\nkind ") && !*trigon_rows(NULL), NULL,
        "trigon_rows", "a table and a kind, or nothing");
  check(t, strcmp(trigon_version(), "0.1.0") == 0, NULL, "trigon_version", "as in the header");
  for (int status = -2; status < 12; status++)
    check(t, *trigon_status_string((trigon_status)status) != 0, NULL, "trigon_status_string", "words for any value");
  trigon_destroy(NULL);
}

static void all_bad_calls(tester *t, enum tested_routine routine, trigon_type type) {
  for (int blas = 0; blas < 2; blas++) {
    if (blas && !has_blas(routine, type)) continue;
    bad_flags(t, routine, type, blas);
    empty_calls(t, routine, type, blas);
    expect_recovery(t, routine, type, blas);
  }
  if (has_blas(routine, type)) {
    bad_sizes(t, routine, type);
    bad_operands(t, routine, type, true);
  }
  bad_shapes(t, routine, type);
  bad_operands(t, routine, type, false);
  bad_types(t, routine, type);
  bad_scalars(t, routine, type);
  no_context(t, routine, type);
  expect_recovery(t, routine, type, false);
}

int main(void) {
  tester t = {0};
  char why[256];
  if (trigon_create("cpu", &t.ctx, why, sizeof why) != TRIGON_OK) {
    fprintf(stderr, "test_arguments: %s\n", why);
    return 2;
  }
  for (int r = 0; r < TESTED_ROUTINES; r++)
    for (const char *type = "sdcz"; *type; type++) all_bad_calls(&t, (enum tested_routine)r, (trigon_type)*type);
  context_functions(&t);
  trigon_destroy(t.ctx);
  for (int i = 0; i < 3; i++) guarded_free(&t.stored[i]);
  printf("%" PRId64 " passed, %" PRId64 " failed\n", t.checks - t.failures, t.failures);
  return t.failures ? 1 : 0;
}

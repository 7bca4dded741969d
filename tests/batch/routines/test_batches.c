/* test_batches.c - every batched routine: each matrix of a batch is computed as the routine of one matrix computes it,
 * whatever the others are; wrong entries are told and touch nothing. On the host, and on a device with arrays there and
 * here. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "batch_case.h"

static void run_well(batch_case *t, void (*spoil)(batch_case *)) {
  const bool ran = case_run(t, spoil) == TRIGON_OK;
  case_check(ran, ran ? "a batch runs" : trigon_message(batch_at.caller));
  case_judge(t);
}

static void test_results(enum tested_routine routine, trigon_type type, bool strided, random_stream *r) {
  batch_case *t = case_make(routine, type, strided, r);
  run_well(t, NULL);
  case_free(t);
}

/* The operand that an argument like B or ldb belongs to. */
static int operand_of(enum tested_routine routine, const char *argument) {
  const char letter = argument[1] ? (char)(argument[2] + 'A' - 'a') : *argument;
  int x = 0;
  while (routines[routine].operand[x].name != letter) x++;
  return x;
}

/* Makes an argument of matrix i wrong. Returns whether there is a way. */
static bool spoil_entry(batch_case *t, int64_t i, const char *argument) {
  const bool is_size = *argument >= 'k' && argument[1] != 'd';
  if (is_size) {
    int64_t *const size = *argument == 'm' ? &t->m[i] : *argument == 'k' || argument[1] ? &t->k[i] : &t->n[i];
    *size = -1 - *size;
    return true;
  }
  const int x = operand_of(t->all.flags.routine, argument);
  const trigon_matrix A = t->one[i].stored[x];
  if (A.rows == 0 || A.cols == 0) return false;
  if (argument[1])
    t->ld[x][i] = i % 2 && A.cols > 1 ? INT64_MAX / 8 : A.rows - 1; /* beyond the address space, or too small */
  else
    t->at[x][i] = i % 2 || !batch_at.on_device ? NULL : (char *)t->at[x][i] + element_size(A.type) / 2;
  return true;
}

/* Every third entry is wrong, each in another argument. */
static void spoil_entries(batch_case *t) {
  static const char *const names[] = {"m", "n", "k", "nrhs", "A", "B", "C", "lda", "ldb", "ldc"};
  enum { NAMES = sizeof names / sizeof *names };
  int turn = 0;
  for (int64_t i = 1; i < t->all.count; i += 3) {
    do turn = (turn + 1) % NAMES;
    while (!takes(t->all.flags.routine, names[turn]));
    if (t->due[i] == 0 && spoil_entry(t, i, names[turn]))
      t->due[i] = -argument_position(routines[t->all.flags.routine].blas, names[turn]);
  }
}

static void test_wrong_entries(enum tested_routine routine, trigon_type type, random_stream *r) {
  batch_case *t = case_make(routine, type, false, r);
  run_well(t, spoil_entries);
  case_free(t);
}

/* Matrices that are not positive definite (POSV), or have a zero on the diagonal (TRTRI, POTRI), among sound ones. */
static void test_failures(enum tested_routine routine, trigon_type type, random_stream *r) {
  batch_case *t = case_make(routine, type, false, r);
  for (int64_t i = 0; i < t->all.count; i += 2) {
    const trigon_matrix A = t->stored[0][i].matrix;
    if (A.rows == 0 || t->due[i] != 0 || (routine == TRTRI && t->all.flags.diag == TRIGON_UNIT)) continue;
    const int64_t j = random_below(r, A.rows);
    matrix_put(A, j, j, (trigon_scalar){routine == POSV ? -1 : 0, 0});
    guarded_snapshot(&t->stored[0][i]);
    t->due[i] = j + 1;
  }
  run_well(t, NULL);
  case_free(t);
}

/* Whole solutions near the end of the range, for more right-hand sides than are solved with the factorization. What a
 * lane computes for a row that does not exist may overflow, and must reach no other row. A is the identity, but for its
 * last block [1 1; 1 1 + small]; B is 0, but for its last two rows. */
static void test_overflow_behind_end(trigon_type type) {
  static const int64_t floats[] = {45, 46, 47, 62}, doubles[] = {69, 70, 71, 68}, k[] = {8, 8, 8, 8};
  enum { COUNT = sizeof k / sizeof *k };
  const bool is_single = type == TRIGON_S || type == TRIGON_C;
  const double small = is_single ? 0x1p-20 : 0x1p-40, large = is_single ? 0x1p110 : 0x1p1000;
  random_stream r = {3};
  batch_case *t = case_of_sizes(POSV, type, TRIGON_LOWER, COUNT, is_single ? floats : doubles, k, &r);
  for (int64_t i = 0; i < COUNT; i++) {
    const trigon_matrix A = t->stored[0][i].matrix, B = t->stored[1][i].matrix;
    const int64_t n = A.rows;
    for (int64_t col = 0; col < n; col++)
      for (int64_t row = col; row < n; row++) {
        const double value = row == n - 1 && col == n - 1 ? 1 + small : row == col || (row == n - 1 && col == n - 2);
        matrix_put(A, row, col, (trigon_scalar){value, 0});
      }
    for (int64_t col = 0; col < B.cols; col++)
      for (int64_t row = 0; row < n; row++) matrix_put(B, row, col, (trigon_scalar){row < n - 2 ? 0 : large, 0});
    guarded_snapshot(&t->stored[0][i]), guarded_snapshot(&t->stored[1][i]);
  }
  run_well(t, NULL);
  for (int64_t i = 0; i < COUNT; i++) { /* X is `large` in row n - 2, and 0 elsewhere */
    const trigon_matrix X = t->stored[1][i].matrix;
    int64_t wrong = 0;
    for (int64_t col = 0; col < X.cols; col++)
      for (int64_t row = 0; row < X.rows; row++)
        wrong += !(fabs(matrix_get(X, row, col).re - (row == X.rows - 2 ? large : 0)) <= large / 1000);
    case_check(wrong == 0, "nothing but the solution");
  }
  case_free(t);
}

/* Orders at which kernels of a real GPU change. */
static void test_large(void) {
  static const struct {
    enum tested_routine routine;
    int64_t n, k;
  } cases[] = {{TRSM, 449, 3},   {TRSM, 260, 20},  {POTRS, 448, 4}, {TRSM, 3009, 1},
               {TRSM, 1000, 16}, {POTRS, 513, 11}, {POTRI, 520, 0}, {TRTRI, 1925, 0}};
  random_stream r = {5};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    batch_case *t = case_of(cases[i].routine, TRIGON_D, cases[i].n, cases[i].k, &r);
    run_well(t, NULL);
    case_free(t);
  }
}

/* TRTRI of equal large matrices launches nothing behind the launch that fills the lists. The next call must still wait
 * until its own lists are complete. */
static void test_lists_of_next_call(trigon_type type) {
  static const int64_t n[] = {31, 300, 97, 5, 128, 64, 257, 1, 33, 200}, none[10] = {0};
  random_stream r = {11};
  for (int turn = 0; turn < 4; turn++) {
    batch_case *t = case_of(TRTRI, type, 300, 0, &r);
    run_well(t, NULL);
    case_free(t);
    t = case_of_sizes(POTRF, type, TRIGON_LOWER, sizeof n / sizeof *n, n, none, &r);
    run_well(t, NULL);
    case_free(t);
  }
}

/* Orders at which kernels of TRTRI and POTRI change, among small ones. In every second call a matrix has a
 * zero on its diagonal, and the columns of another one have so small pivots that products with inverses of its diagonal
 * blocks would lose digits. */
static void test_inverses(trigon_type type) {
  static const int64_t n[] = {31, 65, 95, 97, 128, 5, 129, 0, 161, 200, 224, 33, 225, 256, 257, 300}, none[16] = {0};
  enum { COUNT = sizeof n / sizeof *n, ZERO = 12, HARD = 13 };
  random_stream r = {9};
  for (int turn = 0; turn < 8; turn++) {
    const enum tested_routine routine = turn % 2 ? POTRI : TRTRI;
    batch_case *t = case_of_sizes(routine, type, turn / 2 % 2 ? TRIGON_UPPER : TRIGON_LOWER, COUNT, n, none, &r);
    t->all.both = routine == POTRI && turn >= 4;
    if (turn >= 4) {
      matrix_put(t->stored[0][ZERO].matrix, 200, 200, (trigon_scalar){0, 0});
      for (int64_t j = 0; j < n[HARD]; j++) {
        const trigon_scalar pivot = matrix_get(t->stored[0][HARD].matrix, j, j);
        if (j % 3 && j < 20) matrix_put(t->stored[0][HARD].matrix, j, j, (trigon_scalar){pivot.re / 64, 0});
      }
      guarded_snapshot(&t->stored[0][ZERO]), guarded_snapshot(&t->stored[0][HARD]);
      t->due[ZERO] = 201;
    }
    run_well(t, NULL);
    case_free(t);
  }
}

/* Whether the context's name asks for a schedule. Then the test tries the routines that have schedules. */
static bool by_schedule;
/* Whether the context's BLAS multiplies by reciprocals that overflow, as BLIS does. */
static bool by_reciprocals;

static bool is_tried(enum tested_routine routine, trigon_type type) {
  return has_batch(routine, type) && (!by_schedule || routine == POTRF || routine == POSV);
}

static void test_routine(enum tested_routine routine, trigon_type type, int turns) {
  random_stream r = {1000 + (uint64_t)routine * 4 + type};
  for (int turn = 0; turn < turns; turn++) {
    test_results(routine, type, false, &r);
    test_results(routine, type, true, &r);
    test_wrong_entries(routine, type, &r);
    if (routine == POSV || routine == TRTRI || routine == POTRI) test_failures(routine, type, &r);
    for (int64_t k = 1; routine == TRSM && !by_reciprocals && k <= 21; k += 5)
      test_missing_reciprocals(type, 1 + random_below(&r, 70), k, &r);
  }
}

/* ------------------------------------------------------------------------------------------------- refusals -- */

/* The call must be refused, and the message must name the argument. */
static void refused(const batch_call *b, const char *argument) {
  char word[32], text[300];
  snprintf(word, sizeof word, "(%s)", argument);
  const trigon_status status = call_batched(batch_at.caller, b);
  snprintf(text, sizeof text, "%s of %s is refused by its name: %s", word, routines[b->flags.routine].name,
           trigon_message(batch_at.caller));
  case_check(status == TRIGON_BAD_ARGUMENT && strstr(trigon_message(batch_at.caller), word), text);
}

/* Each bad argument of the strided form, and each missing array of the other one. */
static void test_refusals(enum tested_routine routine) {
  enum { ORDER = 3, COUNT = 2, STEP = ORDER * ORDER };
  double identity[COUNT * STEP], elsewhere[COUNT * STEP] = {0};
  int64_t words[COUNT] = {ORDER, ORDER};
  void *addresses[COUNT] = {NULL, NULL};
  for (int e = 0; e < COUNT * STEP; e++) identity[e] = e % STEP % (ORDER + 1) == 0;
  batch_call good = {.flags = {.routine = routine,
                               .type = TRIGON_D,
                               .side = TRIGON_LEFT,
                               .uplo = TRIGON_LOWER,
                               .op = TRIGON_NOTRANS,
                               .opB = TRIGON_NOTRANS,
                               .diag = TRIGON_NONUNIT,
                               .m = ORDER,
                               .n = ORDER,
                               .k = ORDER,
                               .alpha = {1, 0},
                               .beta = {1, 0}},
                     .strided = true,
                     .count = COUNT};
  int64_t *sizes = case_send(words, sizeof words, batch_at.on_device),
          *info = case_send(words, sizeof words, batch_at.on_device);
  void **at = case_send(addresses, sizeof addresses, batch_at.on_device);
  good.info = info;
  for (int x = 0; x < operands(routine); x++)
    good.flags.stored[x] =
        (trigon_matrix){case_send(identity, sizeof identity, batch_at.on_device), TRIGON_D, ORDER, ORDER, ORDER},
    good.stride[x] = STEP;
  case_check(call_batched(batch_at.caller, &good) == TRIGON_OK, "a strided batch of identities");
  batch_call bad = good;
  bad.count = -1, refused(&bad, "count"), bad = good;
  bad.flags.n = -1, refused(&bad, "n"), bad = good;
  batch_call arrays = good, none;
  arrays.strided = false, arrays.m = arrays.n = arrays.k = sizes;
  for (int x = 0; x < operands(routine); x++) arrays.at[x] = at, arrays.ld[x] = sizes;
  case_check(call_batched(batch_at.caller, &arrays) == TRIGON_OK, "a batch of wrong entries");
  none = arrays, none.n = NULL, refused(&none, "n");
  none = arrays, none.info = NULL, refused(&none, "info");
  for (int x = 0; x < operands(routine); x++) {
    const char name[] = {routines[routine].operand[x].name, '\0'}, small[] = {(char)(*name + 'a' - 'A'), '\0'};
    char ld[4], stride[16];
    snprintf(ld, sizeof ld, "ld%s", small), snprintf(stride, sizeof stride, "stride%s", name);
    bad = good, bad.flags.stored[x].ld = ORDER - 1, refused(&bad, ld);
    bad = good, bad.flags.stored[x].data = NULL, refused(&bad, name);
    bad = good, bad.stride[x] = -1, refused(&bad, stride);
    if (routines[routine].operand[x].written) bad = good, bad.stride[x] = STEP - 1, refused(&bad, stride);
    if (batch_at.on_device) bad = good, bad.flags.stored[x].data = elsewhere, refused(&bad, name);
    none = arrays, none.at[x] = NULL, refused(&none, name);
    none = arrays, none.ld[x] = NULL, refused(&none, ld);
  }
  for (int x = 0; x < operands(routine); x++)
    case_receive(good.flags.stored[x].data, elsewhere, sizeof elsewhere, batch_at.on_device);
  case_receive(sizes, words, sizeof words, batch_at.on_device),
      case_receive(info, words, sizeof words, batch_at.on_device);
  case_check(words[0] < 0 && words[1] < 0, "addresses that are NULL are wrong entries");
  case_receive(at, addresses, sizeof addresses, batch_at.on_device);
}

/* ---------------------------------------------------------------------------------------- failures on demand -- */

static char sound[100], failing[140]; /* names of contexts */

/* Settings count for a device: a new context changes them. */
static void arm(void) {
  char why[400];
  if (!batch_at.caller) (void)trigon_create(failing, &batch_at.caller, why, sizeof why);
  if (!batch_at.caller)
    (void)trigon_create(sound, &batch_at.caller, why, sizeof why); /* the failure has come already */
}

static void disarm(void) {
  char why[400];
  trigon_context *other;
  (void)trigon_finish(batch_at.caller, NULL);
  case_check(trigon_create(sound, &other, why, sizeof why) == TRIGON_OK, "the failure is over");
  trigon_destroy(other);
}

/* The k-th operation of this kind fails. Either the call tells it, or the failure has come before or would come later,
 * and all is computed. The next call on the context computes all. Returns whether the call told the failure. */
static bool test_failure(const char *kind, int k, enum tested_routine routine, random_stream *r) {
  bool reported = false;
  snprintf(failing, sizeof failing, "%s%cfail=%s:%d", sound, strchr(sound, '?') ? '&' : '?', kind, k);
  batch_at.caller = NULL, batch_at.before_call = arm, batch_at.after_call = disarm;
  for (int again = 0; again < 2; again++) {
    batch_case *t = case_make(routine, TRIGON_C, false, r);
    const trigon_status status = case_run(t, NULL);
    if (!again) reported = status != TRIGON_OK;
    case_check(status == TRIGON_OK || !again, "a failure is told, once");
    if (status == TRIGON_OK) case_judge(t);
    case_free(t);
  }
  trigon_destroy(batch_at.caller);
  batch_at.caller = batch_at.ctx, batch_at.before_call = batch_at.after_call = NULL;
  return reported;
}

/* Each launch, each operation of events and each copy of each routine fails once. The first copies and events are those
 * of the context's creation. */
static void test_failures_on_demand(const char *name) {
  enum { CREATION = 8, MOST = 64 };
  random_stream r = {77};
  snprintf(sound, sizeof sound, "%s", name);
  for (int arrays = 0; arrays < 2; arrays++) {
    batch_at.device_arrays = arrays == 1;
    for (int i = 0; i < TESTED_ROUTINES; i++) {
      const enum tested_routine routine = (enum tested_routine)i;
      if (!is_tried(routine, TRIGON_C)) continue;
      for (int k = 1; test_failure("launch", k, routine, &r); k++) continue;
      const bool copies = arrays == 0 && (routine == GEMM || routine == POSV); /* all kinds of arrays */
      /* Each routine that has launches beside each other. */
      const bool events = routine == TRSM || routine == POTRF || routine == TRTRI;
      for (int k = 1; k <= MOST && copies; k++)
        if (!test_failure("copy", k, routine, &r) && k > CREATION) break;
      for (int k = 1; k <= MOST && events; k++)
        if (!test_failure("event", k, routine, &r) && k > CREATION) break;
    }
  }
}

/* `optional`: a BLAS that the machine may lack. */
static void test_context(const char *name, int turns, bool optional, const char *types) {
  char why[400];
  if (trigon_create(name, &batch_at.ctx, why, sizeof why) != TRIGON_OK) {
    printf("skipped: %s: %s\n", name, why);
    case_check(optional, "the context is there");
    return;
  }
  by_schedule = strstr(name, "schedule=") != NULL, by_reciprocals = strstr(name, "blis") != NULL;
  batch_at.caller = batch_at.ctx;
  batch_at.on_device = !trigon_on_host(batch_at.ctx);
  for (int r = 0; r < TESTED_ROUTINES; r++)
    if (has_batch((enum tested_routine)r, TRIGON_D)) test_refusals((enum tested_routine)r);
  for (int arrays = 0; arrays < 2; arrays++) {
    batch_at.device_arrays = batch_at.on_device && arrays == 1;
    if (batch_at.device_arrays) /* lists and flags lie in the workspace if there is one */
      case_check(trigon_reserve(batch_at.ctx, 4 << 20) == TRIGON_OK, "a workspace");
    for (int r = 0; r < TESTED_ROUTINES && (batch_at.on_device || arrays == 0); r++)
      for (const char *type = types; *type; type++)
        if (is_tried((enum tested_routine)r, (trigon_type)*type))
          test_routine((enum tested_routine)r, (trigon_type)*type, turns);
  }
  for (const char *type = types; *type && batch_at.on_device && !by_schedule; type++) test_inverses((trigon_type)*type);
  for (const char *type = types; *type && batch_at.on_device && !by_schedule; type++)
    test_lists_of_next_call((trigon_type)*type);
  for (const char *type = types; *type && !by_schedule; type++) test_overflow_behind_end((trigon_type)*type);
  for (const char *type = types; *type && !by_schedule; type++) test_solves((trigon_type)*type);
  for (const char *type = types; *type && batch_at.on_device; type++)
    test_posv((trigon_type)*type, !types[2] || by_schedule);
  if (strncmp(name, "sim", 3) == 0 && types[2]) {
    test_failures_on_demand(name);
    if (!strstr(name, "schedule=")) test_posv_launches(name); /* a schedule takes POSV apart */
  }
  if (batch_at.on_device && strncmp(name, "sim", 3) != 0 && turns > 1) test_large();
  trigon_destroy(batch_at.ctx);
}

/* With the name of a device: that device. With `part` behind the name: a part of that. With `native`: its vendor's. */
int main(int argc, char **argv) {
  batch_at.scratch = arena_make((size_t)1 << 30); /* the large matrices of a real GPU; unused memory costs nothing */
  if (argc > 2 && strcmp(argv[2], "native") == 0) {
    test_native(argv[1]);
  } else if (argc > 1) {
    const bool part = argc > 2;
    test_context(argv[1], part || strncmp(argv[1], "sim", 3) == 0 ? 1 : 8, false, part ? "dc" : "sdcz");
  } else {
    test_context("cpu?threads=2", 4, false, "sdcz");
    test_context("cpu?leaf=packed&threads=3&dirty=1", 3, false, "sdcz");
    test_context("cpu?threads=1&stop=16&trace=1", 3, false, "sdcz");
    test_context("cpu:libblis.so.4?threads=2", 3, true, "sdcz");
  }
  arena_free(&batch_at.scratch);
  return case_checked();
}

/* test_triangle_copies.c - trigon_copy_triangle and trigon_check_diagonal: every type, flag and awkward order against a
 * loop, in guarded memory.
 *
 * usage: test_triangle_copies [CONTEXT...]; the default is the CPU, the simulated GPU, and matrices in host memory */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/guarded.h"
#include "support/matrices.h"

enum { FROM, TO, MATRICES };

static trigon_context *ctx;
static guarded stored[MATRICES];
static trigon_matrix there[MATRICES]; /* where the context computes */

/* ------------------------------------------------------------------------------------------------ the context -- */

static void fine(trigon_status status, const char *what) {
  check_that(status == TRIGON_OK, "%s: %s", what, trigon_message(ctx));
}

static void refused(trigon_status status, const char *words) {
  check_that(status == TRIGON_BAD_ARGUMENT && strstr(trigon_message(ctx), words),
             "status %d, message \"%s\", not \"%s\"", (int)status, trigon_message(ctx), words);
}

/* The matrix with the rows between its columns. */
static trigon_matrix whole(trigon_matrix M) {
  M.rows = M.ld;
  return M;
}

static void bring(int which) {
  there[which] = stored[which].matrix;
  if (trigon_on_host(ctx)) return;
  void *data = NULL;
  fine(trigon_alloc(ctx, 16 * there[which].ld * there[which].cols, &data), "trigon_alloc");
  there[which].data = data;
  if (data) fine(trigon_upload(ctx, whole(stored[which].matrix), whole(there[which])), "trigon_upload");
}

static void take_back(int which) {
  if (trigon_on_host(ctx) || !there[which].data) return;
  fine(trigon_download(ctx, whole(there[which]), whole(stored[which].matrix)), "trigon_download");
  fine(trigon_free(ctx, there[which].data), "trigon_free");
}

/* ---------------------------------------------------------------------------------------------------- triangles -- */

typedef struct flags {
  trigon_uplo uplo;
  trigon_op op;
  trigon_other other;
} flags;

/* -0 is another zero than 0, and both must come as they are. */
static bool same(trigon_scalar a, trigon_scalar b) { return memcmp(&a, &b, sizeof a) == 0; }

static trigon_scalar conjugate(trigon_scalar x, trigon_type type) {
  if (type == TRIGON_C || type == TRIGON_Z) x.im = -x.im;
  return x;
}

/* Element (i, j) of the triangle of op(from). */
static trigon_scalar source(trigon_matrix from, flags f, int64_t i, int64_t j) {
  if (f.op == TRIGON_NOTRANS) return matrix_get(from, i, j);
  const trigon_scalar x = matrix_get(from, j, i);
  return f.op == TRIGON_CONJTRANS ? conjugate(x, from.type) : x;
}

static trigon_scalar expected(trigon_matrix from, trigon_matrix before, flags f, int64_t i, int64_t j) {
  const bool inside = i == j || (i > j) == (f.uplo == TRIGON_LOWER);
  if (inside) return source(from, f, i, j);
  if (f.other == TRIGON_KEEP) return matrix_get(before, i, j);
  return f.other == TRIGON_CLEAR ? (trigon_scalar){0, 0} : conjugate(source(from, f, j, i), from.type);
}

/* The other triangle of `from` is poison, and so is all of `to`, if it is another matrix. */
static void make(trigon_type type, int64_t n, flags f, bool in_place) {
  random_stream r = {(uint64_t)n};
  const bool lower = (f.uplo == TRIGON_LOWER) == (f.op == TRIGON_NOTRANS);
  for (int which = 0; which < MATRICES; which++) guarded_shape(&stored[which], type, n, n, 1 + 2 * which);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = lower ? j : 0; lower ? i < n : i <= j; i++) {
      const trigon_scalar x = {random_unit(&r) - 0.5, type == TRIGON_C || type == TRIGON_Z ? random_unit(&r) - 0.5 : 0};
      matrix_put(stored[FROM].matrix, i, j, x);
    }
  for (int which = 0; which < MATRICES; which++) guarded_snapshot(&stored[which]);
  bring(FROM);
  if (!in_place) bring(TO);
}

static void check_copy(trigon_type type, int64_t n, flags f, bool in_place) {
  char where[128];
  const int target = in_place ? FROM : TO;
  make(type, n, f, in_place);
  fine(trigon_copy_triangle(ctx, f.uplo, f.op, f.other, there[FROM], there[target]), "trigon_copy_triangle");
  take_back(FROM);
  if (!in_place) take_back(TO);
  const trigon_matrix from = guarded_before(&stored[FROM]), before = guarded_before(&stored[target]);
  int64_t wrong = 0;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++)
      wrong += !same(matrix_get(stored[target].matrix, i, j), expected(from, before, f, i, j));
  check_that(wrong == 0, "%c, order %d, uplo %d, op %d, other %d%s: %d wrong elements", (char)type, (int)n, (int)f.uplo,
             (int)f.op, (int)f.other, in_place ? ", in place" : "", (int)wrong);
  const char *stray = guarded_stray(&stored[target], (region){REGION_ALL, false}, where, sizeof where);
  check_that(!stray, "the target: %s", stray ? stray : "");
  if (!in_place)
    check(!guarded_stray(&stored[FROM], (region){REGION_NONE, false}, where, sizeof where), "the source stays");
}

static void check_copies(trigon_type type) {
  static const int64_t orders[] = {1, 2, 7, 8, 9, 31, 33, 70};
  static const trigon_op ops[] = {TRIGON_NOTRANS, TRIGON_TRANS, TRIGON_CONJTRANS};
  for (size_t k = 0; k < sizeof orders / sizeof *orders; k++)
    for (int way = 0; way < 24; way++) {
      const flags f = {way & 1 ? TRIGON_LOWER : TRIGON_UPPER, ops[way / 2 % 3], (trigon_other)(way / 6 % 3)};
      const bool in_place = way >= 18;
      if (in_place && f.op != TRIGON_NOTRANS) continue;
      if (in_place)
        for (int other = TRIGON_KEEP; other <= TRIGON_MIRROR; other++)
          check_copy(type, orders[k], (flags){f.uplo, f.op, (trigon_other)other}, true);
      else
        check_copy(type, orders[k], f, false);
    }
}

static void check_refusals(void) {
  make(TRIGON_D, 5, (flags){TRIGON_LOWER, TRIGON_NOTRANS, TRIGON_KEEP}, false);
  const trigon_matrix from = there[FROM], to = there[TO];
  trigon_matrix wrong = from;
#define COPY(uplo, op, other, from, to) trigon_copy_triangle(ctx, uplo, op, other, from, to)
  refused(COPY((trigon_uplo)0, TRIGON_TRANS, TRIGON_KEEP, from, to), "argument 1 (uplo) is 0");
  refused(COPY(TRIGON_LOWER, (trigon_op)7, TRIGON_KEEP, from, to), "argument 2 (op) is 7");
  refused(COPY(TRIGON_LOWER, TRIGON_TRANS, (trigon_other)3, from, to), "argument 3 (other) is 3");
  refused(COPY(TRIGON_LOWER, TRIGON_TRANS, (trigon_other)-1, from, to), "argument 3 (other) is -1");
  refused(COPY(TRIGON_LOWER, TRIGON_TRANS, TRIGON_KEEP, from, from), "argument 5 (to) is at");
  wrong.cols = 4;
  refused(COPY(TRIGON_LOWER, TRIGON_TRANS, TRIGON_KEEP, wrong, to), "argument 4 (from)");
  refused(COPY(TRIGON_LOWER, TRIGON_TRANS, TRIGON_KEEP, from, wrong), "argument 5 (to)");
  wrong = to, wrong.type = TRIGON_S;
  refused(COPY(TRIGON_LOWER, TRIGON_TRANS, TRIGON_KEEP, from, wrong), "argument 5 (to)");
  wrong = to, wrong.data = NULL;
  refused(COPY(TRIGON_LOWER, TRIGON_TRANS, TRIGON_KEEP, from, wrong), "argument 5 (to)");
  if (!trigon_on_host(ctx))
    refused(COPY(TRIGON_LOWER, TRIGON_TRANS, TRIGON_KEEP, stored[FROM].matrix, to), "argument 4 (from)");
  wrong = (trigon_matrix){NULL, TRIGON_D, 0, 0, 1};
  fine(COPY(TRIGON_LOWER, TRIGON_TRANS, TRIGON_CLEAR, wrong, wrong), "an empty triangle");
  check(trigon_copy_triangle(NULL, TRIGON_LOWER, TRIGON_TRANS, TRIGON_KEEP, from, to) == TRIGON_BAD_ARGUMENT,
        "a copy without a context");
#undef COPY
  take_back(FROM);
  take_back(TO);
  char where[128];
  for (int which = 0; which < MATRICES; which++)
    check(!guarded_stray(&stored[which], (region){REGION_NONE, false}, where, sizeof where),
          "a refusal changes nothing");
}

/* ---------------------------------------------------------------------------------------------------- diagonals -- */

/* info where the context's matrices are, and back: doubles are as large. */
static int64_t told_by_info(trigon_matrix A) {
  int64_t told = -1, kept = -1;
  void *info = NULL;
  const trigon_matrix here = {&told, TRIGON_D, 1, 1, 1};
  fine(trigon_alloc(ctx, sizeof told, &info), "trigon_alloc");
  const trigon_matrix where = {info, TRIGON_D, 1, 1, 1};
  fine(trigon_upload(ctx, here, where), "trigon_upload");
  fine(trigon_check_diagonal(ctx, A, info), "trigon_check_diagonal");
  fine(trigon_finish(ctx, &kept), "trigon_finish");
  check(kept == 0, "the end tells what no info has told");
  fine(trigon_download(ctx, where, here), "trigon_download");
  fine(trigon_free(ctx, info), "trigon_free");
  return told;
}

/* What the call, and the end of the work, tell of the diagonal of stored[FROM]. A check takes no memory. */
static int64_t first_zero(void) {
  int64_t kept = -1, before = 0, after = 0;
  fine(trigon_memory(ctx, &before), "trigon_memory");
  bring(FROM);
  fine(trigon_check_diagonal(ctx, there[FROM], NULL), "trigon_check_diagonal");
  fine(trigon_finish(ctx, &kept), "trigon_finish");
  const int64_t told = told_by_info(there[FROM]);
  check_that(told == kept, "info is %d, and the end tells %d", (int)told, (int)kept);
  take_back(FROM);
  fine(trigon_memory(ctx, &after), "trigon_memory");
  check_that(before == after, "a check of a diagonal took %d bytes", (int)(after - before));
  return kept;
}

static void check_diagonals(trigon_type type) {
  static const int64_t zeros[][2] = {{-1, -1}, {0, -1}, {4, -1}, {4, 2}, {599, -1}};
  const bool is_complex = type == TRIGON_C || type == TRIGON_Z;
  for (int64_t n = 5; n <= 600; n += 595)
    for (size_t k = 0; k < sizeof zeros / sizeof *zeros; k++) {
      int64_t first = 0;
      guarded_shape(&stored[FROM], type, n, n, 2);
      for (int64_t i = 0; i < n; i++)
        matrix_put(stored[FROM].matrix, i, i, (trigon_scalar){is_complex ? 0 : NAN, is_complex});
      for (int z = 1; z >= 0; z--) {
        const int64_t at = zeros[k][z];
        if (at < 0 || at >= n) continue;
        matrix_put(stored[FROM].matrix, at, at, (trigon_scalar){z ? -0.0 : 0.0, 0});
        first = first == 0 || at + 1 < first ? at + 1 : first;
      }
      guarded_snapshot(&stored[FROM]);
      const int64_t told = first_zero();
      check_that(told == first, "%c, order %d: the first zero is %d, not %d", (char)type, (int)n, (int)told,
                 (int)first);
      char where[128];
      check(!guarded_stray(&stored[FROM], (region){REGION_NONE, false}, where, sizeof where), "A stays");
    }
  const trigon_matrix none = {NULL, type, 0, 0, 1};
  int64_t info = -1;
  fine(trigon_check_diagonal(ctx, none, trigon_on_host(ctx) ? &info : NULL), "an empty diagonal");
  fine(trigon_finish(ctx, NULL), "trigon_finish");
  if (trigon_on_host(ctx)) check(info == 0, "an empty diagonal has no zero");
}

static void check_context(const char *name) {
  char why[400];
  const trigon_status status = trigon_create(name, &ctx, why, sizeof why);
  check_that(status == TRIGON_OK, "%s: %s", name, why);
  if (status != TRIGON_OK) return;
  for (const char *type = "sdcz"; *type; type++) check_copies((trigon_type)*type), check_diagonals((trigon_type)*type);
  check_refusals();
  refused(trigon_check_diagonal(ctx, (trigon_matrix){NULL, TRIGON_D, 3, 3, 3}, NULL), "argument 1 (A)");
  refused(trigon_check_diagonal(ctx, (trigon_matrix){why, TRIGON_D, 3, 4, 3}, NULL), "argument 1 (A)");
  refused(trigon_check_diagonal(ctx, (trigon_matrix){why, TRIGON_D, -1, -1, 1}, NULL), "argument 1 (A)");
  refused(trigon_copy_triangle(ctx, TRIGON_LOWER, TRIGON_TRANS, TRIGON_KEEP, (trigon_matrix){why, TRIGON_D, -1, -1, 1},
                               (trigon_matrix){why, TRIGON_D, -1, -1, 1}),
          "argument 4 (from)");
  trigon_destroy(ctx);
}

int main(int argc, char **argv) {
  static const char *const standard[] = {"cpu", "sim:0", "sim:0:host", "sim:0-1?stop=16", "sim:0?native=1&solver=1"};
  const int count = argc > 1 ? argc - 1 : (int)(sizeof standard / sizeof *standard);
  for (int i = 0; i < count; i++) check_context(argc > 1 ? argv[i + 1] : standard[i]);
  for (int which = 0; which < MATRICES; which++) guarded_free(&stored[which]);
  return checked();
}

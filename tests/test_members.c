/* test_members.c - batches: the unchanged algorithms compute many matrices of different sizes at once.
 *
 * They run on windows of a frame, with an engine that clips to each matrix. Every matrix must come out as if it were
 * the only one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algo/algo.h"
#include "check.h"
#include "common/members.h"
#include "core/cut_rule.h"

enum { MEMBERS = 9, MOST = 50, NB = 8, RIGHT_SIDES = 3 };
static const int64_t orders[MEMBERS] = {50, 32, 17, 5, 0, 1, 49, 8, 33};
static const int64_t widths[MEMBERS] = {3, 1, 0, 2, 3, 1, 3, 2, 3}; /* right-hand sides of each matrix */

/* ------------------------------------------------------------------------------------------------ the batch -- */

typedef struct batch {
  double A[MEMBERS][MOST * MOST], B[MEMBERS][MOST * RIGHT_SIDES];
  void *a[MEMBERS], *b[MEMBERS];
  int64_t ld[MEMBERS], sound[MEMBERS], rows[MEMBERS], cols[MEMBERS], row_anchor[MEMBERS], col_anchor[MEMBERS];
  int64_t info[MEMBERS];
  members matrices, right_sides;
} batch;

/* Every element outside the matrices is NaN. */
static void fill(batch *x, trigon_uplo uplo, anchoring where) {
  for (int i = 0; i < MEMBERS; i++) {
    const int64_t n = orders[i];
    for (int k = 0; k < MOST * MOST; k++) x->A[i][k] = NAN;
    for (int k = 0; k < MOST * RIGHT_SIDES; k++) x->B[i][k] = NAN;
    for (int64_t c = 0; c < n; c++)
      for (int64_t r = 0; r < n; r++) x->A[i][r + c * MOST] = r == c ? (double)n + 1 : sin((double)(r * c + i));
    for (int64_t c = 0; c < widths[i]; c++)
      for (int64_t r = 0; r < n; r++) x->B[i][r + c * MOST] = cos((double)(r + 7 * c + i));
    x->a[i] = x->A[i], x->b[i] = x->B[i];
    x->ld[i] = MOST, x->info[i] = 0;
    x->sound[i] = x->rows[i] = n, x->cols[i] = widths[i];
    x->row_anchor[i] = anchor_of(where, n, MOST, NB), x->col_anchor[i] = 0;
  }
  const int64_t *rows = uplo == TRIGON_LOWER ? x->rows : x->sound, *cols = uplo == TRIGON_LOWER ? x->sound : x->rows;
  x->matrices = (members){MEMBERS, x->a, x->ld, rows, cols, x->row_anchor, x->row_anchor};
  x->right_sides = (members){MEMBERS, x->b, x->ld, x->rows, x->cols, x->row_anchor, x->col_anchor};
}

/* ------------------------------------------------------------------------------------------------ the engine -- */

static trigon_context *cpu;
static batch *present;

static double *at(view A) { return (double *)A.base + A.row + A.col * A.ld; }

static trigon_status run_member(const operation *o, int64_t i) {
  const view A = member(o->A, i);
  const view B = o->B.base ? member(o->B, i) : (view){0}, C = o->C.base ? member(o->C, i) : (view){0};
  int64_t info = 0;
  switch (o->routine) {
  case ROUTINE_GEMM:
    return trigon_dgemm(cpu, o->op, o->opB, C.m, C.n, o->op == TRIGON_NOTRANS ? A.n : A.m, o->alpha.re, at(A), A.ld,
                        at(B), B.ld, o->beta.re, at(C), C.ld);
  case ROUTINE_TRSM:
    return trigon_dtrsm(cpu, o->side, o->uplo, o->op, o->diag, B.m, B.n, o->alpha.re, at(A), A.ld, at(B), B.ld);
  case ROUTINE_SYRK:
    return trigon_dsyrk(cpu, o->uplo, o->op, C.n, o->op == TRIGON_NOTRANS ? A.n : A.m, o->alpha.re, at(A), A.ld,
                        o->beta.re, at(C), C.ld);
  case ROUTINE_POTRF:
    TRY(trigon_dpotrf(cpu, o->uplo, A.n, at(A), A.ld, &info));
    if (info == 0) return TRIGON_OK;
    present->info[i] = A.col + info; /* from here on, calls are clipped to the sound columns */
    present->sound[i] = present->info[i] - 1, present->cols[i] = 0;
    return TRIGON_OK;
  default: return TRIGON_NOT_SUPPORTED;
  }
}

static trigon_status batch_run(engine *e, const operation *o) {
  (void)e;
  for (int64_t b = 0; b < o->A.count; b++) {
    const operation block_b = over(o, single(o->A, b), single(o->B, b), single(o->C, b));
    for (int64_t i = 0; i < MEMBERS; i++) TRY(run_member(&block_b, i));
  }
  return TRIGON_OK;
}

static int64_t stop;

static int64_t batch_cut(engine *e, const operation *o) {
  (void)e;
  if (is_composite(o->routine)) return 1;
  return o->routine == ROUTINE_GEMM || order_of(o) <= stop ? 0 : first_block(CUT_HALVES, stop, order_of(o));
}

static int64_t batch_known_failure(engine *e) {
  (void)e;
  return 0; /* the failure of one matrix does not stop the others */
}

static engine clipping = {.cut = batch_cut, .run = batch_run, .known_failure = batch_known_failure};

/* -------------------------------------------------------------------------------------------------- the test -- */

static bool near(const double *x, const double *y, int64_t rows, int64_t cols, bool lower) {
  for (int64_t c = 0; c < cols; c++)
    for (int64_t r = lower ? c : 0; r < rows; r++)
      if (!(fabs(x[r + c * MOST] - y[r + c * MOST]) < 1e-12)) return false;
  return true;
}

/* Compares POSV of all members at once with POSV of each member alone. The member `bad` fails in column 20. */
static void compare(trigon_uplo uplo, anchoring where, int bad) {
  static batch together, alone;
  char what[100];
  const int64_t frame = NB * blocks_in(MOST, NB);
  fill(&together, uplo, where), fill(&alone, uplo, where);
  if (bad >= 0) together.A[bad][19 * (MOST + 1)] = alone.A[bad][19 * (MOST + 1)] = -1;
  present = &together;
  const trigon_matrix A = {&together.matrices, TRIGON_D, frame, frame, frame};
  const trigon_matrix B = {&together.right_sides, TRIGON_D, frame, RIGHT_SIDES, frame};
  const operation o = {.routine = ROUTINE_POSV, .uplo = uplo, .A = view_of(A), .B = view_of(B)};
  check(algo_run(&clipping, &o) == TRIGON_OK, "a batch is run");
  for (int i = 0; i < MEMBERS; i++) {
    int64_t info = -1;
    trigon_dposv(cpu, uplo, orders[i], widths[i], alone.A[i], MOST, alone.B[i], MOST, &info);
    const bool lower = uplo == TRIGON_LOWER, well = info == 0;
    snprintf(what, sizeof what, "order %d, %s, anchored at its %s, stop %d", (int)orders[i], lower ? "lower" : "upper",
             where == ANCHOR_START ? "start" : "end", (int)stop);
    check(info == together.info[i], what);
    if (lower) check(near(together.A[i], alone.A[i], orders[i], well ? orders[i] : info - 1, true), what);
    if (well) check(near(together.B[i], alone.B[i], orders[i], widths[i], false), what);
    check(isnan(together.A[i][MOST * MOST - 1]) == (orders[i] < MOST), "nothing else is written");
  }
}

/* The panels of a matrix of order n in each iteration, as rows × columns; a dash: the matrix takes no part. */
static void expect_panels(anchoring where, int64_t n, int64_t most, const char *due) {
  char found[200] = "", what[300];
  for (int64_t s = 0; s < blocks_in(most, NB); s++) {
    const span columns = panel_of(where, n, most, NB, s);
    const size_t used = strlen(found);
    if (columns.count > 0)
      snprintf(found + used, sizeof found - used, " %dx%d", (int)(n - columns.first), (int)columns.count);
    else
      snprintf(found + used, sizeof found - used, " -");
    check(columns.count == 0 || n - columns.first <= NB * (blocks_in(most, NB) - s), "a panel has as many threads");
  }
  snprintf(what, sizeof what, "the panels of order %d are%s, not%s", (int)n, due, found);
  check(strcmp(found, due) == 0, what);
}

/* The paper's tables for the orders {50, 32, 17, 5} and panels of 8 columns. A bound above the largest order adds empty
 * iterations, and changes nothing else. */
static void tables(void) {
  expect_panels(ANCHOR_START, 50, 50, " 50x8 42x8 34x8 26x8 18x8 10x8 2x2"); /* Table I: SSDE */
  expect_panels(ANCHOR_START, 32, 50, " 32x8 24x8 16x8 8x8 - - -");
  expect_panels(ANCHOR_START, 17, 50, " 17x8 9x8 1x1 - - - -");
  expect_panels(ANCHOR_START, 5, 50, " 5x5 - - - - - -");
  expect_panels(ANCHOR_END, 50, 50, " 50x8 42x8 34x8 26x8 18x8 10x8 2x2"); /* Table II: DSSE */
  expect_panels(ANCHOR_END, 32, 50, " - - - 32x8 24x8 16x8 8x8");
  expect_panels(ANCHOR_END, 17, 50, " - - - - 17x8 9x8 1x1");
  expect_panels(ANCHOR_END, 5, 50, " - - - - - - 5x5");
  expect_panels(ANCHOR_START, 17, 70, " 17x8 9x8 1x1 - - - - - -");
  expect_panels(ANCHOR_END, 50, 70, " - - 50x8 42x8 34x8 26x8 18x8 10x8 2x2");
  expect_panels(ANCHOR_END, 17, 70, " - - - - - - 17x8 9x8 1x1");
  expect_panels(ANCHOR_START, 0, 50, " - - - - - - -");
  expect_panels(ANCHOR_END, 0, 50, " - - - - - - -");
}

/* The sizes of the paper's Table II. With blocks of 8 the orders {50, 32, 17, 5} have 7, 4, 3 and 1 blocks, and all
 * end together. */
static void anchors(void) {
  check(anchor_of(ANCHOR_END, 50, 50, 8) == 0 && anchor_of(ANCHOR_END, 32, 50, 8) == 24 &&
            anchor_of(ANCHOR_END, 17, 50, 8) == 32 && anchor_of(ANCHOR_END, 5, 50, 8) == 48,
        "matrices that end together");
  check(anchor_of(ANCHOR_START, 5, 50, 8) == 0, "matrices that start together");
  check(clip((span){0, 8}, 24, 32).count == 0, "a window before a matrix");
  check(clip((span){20, 8}, 24, 32).first == 0 && clip((span){20, 8}, 24, 32).count == 4, "a window over its start");
  check(clip((span){50, 8}, 24, 32).first == 26 && clip((span){50, 8}, 24, 32).count == 6, "a window over its end");
  check(clip((span){56, 8}, 24, 32).count == 0, "a window behind it");
}

int main(void) {
  if (trigon_create("cpu", &cpu, NULL, 0) != TRIGON_OK) abort();
  anchors();
  tables();
  for (stop = 8; stop <= 64; stop *= 2)
    for (int where = ANCHOR_START; where <= ANCHOR_END; where++)
      for (int bad = -1; bad < 2; bad++) {
        compare(TRIGON_LOWER, (anchoring)where, bad);
        compare(TRIGON_UPPER, (anchoring)where, bad);
      }
  trigon_destroy(cpu);
  return checked();
}

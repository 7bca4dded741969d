/* test_cluster.c - every routine, type and combination of flags on distributed matrices: awkward sizes, grids of 1 × 4,
 * 2 × 2 and 4 × 1 processes, blocks from 1 to 64, parts of larger matrices.
 *
 * Usage: mpirun -np 4 test_cluster [--passes N] [--seed N] [--routine NAME] [--options OPTIONS]
 * Every process makes the same matrices and distributes its own part. After a call one process collects the result and
 * judges it, another one for each call, so that they judge at the same time. */
#include <string.h>

#include "cluster_support.h"
#include "support/matrices.h"
#include "support/reference.h"

enum { LARGEST = 130, GRIDS = 3 };

typedef struct sweep {
  int rank, processes;
  int number; /* of calls so far */
  random_stream draw;
  process_grid grid[GRIDS];
  trigon_context *ctx[GRIDS];
  int at; /* the present grid */
  guarded whole[3];
  guarded result[3];
  distributed part[3];
  arena scratch;
} sweep;

static int64_t among(sweep *s, const int64_t *values, int count) { return values[random_below(&s->draw, count)]; }

static int64_t draw_size(sweep *s) {
  static const int64_t sizes[] = {0, 1, 2, 3, 7, 8, 9, 16, 17, 31, 33, 40, 64, 65, 67, 100, 130};
  return among(s, sizes, sizeof sizes / sizeof *sizes);
}

/* ------------------------------------------------------------------------------------------------ a case -- */

static trigon_scalar draw_scalar(sweep *s, const call *c, bool real) {
  static const trigon_scalar values[] = {{1, 0}, {0, 0}, {-1, 0}, {0.7, 0}, {0.6, -0.7}};
  return values[random_below(&s->draw, is_complex(c->type) && !real ? 5 : 4)];
}

static bool is_read(const call *c, int index) {
  const bool written = routines[c->routine].operand[index].written;
  if (written && takes(c->routine, "beta")) return c->beta.re != 0 || c->beta.im != 0;
  return !product_vanishes(c);
}

/* The operand of which trigon_cluster.h wants square blocks. */
static bool needs_square(enum tested_routine routine, int index) {
  return routines[routine].operand[index].storage != GENERAL;
}

static distribution draw_distribution(sweep *s, bool square) {
  static const int64_t blocks[] = {1, 2, 3, 5, 7, 8, 16, 32, 64};
  enum { COUNT = sizeof blocks / sizeof *blocks };
  const process_grid *g = &s->grid[s->at];
  const int mb = (int)among(s, blocks, COUNT), other = (int)among(s, blocks, COUNT);
  return (distribution){.mb = mb,
                        .nb = square || random_below(&s->draw, 2) ? mb : other,
                        .rsrc = (int)random_below(&s->draw, g->rows),
                        .csrc = (int)random_below(&s->draw, g->cols),
                        .rows_before = (int)random_below(&s->draw, 3),
                        .cols_before = (int)random_below(&s->draw, 3),
                        .rows_behind = (int)random_below(&s->draw, 2),
                        .cols_behind = (int)random_below(&s->draw, 2)};
}

/* Half of the calls have the same blocks in all operands, as most programs do. */
static void prepare(sweep *s, call *c) {
  const distribution common = draw_distribution(s, true);
  const bool same = random_below(&s->draw, 2);
  for (int i = 0; i < operands(c->routine); i++) {
    int64_t rows, cols;
    operand_shape(c, i, &rows, &cols);
    guarded_shape(&s->whole[i], c->type, rows, cols, 0);
    if (is_read(c, i))
      matrix_fill(s->whole[i].matrix, routines[c->routine].operand[i].storage, c->uplo, c->diag, RANDOM, &s->draw);
    guarded_snapshot(&s->whole[i]);
    distribution how = draw_distribution(s, needs_square(c->routine, i));
    if (same) how.mb = common.mb, how.nb = common.nb;
    distribute(&s->part[i], &s->grid[s->at], &how, s->whole[i].matrix);
    guarded_shape(&s->result[i], c->type, rows, cols, 0);
  }
}

static void describe(const sweep *s, const call *c, char *text, size_t size) {
  call shown = *c;
  for (int i = 0; i < operands(c->routine); i++) shown.stored[i] = s->whole[i].matrix;
  call_print(&shown, text, size);
  for (int i = 0; i < operands(c->routine); i++) {
    const distribution *how = &s->part[i].how;
    const size_t used = strlen(text);
    snprintf(text + used, size - used, " %c: blocks %d × %d, source (%d, %d), before %d, %d;",
             routines[c->routine].operand[i].name, how->mb, how->nb, how->rsrc, how->csrc, how->rows_before,
             how->cols_before);
  }
}

static void judge(sweep *s, const call *c) {
  const reference_of_type *reference = reference_for(c->type);
  call before = *c, after = *c;
  for (int i = 0; i < operands(c->routine); i++)
    before.stored[i] = guarded_before(&s->whole[i]), after.stored[i] = s->result[i].matrix;
  s->scratch.used = 0;
  const expectation *expected = reference->expect(&s->scratch, &before);
  const verdict v = reference->judge(&s->scratch, &before, &after, expected);
  char text[512] = "";
  if (!v.held) describe(s, c, text, sizeof text);
  check_that(v.held, "%d × %d: %s %s: residual %.4g u, threshold %g u", s->grid[s->at].rows, s->grid[s->at].cols, text,
             v.what, v.residual, v.threshold);
}

/* The checks of each process: the status, info, and what must not change. */
static void check_own(sweep *s, const call *c, trigon_status status, int64_t info) {
  char text[512], stray[128];
  describe(s, c, text, sizeof text);
  check_that(status == TRIGON_OK, "process %d: %s: %s", s->rank, text, trigon_message(s->ctx[s->at]));
  if (takes(c->routine, "info")) check_that(info == 0, "process %d: %s: info %lld", s->rank, text, (long long)info);
  for (int i = 0; i < operands(c->routine); i++) {
    const region allowed = returns_at_once(c) ? (region){REGION_NONE, false} : written_region(c, i);
    const char *where = distributed_stray(&s->part[i], allowed, stray, sizeof stray);
    check_that(!where, "process %d: %s: %c %s", s->rank, text, routines[c->routine].operand[i].name, where);
  }
}

static void run_case(sweep *s, call *c) {
  int64_t info = -1;
  const int root = s->number++ % s->processes;
  prepare(s, c);
  c->info = &info;
  for (int i = 0; i < operands(c->routine); i++) c->stored[i] = distributed_operand(&s->part[i]);
  const trigon_status status = call_matrix(s->ctx[s->at], c);
  check_own(s, c, status, info);
  for (int i = 0; i < operands(c->routine); i++) collect(&s->part[i], s->result[i].matrix, root);
  if (s->rank == root) judge(s, c);
}

/* ------------------------------------------------------------------------------------------------- flags -- */

static void draw_case(sweep *s, call *c) {
  const bool hermitian = c->routine == HERK;
  c->m = draw_size(s), c->n = draw_size(s), c->k = draw_size(s);
  c->alpha = takes(c->routine, "alpha") ? draw_scalar(s, c, hermitian) : (trigon_scalar){0, 0};
  c->beta = takes(c->routine, "beta") ? draw_scalar(s, c, hermitian || c->routine == HER2K) : (trigon_scalar){0, 0};
  run_case(s, c);
}

static void with_ops(sweep *s, call *c) {
  static const trigon_op ops[] = {TRIGON_NOTRANS, TRIGON_TRANS, TRIGON_CONJTRANS};
  const bool two = takes(c->routine, "opA"), one = two || takes(c->routine, "op");
  for (int a = 0; a < (one ? 3 : 1); a++)
    for (int b = 0; b < (two ? 3 : 1); b++) {
      c->op = ops[a], c->opB = ops[b];
      if (op_allowed(c->routine, c->type, ops[a])) draw_case(s, c);
    }
}

static void with_flags(sweep *s, enum tested_routine routine, trigon_type type) {
  for (int side = 0; side < (takes(routine, "side") ? 2 : 1); side++)
    for (int uplo = 0; uplo < (takes(routine, "uplo") ? 2 : 1); uplo++)
      for (int diag = 0; diag < (takes(routine, "diag") ? 2 : 1); diag++)
        with_ops(s, &(call){.routine = routine,
                            .type = type,
                            .side = side ? TRIGON_RIGHT : TRIGON_LEFT,
                            .uplo = uplo ? TRIGON_UPPER : TRIGON_LOWER,
                            .diag = diag ? TRIGON_UNIT : TRIGON_NONUNIT});
}

static void run_pass(sweep *s, const char *only) {
  static const trigon_type types[] = {TRIGON_S, TRIGON_D, TRIGON_C, TRIGON_Z};
  for (s->at = 0; s->at < GRIDS; s->at++)
    for (int r = 0; r < TESTED_ROUTINES; r++)
      for (int t = 0; t < 4; t++)
        if (!only || strcmp(only, routines[r].name) == 0) with_flags(s, (enum tested_routine)r, types[t]);
}

/* ---------------------------------------------------------------------------------------------- the program -- */

static const char *option(int argc, char **argv, const char *name, const char *otherwise) {
  for (int i = 1; i + 1 < argc; i++)
    if (strcmp(argv[i], name) == 0) return argv[i + 1];
  return otherwise;
}

int main(int argc, char **argv) {
  static sweep s;
  char name[300];
  s.rank = start(&argc, &argv, 600);
  MPI_Comm_size(MPI_COMM_WORLD, &s.processes);
  s.draw.state = strtoull(option(argc, argv, "--seed", "1"), NULL, 10);
  s.scratch = arena_make((size_t)1 << 25);
  snprintf(name, sizeof name, "%s%s", cluster_name(), option(argc, argv, "--options", ""));
  for (int i = 0; i < GRIDS; i++) {
    const int rows = i == 0 ? 1 : i == 1 && s.processes == 4 ? 2 : s.processes;
    s.grid[i] = grid_open(rows, s.processes / rows);
    s.ctx[i] = open_cluster(name, &s.grid[i]);
  }
  const int passes = atoi(option(argc, argv, "--passes", "1"));
  for (int pass = 0; pass < passes; pass++) run_pass(&s, option(argc, argv, "--routine", NULL));
  for (int i = 0; i < GRIDS; i++) {
    trigon_destroy(s.ctx[i]);
    Cblacs_gridexit(s.grid[i].context);
  }
  for (int i = 0; i < 3; i++) guarded_free(&s.whole[i]), guarded_free(&s.result[i]), distributed_free(&s.part[i]);
  arena_free(&s.scratch);
  return finish_checks(s.rank);
}

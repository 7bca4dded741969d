/* call_plan.c - records the recursion of a call, and divides what it records into steps on single tiles. */
#include "call_plan.h"

#include <stdlib.h>

#include "algo/algo.h"

/* The engine that records. It takes every operation whose triangle is one tile, and every product. */
typedef struct recorder {
  engine engine; /* first: an engine * is a recorder * */
  plan *plan;
} recorder;

static plan *plan_of(engine *e) { return ((recorder *)e)->plan; }

/* ---------------------------------------------------------------------------------------------------- tiles -- */

/* While a call is recorded, the base of a view is the host_matrix that the view is part of. */
static view recorded(host_matrix *M) {
  view v = M->whole;
  v.base = M;
  return v;
}

/* A rectangle that the recursion has cut: it begins with a whole tile, because cuts are multiples of the block. */
static int64_t tile_at(const plan *p, view A) {
  const host_matrix *M = A.base;
  return M->first_tile + A.row / p->block + A.col / p->block * M->down;
}

static view within_tile(const plan *p, view A) {
  A.row %= p->block, A.col %= p->block;
  return A;
}

/* Part (i, j) of a rectangle that is divided into tiles. */
static view part(const plan *p, view A, int64_t i, int64_t j) {
  const int64_t row = i * p->block, col = j * p->block;
  return block(A, row, col, least(A.m - row, p->block), least(A.n - col, p->block));
}

static bool is_empty(view A) { return A.count == 0; }

/* ---------------------------------------------------------------------------------------------------- steps -- */

static trigon_status more_room(plan *p) {
  const int64_t room = p->step_room > 0 ? 2 * p->step_room : 64;
  plan_step *steps = realloc(p->steps, (size_t)room * sizeof *steps);
  if (!steps) return TRIGON_NO_MEMORY;
  p->steps = steps, p->step_room = room;
  return TRIGON_OK;
}

/* The operand that the operation writes: 0 is A, 1 is B, 2 is C. */
static int output_of(const operation *o) { return !is_empty(o->C) ? 2 : !is_empty(o->B) ? 1 : 0; }

/* Products write each element of a rectangle. Other routines leave one triangle of a tile as it is, and read what they
 * write. */
static bool overwrites(const operation *o) { return o->routine == ROUTINE_GEMM && is_zero(o->beta); }

static int device_of(const plan *p, int64_t number) {
  const plan_tile *t = &p->tiles[number];
  return (int)((t->of->by_rows ? t->i : t->j) % p->devices);
}

/* Appends a step whose operands are within single tiles. */
static trigon_status add_step(plan *p, const operation *o) {
  if (p->step_count == p->step_room) TRY(more_room(p));
  plan_step *s = &p->steps[p->step_count++];
  const view operand[OPERANDS] = {o->A, o->B, o->C};
  const int output = output_of(o);
  *s = (plan_step){.o = over(o, within_tile(p, o->A), within_tile(p, o->B), within_tile(p, o->C))};
  for (int i = 0; i < OPERANDS; i++)
    s->use[i] = is_empty(operand[i]) ? (tile_use){.tile = -1}
                                     : (tile_use){tile_at(p, operand[i]), i != output || !overwrites(o), i == output};
  s->device = device_of(p, s->use[output].tile);
  return TRIGON_OK;
}

/* Part (i, j) of C, inner part k. The first inner part takes beta, the others add. */
static trigon_status add_product(plan *p, const operation *o, int64_t i, int64_t j, int64_t k) {
  const bool plain = o->op == TRIGON_NOTRANS, plainB = o->opB == TRIGON_NOTRANS;
  operation part_of_it = over(o, plain ? part(p, o->A, i, k) : part(p, o->A, k, i),
                              plainB ? part(p, o->B, k, j) : part(p, o->B, j, k), part(p, o->C, i, j));
  if (k > 0) part_of_it.beta = one;
  return add_step(p, &part_of_it);
}

/* Tiles of C that a product updates before it goes on to others: `rows` × `cols`. */
typedef struct window {
  int64_t rows, cols;
} window;

/* The largest square of C on each device whose inner parts have room beside it. */
static window window_of(const plan *p, const operation *o) {
  const host_matrix *M = o->C.base;
  int64_t side = 1;
  while ((side + 1) * (side + 1) + 2 * (side + 1) + OPERANDS <= p->room) side++;
  return M->by_rows ? (window){side * p->devices, side} : (window){side, side * p->devices};
}

/* One window of C, beginning with part (i0, j0). The inner parts come one after the other, so that each is loaded once
 * for the whole window. */
static trigon_status add_window(plan *p, const operation *o, int64_t i0, int64_t j0, window w, int64_t inner) {
  const int64_t i1 = least(i0 + w.rows, parts_of(o->C.m, p->block)),
                j1 = least(j0 + w.cols, parts_of(o->C.n, p->block));
  for (int64_t k = 0; k < inner; k++)
    for (int64_t j = j0; j < j1; j++)
      for (int64_t i = i0; i < i1; i++) TRY(add_product(p, o, i, j, k));
  return TRIGON_OK;
}

/* C = alpha·op(A)·op(B) + beta·C. If everything fits into device memory, a window is one tile: so C is stored early. */
static trigon_status add_gemm(plan *p, const operation *o) {
  const int64_t down = parts_of(o->C.m, p->block), across = parts_of(o->C.n, p->block);
  const int64_t inner = parts_of(sizes_of(o).k, p->block);
  const window w = p->in_core ? (window){1, 1} : window_of(p, o);
  for (int64_t j = 0; j < across; j += w.cols)
    for (int64_t i = 0; i < down; i += w.rows) TRY(add_window(p, o, i, j, w, inner));
  return TRIGON_OK;
}

/* SYRK, SYR2K of a tile of C: one inner part after the other. */
static trigon_status add_update(plan *p, const operation *o) {
  const bool plain = o->op == TRIGON_NOTRANS;
  for (int64_t k = 0; k < parts_of(sizes_of(o).k, p->block); k++) {
    operation inner = *o;
    inner.A = plain ? part(p, o->A, 0, k) : part(p, o->A, k, 0);
    if (!is_empty(o->B)) inner.B = plain ? part(p, o->B, 0, k) : part(p, o->B, k, 0);
    if (k > 0) inner.beta = one;
    TRY(add_step(p, &inner));
  }
  return TRIGON_OK;
}

/* TRSM, TRMM, SYMM with a triangle of one tile: the tiles of B, and of C, do not depend on each other. */
static trigon_status add_panel(plan *p, const operation *o) {
  const bool left = o->side == TRIGON_LEFT;
  for (int64_t j = 0; j < parts_of(left ? o->B.n : o->B.m, p->block); j++) {
    const view B = left ? part(p, o->B, 0, j) : part(p, o->B, j, 0);
    const view C = is_empty(o->C) ? o->C : left ? part(p, o->C, 0, j) : part(p, o->C, j, 0);
    const operation tile_of_it = over(o, o->A, B, C);
    TRY(add_step(p, &tile_of_it));
  }
  return TRIGON_OK;
}

static trigon_status add_single(plan *p, const operation *o) {
  switch (o->routine) {
  case ROUTINE_GEMM: return add_gemm(p, o);
  case ROUTINE_SYRK:
  case ROUTINE_SYR2K: return add_update(p, o);
  case ROUTINE_TRMM:
  case ROUTINE_TRSM:
  case ROUTINE_SYMM: return add_panel(p, o);
  default: return add_step(p, o);
  }
}

/* ------------------------------------------------------------------------------------------------ recording -- */

static trigon_status record_run(engine *e, const operation *o) {
  plan *p = plan_of(e);
  if (o->routine == ROUTINE_CHECK_DIAGONAL) {
    p->checks = true, p->check = *o;
    p->check.A.base = p->matrix[0].whole.base;
    return TRIGON_OK;
  }
  for (int64_t i = 0; i < o->A.count; i++) {
    const operation one_of_it =
        over(o, single(o->A, i), is_empty(o->B) ? o->B : single(o->B, i), is_empty(o->C) ? o->C : single(o->C, i));
    TRY(add_single(p, &one_of_it));
  }
  return TRIGON_OK;
}

/* Substitution from the first row to the last. For POTRF the flags are those of a forward substitution. */
static bool grows_from_first(const operation *o) {
  if (o->routine == ROUTINE_POTRF) return true;
  return (o->side == TRIGON_LEFT) == ((o->uplo == TRIGON_LOWER) == (o->op == TRIGON_NOTRANS));
}

/* The number of tiles in the first diagonal block, of `blocks` in the triangle. In core the data arrive as growing
 * squares: the square of a share of the data admits the cube of it of the work. Out of core halves move least. */
static int64_t first_blocks(const plan *p, const operation *o, int64_t blocks) {
  const int64_t half = (blocks + 1) / 2;
  if (!p->in_core) return half;
  switch (o->routine) {
  case ROUTINE_POTRF:
  case ROUTINE_TRSM:
  case ROUTINE_TRMM: return grows_from_first(o) ? blocks - 1 : 1;
  case ROUTINE_INVERT:
  case ROUTINE_LAUUM: return 1;
  default: return half;
  }
}

static int64_t record_cut(engine *e, const operation *o) {
  const plan *p = plan_of(e);
  if (is_composite(o->routine)) return 1;
  if (o->routine == ROUTINE_GEMM || o->routine == ROUTINE_CHECK_DIAGONAL) return 0;
  const int64_t blocks = parts_of(order_of(o), p->block);
  return blocks <= 1 ? 0 : p->block * first_blocks(p, o, blocks);
}

/* A failure is not known before the steps run. */
static int64_t record_known_failure(engine *e) { return (void)e, 0; }

/* ---------------------------------------------------------------------------------------------- the matrices -- */

/* Tiles of a factor or a symmetric update are dealt by rows, right-hand sides so that each is on one device. */
static bool deals_rows(const operation *o, int operand) {
  switch (o->routine) {
  case ROUTINE_GEMM: return false;
  case ROUTINE_TRMM:
  case ROUTINE_TRSM:
  case ROUTINE_SYMM: return operand != 0 && o->side == TRIGON_RIGHT;
  case ROUTINE_SYRK:
  case ROUTINE_SYR2K: return operand == 2;
  default: return operand == 0;
  }
}

int64_t plan_tiles(const operation *o, int64_t block) {
  const view operand[OPERANDS] = {o->A, o->B, o->C};
  int64_t count = 0;
  for (int i = 0; i < OPERANDS; i++) count += parts_of(operand[i].m, block) * parts_of(operand[i].n, block);
  return count;
}

static trigon_status divide_matrices(plan *p, const operation *o) {
  const view operand[OPERANDS] = {o->A, o->B, o->C};
  p->tile_count = plan_tiles(o, p->block);
  p->tiles = malloc((size_t)p->tile_count * sizeof *p->tiles);
  if (!p->tiles) return TRIGON_NO_MEMORY;
  plan_tile *next = p->tiles;
  for (int i = 0; i < OPERANDS; i++) {
    host_matrix *M = &p->matrix[i];
    *M = (host_matrix){operand[i], parts_of(operand[i].m, p->block), parts_of(operand[i].n, p->block), next - p->tiles,
                       deals_rows(o, i)};
    for (int64_t t = 0; t < M->down * M->across; t++) *next++ = (plan_tile){M, t % M->down, t / M->down};
  }
  return TRIGON_OK;
}

trigon_status plan_record(plan *p, const operation *o) {
  recorder r = {.engine = {.cut = record_cut, .run = record_run, .known_failure = record_known_failure}, .plan = p};
  TRY(divide_matrices(p, o));
  p->in_core = p->tile_count + OPERANDS <= p->room;
  p->info = o->info;
  const operation over_tiles = over(o, recorded(&p->matrix[0]), recorded(&p->matrix[1]), recorded(&p->matrix[2]));
  return algo_run(&r.engine, &over_tiles);
}

void plan_clear(plan *p) {
  free(p->tiles);
  free(p->steps);
  p->tiles = NULL, p->steps = NULL;
}

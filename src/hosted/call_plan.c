/* call_plan.c - records the recursion of a call, and divides what it records into steps. */
#include "call_plan.h"

#include <stdlib.h>

#include "algo/algo.h"
#include "algo/recursion.h"

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

/* Some tiles of a rectangle: from tile `first` on, `count` of them or as many as there are. */
typedef struct tiles {
  int64_t first, count;
} tiles;

static const tiles all_tiles = {0, INT64_MAX};

static view part(const plan *p, view A, tiles down, tiles across) {
  const int64_t row = down.first * p->block, col = across.first * p->block;
  const int64_t m = least(down.count, parts_of(A.m - row, p->block)) * p->block;
  const int64_t n = least(across.count, parts_of(A.n - col, p->block)) * p->block;
  return block(A, row, col, least(A.m - row, m), least(A.n - col, n));
}

/* ---------------------------------------------------------------------------------------------------- steps -- */

/* Makes room for one more element in an array that has `count` elements, and returns where the array is; NULL: the
 * host has no memory. */
static void *with_room(void *array, int64_t count, int64_t *room, size_t size) {
  enum { first_room = 64 };
  if (count < *room) return array;
  const int64_t more = *room > 0 ? 2 * *room : first_room;
  void *moved = realloc(array, (size_t)more * size);
  if (moved) *room = more;
  return moved;
}

/* The operand that the operation writes: 0 is A, 1 is B, 2 is C. */
static int output_of(const operation *o) { return !is_empty(o->C) ? 2 : !is_empty(o->B) ? 1 : 0; }

/* Products write each element of a rectangle. Other routines leave one triangle of a tile as it is, and read what they
 * write. */
static bool overwrites(const operation *o) { return o->routine == ROUTINE_GEMM && is_zero(o->beta); }

static int device_of(const plan *p, int64_t number) {
  const plan_tile *t = &p->tiles[number];
  return (int)((t->of->by_rows ? t->i : t->j) / t->of->span % p->devices);
}

static trigon_status add_use(plan *p, tile_use u) {
  tile_use *uses = with_room(p->uses, p->use_count, &p->use_room, sizeof *uses);
  if (!uses) return TRIGON_NO_MEMORY;
  p->uses = uses;
  p->uses[p->use_count++] = u;
  return TRIGON_OK;
}

/* The uses of the tiles of a rectangle. */
static trigon_status add_uses(plan *p, view A, bool read, bool written) {
  const int64_t first = tile_at(p, A), down = ((const host_matrix *)A.base)->down;
  for (int64_t j = 0; j < parts_of(A.n, p->block); j++)
    for (int64_t i = 0; i < parts_of(A.m, p->block); i++)
      TRY(add_use(p, (tile_use){first + i + j * down, read, written}));
  return TRIGON_OK;
}

/* The same rectangle of the twin. */
static view twin_view(view A) {
  const host_matrix *M = A.base;
  A.base = (void *)M->twin;
  return A;
}

/* The tiles with the first values of those that a step reads and writes come before these. */
static trigon_status add_operand(plan *p, view A, bool read, bool written, int64_t *first) {
  const host_matrix *M = A.base;
  if (M->twin && read && written) TRY(add_uses(p, twin_view(A), true, false));
  *first = p->use_count;
  return add_uses(p, A, read, written);
}

static trigon_status add_step(plan *p, const operation *o) {
  plan_step *steps = with_room(p->steps, p->step_count, &p->step_room, sizeof *steps);
  if (!steps) return TRIGON_NO_MEMORY;
  p->steps = steps;
  const view operand[OPERANDS] = {o->A, o->B, o->C};
  const int output = output_of(o);
  plan_step s = {.o = *o, .begin = p->use_count, .device = device_of(p, tile_at(p, operand[output]))};
  for (int i = 0; i < OPERANDS; i++) {
    s.first_use[i] = -1;
    if (!is_empty(operand[i]))
      TRY(add_operand(p, operand[i], i != output || !overwrites(o), i == output, &s.first_use[i]));
  }
  s.end = p->use_count;
  p->steps[p->step_count++] = s;
  return TRIGON_OK;
}

/* A part of C, with inner tiles. The first inner tiles take beta, the others add. */
static trigon_status add_product(plan *p, const operation *o, tiles down, tiles across, tiles inner) {
  const view A = o->op == TRIGON_NOTRANS ? part(p, o->A, down, inner) : part(p, o->A, inner, down);
  const view B = o->opB == TRIGON_NOTRANS ? part(p, o->B, inner, across) : part(p, o->B, across, inner);
  operation product = over(o, A, B, part(p, o->C, down, across));
  if (inner.first > 0) product.beta = one;
  return add_step(p, &product);
}

/* The inner tiles of a step in core. A product that waits for nothing but its operands begins when half of them are
 * there. With many tiles the beginning is short, and twice as many steps would take long to plan. */
static int64_t inner_in_core(const plan *p, const operation *o) {
  enum { most_tiles = 16 };
  const int64_t all = parts_of(sizes_of(o).k, p->block);
  const bool waits_for_results = o->C.base != &p->matrix[2] || p->twice;
  return waits_for_results || all > most_tiles ? all : parts_of(all, 2);
}

/* In core: squares of C, whose inner tiles are few steps. So C is stored early. Emulated products are cut as little as
 * the solution of a triangle allows. */
static trigon_status add_gemm_in_core(plan *p, const operation *o) {
  const host_matrix *C = o->C.base;
  const bool whole = p->emulates && C == &p->matrix[1];
  const int64_t rows = whole && !C->by_rows ? C->down : C->span, cols = whole && C->by_rows ? C->across : C->span;
  const int64_t all = parts_of(sizes_of(o).k, p->block), inner = inner_in_core(p, o);
  for (int64_t k = 0; k < all; k += inner)
    for (int64_t j = 0; j < parts_of(o->C.n, p->block); j += cols)
      for (int64_t i = 0; i < parts_of(o->C.m, p->block); i += rows)
        TRY(add_product(p, o, (tiles){i, rows}, (tiles){j, cols}, (tiles){k, inner}));
  return TRIGON_OK;
}

/* The window of C on all devices. The inner tiles of a transposed operand lie beside each other, those of another one
 * below each other: so whole runs of them are there. */
static window window_of(const plan *p, const operation *o) {
  const host_matrix *M = o->C.base;
  const int64_t a = o->op == TRIGON_NOTRANS ? 1 : p->run, b = o->opB == TRIGON_NOTRANS ? p->run : 1;
  window w = window_for(p->room, p->run, a, b);
  *(M->by_rows ? &w.rows : &w.cols) *= p->devices;
  return w;
}

/* One window of C, beginning with tile (i0, j0). The inner tiles come one after the other, so that each is loaded once
 * for the whole window. */
static trigon_status add_window(plan *p, const operation *o, int64_t i0, int64_t j0, window w) {
  const int64_t i1 = least(i0 + w.rows, parts_of(o->C.m, p->block)),
                j1 = least(j0 + w.cols, parts_of(o->C.n, p->block));
  for (int64_t k = 0; k < parts_of(sizes_of(o).k, p->block); k++)
    for (int64_t j = j0; j < j1; j++)
      for (int64_t i = i0; i < i1; i++) TRY(add_product(p, o, (tiles){i, 1}, (tiles){j, 1}, (tiles){k, 1}));
  return TRIGON_OK;
}

/* C = alpha·op(A)·op(B) + beta·C */
static trigon_status add_gemm(plan *p, const operation *o) {
  if (p->in_core) return add_gemm_in_core(p, o);
  const window w = window_of(p, o);
  for (int64_t j = 0; j < parts_of(o->C.n, p->block); j += w.cols)
    for (int64_t i = 0; i < parts_of(o->C.m, p->block); i += w.rows) TRY(add_window(p, o, i, j, w));
  return TRIGON_OK;
}

/* SYRK, SYR2K of a tile of C: in core few steps, else one inner tile after the other. */
static trigon_status add_update(plan *p, const operation *o) {
  const bool plain = o->op == TRIGON_NOTRANS;
  const int64_t inner = parts_of(sizes_of(o).k, p->block), step = p->in_core ? inner_in_core(p, o) : 1;
  for (int64_t k = 0; k < inner; k += step) {
    const tiles some = {k, step};
    operation update = *o;
    update.A = plain ? part(p, o->A, all_tiles, some) : part(p, o->A, some, all_tiles);
    if (!is_empty(o->B)) update.B = plain ? part(p, o->B, all_tiles, some) : part(p, o->B, some, all_tiles);
    if (k > 0) update.beta = one;
    TRY(add_step(p, &update));
  }
  return TRIGON_OK;
}

/* TRSM, TRMM, SYMM with a triangle of one tile: the columns of B and of C, or the rows, do not depend on each other. */
static trigon_status add_panel(plan *p, const operation *o) {
  const bool left = o->side == TRIGON_LEFT;
  const host_matrix *output = is_empty(o->C) ? o->B.base : o->C.base;
  const int64_t count = parts_of(left ? o->B.n : o->B.m, p->block), step = p->in_core ? output->span : 1;
  for (int64_t j = 0; j < count; j += step) {
    const tiles some = {j, step};
    const view B = left ? part(p, o->B, all_tiles, some) : part(p, o->B, some, all_tiles);
    const view C = is_empty(o->C) ? o->C : left ? part(p, o->C, all_tiles, some) : part(p, o->C, some, all_tiles);
    const operation panel = over(o, o->A, B, C);
    TRY(add_step(p, &panel));
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

/* With B twice in device memory, what is written is the copy, and products read B as it was. */
static operation to_copy(plan *p, operation o) {
  if (p->twice) *(o.routine == ROUTINE_GEMM ? &o.C.base : &o.B.base) = &p->matrix[2];
  return o;
}

static trigon_status record_run(engine *e, const operation *o) {
  plan *p = plan_of(e);
  if (o->routine == ROUTINE_CHECK_DIAGONAL) {
    p->checks = true, p->check = *o;
    p->check.A.base = p->matrix[0].whole.base;
    return TRIGON_OK;
  }
  for (int64_t i = 0; i < o->A.count; i++) {
    const operation one_of_it = to_copy(
        p, over(o, single(o->A, i), is_empty(o->B) ? o->B : single(o->B, i), is_empty(o->C) ? o->C : single(o->C, i)));
    TRY(add_single(p, &one_of_it));
  }
  return TRIGON_OK;
}

/* How many tiles the last block of a solve or a factorization has. Out of core a window of the result takes all that
 * comes from before, and is done then: so it is loaded and stored once. */
static int64_t last_blocks(const plan *p, const operation *o) {
  if (!p->in_core) return plan_window_side(p);
  return p->emulates && (o->routine == ROUTINE_POTRF || o->routine == ROUTINE_TRSM) ? 2 : 1;
}

/* The number of tiles in the first diagonal block, of `blocks` in the triangle. In core the data arrive as growing
 * squares: the square of a share of the data admits the cube of it of the work. Inverses are halved out of core. */
static int64_t first_blocks(const plan *p, const operation *o, int64_t blocks) {
  const int64_t half = (blocks + 1) / 2, step = last_blocks(p, o);
  if (blocks <= step) return half;
  const int64_t all_but_last = (blocks - 1) / step * step;
  switch (o->routine) {
  case ROUTINE_POTRF: return all_but_last;
  case ROUTINE_TRSM:
  case ROUTINE_TRMM: return forward(o) ? all_but_last : step;
  case ROUTINE_INVERT:
  case ROUTINE_LAUUM: return p->in_core ? 1 : half;
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

/* Out of core right-hand sides are solved slab by slab: so the window of a product is still there for the solve behind
 * it. Rows of a right side's B do not depend on each other either. */
static trigon_status record_slabs(recorder *r, const operation *o) {
  const plan *p = r->plan;
  const bool by_rows = o->routine != ROUTINE_POTRS && o->side == TRIGON_RIGHT;
  const int64_t count = parts_of(by_rows ? o->B.m : o->B.n, p->block), slab = plan_window_side(p) * p->devices;
  for (int64_t first = 0; first < count; first += slab) {
    const tiles some = {first, slab};
    const operation part_of_it =
        over(o, o->A, by_rows ? part(p, o->B, some, all_tiles) : part(p, o->B, all_tiles, some), o->C);
    TRY(algo_run(&r->engine, &part_of_it));
  }
  return TRIGON_OK;
}

static trigon_status record_all(recorder *r, const operation *o) {
  if (r->plan->in_core) return algo_run(&r->engine, o);
  operation factor = as_routine(o, ROUTINE_POTRF), solve = as_routine(o, ROUTINE_POTRS);
  factor.B = (view){0};
  switch (o->routine) {
  case ROUTINE_TRMM:
  case ROUTINE_TRSM:
  case ROUTINE_POTRS: return record_slabs(r, o);
  case ROUTINE_POSV: TRY(algo_run(&r->engine, &factor)); return record_slabs(r, &solve);
  default: return algo_run(&r->engine, o);
  }
}

trigon_status plan_record(plan *p, const operation *o) {
  recorder r = {.engine = {.cut = record_cut, .run = record_run, .known_failure = record_known_failure}, .plan = p};
  TRY(plan_divide(p, o));
  p->info = o->info;
  const operation over_tiles =
      over(o, recorded(&p->matrix[0]), recorded(&p->matrix[1]), p->twice ? o->C : recorded(&p->matrix[2]));
  return record_all(&r, &over_tiles);
}

void plan_clear(plan *p) {
  free(p->tiles);
  free(p->steps);
  free(p->uses);
  p->tiles = NULL, p->steps = NULL, p->uses = NULL;
}

/* plan_matrices.c - the matrices of a call as a plan sees them: divided into tiles, dealt to devices, placed in device
 * memory, and how many tiles travel together. */
#include <stdlib.h>

#include "call_plan.h"

/* The slots of a window, of its inner tiles, and of those that come next: `a` and `b` for each row and column. */
static int64_t slots_of(window w, int64_t a, int64_t b) { return w.rows * w.cols + 2 * (a * w.rows + b * w.cols); }

window window_for(int64_t room, int64_t run, int64_t a, int64_t b) {
  window best = {run, 1};
  for (int64_t rows = run; rows <= room; rows += run)
    for (window w = {rows, 1}; slots_of(w, a, b) + OPERANDS <= room; w.cols++)
      if (w.rows * w.cols * (best.rows + best.cols) > best.rows * best.cols * (w.rows + w.cols)) best = w;
  return best;
}

int64_t plan_window_side(const plan *p) {
  int64_t side = p->run;
  while ((side + p->run) * (side + p->run + 2 * (1 + p->run)) + OPERANDS <= p->room) side += p->run;
  return side;
}

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

/* The matrices of the plan: the operands, or B again. */
static void list_matrices(const operation *o, bool twice, view list[OPERANDS]) {
  list[0] = o->A, list[1] = o->B, list[2] = twice ? o->B : o->C;
}

int64_t plan_tiles(const operation *o, int64_t block, bool twice) {
  view operand[OPERANDS];
  int64_t count = 0;
  list_matrices(o, twice, operand);
  for (int i = 0; i < OPERANDS; i++) count += parts_of(operand[i].m, block) * parts_of(operand[i].n, block);
  return count;
}

/* Columns in device memory are a number of elements apart that is no power of two, and they are aligned. */
static int64_t ld_in_core(int64_t down, int64_t block) {
  enum { apart = 32 };
  return up_to_multiple(down * block, apart) + apart;
}

static int64_t bytes_in_core(view A, int64_t block) {
  enum { alignment = 256 };
  return up_to_multiple(ld_in_core(parts_of(A.m, block), block) * A.n * type_size(A.type), alignment);
}

int64_t plan_bytes(const operation *o, int64_t block, bool twice) {
  view operand[OPERANDS];
  int64_t bytes = 0;
  list_matrices(o, twice, operand);
  for (int i = 0; i < OPERANDS; i++)
    if (!is_empty(operand[i])) bytes += bytes_in_core(operand[i], block);
  return bytes;
}

/* Right-hand sides and products are dealt in slabs, of which up to four devices get one each. A factor is dealt row of
 * tiles after row of tiles, because the rows have different work. */
static int64_t span_of(const plan *p, const operation *o, int operand, int64_t count) {
  enum { slabs = 4, many = 6 };
  const bool is_triangle = operand == 0 || o->routine == ROUTINE_SYRK || o->routine == ROUTINE_SYR2K;
  if (!is_triangle || o->routine == ROUTINE_GEMM) return parts_of(count, slabs);
  return p->emulates && count >= many ? 2 : 1;
}

/* Out of core, if rows are dealt: single rows share the work better, but then the slots of a run have tiles of one
 * device only. So whole runs are dealt, unless windows are so wide all the same that products wait for no load: their
 * side times the rate of a link is then the rate of work, times the bytes of an element. */
static int64_t span_out_of_core(const plan *p) {
  static const double enough = 12400 * 53; /* a side, and the rate of the link of an H100 */
  const double reached = (double)(plan_window_side(p) * p->block * p->link[LINK_LONG]);
  return reached * reached >= enough * enough * (double)least(p->run, p->devices) ? 1 : p->run;
}

static host_matrix matrix_of(const plan *p, const operation *o, int operand, view A) {
  host_matrix M = {.whole = A, .down = parts_of(A.m, p->block), .across = parts_of(A.n, p->block)};
  M.by_rows = deals_rows(o, operand);
  M.span = p->in_core ? span_of(p, o, operand, M.by_rows ? M.down : M.across) : M.by_rows ? span_out_of_core(p) : 1;
  if (M.span < 1) M.span = 1; /* an empty matrix */
  M.ld = ld_in_core(M.down, p->block);
  return M;
}

static trigon_status divide_matrices(plan *p, const operation *o) {
  view operand[OPERANDS];
  list_matrices(o, p->twice, operand);
  p->tile_count = plan_tiles(o, p->block, p->twice);
  p->tiles = malloc((size_t)p->tile_count * sizeof *p->tiles);
  if (!p->tiles) return TRIGON_NO_MEMORY;
  plan_tile *next = p->tiles;
  int64_t offset = 0;
  for (int i = 0; i < OPERANDS; i++) {
    host_matrix *M = &p->matrix[i];
    *M = matrix_of(p, o, i, operand[i]);
    M->first_tile = next - p->tiles, M->offset = offset;
    M->twin = p->twice && i == 2 ? &p->matrix[1] : NULL;
    if (!is_empty(operand[i])) offset += bytes_in_core(operand[i], p->block);
    for (int64_t t = 0; t < M->down * M->across; t++) *next++ = (plan_tile){M, t % M->down, t / M->down};
  }
  return TRIGON_OK;
}

/* Whether the links take longer than the work, at least in one half of the call: solves with few right-hand sides, and
 * inverses, whose work begins with the last columns. */
static bool waits_for_links(const operation *o) {
  enum { few = 4 };
  switch (o->routine) {
  case ROUTINE_TRMM:
  case ROUTINE_TRSM: return (o->side == TRIGON_LEFT ? o->B.n : o->B.m) < order_of(o) / few;
  case ROUTINE_POTRS: return o->B.n < order_of(o) / few;
  case ROUTINE_TRTRI:
  case ROUTINE_LAUUM:
  case ROUTINE_POTRI: return true;
  default: return false;
  }
}

/* The rate of copies whose columns have so many bytes, beside work. */
static int64_t rate_of_copies(const plan *p, int64_t column) {
  return p->link[column < 1 << 15 ? LINK_SHORT : column < 1 << 16 ? LINK_MIDDLE : LINK_LONG];
}

/* Long columns are fast, but they bring what is needed later: in core work waits for it, and out of core it takes
 * memory of which windows are made. There the run is the best for products. */
static int64_t run_for(const plan *p, const operation *o) {
  enum { long_column = 1 << 16, most_tiles = 8 };
  const int64_t column = p->block * type_size(o->A.type);
  if (p->in_core) return least(parts_of(waits_for_links(o) ? long_column : long_column / 2, column), most_tiles);
  int64_t best = 1;
  double most = 0;
  for (int64_t run = 1; run <= most_tiles && p->room >= least_room * run; run *= 2) {
    const window w = window_for(p->room - p->room % run, run, 1, run);
    const double speed = (double)(rate_of_copies(p, run * column) * w.rows * w.cols) / (double)(w.rows + w.cols);
    if (speed > most) best = run, most = speed;
  }
  return best;
}

trigon_status plan_divide(plan *p, const operation *o) {
  if (p->run == 0) p->run = run_for(p, o);
  if (!p->in_core) p->room -= p->room % p->run;
  return divide_matrices(p, o);
}

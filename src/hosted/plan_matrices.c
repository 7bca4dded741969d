/* plan_matrices.c - the matrices of a call as a plan sees them: divided into tiles, dealt to devices, placed in device
 * memory, and how many tiles travel together. */
#include <stdlib.h>

#include "call_plan.h"

static bool is_empty(view A) { return A.count == 0; }

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
static int64_t span_of(const operation *o, int operand, int64_t count) {
  enum { slabs = 4 };
  const bool is_triangle = operand == 0 || o->routine == ROUTINE_SYRK || o->routine == ROUTINE_SYR2K;
  return is_triangle && o->routine != ROUTINE_GEMM ? 1 : parts_of(count, slabs);
}

static host_matrix matrix_of(const plan *p, const operation *o, int operand, view A) {
  host_matrix M = {.whole = A, .down = parts_of(A.m, p->block), .across = parts_of(A.n, p->block)};
  M.by_rows = deals_rows(o, operand);
  M.span = p->in_core ? span_of(o, operand, M.by_rows ? M.down : M.across) : 1;
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

/* The copies of a GPU are slow if columns are short and kernels use its memory: 31 GB/s with 16 KB, 42 to 45 with 32,
 * 46 to 48 with 64 (docs/notebook/hosted.md). But long columns bring what is needed later. */
static int64_t run_for(const plan *p, const operation *o) {
  enum { long_column = 1 << 16, most_tiles = 8, least_runs = 24 };
  const int64_t wanted = p->in_core && !waits_for_links(o) ? long_column / 2 : long_column;
  int64_t run = least(parts_of(wanted, p->block * type_size(o->A.type)), most_tiles);
  while (!p->in_core && run > 1 && p->room < least_runs * run) run /= 2;
  return run;
}

trigon_status plan_divide(plan *p, const operation *o) {
  TRY(divide_matrices(p, o));
  if (p->run == 0) p->run = run_for(p, o);
  if (!p->in_core) p->room -= p->room % p->run;
  return TRIGON_OK;
}

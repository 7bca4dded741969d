/* host_fallback.c - the tiles of an emulated product that fall back, on the host: each by operations of the engine that
 * computes natively. Tiles of matrices that are not stored as a whole are several operations. */
#include "common/address.h"
#include "core/sizes.h"
#include "fp64/int8/emulation_rules.h"
#include "host_product.h"

static view lines_of_view(view A, trigon_op op, int64_t row, int64_t col, int64_t m, int64_t n) {
  return op == TRIGON_NOTRANS ? block(A, row, col, m, n) : block(A, col, row, n, m);
}

/* A block of C by the product `o`. */
static trigon_status run_block(engine *native, const operation *o, int64_t row, int64_t col, int64_t m, int64_t n) {
  const int64_t k = sizes_of(o).k;
  const operation part = over(o, lines_of_view(o->A, o->op, row, 0, m, k), lines_of_view(o->B, o->opB, 0, col, k, n),
                              block(o->C, row, col, m, n));
  return m == 0 || n == 0 ? TRIGON_OK : native->run(native, &part);
}

/* A block of an update that does not cross the diagonal. */
static trigon_status run_beside_diagonal(engine *native, const operation *o, int64_t row, int64_t col, int64_t m,
                                         int64_t n) {
  const operation first = product_of_update(o), exchanged = over(o, o->B, o->A, o->C);
  operation second = product_of_update(&exchanged);
  second.beta = (trigon_scalar){1, 0};
  TRY(run_block(native, &first, row, col, m, n));
  return o->routine == ROUTINE_SYR2K ? run_block(native, &second, row, col, m, n) : TRIGON_OK;
}

/* A tile of an update whose rows cross the diagonal, if any, within the tile's columns: the block on the diagonal is an
 * update, and the columns before it (lower) or behind it (upper) are a product. */
static trigon_status run_update(engine *native, const operation *o, int64_t row, int64_t col, int64_t m, int64_t n) {
  if (row < col || row >= col + n) return run_beside_diagonal(native, o, row, col, m, n);
  const int64_t k = sizes_of(o).k;
  const view B = o->routine == ROUTINE_SYR2K ? lines_of_view(o->B, o->op, row, 0, m, k) : o->B;
  const operation part = over(o, lines_of_view(o->A, o->op, row, 0, m, k), B, block(o->C, row, row, m, m));
  TRY(native->run(native, &part));
  if (o->uplo == TRIGON_LOWER) return run_beside_diagonal(native, o, row, col, m, row - col);
  return run_beside_diagonal(native, o, row, row + m, m, col + n - (row + m));
}

/* The product of a tile's lines of the symmetric matrix with the other one, as far as its terms are `count` from
 * `from` on: a block before, on or behind the diagonal. The tile's lines are `size` from `at` on. */
static operation part_of_symm(const operation *o, int64_t at, int64_t size, int64_t from, int64_t count, view X,
                              trigon_scalar beta, view C) {
  const bool left = o->side == TRIGON_LEFT, lower = o->uplo == TRIGON_LOWER;
  operation part = over(o, block(o->A, at, at, size, size), X, C);
  part.beta = beta;
  if (from == at) return part;
  const bool as_rows = (from < at) == lower; /* the lines are rows of what is stored */
  const view A = as_rows ? block(o->A, at, from, size, count) : block(o->A, from, at, count, size);
  const trigon_op op = as_rows == left ? TRIGON_NOTRANS : o->adjoint;
  return left ? gemm(op, TRIGON_NOTRANS, o->alpha, A, X, beta, C) : gemm(TRIGON_NOTRANS, op, o->alpha, X, A, beta, C);
}

/* A tile of SYMM. */
static trigon_status run_symm(engine *native, const operation *o, int64_t row, int64_t col, int64_t m, int64_t n) {
  const bool left = o->side == TRIGON_LEFT;
  const int64_t at = left ? row : col, size = left ? m : n, ends[] = {0, at, at + size, o->A.n};
  trigon_scalar beta = o->beta;
  for (int i = 0; i < 3; i++) {
    const int64_t from = ends[i], count = ends[i + 1] - from;
    if (count == 0) continue;
    const view X = left ? block(o->B, from, col, count, n) : block(o->B, row, from, m, count);
    const operation part = part_of_symm(o, at, size, from, count, X, beta, block(o->C, row, col, m, n));
    TRY(native->run(native, &part));
    beta = (trigon_scalar){1, 0};
  }
  return TRIGON_OK;
}

trigon_status fp64_host_fallback(engine *native, const emulation *e) {
  const operation *o = e->o;
  const int64_t height = e->is_complex ? fp64_tile / 2 : fp64_tile;
  for (int64_t c = 0; c < o->C.n; c += fp64_tile)
    for (int64_t r = 0; r < o->C.m; r += height) {
      if (!computes_tile(e, r / height, c / fp64_tile) || is_emulated(e, r / height, c / fp64_tile)) continue;
      TRY((e->triangle ? run_update
           : o->routine == ROUTINE_SYMM
               ? run_symm
               : run_block)(native, o, r, c, least(height, o->C.m - r), least(fp64_tile, o->C.n - c)));
    }
  return TRIGON_OK;
}

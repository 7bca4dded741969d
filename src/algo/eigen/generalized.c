/* generalized.c - the generalized symmetric eigenproblem, and its reduction to the standard one by a Cholesky factor.
 *
 *     itype 1: A·x = λ·B·x     2: A·B·x = λ·x     3: B·A·x = λ·x
 *
 *     B = L·Lᴴ:   1: C = L⁻¹·A·L⁻ᴴ, x = L⁻ᴴ·y     2, 3: C = Lᴴ·A·L, x = L⁻ᴴ·y (2), x = L·y (3)
 *
 * An upper factor U = Lᴴ gives the same C; its blocks are the adjoints of the lower ones, so that the side of each
 * product changes. On a GPU a block that fits the workspace is computed as a whole square, because many small products
 * take longer than twice the operations. Source: LAPACK xSYGST, xSYGVD. */
#include "algo/recursion.h"
#include "core/error.h"
#include "core/sizes.h"
#include "core/tuning/cut_rule.h"
#include "eigen.h"

/* The parts of one step. A21 and L21 stand for A12ᴴ and U12ᴴ of an upper triangle. */
typedef struct sygst_step {
  trigon_uplo uplo;
  halves a, l;
} sygst_step;

/* A21 = A21·L11 or L22ᴴ·A21, or with the inverses; `which` is 0 for L11, 1 for L22. */
static trigon_status multiply(engine *e, const sygst_step *s, bool inverse, int which) {
  const bool lower = s->uplo == TRIGON_LOWER;
  const trigon_side side = (which == 0) == lower ? TRIGON_RIGHT : TRIGON_LEFT;
  /* itype 1: A21·L11⁻ᴴ and L22⁻¹·A21; itypes 2, 3: A21·L11 and L22ᴴ·A21. Upper: the adjoints, with U = Lᴴ. */
  const trigon_op op = (which == 0) == inverse ? TRIGON_CONJTRANS : TRIGON_NOTRANS;
  const operation o = (inverse ? trsm : trmm)(side, s->uplo, op, TRIGON_NONUNIT, one, s->l.diag[which], s->a.off);
  return algo_run(e, &o);
}

/* A21 = A21 + factor·L21·A11, or factor·A22·L21 */
static trigon_status add_half(engine *e, const sygst_step *s, double factor, int which) {
  const bool lower = s->uplo == TRIGON_LOWER;
  const trigon_side side = (which == 0) == lower ? TRIGON_RIGHT : TRIGON_LEFT;
  return run(e, hemm(side, s->uplo, (trigon_scalar){factor, 0}, s->a.diag[which], s->l.off, one, s->a.off));
}

/* A22 = A22 - A21·L21ᴴ - L21·A21ᴴ, or A11 = A11 + A21ᴴ·L21 + L21ᴴ·A21 */
static trigon_status update(engine *e, const sygst_step *s, trigon_scalar factor, int which) {
  const bool lower = s->uplo == TRIGON_LOWER;
  const trigon_op op = (which == 1) == lower ? TRIGON_NOTRANS : TRIGON_CONJTRANS;
  return run(e, her2k(s->uplo, op, factor, s->a.off, s->l.off, one, s->a.diag[which]));
}

/* One element: a / l², or a·l². Both are real. */
static trigon_status reduce_element(engine *e, const operation *o, bool inverse) {
  TRY(e->machine->eigen->make_real(e->machine, o->A));
  for (int i = 0; i < 2; i++) {
    const operation one_side = (inverse ? trsm : trmm)(i == 0 ? TRIGON_LEFT : TRIGON_RIGHT, o->uplo, TRIGON_NOTRANS,
                                                       TRIGON_NONUNIT, one, o->B, o->A);
    TRY(algo_run(e, &one_side));
  }
  return TRIGON_OK;
}

static int64_t square_bytes(const operation *o) { return o->A.n * o->A.n * type_size(o->A.type); }

int64_t algo_sygst_workspace(const eigen_support *support, const operation *o) {
  const int64_t n = least(o->A.n, support->square_order);
  return n * n * type_size(o->A.type);
}

static bool is_square(const eigen_support *support, const operation *o) {
  return o->A.n <= support->square_order && square_bytes(o) <= o->eigen->bytes;
}

/* Both triangles, by one product from each side. */
static trigon_status reduce_square(engine *e, const operation *o, bool inverse) {
  const eigen_support *support = e->machine->eigen;
  const int64_t n = o->A.n;
  const view square = view_of((trigon_matrix){o->eigen->memory, o->A.type, n, n, n});
  TRY(support->mirror(e->machine, o->uplo, o->A, square, false));
  for (int i = 0; i < 2; i++) {
    const bool is_plain = ((o->uplo == TRIGON_LOWER) == inverse) == (i == 0);
    const operation one_side =
        (inverse ? trsm : trmm)(i == 0 ? TRIGON_LEFT : TRIGON_RIGHT, o->uplo,
                                is_plain ? TRIGON_NOTRANS : TRIGON_CONJTRANS, TRIGON_NONUNIT, one, o->B, square);
    TRY(algo_run(e, &one_side));
  }
  return support->mirror(e->machine, o->uplo, o->A, square, true);
}

trigon_status algo_sygst(engine *e, const operation *o) {
  const bool inverse = o->eigen->itype == 1;
  const int64_t n = o->A.n;
  if (n > 0 && is_square(e->machine->eigen, o)) return reduce_square(e, o, inverse);
  if (n == 1) return reduce_element(e, o, inverse);
  const int64_t n1 = first_block(CUT_HALVES, 1, n);
  const sygst_step s = {.uplo = o->uplo, .a = cut_triangle(o->A, o->uplo, n1), .l = cut_triangle(o->B, o->uplo, n1)};
  const view none = o->C;
  TRY(run(e, over(o, s.a.diag[0], s.l.diag[0], none)));
  TRY(multiply(e, &s, inverse, 0));
  const int source = inverse ? 0 : 1, target = 1 - source;
  const double half = inverse ? -0.5 : 0.5;
  TRY(add_half(e, &s, half, source));
  TRY(update(e, &s, inverse ? minus_one : one, target));
  TRY(add_half(e, &s, half, source));
  TRY(multiply(e, &s, inverse, 1));
  return run(e, over(o, s.a.diag[1], s.l.diag[1], none));
}

/* The vectors of the generalized problem. */
static operation vectors_back(const operation *o) {
  const bool lower = o->uplo == TRIGON_LOWER, product = o->eigen->itype == 3;
  const trigon_op op = lower == product ? TRIGON_NOTRANS : TRIGON_CONJTRANS;
  return (product ? trmm : trsm)(TRIGON_LEFT, o->uplo, op, TRIGON_NONUNIT, one, o->B, o->A);
}

/* If B is not positive definite, info is n plus the order of the leading block that is not. */
trigon_status algo_sygvd(engine *e, const operation *o) {
  operation factor = {.routine = ROUTINE_POTRF, .uplo = o->uplo, .A = o->B, .column = o->A.n};
  const operation standard = as_routine(o, ROUTINE_SYEVD);
  TRY(algo_run(e, &factor));
  if (e->known_failure(e) > 0) return TRIGON_OK;
  TRY(run(e, as_routine(o, ROUTINE_SYGST)));
  TRY(algo_run(e, &standard));
  return wants_vectors(o->eigen) ? run(e, vectors_back(o)) : TRIGON_OK;
}

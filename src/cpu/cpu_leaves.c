/* cpu_leaves.c - the CPU's leaves: register kernels, leaves of our own without them (unblocked.c), or one call of a
 * loaded BLAS or LAPACK for each block. */
#include <math.h>

#include "common/fold.h"
#include "cpu.h"
#include "cpu/kernels/unblocked.h"

/* ------------------------------------------------------------------------------------ arguments of a BLAS call -- */

/* The address of block i of a view. */
static void *at(view A, int64_t i) { return (char *)address_of(A) + i * batch_stride_of(A) * type_size(A.type); }

typedef union blas_scalar {
  float f[2];
  double d[2];
} blas_scalar;

static blas_scalar scalar(trigon_type type, trigon_scalar x) {
  if (type_is_single(type)) return (blas_scalar){.f = {(float)x.re, (float)x.im}};
  return (blas_scalar){.d = {x.re, x.im}};
}

static char letter_of_op(trigon_op op) { return op == TRIGON_NOTRANS ? 'N' : op == TRIGON_TRANS ? 'T' : 'C'; }
static char letter_of_uplo(trigon_uplo uplo) { return uplo == TRIGON_LOWER ? 'L' : 'U'; }
static char letter_of_diag(trigon_diag diag) { return diag == TRIGON_UNIT ? 'U' : 'N'; }
static char letter_of_side(trigon_side side) { return side == TRIGON_LEFT ? 'L' : 'R'; }

static blas_int integer(const cpu *c, int64_t value) {
  return c->lib.wide ? (blas_int){.wide = value} : (blas_int){.narrow = (int32_t)value};
}

static int64_t value_of(const cpu *c, blas_int i) { return c->lib.wide ? i.wide : i.narrow; }

/* The leading dimension of a block. If the BLAS does not use the leading dimension, the smallest legal one is given, so
 * that a column of a matrix with a huge leading dimension fits 32-bit integers. */
static blas_int leading(const cpu *c, view A) {
  int64_t smallest = A.m > 1 ? A.m : 1;
  return integer(c, uses_leading(A) ? A.ld : smallest);
}

/* Whether the BLAS's integers hold all sizes. */
static bool fits_blas(const cpu *c, const operation *o) {
  const view *const views[] = {&o->A, &o->B, &o->C};
  for (int i = 0; i < 3; i++)
    if ((views[i]->m | views[i]->n | views[i]->ld) > c->lib.int_max) return false;
  return true;
}

/* How the operation is computed. If the BLAS was found, not named, our own kernels take what it cannot. The table of a
 * BLAS has routines of level 3 alone, which take contiguous vectors. */
static variant leaf_of(const cpu *c, const operation *o) {
  const variant leaf = tuning_leaf(&c->tuning, o);
  if (leaf == VARIANT_VENDOR && has_increments(o)) return c->packed ? VARIANT_PACKED : VARIANT_STEP;
  return leaf == VARIANT_VENDOR && c->found_blas && !fits_blas(c, o) ? VARIANT_PACKED : leaf;
}

static const unblocked *own_of(view A) { return unblocked_for(A.type); }

/* If beta is Inf or NaN, scales C, or one triangle of C: OpenBLAS 0.3.21 and BLIS 0.9 take some such scalars for 0.
 * Returns the beta for the call of the BLAS. (In TRMM and TRSM, alpha scales the output.) */
static trigon_scalar scale_ahead(bool whole, trigon_uplo uplo, trigon_scalar beta, view C) {
  if (isfinite(beta.re) && isfinite(beta.im)) return beta;
  for (int64_t i = 0; i < C.count; i++) own_of(C)->scale(whole, uplo, C.m, C.n, beta, at(C, i), C.ld);
  return one;
}

static void make_diagonal_real(view C) {
  for (int64_t i = 0; i < C.count; i++) own_of(C)->make_diagonal_real(C.n, at(C, i), C.ld);
}

/* If beta is Inf or NaN, scales one triangle of a symmetric or Hermitian C (scale_ahead), and returns the beta for the
 * call of the BLAS. If the update reads a Hermitian C, the imaginary parts of the diagonal are set to 0 before, because
 * BLIS 0.9 reads these parts and passes a NaN on. After a scaling they are set to 0 again, because Inf times 0 is
 * NaN. */
static trigon_scalar prepare_update(trigon_op adjoint, trigon_uplo uplo, trigon_scalar beta, view C) {
  bool hermitian = adjoint == TRIGON_CONJTRANS && type_is_complex(C.type) && !is_zero(beta);
  if (hermitian) make_diagonal_real(C);
  trigon_scalar remaining = scale_ahead(false, uplo, beta, C);
  if (hermitian && !(isfinite(beta.re) && isfinite(beta.im))) make_diagonal_real(C);
  return remaining;
}

/* --------------------------------------------------------------------------------------------- level 3 BLAS -- */

static void multiply(const cpu *c, const operation *o) {
  const view A = o->A, B = o->B, C = o->C;
  const sizes s = sizes_of(o);
  char ta = letter_of_op(o->op), tb = letter_of_op(o->opB);
  blas_int m = integer(c, s.m), n = integer(c, s.n), k = integer(c, s.k);
  blas_int lda = leading(c, A), ldb = leading(c, B), ldc = leading(c, C);
  blas_scalar alpha = scalar(C.type, o->alpha), beta = scalar(C.type, scale_ahead(true, TRIGON_LOWER, o->beta, C));
  gemm_fn *entry = c->lib.gemm[type_index(C.type)];
  for (int64_t i = 0; i < C.count; i++)
    entry(&ta, &tb, &m, &n, &k, &alpha, at(A, i), &lda, at(B, i), &ldb, &beta, at(C, i), &ldc, 1, 1);
}

/* TRMM and TRSM have the same arguments. */
static void multiply_or_solve(const cpu *c, const operation *o) {
  const view A = o->A, B = o->B;
  char s = letter_of_side(o->side), u = letter_of_uplo(o->uplo), t = letter_of_op(o->op), d = letter_of_diag(o->diag);
  blas_int m = integer(c, B.m), n = integer(c, B.n), lda = leading(c, A), ldb = leading(c, B);
  blas_scalar alpha = scalar(B.type, scale_ahead(true, o->uplo, o->alpha, B));
  trxm_fn *entry = (o->routine == ROUTINE_TRMM ? c->lib.trmm : c->lib.trsm)[type_index(B.type)];
  for (int64_t i = 0; i < B.count; i++)
    entry(&s, &u, &t, &d, &m, &n, &alpha, at(A, i), &lda, at(B, i), &ldb, 1, 1, 1, 1);
}

/* SYRK and SYR2K. */
static void update(const cpu *c, const operation *o) {
  const view A = o->A, B = o->B, C = o->C;
  const int hermitian = o->adjoint == TRIGON_CONJTRANS, type = type_index(C.type);
  char u = letter_of_uplo(o->uplo), t = letter_of_op(o->op);
  blas_int n = integer(c, C.n), k = integer(c, sizes_of(o).k);
  blas_int lda = leading(c, A), ldb = leading(c, B), ldc = leading(c, C);
  blas_scalar alpha = scalar(C.type, o->alpha);
  blas_scalar beta = scalar(C.type, prepare_update(o->adjoint, o->uplo, o->beta, C));
  for (int64_t i = 0; i < C.count; i++)
    if (o->routine == ROUTINE_SYRK)
      c->lib.syrk[hermitian][type](&u, &t, &n, &k, &alpha, at(A, i), &lda, &beta, at(C, i), &ldc, 1, 1);
    else
      c->lib.syr2k[hermitian][type](&u, &t, &n, &k, &alpha, at(A, i), &lda, at(B, i), &ldb, &beta, at(C, i), &ldc, 1,
                                    1);
}

static void multiply_symmetric(const cpu *c, const operation *o) {
  const view A = o->A, B = o->B, C = o->C;
  char s = letter_of_side(o->side), u = letter_of_uplo(o->uplo);
  blas_int m = integer(c, C.m), n = integer(c, C.n);
  blas_int lda = leading(c, A), ldb = leading(c, B), ldc = leading(c, C);
  blas_scalar alpha = scalar(C.type, o->alpha), beta = scalar(C.type, scale_ahead(true, o->uplo, o->beta, C));
  symm_fn *entry = c->lib.symm[o->adjoint == TRIGON_CONJTRANS][type_index(C.type)];
  for (int64_t i = 0; i < C.count; i++)
    entry(&s, &u, &m, &n, &alpha, at(A, i), &lda, at(B, i), &ldb, &beta, at(C, i), &ldc, 1, 1);
}

/* ------------------------------------------------------------------------------------------- factorizations -- */

/* Records a failure in column `info` of block i of A. Columns count from 1; an info of 0 is success. */
static void record(cpu *c, const operation *o, int64_t i, int64_t info) {
  if (info == 0) return;
  int64_t column = o->column + i * o->A.col_step + info;
  if (c->failure == 0 || column < c->failure) c->failure = column;
}

static bool is_packed(variant leaf, view A) { return leaf == VARIANT_PACKED && A.n > element_order; }

/* How many threads share a leaf of our own. The leaf may use fewer. */
static int threads_for(const cpu *c, const operation *o) {
  if (c->threads == 1) return 1;
  return team_for_work(work_of(o).flops / c->tuning.team_flops[o->routine][type_index(o->A.type)], c->threads);
}

/* Block i of A as a lower triangle. */
static operand lower_of(trigon_uplo uplo, view A, int64_t i) { return as_lower(uplo, at(A, i), A.ld); }

/* Whether LAPACK's routine may take block i. A block goes to our own leaf if its diagonal holds an Inf or a NaN, or
 * holds a zero and `zeros` is false: if OpenBLAS 0.3.21 scales a column by 0 or NaN, the result is 0, and a NaN is
 * lost. With native=1 LAPACK takes all blocks. */
static bool lapack_may(const cpu *c, variant leaf, view A, int64_t i, bool zeros) {
  if (leaf != VARIANT_VENDOR) return false;
  if (c->options.native) return true;
  return own_of(A)->finite_diagonal(A.n, at(A, i), A.ld) && (zeros || own_of(A)->zero_pivot(A.n, at(A, i), A.ld) == 0);
}

static int64_t lapack_potrf(const cpu *c, trigon_uplo uplo, view A, int64_t i) {
  char u = letter_of_uplo(uplo);
  blas_int n = integer(c, A.n), ld = leading(c, A), info = integer(c, 0);
  c->lib.potrf[type_index(A.type)](&u, &n, at(A, i), &ld, &info, 1);
  return value_of(c, info);
}

/* If LAPACK's routine fails on a block, the block is restored, and our own leaf factors the block again, column by
 * column. Our leaf finds the pivot that reference LAPACK's unblocked routine finds, and completes the columns before
 * this pivot. Blocked routines do not complete these columns. Not every LAPACK stops at a NaN, so the pivots are
 * checked even if LAPACK reports success. A NaN pivot makes all later pivots NaN. */
static int64_t factor_block(const cpu *c, const operation *o, int64_t i) {
  const trigon_uplo uplo = o->uplo;
  const view A = o->A;
  const unblocked *own = own_of(A);
  const variant leaf = leaf_of(c, o);
  if (leaf == VARIANT_PACKED) {
    const operand L = lower_of(uplo, A, i);
    return packed_potrf(c->packed, threads_for(c, o), A.type, &L, A.n);
  }
  const bool lapack = lapack_may(c, leaf, A, i, true);
  if (lapack && c->options.native) return lapack_potrf(c, uplo, A, i);
  if (lapack) {
    own->copy(uplo, A.n, at(A, i), A.ld, c->leaf_copy, A.n);
    if (lapack_potrf(c, uplo, A, i) == 0 && own->nan_pivot(A.n, at(A, i), A.ld) == 0) return 0;
    own->copy(uplo, A.n, c->leaf_copy, A.n, at(A, i), A.ld);
  }
  return own->potrf(uplo, A.n, at(A, i), A.ld);
}

static void lapack_trtri(const cpu *c, trigon_uplo uplo, trigon_diag diag, view A, void *data, int64_t ld) {
  char u = letter_of_uplo(uplo), d = letter_of_diag(diag);
  blas_int n = integer(c, A.n), used_ld = integer(c, A.n > 1 ? ld : 1), info = integer(c, 0);
  c->lib.trtri[type_index(A.type)](&u, &d, &n, data, &used_ld, &info, 1, 1);
}

/* LAPACK's routine makes X·A - I small for both triangles. For an upper triangle POTRI needs a small A·X - I
 * (cholesky_inverse.c), so LAPACK inverts the transpose of an upper block. */
static void invert_block(const cpu *c, const operation *o, int64_t i) {
  const view A = o->A;
  const unblocked *own = own_of(A);
  const variant leaf = leaf_of(c, o);
  const operand L = lower_of(o->uplo, A, i);
  if (is_packed(leaf, A) && packed_invert(c->packed, threads_for(c, o), A.type, &L, A.n, o->diag == TRIGON_UNIT))
    return;
  if (!lapack_may(c, leaf, A, i, o->diag == TRIGON_UNIT)) {
    own->trtri(o->uplo, o->diag, A.n, at(A, i), A.ld);
  } else if (o->uplo == TRIGON_LOWER || c->options.native) {
    lapack_trtri(c, o->uplo, o->diag, A, at(A, i), A.ld);
  } else {
    own->transpose(TRIGON_UPPER, A.n, at(A, i), A.ld, c->leaf_copy, A.n);
    lapack_trtri(c, TRIGON_LOWER, o->diag, A, c->leaf_copy, A.n);
    own->transpose(TRIGON_LOWER, A.n, c->leaf_copy, A.n, at(A, i), A.ld);
  }
}

static void lapack_lauum(const cpu *c, trigon_uplo uplo, view A) {
  char u = letter_of_uplo(uplo);
  blas_int n = integer(c, A.n), ld = leading(c, A), info = integer(c, 0);
  c->lib.lauum[type_index(A.type)](&u, &n, at(A, 0), &ld, &info, 1);
}

/* LAUUM of an upper complex block. LAPACK's routine takes the block without its last column. Then the last column is
 * added: A11 = A11·A11ᴴ + a12·a12ᴴ, a12 = a12·conj(a22), a22 = |a22|². The reason: dot products of OpenBLAS 0.3.21, of
 * complex vectors with a stride, read one column too many, and behind the last column there may be no memory. */
static void lauum_but_last(const cpu *c, view A) {
  const int64_t m = A.n - 1;
  const view A11 = block(A, 0, 0, m, m), a12 = block(A, 0, m, m, 1), a22 = block(A, m, m, 1, 1);
  const operation add = herk(TRIGON_UPPER, TRIGON_NOTRANS, one, a12, one, A11);
  const operation scale = trmm(TRIGON_RIGHT, TRIGON_UPPER, TRIGON_CONJTRANS, TRIGON_NONUNIT, one, a22, a12);
  if (m > 0) lapack_lauum(c, TRIGON_UPPER, A11);
  update(c, &add);
  multiply_or_solve(c, &scale);
  own_of(A)->lauum(TRIGON_UPPER, 1, at(a22, 0), A.ld);
}

static void lauum_block(const cpu *c, const operation *o, int64_t i) {
  const trigon_uplo uplo = o->uplo;
  const view A = single(o->A, i);
  const operand L = lower_of(uplo, A, 0);
  const variant leaf = leaf_of(c, o);
  if (is_packed(leaf, A))
    packed_lauum(c->packed, threads_for(c, o), A.type, &L, A.n);
  else if (!lapack_may(c, leaf, A, 0, false))
    own_of(A)->lauum(uplo, A.n, at(A, 0), A.ld);
  else if (uplo == TRIGON_UPPER && type_is_complex(A.type) && !c->options.native)
    lauum_but_last(c, A);
  else
    lapack_lauum(c, uplo, A);
}

/* Stores the adjoint of a triangle in the other triangle. */
static void mirror(trigon_uplo uplo, view A, int64_t i) {
  const view member = single(A, i);
  const triangle_copy folded = fold_triangle_copy(uplo, TRIGON_NOTRANS, TRIGON_MIRROR, member, member);
  own_of(A)->copy_triangle(&folded);
}

/* Runs a routine that works on one block: a factorization, or a look at a diagonal. */
static void run_block(cpu *c, const operation *o, int64_t i) {
  const view A = o->A;
  switch (o->routine) {
  case ROUTINE_POTRF: record(c, o, i, factor_block(c, o, i)); break;
  case ROUTINE_INVERT: invert_block(c, o, i); break;
  case ROUTINE_LAUUM: lauum_block(c, o, i); break;
  case ROUTINE_MIRROR: mirror(o->uplo, A, i); break;
  case ROUTINE_CHECK_DIAGONAL: record(c, o, i, own_of(A)->zero_pivot(A.n, at(A, i), A.ld)); break;
  default: *o->logdet = 2 * own_of(A)->log_diagonal(A.n, at(A, i), A.ld);
  }
}

static void solve_or_multiply(const cpu *c, variant leaf, const operation *o) {
  const bool solve = o->routine == ROUTINE_TRSM;
  const triangular t = fold_triangular(o);
  if (leaf == VARIANT_STEP)
    own_of(o->A)->apply_triangle(&t, solve);
  else
    (solve ? packed_trsm : packed_trmm)(c->packed, threads_for(c, o), o->A.type, &t);
}

/* Runs a routine of level 3 by kernels of our own, if the tuning table says so or if the BLAS cannot take its vectors;
 * returns whether it did. */
static bool run_own(const cpu *c, const operation *o) {
  if (o->routine > ROUTINE_SYMM) return false;
  const variant leaf = leaf_of(c, o);
  if (leaf != VARIANT_PACKED && !(leaf == VARIANT_STEP && has_increments(o))) return false;
  if (o->routine == ROUTINE_TRSM || o->routine == ROUTINE_TRMM) {
    solve_or_multiply(c, leaf, o);
    return true;
  }
  const product p = fold_product(o);
  if (leaf == VARIANT_STEP)
    own_of(o->A)->multiply(&p);
  else
    packed_product(c->packed, threads_for(c, o), o->A.type, &p);
  return true;
}

static void run_leaf(cpu *c, const operation *o) {
  if (run_own(c, o)) return;
  switch (o->routine) {
  case ROUTINE_GEMM: multiply(c, o); break;
  case ROUTINE_TRMM:
  case ROUTINE_TRSM: multiply_or_solve(c, o); break;
  case ROUTINE_SYRK:
  case ROUTINE_SYR2K: update(c, o); break;
  case ROUTINE_SYMM: multiply_symmetric(c, o); break;
  default:
    for (int64_t i = 0; i < o->A.count; i++) run_block(c, o, i);
  }
}

trigon_status cpu_run(engine *e, const operation *o) {
  run_leaf(cpu_of(e), o);
  return TRIGON_OK;
}

/* cpu.c - the backend on host memory: any BLAS for the products and triangular leaves, its LAPACK or leaves of our own
 * (cpu_leaf.c) for the factorizations. Work is done when a call returns; no memory is taken beyond the
 * context's leaf buffer. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends.h"
#include "blas.h"
#include "cpu_leaf.h"

static const int64_t size_of[4] = {sizeof(float), sizeof(double), 2 * sizeof(float), 2 * sizeof(double)};

typedef struct cpu {
  backend seam; /* first: a backend * is a cpu * */
  blas lib;
  backend_options options;
  int64_t *info;   /* where the present call's failure goes */
  int64_t failure; /* of the present call */
  int64_t kept;    /* the first failure for `finish` */
  void *leaf_copy; /* leaf_copy_bytes, for POTRF and TRTRI */
} cpu;

static cpu *of(backend *b) { return (cpu *)b; }

/* ------------------------------------------------------------------------------------ what a BLAS call needs -- */

static int index_of(trigon_type type) { return type == TRIGON_S ? 0 : type == TRIGON_D ? 1 : type == TRIGON_C ? 2 : 3; }

/* The address of block i of a view. */
static void *at(view A, int64_t i) {
  int64_t row = A.row + i * A.row_step, col = A.col + i * A.col_step;
  return (char *)A.base + size_of[index_of(A.type)] * (row + col * A.ld);
}

typedef union number {
  float f[2];
  double d[2];
} number;

static number scalar(trigon_type type, trigon_scalar x) {
  if (type == TRIGON_S || type == TRIGON_C) return (number){.f = {(float)x.re, (float)x.im}};
  return (number){.d = {x.re, x.im}};
}

static char letter_of_op(trigon_op op) { return op == TRIGON_NOTRANS ? 'N' : op == TRIGON_TRANS ? 'T' : 'C'; }
static char letter_of_uplo(trigon_uplo uplo) { return uplo == TRIGON_LOWER ? 'L' : 'U'; }
static char letter_of_diag(trigon_diag diag) { return diag == TRIGON_UNIT ? 'U' : 'N'; }
static char letter_of_side(trigon_side side) { return side == TRIGON_LEFT ? 'L' : 'R'; }

static blas_int integer(const cpu *c, int64_t value) {
  return c->lib.wide ? (blas_int){.wide = value} : (blas_int){.narrow = (int32_t)value};
}

static int64_t value_of(const cpu *c, blas_int i) { return c->lib.wide ? i.wide : i.narrow; }

/* Whether the leading dimension finds an element: without rows, or with one column, it does not. */
static bool uses_leading(view A) { return A.m > 0 && A.n > 1; }

/* The leading dimension of a block. Where it is not used the smallest legal one serves, so that a tall column of a
 * matrix with a huge leading dimension fits 32-bit integers. */
static blas_int leading(const cpu *c, view A) {
  int64_t smallest = A.m > 1 ? A.m : 1;
  return integer(c, uses_leading(A) ? A.ld : smallest);
}

/* Whether a size must be cut before the BLAS's integers can hold it. Half of `int_max` is a safe first part. */
static bool too_large(const cpu *c, int64_t size) { return size > c->lib.int_max; }

static const own_leaves *own_of(view A) { return own_leaves_for(A.type); }

/* Block i of a view alone. */
static view single(view A, int64_t i) {
  A.row += i * A.row_step, A.col += i * A.col_step;
  A.count = 1;
  return A;
}

static view rows_of(view A, int64_t first, int64_t m) { return block(A, first, 0, m, A.n); }
static view cols_of(view A, int64_t first, int64_t n) { return block(A, 0, first, A.m, n); }
static view part(view A, bool rows, int64_t first, int64_t size) {
  return rows ? rows_of(A, first, size) : cols_of(A, first, size);
}

/* C = beta·C, all of it or one triangle, where beta is Inf or NaN: OpenBLAS 0.3.21 and BLIS 0.9 take some of these for 0.
 * Returns the beta that is left for the BLAS. (In TRMM and TRSM it is alpha that scales what is overwritten.) */
static trigon_scalar scale_ahead(bool whole, trigon_uplo uplo, trigon_scalar beta, view C) {
  if (isfinite(beta.re) && isfinite(beta.im)) return beta;
  for (int64_t i = 0; i < C.count; i++) own_of(C)->scale(whole, uplo, C.m, C.n, beta, at(C, i), C.ld);
  return one;
}

static void make_diagonal_real(view C) {
  for (int64_t i = 0; i < C.count; i++) own_of(C)->make_diagonal_real(C.n, at(C, i), C.ld);
}

/* The same for a triangle of a symmetric or Hermitian C. The imaginary parts of a Hermitian diagonal are cleared where
 * they would be read, for BLIS 0.9 lets a NaN among them through, and after a scaling of ours, for Inf times 0 is NaN. */
static trigon_scalar prepare_update(trigon_op adjoint, trigon_uplo uplo, trigon_scalar beta, view C) {
  bool complex_diagonal = C.type == TRIGON_C || C.type == TRIGON_Z;
  bool hermitian = adjoint == TRIGON_CONJTRANS && complex_diagonal && !is_zero(beta);
  if (hermitian) make_diagonal_real(C);
  trigon_scalar left = scale_ahead(false, uplo, beta, C);
  if (hermitian && !(isfinite(beta.re) && isfinite(beta.im))) make_diagonal_real(C);
  return left;
}

/* --------------------------------------------------------------------------------------------- level 3 BLAS --
 * Each entry first halves whatever dimension the BLAS's integers cannot hold (triangles have been cut by `split`). */

static trigon_status cpu_gemm(backend *b, trigon_op opA, trigon_op opB, trigon_scalar alpha, view A, view B,
                              trigon_scalar beta, view C) {
  const cpu *c = of(b);
  bool k_in_rows = opA != TRIGON_NOTRANS; /* of A; of B where op(B) = B */
  bool k_in_rows_of_B = opB == TRIGON_NOTRANS;
  int64_t k = k_in_rows ? A.m : A.n;
  if (too_large(c, C.m)) {
    int64_t h = C.m / 2;
    TRY(cpu_gemm(b, opA, opB, alpha, part(A, !k_in_rows, 0, h), B, beta, rows_of(C, 0, h)));
    return cpu_gemm(b, opA, opB, alpha, part(A, !k_in_rows, h, C.m - h), B, beta, rows_of(C, h, C.m - h));
  }
  if (too_large(c, C.n)) {
    int64_t h = C.n / 2;
    TRY(cpu_gemm(b, opA, opB, alpha, A, part(B, !k_in_rows_of_B, 0, h), beta, cols_of(C, 0, h)));
    return cpu_gemm(b, opA, opB, alpha, A, part(B, !k_in_rows_of_B, h, C.n - h), beta, cols_of(C, h, C.n - h));
  }
  if (too_large(c, k)) {
    int64_t h = k / 2;
    TRY(cpu_gemm(b, opA, opB, alpha, part(A, k_in_rows, 0, h), part(B, k_in_rows_of_B, 0, h), beta, C));
    return cpu_gemm(b, opA, opB, alpha, part(A, k_in_rows, h, k - h), part(B, k_in_rows_of_B, h, k - h), one, C);
  }
  beta = scale_ahead(true, TRIGON_LOWER, beta, C);
  char ta = letter_of_op(opA), tb = letter_of_op(opB);
  blas_int m = integer(c, C.m), n = integer(c, C.n), kk = integer(c, k);
  blas_int lda = leading(c, A), ldb = leading(c, B), ldc = leading(c, C);
  number al = scalar(C.type, alpha), be = scalar(C.type, beta);
  for (int64_t i = 0; i < C.count; i++)
    c->lib.gemm[index_of(C.type)](&ta, &tb, &m, &n, &kk, &al, at(A, i), &lda, at(B, i), &ldb, &be, at(C, i), &ldc, 1,
                                  1);
  return TRIGON_OK;
}

/* TRMM and TRSM have the same arguments and differ in the entry called. */
static trigon_status triangular(backend *b, trxm_fn *const *entry, trigon_side side, trigon_uplo uplo, trigon_op op,
                                trigon_diag diag, trigon_scalar alpha, view A, view B) {
  const cpu *c = of(b);
  bool free_in_rows = side == TRIGON_RIGHT; /* the dimension of B that A does not meet */
  int64_t free = free_in_rows ? B.m : B.n;
  if (too_large(c, free)) {
    int64_t h = free / 2;
    TRY(triangular(b, entry, side, uplo, op, diag, alpha, A, part(B, free_in_rows, 0, h)));
    return triangular(b, entry, side, uplo, op, diag, alpha, A, part(B, free_in_rows, h, free - h));
  }
  alpha = scale_ahead(true, uplo, alpha, B);
  char s = letter_of_side(side), u = letter_of_uplo(uplo), t = letter_of_op(op), d = letter_of_diag(diag);
  blas_int m = integer(c, B.m), n = integer(c, B.n), lda = leading(c, A), ldb = leading(c, B);
  number al = scalar(B.type, alpha);
  for (int64_t i = 0; i < B.count; i++)
    entry[index_of(B.type)](&s, &u, &t, &d, &m, &n, &al, at(A, i), &lda, at(B, i), &ldb, 1, 1, 1, 1);
  return TRIGON_OK;
}

static trigon_status cpu_trmm(backend *b, trigon_side side, trigon_uplo uplo, trigon_op op, trigon_diag diag,
                              trigon_scalar alpha, view A, view B) {
  return triangular(b, of(b)->lib.trmm, side, uplo, op, diag, alpha, A, B);
}

static trigon_status cpu_trsm(backend *b, trigon_side side, trigon_uplo uplo, trigon_op op, trigon_diag diag,
                              trigon_scalar alpha, view A, view B) {
  return triangular(b, of(b)->lib.trsm, side, uplo, op, diag, alpha, A, B);
}

static trigon_status cpu_syrk(backend *b, trigon_op adjoint, trigon_uplo uplo, trigon_op op, trigon_scalar alpha,
                              view A, trigon_scalar beta, view C) {
  const cpu *c = of(b);
  bool k_in_rows = op != TRIGON_NOTRANS;
  int64_t k = k_in_rows ? A.m : A.n;
  if (too_large(c, k)) {
    int64_t h = k / 2;
    TRY(cpu_syrk(b, adjoint, uplo, op, alpha, part(A, k_in_rows, 0, h), beta, C));
    return cpu_syrk(b, adjoint, uplo, op, alpha, part(A, k_in_rows, h, k - h), one, C);
  }
  beta = prepare_update(adjoint, uplo, beta, C);
  char u = letter_of_uplo(uplo), t = letter_of_op(op);
  blas_int n = integer(c, C.n), kk = integer(c, k), lda = leading(c, A), ldc = leading(c, C);
  number al = scalar(C.type, alpha), be = scalar(C.type, beta);
  syrk_fn *entry = c->lib.syrk[adjoint == TRIGON_CONJTRANS][index_of(C.type)];
  for (int64_t i = 0; i < C.count; i++) entry(&u, &t, &n, &kk, &al, at(A, i), &lda, &be, at(C, i), &ldc, 1, 1);
  return TRIGON_OK;
}

static trigon_status cpu_syr2k(backend *b, trigon_op adjoint, trigon_uplo uplo, trigon_op op, trigon_scalar alpha,
                               view A, view B, trigon_scalar beta, view C) {
  const cpu *c = of(b);
  bool k_in_rows = op != TRIGON_NOTRANS;
  int64_t k = k_in_rows ? A.m : A.n;
  if (too_large(c, k)) {
    int64_t h = k / 2;
    TRY(cpu_syr2k(b, adjoint, uplo, op, alpha, part(A, k_in_rows, 0, h), part(B, k_in_rows, 0, h), beta, C));
    return cpu_syr2k(b, adjoint, uplo, op, alpha, part(A, k_in_rows, h, k - h), part(B, k_in_rows, h, k - h), one, C);
  }
  beta = prepare_update(adjoint, uplo, beta, C);
  char u = letter_of_uplo(uplo), t = letter_of_op(op);
  blas_int n = integer(c, C.n), kk = integer(c, k), lda = leading(c, A), ldb = leading(c, B), ldc = leading(c, C);
  number al = scalar(C.type, alpha), be = scalar(C.type, beta);
  syr2k_fn *entry = c->lib.syr2k[adjoint == TRIGON_CONJTRANS][index_of(C.type)];
  for (int64_t i = 0; i < C.count; i++)
    entry(&u, &t, &n, &kk, &al, at(A, i), &lda, at(B, i), &ldb, &be, at(C, i), &ldc, 1, 1);
  return TRIGON_OK;
}

static trigon_status cpu_symm(backend *b, trigon_op adjoint, trigon_side side, trigon_uplo uplo, trigon_scalar alpha,
                              view A, view B, trigon_scalar beta, view C) {
  const cpu *c = of(b);
  bool free_in_rows = side == TRIGON_RIGHT;
  int64_t free = free_in_rows ? C.m : C.n;
  if (too_large(c, free)) {
    int64_t h = free / 2, rest = free - h;
    TRY(cpu_symm(b, adjoint, side, uplo, alpha, A, part(B, free_in_rows, 0, h), beta, part(C, free_in_rows, 0, h)));
    return cpu_symm(b, adjoint, side, uplo, alpha, A, part(B, free_in_rows, h, rest), beta,
                    part(C, free_in_rows, h, rest));
  }
  beta = scale_ahead(true, uplo, beta, C);
  char s = letter_of_side(side), u = letter_of_uplo(uplo);
  blas_int m = integer(c, C.m), n = integer(c, C.n);
  blas_int lda = leading(c, A), ldb = leading(c, B), ldc = leading(c, C);
  number al = scalar(C.type, alpha), be = scalar(C.type, beta);
  symm_fn *entry = c->lib.symm[adjoint == TRIGON_CONJTRANS][index_of(C.type)];
  for (int64_t i = 0; i < C.count; i++)
    entry(&s, &u, &m, &n, &al, at(A, i), &lda, at(B, i), &ldb, &be, at(C, i), &ldc, 1, 1);
  return TRIGON_OK;
}

/* ------------------------------------------------------------------------------------------- factorizations -- */

/* Records that column `info` (from 1; 0 is success) of block i of A failed. */
static void record(cpu *c, view A, int64_t i, int64_t info) {
  if (info == 0) return;
  int64_t column = A.col + i * A.col_step + info;
  if (c->failure == 0 || column < c->failure) c->failure = column;
}

/* Whether LAPACK's routine may have a block. Blocks with an Inf or NaN on the diagonal, or (where the diagonal scales
 * columns) a zero, go to our own leaf: OpenBLAS 0.3.21 scales by 0 and by NaN to 0, and so loses a NaN. With native=1
 * LAPACK has them all. */
static bool native_may(const cpu *c, view A, int64_t i, bool zeros) {
  if (!c->lib.lapack || c->options.native) return c->lib.lapack;
  return own_of(A)->finite_diagonal(A.n, at(A, i), A.ld) && (zeros || own_of(A)->zero_pivot(A.n, at(A, i), A.ld) == 0);
}

static int64_t native_potrf(const cpu *c, trigon_uplo uplo, view A, int64_t i) {
  char u = letter_of_uplo(uplo);
  blas_int n = integer(c, A.n), ld = leading(c, A), info = integer(c, 0);
  c->lib.potrf[index_of(A.type)](&u, &n, at(A, i), &ld, &info, 1);
  return value_of(c, info);
}

/* A block that LAPACK's routine fails on is restored and factored again by our own leaf, column by column: it finds the
 * pivot that reference LAPACK's unblocked routine finds, and leaves the columns before it complete, which blocked ones
 * do not. The pivots are looked at even where LAPACK is content, for not every LAPACK stops at a NaN; one that arises
 * makes all pivots after it NaN. */
static int64_t checked_potrf(const cpu *c, trigon_uplo uplo, view A, int64_t i) {
  const own_leaves *mine = own_of(A);
  if (native_may(c, A, i, true)) {
    mine->copy(uplo, A.n, at(A, i), A.ld, c->leaf_copy, A.n);
    if (native_potrf(c, uplo, A, i) == 0 && mine->nan_pivot(A.n, at(A, i), A.ld) == 0) return 0;
    mine->copy(uplo, A.n, c->leaf_copy, A.n, at(A, i), A.ld);
  }
  return mine->potrf(uplo, A.n, at(A, i), A.ld);
}

static trigon_status cpu_potrf(backend *b, trigon_uplo uplo, view A) {
  cpu *c = of(b);
  bool whole = c->options.native && c->lib.lapack;
  for (int64_t i = 0; i < A.count; i++)
    record(c, A, i, whole ? native_potrf(c, uplo, A, i) : checked_potrf(c, uplo, A, i));
  return TRIGON_OK;
}

static void native_trtri(const cpu *c, trigon_uplo uplo, trigon_diag diag, view A, void *data, int64_t ld) {
  char u = letter_of_uplo(uplo), d = letter_of_diag(diag);
  blas_int n = integer(c, A.n), used_ld = integer(c, A.n > 1 ? ld : 1), info = integer(c, 0);
  c->lib.trtri[index_of(A.type)](&u, &d, &n, data, &used_ld, &info, 1, 1);
}

/* LAPACK's routine inverts both triangles so that X·A - I is small, where POTRI needs A·X - I of the upper one
 * (cholesky_inverse.c): an upper block goes to it as its transpose. */
static trigon_status cpu_trtri(backend *b, trigon_uplo uplo, trigon_diag diag, view A) {
  const cpu *c = of(b);
  for (int64_t i = 0; i < A.count; i++)
    if (!c->lib.lapack || (diag == TRIGON_NONUNIT && !native_may(c, A, i, false))) {
      own_of(A)->trtri(uplo, diag, A.n, at(A, i), A.ld);
    } else if (uplo == TRIGON_LOWER || c->options.native) {
      native_trtri(c, uplo, diag, A, at(A, i), A.ld);
    } else {
      own_of(A)->transpose(TRIGON_UPPER, A.n, at(A, i), A.ld, c->leaf_copy, A.n);
      native_trtri(c, TRIGON_LOWER, diag, A, c->leaf_copy, A.n);
      own_of(A)->transpose(TRIGON_LOWER, A.n, c->leaf_copy, A.n, at(A, i), A.ld);
    }
  return TRIGON_OK;
}

static void native_lauum(const cpu *c, trigon_uplo uplo, view A) {
  char u = letter_of_uplo(uplo);
  blas_int n = integer(c, A.n), ld = leading(c, A), info = integer(c, 0);
  c->lib.lauum[index_of(A.type)](&u, &n, at(A, 0), &ld, &info, 1);
}

/* An upper complex block without its last column by LAPACK's routine, then that column: A11 = A11·A11ᴴ + a12·a12ᴴ,
 * a12 = a12·conj(a22), a22 = |a22|². OpenBLAS 0.3.21 reads one column beyond what it is given (its dot products of complex
 * vectors with a stride do), and behind the last there may be no memory. */
static trigon_status lauum_but_last(backend *b, view A) {
  const int64_t m = A.n - 1;
  const view A11 = block(A, 0, 0, m, m), a12 = block(A, 0, m, m, 1), a22 = block(A, m, m, 1, 1);
  if (m > 0) native_lauum(of(b), TRIGON_UPPER, A11);
  TRY(cpu_syrk(b, TRIGON_CONJTRANS, TRIGON_UPPER, TRIGON_NOTRANS, one, a12, one, A11));
  TRY(cpu_trmm(b, TRIGON_RIGHT, TRIGON_UPPER, TRIGON_CONJTRANS, TRIGON_NONUNIT, one, a22, a12));
  own_of(A)->lauum(TRIGON_UPPER, 1, at(a22, 0), A.ld);
  return TRIGON_OK;
}

static trigon_status cpu_lauum(backend *b, trigon_uplo uplo, view A) {
  const cpu *c = of(b);
  const bool is_complex = A.type == TRIGON_C || A.type == TRIGON_Z;
  for (int64_t i = 0; i < A.count; i++) {
    const view block_i = single(A, i);
    if (!native_may(c, A, i, false))
      own_of(A)->lauum(uplo, A.n, at(A, i), A.ld);
    else if (uplo == TRIGON_UPPER && is_complex && !c->options.native)
      TRY(lauum_but_last(b, block_i));
    else
      native_lauum(c, uplo, block_i);
  }
  return TRIGON_OK;
}

static trigon_status cpu_check_diagonal(backend *b, view A) {
  for (int64_t i = 0; i < A.count; i++) record(of(b), A, i, own_of(A)->zero_pivot(A.n, at(A, i), A.ld));
  return TRIGON_OK;
}

static trigon_status cpu_logdet(backend *b, view A, double *logdet) {
  (void)b;
  *logdet = 2 * own_of(A)->log_diagonal(A.n, at(A, 0), A.ld);
  return TRIGON_OK;
}

/* ------------------------------------------------------------------------------------- recursion and context -- */

/* Orders at which the recursion stops: where the BLAS's own routine is as fast as a further cut. Measured with
 * `trigon bench` and `stop=` on 2 cores of an AMD EPYC (Zen 3), OpenBLAS 0.3.21: docs/performance.md. */
static const int64_t stop_table[TRIGON_ROUTINES] = {
    [TRIGON_TRMM] = 1024, [TRIGON_TRSM] = 1024, [TRIGON_SYRK] = 1024, [TRIGON_SYR2K] = 2048,
    [TRIGON_SYMM] = 1024, [TRIGON_POTRF] = 128, [TRIGON_TRTRI] = 256, [TRIGON_LAUUM] = 1024,
};
enum {
  own_leaf_stop = 32,    /* leaves of our own are unblocked: half the triangle stays in the first-level cache */
  leaf_copy_order = 256, /* of the largest block that POTRF and TRTRI copy: the context's leaf buffer */
  leaf_copy_bytes = leaf_copy_order * leaf_copy_order * 2 * (int)sizeof(double)
};

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static int64_t stop_size(const cpu *c, trigon_routine routine) {
  bool copied = routine == TRIGON_POTRF || routine == TRIGON_TRTRI;
  bool own_leaf = (copied || routine == TRIGON_LAUUM) && !c->lib.lapack;
  if (c->options.native && !own_leaf) return c->lib.int_max;
  int64_t stop = c->options.stop > 0 ? c->options.stop : stop_table[routine];
  return own_leaf ? least(stop, own_leaf_stop) : copied ? least(stop, leaf_copy_order) : stop;
}

static int64_t cpu_split(backend *b, trigon_routine routine, trigon_type type, int64_t n, int64_t width) {
  (void)type, (void)width;
  int64_t stop = stop_size(of(b), routine);
  return n <= stop ? 0 : first_part(of(b)->options.rule, stop, n);
}

static trigon_status check_ld(cpu *c, const char *argument, view A) {
  if (!uses_leading(A) || A.ld <= c->lib.int_max) return TRIGON_OK;
  reason *why = c->seam.why;
  why->argument = argument;
  snprintf(why->text, sizeof why->text, "its leading dimension %lld does not fit this BLAS's 32-bit integers",
           (long long)A.ld);
  return TRIGON_NOT_SUPPORTED;
}

/* The operands of a call must fit. A trivial call reads none of them: it scales its output, B where the routine has no
 * C, or does nothing. (That of POTRS and of factorizations is empty then.) */
static trigon_status check_operands(cpu *c, const problem *p) {
  const bool has_C = p->C.count > 0;
  if (!p->trivial) TRY(check_ld(c, "A", p->A));
  if (!p->trivial || !has_C) TRY(check_ld(c, "B", p->B));
  return p->trivial && is_one(p->beta) ? TRIGON_OK : check_ld(c, "C", p->C);
}

static trigon_status cpu_begin(backend *b, const problem *p, bool *done) {
  cpu *c = of(b);
  (void)done;
  TRY(check_operands(c, p));
  if (c->lib.library) TRY(library_enter(c->lib.library, b->why));
  c->failure = 0;
  c->info = p->info;
  return TRIGON_OK;
}

static trigon_status cpu_end(backend *b, bool complete) {
  cpu *c = of(b);
  if (!complete) return TRIGON_OK;
  if (c->info)
    *c->info = c->failure;
  else if (c->kept == 0)
    c->kept = c->failure;
  return TRIGON_OK;
}

static int64_t cpu_failed(backend *b) { return of(b)->failure; }

static trigon_status cpu_finish(backend *b, int64_t *info) {
  if (info) *info = of(b)->kept;
  of(b)->kept = 0;
  return TRIGON_OK;
}

static const char *cpu_describe(backend *b) { return of(b)->lib.described; }
static const char *cpu_advice(backend *b) { return of(b)->lib.advice; }

int64_t cpu_memory(backend *b) {
  (void)b;
  return leaf_copy_bytes;
}

static void cpu_destroy(backend *b) {
  blas_leave(&of(b)->lib);
  free(of(b)->leaf_copy);
  free(b);
}

static const backend cpu_seam = {
    .gemm = cpu_gemm,
    .trmm = cpu_trmm,
    .trsm = cpu_trsm,
    .syrk = cpu_syrk,
    .syr2k = cpu_syr2k,
    .symm = cpu_symm,
    .potrf = cpu_potrf,
    .trtri = cpu_trtri,
    .lauum = cpu_lauum,
    .check_diagonal = cpu_check_diagonal,
    .logdet = cpu_logdet,
    .split = cpu_split,
    .begin = cpu_begin,
    .end = cpu_end,
    .failed = cpu_failed,
    .finish = cpu_finish,
    .describe = cpu_describe,
    .advice = cpu_advice,
    .destroy = cpu_destroy,
    .storage = &host_storage,
};

trigon_status cpu_create(const char *library, bool wide, backend_options options, reason *why, backend **out) {
  cpu *c = calloc(1, sizeof *c);
  if (c) c->leaf_copy = calloc(1, leaf_copy_bytes);
  if (!c || !c->leaf_copy) {
    free(c);
    snprintf(why->text, sizeof why->text, "out of memory");
    return TRIGON_NO_MEMORY;
  }
  c->seam = cpu_seam;
  c->seam.why = why;
  c->options = options;
  trigon_status status = library ? blas_load(&c->lib, library, wide, why) : blas_linked(&c->lib, why);
  if (options.int_max > 0) c->lib.int_max = options.int_max;
  if (status == TRIGON_OK)
    *out = &c->seam;
  else
    cpu_destroy(&c->seam);
  return status;
}

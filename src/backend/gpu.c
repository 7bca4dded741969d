/* gpu.c - the backend on one GPU: data in its memory, products by the vendor's BLAS, leaves by the kernels in src/kernels. One
 * source for CUDA, HIP and the simulated GPU (kernels/vendor.h).
 *
 * Calls launch and return. What they take beyond their operands: the leaf buffer, from creation on, and a workspace for
 * the vendor's BLAS, from the first call on that multiplies (gpu_device.c). */
#include "gpu.h"

#include <stdio.h>

/* ------------------------------------------------------------------------- the algebra that folds the flags --
 * Every leaf is one lower, forward problem over strides: see kernels/kernels.h. */

static operand as_stored(view A) { return (operand){gpu_address(A), 1, A.ld, A.row_step + A.col_step * A.ld, false}; }

static operand transposed(operand A) { return (operand){A.data, A.col, A.row, A.next, A.conjugate}; }

static operand conjugated(operand A) {
  A.conjugate = !A.conjugate;
  return A;
}

/* op(A); the adjoint of a symmetric or Hermitian routine is an op, too. */
static operand apply(trigon_op op, operand A) {
  if (op == TRIGON_NOTRANS) return A;
  return op == TRIGON_TRANS ? transposed(A) : conjugated(transposed(A));
}

/* The rows of A from the last of n to the first. */
static operand rows_reversed(trigon_type type, operand A, int64_t n) {
  A.data = (char *)A.data + gpu_element_size(type) * (n > 0 ? n - 1 : 0) * A.row;
  A.row = -A.row;
  return A;
}

static operand reversed(trigon_type type, operand A, int64_t n) {
  return transposed(rows_reversed(type, transposed(rows_reversed(type, A, n)), n));
}

/* ------------------------------------------------------------------------------------------------- products -- */

static trigon_status product_kernel(gpu *g, trigon_type type, const product *p) {
  return gpu_status(g, launch_product(g->queue, type, p), "a product kernel");
}

static bool blas_holds(view A) { return gpu_blas_holds(A.m) && gpu_blas_holds(A.n) && gpu_blas_holds(A.ld); }

/* Sums without terms, and what the vendor's BLAS cannot hold or was not made ready for, go to the kernel of our own. */
static trigon_status gpu_gemm(backend *b, trigon_op opA, trigon_op opB, trigon_scalar alpha, view A, view B,
                              trigon_scalar beta, view C) {
  gpu *g = gpu_of(b);
  int64_t k = is_zero(alpha) ? 0 : opA == TRIGON_NOTRANS ? A.n : A.m;
  if (C.m == 0 || C.n == 0 || C.count == 0) return TRIGON_OK;
  if (k > 0 && g->blas && g->ready && blas_holds(A) && blas_holds(B) && blas_holds(C))
    return gpu_blas_gemm(g->blas, C.type, opA, opB, C.m, C.n, k, alpha, gpu_strided(A), gpu_strided(B), beta,
                         gpu_strided(C), b->why);
  return product_kernel(g, C.type,
                        &(product){.m = C.m,
                                   .n = C.n,
                                   .k = k,
                                   .count = C.count,
                                   .alpha = alpha,
                                   .beta = beta,
                                   .A = apply(opA, as_stored(A)),
                                   .B = apply(opB, as_stored(B)),
                                   .C = as_stored(C)});
}

/* ------------------------------------------------------------------------------------------- triangular leaves -- */

/* On the right the problem is its transpose; an upper triangle is a lower one counted from its end. */
static trigon_status triangular_leaf(backend *b, bool solve, trigon_side side, trigon_uplo uplo, trigon_op op,
                                     trigon_diag diag, trigon_scalar alpha, view A, view B) {
  gpu *g = gpu_of(b);
  bool left = side == TRIGON_LEFT, lower = left == ((uplo == TRIGON_LOWER) == (op == TRIGON_NOTRANS));
  operand L = apply(op, as_stored(A)), X = as_stored(B);
  if (!left) L = transposed(L), X = transposed(X);
  if (!lower) L = reversed(A.type, L, A.n), X = rows_reversed(B.type, X, A.n);
  triangular t = {.n = A.n,
                  .width = left ? B.n : B.m,
                  .count = B.count,
                  .unit = diag == TRIGON_UNIT,
                  .solve = solve,
                  .alpha = alpha,
                  .L = L,
                  .B = X};
  return gpu_status(g, launch_triangular(g->queue, B.type, &t), solve ? "the TRSM leaf" : "the TRMM leaf");
}

static trigon_status gpu_trmm(backend *b, trigon_side side, trigon_uplo uplo, trigon_op op, trigon_diag diag,
                              trigon_scalar alpha, view A, view B) {
  return triangular_leaf(b, false, side, uplo, op, diag, alpha, A, B);
}

static trigon_status gpu_trsm(backend *b, trigon_side side, trigon_uplo uplo, trigon_op op, trigon_diag diag,
                              trigon_scalar alpha, view A, view B) {
  return triangular_leaf(b, true, side, uplo, op, diag, alpha, A, B);
}

/* ----------------------------------------------------------------------------------------- symmetric leaves -- */

/* C = alpha·X·Yᴴ (+ alpha2·Y·Xᴴ) + beta·C, one triangle; ᴴ is `adjoint`. The upper triangle is the lower one of Cᵀ. */
static trigon_status update_leaf(backend *b, trigon_op adjoint, trigon_uplo uplo, trigon_op op, trigon_scalar alpha,
                                 view A, const view *B, trigon_scalar beta, view C) {
  gpu *g = gpu_of(b);
  int64_t k = is_zero(alpha) ? 0 : op == TRIGON_NOTRANS ? A.n : A.m;
  bool hermitian = adjoint == TRIGON_CONJTRANS, lower = uplo == TRIGON_LOWER;
  operand X = apply(op, as_stored(A)), Y = B ? apply(op, as_stored(*B)) : X;
  operand Xh = apply(adjoint, X), Yh = apply(adjoint, Y);
  product p = {.m = C.n,
               .n = C.n,
               .k = k,
               .count = C.count,
               .alpha = alpha,
               .alpha2 = hermitian ? conjugate(alpha) : alpha,
               .beta = beta,
               .A = lower ? X : transposed(Yh),
               .B = lower ? Yh : transposed(X),
               .C = lower ? as_stored(C) : transposed(as_stored(C)),
               .part = hermitian ? PART_LOWER_HERMITIAN : PART_LOWER};
  if (B) p.A2 = lower ? Y : transposed(Xh), p.B2 = lower ? Xh : transposed(Y);
  return product_kernel(g, C.type, &p);
}

static trigon_status gpu_syrk(backend *b, trigon_op adjoint, trigon_uplo uplo, trigon_op op, trigon_scalar alpha,
                              view A, trigon_scalar beta, view C) {
  return update_leaf(b, adjoint, uplo, op, alpha, A, NULL, beta, C);
}

static trigon_status gpu_syr2k(backend *b, trigon_op adjoint, trigon_uplo uplo, trigon_op op, trigon_scalar alpha,
                               view A, view B, trigon_scalar beta, view C) {
  return update_leaf(b, adjoint, uplo, op, alpha, A, &B, beta, C);
}

/* An upper triangle is the lower one of Aᵀ, which for a Hermitian A is conj(A); so is the transpose on the right. */
static trigon_status gpu_symm(backend *b, trigon_op adjoint, trigon_side side, trigon_uplo uplo, trigon_scalar alpha,
                              view A, view B, trigon_scalar beta, view C) {
  gpu *g = gpu_of(b);
  bool left = side == TRIGON_LEFT, hermitian = adjoint == TRIGON_CONJTRANS;
  operand S = uplo == TRIGON_LOWER ? as_stored(A) : transposed(as_stored(A));
  S.conjugate = hermitian && (uplo == TRIGON_UPPER) != !left;
  return product_kernel(g, C.type,
                        &(product){.m = A.n,
                                   .n = left ? C.n : C.m,
                                   .k = A.n,
                                   .count = C.count,
                                   .alpha = alpha,
                                   .beta = beta,
                                   .A = S,
                                   .B = left ? as_stored(B) : transposed(as_stored(B)),
                                   .C = left ? as_stored(C) : transposed(as_stored(C)),
                                   .A_is = hermitian ? STRUCTURE_HERMITIAN : STRUCTURE_SYMMETRIC});
}

/* ------------------------------------------------------------------------------------------- factorizations -- */

/* The transpose of an upper triangle: UᴴU of A is LLᴴ of conj(A) with L = Uᵀ, and U⁻¹ and UUᴴ are what L⁻¹ and LᴴL are
 * of L = Uᵀ, where they are stored. */
static square square_of(gpu *g, factorization what, trigon_uplo uplo, view A) {
  return (square){.what = what,
                  .n = A.n,
                  .count = A.count,
                  .A = uplo == TRIGON_LOWER ? as_stored(A) : transposed(as_stored(A)),
                  .failure = &g->control->failure,
                  .first = A.col,
                  .step = A.col_step};
}

static trigon_status gpu_potrf(backend *b, trigon_uplo uplo, view A) {
  gpu *g = gpu_of(b);
  square s = square_of(g, FACTOR_POTRF, uplo, A);
  g->may_fail = true;
  return gpu_status(g, launch_square(g->queue, A.type, &s), "the POTRF leaf");
}

static trigon_status gpu_trtri(backend *b, trigon_uplo uplo, trigon_diag diag, view A) {
  gpu *g = gpu_of(b);
  square s = square_of(g, FACTOR_TRTRI, uplo, A);
  s.unit = diag == TRIGON_UNIT;
  return gpu_status(g, launch_square(g->queue, A.type, &s), "the TRTRI leaf");
}

static trigon_status gpu_lauum(backend *b, trigon_uplo uplo, view A) {
  gpu *g = gpu_of(b);
  square s = square_of(g, FACTOR_LAUUM, uplo, A);
  return gpu_status(g, launch_square(g->queue, A.type, &s), "the LAUUM leaf");
}

static trigon_status gpu_check_diagonal(backend *b, view A) {
  gpu *g = gpu_of(b);
  square s = square_of(g, FACTOR_TRTRI, TRIGON_LOWER, A);
  g->may_fail = true;
  return gpu_status(g, launch_zero_diagonal(g->queue, A.type, &s), "the check of a diagonal");
}

static trigon_status gpu_logdet(backend *b, view A, double *logdet) {
  log_sum p = {A.n, as_stored(A), logdet};
  return gpu_status(gpu_of(b), launch_logdet(gpu_of(b)->queue, A.type, &p), "the log-determinant");
}

/* -------------------------------------------------------------------------------------------- around a call -- */

/* Orders up to which a leaf takes a block. On the simulated GPU they are small, so that the recursion is met. */
static const int64_t stops[TRIGON_ROUTINES] = {
    [TRIGON_TRMM] = TG_TILE(24, 128),  [TRIGON_TRSM] = TG_TILE(24, 128),  [TRIGON_SYRK] = TG_TILE(24, 256),
    [TRIGON_SYR2K] = TG_TILE(24, 256), [TRIGON_SYMM] = TG_TILE(24, 256),  [TRIGON_POTRF] = TG_TILE(24, 128),
    [TRIGON_TRTRI] = TG_TILE(24, 128), [TRIGON_LAUUM] = TG_TILE(24, 128),
};

static int64_t gpu_split(backend *b, trigon_routine routine, trigon_type type, int64_t n, int64_t width) {
  const backend_options *options = &gpu_of(b)->options;
  (void)type, (void)width;
  int64_t stop = options->stop > 0 ? options->stop : stops[routine];
  return n <= stop ? 0 : first_part(options->rule, stop, n);
}

static bool splits(gpu *g, trigon_routine routine, int64_t n) {
  return gpu_split(&g->seam, routine, TRIGON_D, n, n) > 0;
}

/* Whether there will be products: what does not split is one leaf. */
static bool multiplies(gpu *g, const problem *p) {
  if (p->trivial) return false;
  switch (p->routine) {
  case TRIGON_GEMM: return true;
  case TRIGON_SYRK:
  case TRIGON_SYR2K: return splits(g, (trigon_routine)p->routine, p->C.n);
  case PROBLEM_POTRS: return splits(g, TRIGON_TRSM, p->A.n);
  case PROBLEM_POSV: return splits(g, TRIGON_POTRF, p->A.n) || splits(g, TRIGON_TRSM, p->A.n);
  case PROBLEM_POTRI: return splits(g, TRIGON_TRTRI, p->A.n) || splits(g, TRIGON_LAUUM, p->A.n);
  default: return splits(g, (trigon_routine)p->routine, p->A.n);
  }
}

/* What a call reads or writes must be the device's. A trivial call scales its output, B if the routine has no C, or does
 * nothing; the log-determinant alone reads A then. */
static trigon_status check_operands(gpu *g, const problem *p) {
  const bool has_C = p->C.count > 0;
  if (!p->trivial || p->logdet) TRY(gpu_check_view(g, "A", p->A));
  if (!p->trivial || !has_C) TRY(gpu_check_view(g, "B", p->B));
  return p->trivial && is_one(p->beta) ? TRIGON_OK : gpu_check_view(g, "C", p->C);
}

static trigon_status open_problem(gpu *g, const problem *p, bool *done) {
  TRY(check_operands(g, p));
  if (p->info) TRY(gpu_check_memory(g, "info", p->info, sizeof *p->info, sizeof *p->info));
  if (p->logdet) TRY(gpu_check_memory(g, "logdet", p->logdet, sizeof *p->logdet, sizeof *p->logdet));
  const bool whole = g->options.native && !p->trivial;
  if (whole) TRY(gpu_native_supports(g, p));
  TRY(gpu_prepare(g, whole || multiplies(g, p)));
  *done = whole;
  return whole ? gpu_native_run(g, p) : TRIGON_OK;
}

static trigon_status gpu_begin(backend *b, const problem *p, bool *done) {
  gpu *g = gpu_of(b);
  TRY(gpu_enter(g));
  g->info = p->info;
  g->may_fail = p->info != NULL;
  trigon_status status = open_problem(g, p, done);
  if (status != TRIGON_OK && !*done) gpu_leave(g);
  return status;
}

/* Where work has failed there is no outcome, and nothing may be left of what has been found so far. */
static trigon_status gpu_end(backend *b, bool complete) {
  gpu *g = gpu_of(b);
  trigon_status status = TRIGON_OK;
  if (g->may_fail && complete) {
    outcome o = {&g->control->failure, g->info, &g->control->kept};
    status = gpu_status(g, launch_outcome(g->queue, &o), "the end of the call");
  }
  const bool lost = g->may_fail && (!complete || status != TRIGON_OK);
  g->stale = g->stale || (lost && gpu_reset_failure(g) != TRIGON_OK);
  gpu_leave(g);
  return status;
}

/* Nothing is known without waiting. */
static int64_t gpu_failed(backend *b) {
  (void)b;
  return 0;
}

static const char *gpu_describe(backend *b) { return gpu_of(b)->described; }

const backend gpu_seam = {
    .gemm = gpu_gemm,
    .trmm = gpu_trmm,
    .trsm = gpu_trsm,
    .syrk = gpu_syrk,
    .syr2k = gpu_syr2k,
    .symm = gpu_symm,
    .potrf = gpu_potrf,
    .trtri = gpu_trtri,
    .lauum = gpu_lauum,
    .check_diagonal = gpu_check_diagonal,
    .logdet = gpu_logdet,
    .split = gpu_split,
    .begin = gpu_begin,
    .end = gpu_end,
    .failed = gpu_failed,
    .finish = gpu_finish,
    .describe = gpu_describe,
    .destroy = gpu_destroy,
    .storage = &gpu_storage,
};

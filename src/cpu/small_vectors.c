/* small_vectors.c - public calls of level 2 of small orders: the register kernels compute them on the calling thread.
 * As in small.c, nothing is looked up and no view is cut. */
#include "cpu.h"

/* A vector of BLAS's: with a negative increment its first element lies last. */
static inline strided_vector vector_of(const vectors_call *s, void *data, int64_t n, int64_t inc) {
  const int64_t back = inc < 0 ? (1 - n) * inc : 0;
  return (strided_vector){(char *)data + back * type_size(s->type), inc};
}

/* GEMV, SYMV, HEMV. An upper triangle is the lower one of Aᵀ, which is conj(A) for a Hermitian A. */
static void multiply(const cpu *c, const vectors_call *s) {
  const bool general = s->routine == ROUTINE_GEMM, hermitian = s->adjoint == TRIGON_CONJTRANS;
  const bool swapped = general ? s->op != TRIGON_NOTRANS : s->uplo == TRIGON_UPPER;
  const int64_t m = swapped ? s->n : s->m, k = swapped ? s->m : s->n;
  packed_small_column(c->packed, s->type,
                      &(small_column){.m = m,
                                      .k = k,
                                      .row = swapped ? s->lda : 1,
                                      .col = swapped ? 1 : s->lda,
                                      .alpha = &s->alpha,
                                      .beta = &s->beta,
                                      .A = s->A,
                                      .x = vector_of(s, s->x, k, s->incx),
                                      .y = vector_of(s, s->y, m, s->incy),
                                      .A_is = general     ? STRUCTURE_GENERAL
                                              : hermitian ? STRUCTURE_HERMITIAN
                                                          : STRUCTURE_SYMMETRIC,
                                      .conjugate = general ? s->op == TRIGON_CONJTRANS : hermitian && swapped});
}

/* TRMV and TRSV. */
static void multiply_or_solve(const cpu *c, const vectors_call *s) {
  const bool plain = s->op == TRIGON_NOTRANS;
  packed_small_column_triangle(c->packed, s->type,
                               &(column_triangle){.n = s->n,
                                                  .row = plain ? 1 : s->lda,
                                                  .col = plain ? s->lda : 1,
                                                  .L = s->A,
                                                  .x = vector_of(s, s->x, s->n, s->incx),
                                                  .lower = (s->uplo == TRIGON_LOWER) == plain,
                                                  .unit = s->diag == TRIGON_UNIT,
                                                  .solve = s->routine == ROUTINE_TRSM,
                                                  .conjugate = s->op == TRIGON_CONJTRANS});
}

/* GER, GERU, GERC, SYR, HER, SYR2, HER2. */
static void update(const cpu *c, const vectors_call *s) {
  const bool general = s->routine == ROUTINE_GEMM, two = s->routine == ROUTINE_SYR2K, has_y = general || two;
  packed_small_column_update(
      c->packed, s->type,
      &(small_column_update){.m = s->m,
                             .n = s->n,
                             .ld = s->lda,
                             .alpha = &s->alpha,
                             .x = vector_of(s, s->x, s->m, s->incx),
                             .y = vector_of(s, has_y ? s->y : s->x, s->n, has_y ? s->incy : s->incx),
                             .A = s->A,
                             .two = two,
                             .conjugates = (general ? s->opB : s->adjoint) == TRIGON_CONJTRANS,
                             .triangle = !general,
                             .upper = s->uplo == TRIGON_UPPER});
}

bool cpu_run_small_vectors(engine *e, const vectors_call *s) {
  const cpu *c = cpu_on(e->machine);
  const int64_t most = c->small_order[s->routine][type_index(s->type)];
  if (s->m > most || s->n > most || s->lda > c->int_max) return false;
  if (s->updates)
    update(c, s);
  else if (s->routine == ROUTINE_TRMM || s->routine == ROUTINE_TRSM)
    multiply_or_solve(c, s);
  else
    multiply(c, s);
  return true;
}

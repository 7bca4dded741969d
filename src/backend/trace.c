/* trace.c - a decorator: counts the calls, blocks, flops and bytes that algorithms hand to another backend. */
#include <stdlib.h>

#include "backends.h"

typedef struct tracer {
  backend seam; /* first: a backend * is a tracer * */
  backend *inner;
  trigon_count counts[TRIGON_ROUTINES];
} tracer;

static backend *inner_of(backend *b) { return ((tracer *)b)->inner; }

static bool is_complex(trigon_type type) { return type == TRIGON_C || type == TRIGON_Z; }

static double element_size(trigon_type type) {
  return (type == TRIGON_D || type == TRIGON_Z ? 8.0 : 4.0) * (is_complex(type) ? 2 : 1);
}

/* Real flops of one block (a complex multiply-add counts four times) and elements moved. */
typedef struct work {
  double flops, elements;
} work;

/* Counts one call over blocks like that; a failed status is handed back uncounted. */
static trigon_status count(backend *b, trigon_routine routine, view like, work block_work, trigon_status status) {
  if (status != TRIGON_OK) return status;
  trigon_count *c = &((tracer *)b)->counts[routine];
  if (is_complex(like.type)) block_work.flops *= 4;
  c->calls += 1;
  c->least = c->blocks == 0 || block_work.flops < c->least ? block_work.flops : c->least;
  c->most = block_work.flops > c->most ? block_work.flops : c->most;
  c->blocks += like.count;
  c->flops += block_work.flops * (double)like.count;
  c->bytes += block_work.elements * element_size(like.type) * (double)like.count;
  return TRIGON_OK;
}

static double area(view A) { return (double)A.m * (double)A.n; }
static double triangle(view A) { return (double)A.n * (double)(A.n + 1) / 2; }
static double other(view A, trigon_op op) { return (double)(op == TRIGON_NOTRANS ? A.n : A.m); }
/* An output is written, and read where beta is not 0. */
static double passes(trigon_scalar beta) { return is_zero(beta) ? 1 : 2; }

static work gemm_work(trigon_op opA, view A, view B, trigon_scalar beta, view C) {
  return (work){2 * area(C) * other(A, opA), area(A) + area(B) + passes(beta) * area(C)};
}
static work triangular_work(view A, view B) { return (work){(double)A.n * area(B), triangle(A) + 2 * area(B)}; }
/* Products of matrices like A: one in SYRK, two in SYR2K, which reads as many matrices. */
static work update_work(int products, trigon_op op, view A, trigon_scalar beta, view C) {
  return (work){products * 2 * triangle(C) * other(A, op), products * area(A) + passes(beta) * triangle(C)};
}
static work symm_work(view A, view B, trigon_scalar beta, view C) {
  return (work){2 * (double)A.n * area(C), triangle(A) + area(B) + passes(beta) * area(C)};
}

static trigon_status trace_gemm(backend *b, trigon_op opA, trigon_op opB, trigon_scalar alpha, view A, view B,
                                trigon_scalar beta, view C) {
  return count(b, TRIGON_GEMM, C, gemm_work(opA, A, B, beta, C),
               inner_of(b)->gemm(inner_of(b), opA, opB, alpha, A, B, beta, C));
}

static trigon_status trace_trmm(backend *b, trigon_side side, trigon_uplo uplo, trigon_op op, trigon_diag diag,
                                trigon_scalar alpha, view A, view B) {
  return count(b, TRIGON_TRMM, B, triangular_work(A, B),
               inner_of(b)->trmm(inner_of(b), side, uplo, op, diag, alpha, A, B));
}

static trigon_status trace_trsm(backend *b, trigon_side side, trigon_uplo uplo, trigon_op op, trigon_diag diag,
                                trigon_scalar alpha, view A, view B) {
  return count(b, TRIGON_TRSM, B, triangular_work(A, B),
               inner_of(b)->trsm(inner_of(b), side, uplo, op, diag, alpha, A, B));
}

static trigon_status trace_syrk(backend *b, trigon_op adjoint, trigon_uplo uplo, trigon_op op, trigon_scalar alpha,
                                view A, trigon_scalar beta, view C) {
  return count(b, TRIGON_SYRK, C, update_work(1, op, A, beta, C),
               inner_of(b)->syrk(inner_of(b), adjoint, uplo, op, alpha, A, beta, C));
}

static trigon_status trace_syr2k(backend *b, trigon_op adjoint, trigon_uplo uplo, trigon_op op, trigon_scalar alpha,
                                 view A, view B, trigon_scalar beta, view C) {
  return count(b, TRIGON_SYR2K, C, update_work(2, op, A, beta, C),
               inner_of(b)->syr2k(inner_of(b), adjoint, uplo, op, alpha, A, B, beta, C));
}

static trigon_status trace_symm(backend *b, trigon_op adjoint, trigon_side side, trigon_uplo uplo, trigon_scalar alpha,
                                view A, view B, trigon_scalar beta, view C) {
  return count(b, TRIGON_SYMM, C, symm_work(A, B, beta, C),
               inner_of(b)->symm(inner_of(b), adjoint, side, uplo, alpha, A, B, beta, C));
}

/* POTRF and LAUUM take n³/3 + n²/2 + n/6 flops, TRTRI n³/3 + 2n/3 (LAPACK Working Note 41), written so that the sums are
 * exact in double precision. */
static double cube_flops(double n) { return n * (n + 1) * (2 * n + 1) / 6; }

static work potrf_work(view A) { return (work){cube_flops((double)A.n), 2 * triangle(A)}; }
static work trtri_work(view A) {
  const double n = (double)A.n;
  return (work){n * (n * n + 2) / 3, 2 * triangle(A)};
}

static trigon_status trace_potrf(backend *b, trigon_uplo uplo, view A) {
  return count(b, TRIGON_POTRF, A, potrf_work(A), inner_of(b)->potrf(inner_of(b), uplo, A));
}

static trigon_status trace_trtri(backend *b, trigon_uplo uplo, trigon_diag diag, view A) {
  return count(b, TRIGON_TRTRI, A, trtri_work(A), inner_of(b)->trtri(inner_of(b), uplo, diag, A));
}

static trigon_status trace_lauum(backend *b, trigon_uplo uplo, view A) {
  return count(b, TRIGON_LAUUM, A, potrf_work(A), inner_of(b)->lauum(inner_of(b), uplo, A));
}

static trigon_status trace_check_diagonal(backend *b, view A) { return inner_of(b)->check_diagonal(inner_of(b), A); }

static trigon_status trace_logdet(backend *b, view A, double *logdet) {
  return inner_of(b)->logdet(inner_of(b), A, logdet);
}

static int64_t trace_split(backend *b, trigon_routine routine, trigon_type type, int64_t n, int64_t width) {
  return inner_of(b)->split(inner_of(b), routine, type, n, width);
}

/* What the backend ran whole counts as one call of its kind; a composite as the calls that it is made of. */
static void count_whole(backend *b, const problem *p) {
  const bool factors = p->routine == TRIGON_POTRF || p->routine == PROBLEM_POSV;
  const bool inverts = p->routine == TRIGON_TRTRI || p->routine == PROBLEM_POTRI;
  const bool solves = p->routine == PROBLEM_POTRS || p->routine == PROBLEM_POSV;
  switch (p->routine) {
  case TRIGON_GEMM: count(b, TRIGON_GEMM, p->C, gemm_work(p->op, p->A, p->B, p->beta, p->C), TRIGON_OK); break;
  case TRIGON_TRMM:
  case TRIGON_TRSM: count(b, (trigon_routine)p->routine, p->B, triangular_work(p->A, p->B), TRIGON_OK); break;
  case TRIGON_SYRK: count(b, TRIGON_SYRK, p->C, update_work(1, p->op, p->A, p->beta, p->C), TRIGON_OK); break;
  case TRIGON_SYR2K: count(b, TRIGON_SYR2K, p->C, update_work(2, p->op, p->A, p->beta, p->C), TRIGON_OK); break;
  case TRIGON_SYMM: count(b, TRIGON_SYMM, p->C, symm_work(p->A, p->B, p->beta, p->C), TRIGON_OK); break;
  }
  if (factors) count(b, TRIGON_POTRF, p->A, potrf_work(p->A), TRIGON_OK);
  if (inverts) count(b, TRIGON_TRTRI, p->A, trtri_work(p->A), TRIGON_OK);
  if (p->routine == PROBLEM_POTRI) count(b, TRIGON_LAUUM, p->A, potrf_work(p->A), TRIGON_OK);
  for (int i = 0; solves && i < 2; i++) count(b, TRIGON_TRSM, p->B, triangular_work(p->A, p->B), TRIGON_OK);
}

static trigon_status trace_begin(backend *b, const problem *p, bool *done) {
  trigon_status status = inner_of(b)->begin(inner_of(b), p, done);
  if (status == TRIGON_OK && *done) count_whole(b, p);
  return status;
}

static trigon_status trace_end(backend *b, bool complete) { return inner_of(b)->end(inner_of(b), complete); }
static int64_t trace_failed(backend *b) { return inner_of(b)->failed(inner_of(b)); }
static trigon_status trace_finish(backend *b, int64_t *info) { return inner_of(b)->finish(inner_of(b), info); }
static const char *trace_describe(backend *b) { return inner_of(b)->describe(inner_of(b)); }

static void trace_destroy(backend *b) {
  inner_of(b)->destroy(inner_of(b));
  free(b);
}

static const backend trace_seam = {
    .gemm = trace_gemm,
    .trmm = trace_trmm,
    .trsm = trace_trsm,
    .syrk = trace_syrk,
    .syr2k = trace_syr2k,
    .symm = trace_symm,
    .potrf = trace_potrf,
    .trtri = trace_trtri,
    .lauum = trace_lauum,
    .check_diagonal = trace_check_diagonal,
    .logdet = trace_logdet,
    .split = trace_split,
    .begin = trace_begin,
    .end = trace_end,
    .failed = trace_failed,
    .finish = trace_finish,
    .describe = trace_describe,
    .destroy = trace_destroy,
};

trigon_status trace_create(backend *inner, backend **out) {
  tracer *t = calloc(1, sizeof *t);
  if (!t) return TRIGON_NO_MEMORY;
  t->seam = trace_seam;
  t->seam.storage = inner->storage;
  t->seam.why = inner->why;
  t->inner = inner;
  *out = &t->seam;
  return TRIGON_OK;
}

void trace_take(backend *traced, trigon_count counts[TRIGON_ROUTINES]) {
  tracer *t = (tracer *)traced;
  for (int i = 0; i < TRIGON_ROUTINES; i++) {
    counts[i] = t->counts[i];
    t->counts[i] = (trigon_count){0};
  }
}

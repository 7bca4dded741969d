/* cluster_leaves.c - the leaves on distributed matrices: each is a routine of PBLAS or ScaLAPACK. */
#include <stdio.h>

#include "cluster.h"

/* A scalar in the precision of a type. A real scalar is the first number. */
typedef union number {
  float s[2];
  double d[2];
} number;

static number number_of(trigon_scalar x, trigon_type type) {
  if (type_is_single(type)) return (number){.s = {(float)x.re, (float)x.im}};
  return (number){.d = {x.re, x.im}};
}

/* A call as Fortran takes it: flags are letters, sizes are addresses. */
typedef struct arguments {
  const scalapack_type *lib;
  char side[2], uplo[2], op[2], opB[2], diag[2];
  int m, n, k;
  number alpha, beta;
  piece A, B, C;
} arguments;

static char letter_of(trigon_op op, trigon_type type) {
  if (op == TRIGON_NOTRANS) return 'N';
  return op == TRIGON_TRANS || !type_is_complex(type) ? 'T' : 'C';
}

static arguments arguments_of(const cluster *c, const operation *o) {
  const sizes s = sizes_of(o);
  const trigon_type type = o->A.type;
  arguments a = {.lib = &c->library.of_type[type_index(type)],
                 .side = {o->side == TRIGON_LEFT ? 'L' : 'R'},
                 .uplo = {o->uplo == TRIGON_LOWER ? 'L' : 'U'},
                 .op = {letter_of(o->op, type)},
                 .opB = {letter_of(o->opB, type)},
                 .diag = {o->diag == TRIGON_UNIT ? 'U' : 'N'},
                 .m = (int)s.m,
                 .n = (int)s.n,
                 .k = (int)s.k,
                 .alpha = number_of(o->alpha, type),
                 .beta = number_of(o->beta, type)};
  if (o->A.base) a.A = piece_of(o->A);
  if (o->B.base) a.B = piece_of(o->B);
  if (o->C.base) a.C = piece_of(o->C);
  return a;
}

/* Operands without terms may have no descriptor. PBLAS checks all descriptors, so they get the output's. */
static void replace_empty(arguments *a, const operation *o) {
  if (o->C.base && (o->A.m == 0 || o->A.n == 0)) a->A = a->C;
  if (o->C.base && (o->B.m == 0 || o->B.n == 0)) a->B = a->C;
}

#define MATRIX(X) (X).of->local, &(X).ia, &(X).ja, (X).of->descriptor

static void run_product(const arguments *a) {
  a->lib->gemm(a->op, a->opB, &a->m, &a->n, &a->k, &a->alpha, MATRIX(a->A), MATRIX(a->B), &a->beta, MATRIX(a->C), 1, 1);
}

static void run_symm(const arguments *a, bool hermitian) {
  symm_fn *f = hermitian ? a->lib->hemm : a->lib->symm;
  f(a->side, a->uplo, &a->m, &a->n, &a->alpha, MATRIX(a->A), MATRIX(a->B), &a->beta, MATRIX(a->C), 1, 1);
}

static void run_syrk(const arguments *a, bool hermitian) {
  syrk_fn *f = hermitian ? a->lib->herk : a->lib->syrk;
  f(a->uplo, a->op, &a->n, &a->k, &a->alpha, MATRIX(a->A), &a->beta, MATRIX(a->C), 1, 1);
}

static void run_syr2k(const arguments *a, bool hermitian) {
  syr2k_fn *f = hermitian ? a->lib->her2k : a->lib->syr2k;
  f(a->uplo, a->op, &a->n, &a->k, &a->alpha, MATRIX(a->A), MATRIX(a->B), &a->beta, MATRIX(a->C), 1, 1);
}

static void run_triangle(const arguments *a, trxm_fn *f) {
  f(a->side, a->uplo, a->op, a->diag, &a->m, &a->n, &a->alpha, MATRIX(a->A), MATRIX(a->B), 1, 1, 1, 1);
}

/* ScaLAPACK takes a NaN for a good pivot. */
static int run_potrf(const cluster *c, const arguments *a, const operation *o) {
  int info = 0;
  a->lib->potrf(a->uplo, &a->n, MATRIX(a->A), &info, 1);
  if (info < 0) return info;
  const int64_t bad = cluster_first_bad_pivot(c, o->A, PIVOT_NOT_POSITIVE);
  return bad > 0 && (info == 0 || bad < info) ? (int)bad : info;
}

/* A diagonal block, unless the option native=1 asks for all. The diagonal was checked before. */
static int run_invert(const cluster *c, const arguments *a) {
  int info = 0;
  trtri_fn *f = c->native ? a->lib->trtri : a->lib->trti2;
  f(a->uplo, a->diag, &a->n, MATRIX(a->A), &info, 1, 1);
  return info;
}

static void run_lauum(const cluster *c, const arguments *a) {
  lauum_fn *f = c->native ? a->lib->lauum : a->lib->lauu2;
  f(a->uplo, &a->n, MATRIX(a->A), 1);
}
#undef MATRIX

/* Runs the routine. Returns its info. */
static int64_t run_leaf(const cluster *c, const operation *o) {
  const bool hermitian = o->adjoint == TRIGON_CONJTRANS;
  arguments a = arguments_of(c, o);
  replace_empty(&a, o);
  switch (o->routine) {
  case ROUTINE_GEMM: return run_product(&a), 0;
  case ROUTINE_SYMM: return run_symm(&a, hermitian), 0;
  case ROUTINE_SYRK: return run_syrk(&a, hermitian), 0;
  case ROUTINE_SYR2K: return run_syr2k(&a, hermitian), 0;
  case ROUTINE_TRMM: return run_triangle(&a, a.lib->trmm), 0;
  case ROUTINE_TRSM: return run_triangle(&a, a.lib->trsm), 0;
  case ROUTINE_POTRF: return run_potrf(c, &a, o);
  case ROUTINE_INVERT: return run_invert(c, &a);
  case ROUTINE_LAUUM: return run_lauum(c, &a), 0;
  case ROUTINE_CHECK_DIAGONAL: return cluster_first_bad_pivot(c, o->A, PIVOT_ZERO);
  default: *o->logdet = cluster_log_diagonal(c, o->A); return 0;
  }
}

/* Whether there is nothing to compute. */
static bool is_empty(const operation *o) {
  if (o->routine == ROUTINE_LOGDET) return false;
  const view out = o->C.base ? o->C : o->B.base ? o->B : o->A;
  return out.m == 0 || out.n == 0;
}

trigon_status cluster_run(engine *e, const operation *o) {
  cluster *c = cluster_of(e);
  if (is_empty(o)) return TRIGON_OK;
  const int64_t info = run_leaf(c, o);
  if (info < 0) { /* never seen: the arguments are checked */
    snprintf(c->machine.why->text, sizeof c->machine.why->text, "ScaLAPACK refuses argument %lld of its %s",
             (long long)-info, routine_table[o->routine].name);
    return TRIGON_INCOMPLETE;
  }
  if (info > 0 && c->failure == 0) c->failure = o->column + info;
  return TRIGON_OK;
}

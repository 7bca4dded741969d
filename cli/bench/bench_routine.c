/* bench_routine.c - the table of routines that can be benchmarked. */
#include "bench_routine.h"
#include "../flops.h"
#include "by_type.h"
#include "problem.h"

#include <stdio.h>
#include <string.h>

static const trigon_scalar one = {1, 0};

/* ------------------------------------------------------------------------------------------ calls and flops -- */

/* A call with the problem's flags and the operands X, alpha and beta being 1. */
#define CALL(name) static trigon_status name(trigon_context *ctx, const problem *p, const trigon_matrix *X)

CALL(gemm) { return trigon_gemm(ctx, p->op[0], p->op[1], one, X[0], X[1], one, X[2]); }
CALL(trmm) { return trigon_trmm(ctx, p->side, p->uplo, p->op[0], p->diag, one, X[0], X[1]); }
CALL(trsm) { return trigon_trsm(ctx, p->side, p->uplo, p->op[0], p->diag, one, X[0], X[1]); }
CALL(syrk) { return trigon_syrk(ctx, p->uplo, p->op[0], one, X[0], one, X[1]); }
CALL(herk) { return trigon_herk(ctx, p->uplo, p->op[0], 1, X[0], 1, X[1]); }
CALL(syr2k) { return trigon_syr2k(ctx, p->uplo, p->op[0], one, X[0], X[1], one, X[2]); }
CALL(her2k) { return trigon_her2k(ctx, p->uplo, p->op[0], one, X[0], X[1], 1, X[2]); }
CALL(symm) { return trigon_symm(ctx, p->side, p->uplo, one, X[0], X[1], one, X[2]); }
CALL(hemm) { return trigon_hemm(ctx, p->side, p->uplo, one, X[0], X[1], one, X[2]); }
CALL(potrf) { return trigon_potrf(ctx, p->uplo, X[0], NULL); }
CALL(potrs) { return trigon_potrs(ctx, p->uplo, X[0], X[1]); }
CALL(posv) { return trigon_posv(ctx, p->uplo, X[0], X[1], NULL); }
CALL(trtri) { return trigon_trtri(ctx, p->uplo, p->diag, X[0], NULL); }
CALL(lauum) { return trigon_lauum(ctx, p->uplo, X[0]); }
CALL(potri) { return trigon_potri(ctx, p->uplo, X[0], NULL); }

/* Vectors: BLAS's argument lists, which differ by the type. */
#define ROWS_OF(i) X[i].data, X[i].ld
#define VECTOR_OF(i) X[i].data, 1
#define GEMV(t, one)                                                                                                   \
  trigon_##t##gemv(ctx, p->op[0], X[0].rows, X[0].cols, one, ROWS_OF(0), VECTOR_OF(1), one, VECTOR_OF(2))
#define SYMV(t, one) trigon_##t##symv(ctx, p->uplo, X[0].rows, one, ROWS_OF(0), VECTOR_OF(1), one, VECTOR_OF(2))
#define TRMV(t, one) trigon_##t##trmv(ctx, p->uplo, p->op[0], p->diag, X[0].rows, ROWS_OF(0), VECTOR_OF(1))
#define TRSV(t, one) trigon_##t##trsv(ctx, p->uplo, p->op[0], p->diag, X[0].rows, ROWS_OF(0), VECTOR_OF(1))
#define SYR(t, one) trigon_##t##syr(ctx, p->uplo, X[1].rows, one, VECTOR_OF(0), ROWS_OF(1))
#define SYR2(t, one) trigon_##t##syr2(ctx, p->uplo, X[2].rows, one, VECTOR_OF(0), VECTOR_OF(1), ROWS_OF(2))
#define GER(function, one) function(ctx, X[2].rows, X[2].cols, one, VECTOR_OF(0), VECTOR_OF(1), ROWS_OF(2))

CALL(gemv){RETURN_BY_TYPE(p->type, GEMV)} CALL(symv){RETURN_BY_TYPE(p->type, SYMV)} CALL(trmv){
    RETURN_BY_TYPE(p->type, TRMV)} CALL(trsv){RETURN_BY_TYPE(p->type, TRSV)} CALL(syr){
    RETURN_BY_TYPE(p->type, SYR)} CALL(syr2){RETURN_BY_TYPE(p->type, SYR2)}

CALL(ger) {
  switch (p->type) {
  case TRIGON_S: return GER(trigon_sger, 1);
  case TRIGON_D: return GER(trigon_dger, 1);
  case TRIGON_C: return GER(trigon_cgeru, one);
  default: return GER(trigon_zgeru, one);
  }
}

/* The Hermitian forms of real types are the symmetric forms. */
#define HEMV(t) trigon_##t##hemv(ctx, p->uplo, X[0].rows, one, ROWS_OF(0), VECTOR_OF(1), one, VECTOR_OF(2))
CALL(hemv) { return p->type == TRIGON_C ? HEMV(c) : p->type == TRIGON_Z ? HEMV(z) : symv(ctx, p, X); }
#define HER(t) trigon_##t##her(ctx, p->uplo, X[1].rows, 1, VECTOR_OF(0), ROWS_OF(1))
CALL(her) { return p->type == TRIGON_C ? HER(c) : p->type == TRIGON_Z ? HER(z) : syr(ctx, p, X); }
#define HER2(t) trigon_##t##her2(ctx, p->uplo, X[2].rows, one, VECTOR_OF(0), VECTOR_OF(1), ROWS_OF(2))
CALL(her2) { return p->type == TRIGON_C ? HER2(c) : p->type == TRIGON_Z ? HER2(z) : syr2(ctx, p, X); }

/* The values are real, and lie at the beginning of the second operand. */
#define SYEVD(name) trigon_##name(ctx, p->job, p->uplo, X[0].rows, X[0].data, X[0].ld, X[1].data, NULL)
CALL(syevd) {
  switch (p->type) {
  case TRIGON_S: return SYEVD(ssyevd);
  case TRIGON_D: return SYEVD(dsyevd);
  case TRIGON_C: return SYEVD(cheevd);
  default: return SYEVD(zheevd);
  }
}

/* The first k values, and their vectors. */
#define SYEVDX(name)                                                                                                   \
  trigon_##name(ctx, p->job, TRIGON_RANGE_INDICES, p->uplo, X[0].rows, X[0].data, X[0].ld, 0, 0, p->size[N] > 0,       \
                p->size[K], NULL, X[1].data, NULL)
CALL(syevdx) {
  switch (p->type) {
  case TRIGON_S: return SYEVDX(ssyevdx);
  case TRIGON_D: return SYEVDX(dsyevdx);
  case TRIGON_C: return SYEVDX(cheevdx);
  default: return SYEVDX(zheevdx);
  }
}

#define SYGVD(name)                                                                                                    \
  trigon_##name(ctx, 1, p->job, p->uplo, X[0].rows, X[0].data, X[0].ld, X[1].data, X[1].ld, X[2].data, NULL)
CALL(sygvd) {
  switch (p->type) {
  case TRIGON_S: return SYGVD(ssygvd);
  case TRIGON_D: return SYGVD(dsygvd);
  case TRIGON_C: return SYGVD(chegvd);
  default: return SYGVD(zhegvd);
  }
}

/* Flops over real types; s holds m, n, k, and whether vectors are computed. */
static double gemm_flops(const double *s) { return 2 * s[M] * s[N] * s[K]; }
static double triangle_flops(const double *s) { return s[M] * s[M] * s[N]; }
static double symm_flops(const double *s) { return 2 * triangle_flops(s); }
static double rank_k_flops(const double *s) { return s[K] * s[N] * (s[N] + 1); }
static double rank_2k_flops(const double *s) { return 2 * rank_k_flops(s); }
static double factor_flops(const double *s) { return potrf_flops(s[N]); }
static double substitution_flops(const double *s) { return potrs_flops(s[M], s[N]); }
static double solution_flops(const double *s) { return potrf_flops(s[M]) + substitution_flops(s); }
static double trtri_flops(const double *s) { return s[N] * s[N] * s[N] / 3 + 2 * s[N] / 3; }
static double inverse_flops(const double *s) { return potri_flops(s[N]); }
static double vector_flops(const double *s) { return 2 * s[M] * s[N]; }
static double square_flops(const double *s) { return 2 * s[N] * s[N]; }
static double half_flops(const double *s) { return s[N] * s[N]; }
static double eigen_flops(const double *s) { return syevd_flops(s[N], s[VECTORS] != 0); }
static double part_flops(const double *s) { return syevdx_flops(s[N], s[VECTORS] != 0 ? s[K] : 0); }
static double general_flops(const double *s) { return sygvd_flops(s[N], s[VECTORS] != 0); }

/* ---------------------------------------------------------------------------------------------- the table -- */

/* clang-format off */
#define INPUT(rows, cols, transposed_by, form, dominant) {rows, cols, transposed_by, form, form, dominant, false}
#define IN_PLACE(rows, cols, transposed_by, before, after, dominant) \
    {rows, cols, transposed_by, before, after, dominant, true}

/* SYRK and HERK, SYR2K and HER2K, SYMM and HEMM differ in the call, the form of the half, and whether ' conjugates. */
#define RANK_K(name, half, refuse, is_plain) \
    {#name, "UO", "LN", "nk", "nnk", refuse, rank_k_flops, name, \
     {INPUT('n', 'k', 'a', FULL, false), IN_PLACE('n', 'n', 0, half, half, false)}, \
     {"+B-b-aa'", "+B-b-aa'"}, "a a", 'k', 'b', true, is_plain, ""}
#define RANK_2K(name, half, refuse, is_plain) \
    {#name, "UO", "LN", "nk", "nnk", refuse, rank_2k_flops, name, \
     {INPUT('n', 'k', 'a', FULL, false), INPUT('n', 'k', 'a', FULL, false), \
      IN_PLACE('n', 'n', 0, half, half, false)}, \
     {"+C-c-ab'-ba'", "+C-c-ab'-ba'"}, "a b", 'k', 'c', true, is_plain, ""}
#define HALF_PRODUCT(name, half) \
    {#name, "SU", "LL", "mn", "mnm", 0, symm_flops, name, \
     {INPUT('m', 'm', 0, half, false), INPUT('m', 'n', 's', FULL, false), \
      IN_PLACE('m', 'n', 's', FULL, FULL, false)}, \
     {"+C-c-ab", "+C-c-ba"}, "a b", 'm', 'c', true, false, ""}

/* The same for vectors. */
#define HALF_VECTOR(name, half) \
    {#name, "U", "L", "n", "n1n", 0, square_flops, name, \
     {INPUT('n', 'n', 0, half, false), INPUT('n', '1', 0, FULL, false), IN_PLACE('n', '1', 0, FULL, FULL, false)}, \
     {"+C-c-ab", "+C-c-ab"}, "a b", 'n', 'c', true, false, ""}
#define RANK_1(name, half, is_plain) \
    {#name, "U", "L", "n", "nn1", 0, half_flops, name, \
     {INPUT('n', '1', 0, FULL, false), IN_PLACE('n', 'n', 0, half, half, false)}, \
     {"+B-b-aa'", "+B-b-aa'"}, "a a", 'n', 'b', true, is_plain, ""}
#define RANK_2(name, half, is_plain) \
    {#name, "U", "L", "n", "nn1", 0, square_flops, name, \
     {INPUT('n', '1', 0, FULL, false), INPUT('n', '1', 0, FULL, false), IN_PLACE('n', 'n', 0, half, half, false)}, \
     {"+C-c-ab'-ba'", "+C-c-ab'-ba'"}, "a b", 'n', 'c', true, is_plain, ""}
#define TRIANGLE_VECTOR(name, identity, norms, is_product, solves) \
    {#name, "UOD", "LNN", "n", "n1n", 0, half_flops, name, \
     {INPUT('n', 'n', 'a', TRIANGLE, true), IN_PLACE('n', '1', 0, FULL, FULL, false)}, \
     {identity, identity}, norms, 'n', 0, is_product, false, solves}

static const bench_routine routines[] = {
    {"gemm", "OO", "NN", "mnk", "mnk", 0, gemm_flops, gemm,
     {INPUT('m', 'k', 'a', FULL, false), INPUT('k', 'n', 'b', FULL, false), IN_PLACE('m', 'n', 0, FULL, FULL, false)},
     {"+C-c-ab", "+C-c-ab"}, "a b", 'k', 'c', true, false, ""},
    {"trmm", "SUOD", "LLNN", "mn", "mnm", 0, triangle_flops, trmm,
     {INPUT('m', 'm', 'a', TRIANGLE, true), IN_PLACE('m', 'n', 's', FULL, FULL, false)},
     {"+B-ab", "+B-ba"}, "a b", 'm', 0, true, false, ""},
    {"trsm", "SUOD", "LLNN", "mn", "mnm", 0, triangle_flops, trsm,
     {INPUT('m', 'm', 'a', TRIANGLE, true), IN_PLACE('m', 'n', 's', FULL, FULL, false)},
     {"+aB-b", "+Ba-b"}, "a B", 'm', 0, false, false, "l"},
    RANK_K(syrk, SYMMETRIC_HALF, 'C', true),
    RANK_K(herk, HERMITIAN_HALF, 'T', false),
    RANK_2K(syr2k, SYMMETRIC_HALF, 'C', true),
    RANK_2K(her2k, HERMITIAN_HALF, 'T', false),
    HALF_PRODUCT(symm, SYMMETRIC_HALF),
    HALF_PRODUCT(hemm, HERMITIAN_HALF),
    {"potrf", "U", "L", "n", "nnn", 0, factor_flops, potrf,
     {IN_PLACE('n', 'n', 0, HERMITIAN_HALF, TRIANGLE, true)},
     {"+a-AA'", "+a-A'A"}, "a", 'n', 0, false, false, ""},
    {"potrs", "U", "L", "mn", "mnm", 0, substitution_flops, potrs,
     {INPUT('m', 'm', 0, TRIANGLE, true), IN_PLACE('m', 'n', 0, FULL, FULL, false)},
     {"+aa'B-b", "+a'aB-b"}, "aa' B", 'm', 0, false, false, "lt"},
    {"posv", "U", "L", "mn", "mmm", 0, solution_flops, posv,
     {IN_PLACE('m', 'm', 0, HERMITIAN_HALF, TRIANGLE, true), IN_PLACE('m', 'n', 0, FULL, FULL, false)},
     {"+aB-b", "+aB-b"}, "a B", 'm', 0, false, false, ""},
    {"trtri", "UD", "LN", "n", "nnn", 0, trtri_flops, trtri,
     {IN_PLACE('n', 'n', 0, TRIANGLE, TRIANGLE, true)},
     {"+aA-", "+aA-"}, "a A", 'n', 0, false, false, "t"},
    {"lauum", "U", "L", "n", "nnn", 0, factor_flops, lauum,
     {IN_PLACE('n', 'n', 0, TRIANGLE, HERMITIAN_HALF, true)},
     {"+A-a'a", "+A-aa'"}, "A", 'n', 0, false, false, ""},
    {"potri", "U", "L", "n", "nnn", 0, inverse_flops, potri,
     {IN_PLACE('n', 'n', 0, TRIANGLE, HERMITIAN_HALF, true)},
     {"+aa'A-", "+a'aA-"}, "aa' A", 'n', 0, false, false, ""},
    {"gemv", "O", "N", "mn", "m1n", 0, vector_flops, gemv,
     {INPUT('m', 'n', 'a', FULL, false), INPUT('n', '1', 0, FULL, false), IN_PLACE('m', '1', 0, FULL, FULL, false)},
     {"+C-c-ab", "+C-c-ab"}, "a b", 'n', 'c', true, false, ""},
    HALF_VECTOR(symv, SYMMETRIC_HALF),
    HALF_VECTOR(hemv, HERMITIAN_HALF),
    TRIANGLE_VECTOR(trmv, "+B-ab", "a b", true, ""),
    TRIANGLE_VECTOR(trsv, "+aB-b", "a B", false, "l"),
    {"ger", "", "", "mn", "mn1", 0, vector_flops, ger,
     {INPUT('m', '1', 0, FULL, false), INPUT('n', '1', 0, FULL, false), IN_PLACE('m', 'n', 0, FULL, FULL, false)},
     {"+C-c-ab'", "+C-c-ab'"}, "a b", 'n', 'c', true, true, ""},
    RANK_1(syr, SYMMETRIC_HALF, true),
    RANK_1(her, HERMITIAN_HALF, false),
    RANK_2(syr2, SYMMETRIC_HALF, true),
    RANK_2(her2, HERMITIAN_HALF, false),
    {"syevd", "JU", "VL", "n", "nnn", 0, eigen_flops, syevd,
     {IN_PLACE('n', 'n', 0, HERMITIAN_HALF, FULL, false), IN_PLACE('n', '1', 0, DIAGONAL, DIAGONAL, false)},
     {"+aA-AB", "+A'A-"}, "a A", 'n', 0, false, false, ""},
    {"syevdx", "JU", "VL", "nk", "nnn", 0, part_flops, syevdx,
     {IN_PLACE('n', 'n', 0, HERMITIAN_HALF, FULL, false), IN_PLACE('n', '1', 0, DIAGONAL, DIAGONAL, false)},
     {"+aA-AB", "+A'A-"}, "a A", 'n', 0, false, false, ""},
    {"sygvd", "JU", "VL", "n", "nnn", 0, general_flops, sygvd,
     {IN_PLACE('n', 'n', 0, HERMITIAN_HALF, FULL, false), IN_PLACE('n', 'n', 0, HERMITIAN_HALF, TRIANGLE, true),
      IN_PLACE('n', '1', 0, DIAGONAL, DIAGONAL, false)},
     {"+aA-bAC", "+A'bA-"}, "a A", 'n', 0, false, false, ""},
};
/* clang-format on */

enum { ROUTINES = sizeof routines / sizeof *routines };
_Static_assert((int)ROUTINES <= (int)MOST_ROUTINES, "lists of all routines have room");

void routine_names(char names[MOST_NAMES]) {
  size_t length = 0;
  for (int i = 0; i < ROUTINES; i++)
    length += (size_t)snprintf(names + length, MOST_NAMES - length, "%s%s", i > 0 ? " " : "", routines[i].name);
}

const bench_routine *routine_find(const char *name, size_t length) {
  for (int i = 0; i < ROUTINES; i++)
    if (strlen(routines[i].name) == length && memcmp(routines[i].name, name, length) == 0) return &routines[i];
  return NULL;
}

/* -------------------------------------------------------------------------------------------------- sizes -- */

const char size_letters[] = "mnk";

int size_index(char size) { return (int)(strchr(size_letters, size) - size_letters); }

bool routine_is_eigen(const bench_routine *r) { return strchr(r->choices, 'J') != NULL; }

bool routine_is_general(const bench_routine *r) { return routine_is_eigen(r) && routine_operands(r) == 3; }

bool routine_is_part(const bench_routine *r) { return routine_is_eigen(r) && routine_has(r, 'k'); }

bool routine_has(const bench_routine *r, char size) { return strchr(r->sizes, size) != NULL; }

int routine_operands(const bench_routine *r) {
  int count = 0;
  while (count < MOST_OPERANDS && r->operand[count].rows) count++;
  return count;
}

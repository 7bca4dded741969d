/* problem.c - the table of routines. alpha and beta are 1 throughout. */
#include "problem.h"

#include <string.h>

static const trigon_scalar one = {1, 0};

/* ------------------------------------------------------------------------------------------ calls and flops -- */

/* These save each entry below its list of parameters. */
#define CALL(name) static trigon_status name(trigon_context *ctx, const bench_case *c, const trigon_matrix *X)

CALL(gemm) { return trigon_gemm(ctx, c->op[0], c->op[1], one, X[0], X[1], one, X[2]); }
CALL(trmm) { return trigon_trmm(ctx, c->side, c->uplo, c->op[0], c->diag, one, X[0], X[1]); }
CALL(trsm) { return trigon_trsm(ctx, c->side, c->uplo, c->op[0], c->diag, one, X[0], X[1]); }
CALL(syrk) { return trigon_syrk(ctx, c->uplo, c->op[0], one, X[0], one, X[1]); }
CALL(herk) { return trigon_herk(ctx, c->uplo, c->op[0], 1, X[0], 1, X[1]); }
CALL(syr2k) { return trigon_syr2k(ctx, c->uplo, c->op[0], one, X[0], X[1], one, X[2]); }
CALL(her2k) { return trigon_her2k(ctx, c->uplo, c->op[0], one, X[0], X[1], 1, X[2]); }
CALL(symm) { return trigon_symm(ctx, c->side, c->uplo, one, X[0], X[1], one, X[2]); }
CALL(hemm) { return trigon_hemm(ctx, c->side, c->uplo, one, X[0], X[1], one, X[2]); }
CALL(potrf) { return trigon_potrf(ctx, c->uplo, X[0], NULL); }
CALL(potrs) { return trigon_potrs(ctx, c->uplo, X[0], X[1]); }
CALL(posv) { return trigon_posv(ctx, c->uplo, X[0], X[1], NULL); }
CALL(trtri) { return trigon_trtri(ctx, c->uplo, c->diag, X[0], NULL); }
CALL(lauum) { return trigon_lauum(ctx, c->uplo, X[0]); }
CALL(potri) { return trigon_potri(ctx, c->uplo, X[0], NULL); }

/* Flops over real types; s holds m, n and k. */
enum { M, N, K };
static double gemm_flops(const double *s) { return 2 * s[M] * s[N] * s[K]; }
static double triangle_flops(const double *s) { return s[M] * s[M] * s[N]; }
static double symm_flops(const double *s) { return 2 * triangle_flops(s); }
static double rank_k_flops(const double *s) { return s[K] * s[N] * (s[N] + 1); }
static double rank_2k_flops(const double *s) { return 2 * rank_k_flops(s); }
static double cholesky(double n) { return n * n * n / 3 + n * n / 2 + n / 6; }
static double potrf_flops(const double *s) { return cholesky(s[N]); }
static double posv_flops(const double *s) { return cholesky(s[M]) + symm_flops(s); }
static double trtri_flops(const double *s) { return s[N] * s[N] * s[N] / 3 + 2 * s[N] / 3; }
static double potri_flops(const double *s) { return 2 * s[N] * s[N] * s[N] / 3; }

/* ---------------------------------------------------------------------------------------------- the table -- */

/* clang-format off */
#define INPUT(rows, cols, turns, form, dominant) {rows, cols, turns, form, form, dominant, false}
#define IN_PLACE(rows, cols, turns, before, after, dominant) {rows, cols, turns, before, after, dominant, true}

/* SYRK and HERK, SYR2K and HER2K, SYMM and HEMM differ in the call, the half's form, and what ' means. */
#define RANK_K(name, half, refuse, is_plain) \
    {#name, "UO", "LN", "nk", "nnk", refuse, rank_k_flops, name, \
     {INPUT('n', 'k', 'a', FULL, false), IN_PLACE('n', 'n', 0, half, half, false)}, \
     {"+B-b-aa'", "+B-b-aa'"}, "a a", 'k', 'b', true, is_plain}
#define RANK_2K(name, half, refuse, is_plain) \
    {#name, "UO", "LN", "nk", "nnk", refuse, rank_2k_flops, name, \
     {INPUT('n', 'k', 'a', FULL, false), INPUT('n', 'k', 'a', FULL, false), \
      IN_PLACE('n', 'n', 0, half, half, false)}, \
     {"+C-c-ab'-ba'", "+C-c-ab'-ba'"}, "a b", 'k', 'c', true, is_plain}
#define HALF_PRODUCT(name, half) \
    {#name, "SU", "LL", "mn", "mnm", 0, symm_flops, name, \
     {INPUT('m', 'm', 0, half, false), INPUT('m', 'n', 's', FULL, false), \
      IN_PLACE('m', 'n', 's', FULL, FULL, false)}, \
     {"+C-c-ab", "+C-c-ba"}, "a b", 'm', 'c', true, false}

static const routine routines[] = {
    {"gemm", "OO", "NN", "mnk", "mnk", 0, gemm_flops, gemm,
     {INPUT('m', 'k', 'a', FULL, false), INPUT('k', 'n', 'b', FULL, false), IN_PLACE('m', 'n', 0, FULL, FULL, false)},
     {"+C-c-ab", "+C-c-ab"}, "a b", 'k', 'c', true, false},
    {"trmm", "SUOD", "LLNN", "mn", "mnm", 0, triangle_flops, trmm,
     {INPUT('m', 'm', 'a', TRIANGLE, true), IN_PLACE('m', 'n', 's', FULL, FULL, false)},
     {"+B-ab", "+B-ba"}, "a b", 'm', 0, true, false},
    {"trsm", "SUOD", "LLNN", "mn", "mnm", 0, triangle_flops, trsm,
     {INPUT('m', 'm', 'a', TRIANGLE, true), IN_PLACE('m', 'n', 's', FULL, FULL, false)},
     {"+aB-b", "+Ba-b"}, "a B", 'm', 0, false, false},
    RANK_K(syrk, SYMMETRIC_HALF, 'C', true),
    RANK_K(herk, HERMITIAN_HALF, 'T', false),
    RANK_2K(syr2k, SYMMETRIC_HALF, 'C', true),
    RANK_2K(her2k, HERMITIAN_HALF, 'T', false),
    HALF_PRODUCT(symm, SYMMETRIC_HALF),
    HALF_PRODUCT(hemm, HERMITIAN_HALF),
    {"potrf", "U", "L", "n", "nnn", 0, potrf_flops, potrf,
     {IN_PLACE('n', 'n', 0, HERMITIAN_HALF, TRIANGLE, true)},
     {"+a-AA'", "+a-A'A"}, "a", 'n', 0, false, false},
    {"potrs", "U", "L", "mn", "mnm", 0, symm_flops, potrs,
     {INPUT('m', 'm', 0, TRIANGLE, true), IN_PLACE('m', 'n', 0, FULL, FULL, false)},
     {"+aa'B-b", "+a'aB-b"}, "aa' B", 'm', 0, false, false},
    {"posv", "U", "L", "mn", "mmm", 0, posv_flops, posv,
     {IN_PLACE('m', 'm', 0, HERMITIAN_HALF, TRIANGLE, true), IN_PLACE('m', 'n', 0, FULL, FULL, false)},
     {"+aB-b", "+aB-b"}, "a B", 'm', 0, false, false},
    {"trtri", "UD", "LN", "n", "nnn", 0, trtri_flops, trtri,
     {IN_PLACE('n', 'n', 0, TRIANGLE, TRIANGLE, true)},
     {"+aA-", "+aA-"}, "a A", 'n', 0, false, false},
    {"lauum", "U", "L", "n", "nnn", 0, potrf_flops, lauum,
     {IN_PLACE('n', 'n', 0, TRIANGLE, HERMITIAN_HALF, true)},
     {"+A-a'a", "+A-aa'"}, "A", 'n', 0, false, false},
    {"potri", "U", "L", "n", "nnn", 0, potri_flops, potri,
     {IN_PLACE('n', 'n', 0, TRIANGLE, HERMITIAN_HALF, true)},
     {"+aa'A-", "+a'aA-"}, "aa' A", 'n', 0, false, false},
};
/* clang-format on */

enum { ROUTINES = sizeof routines / sizeof *routines };
_Static_assert((int)ROUTINES <= (int)MOST_ROUTINES, "lists of all routines have room");

const char *routine_names(void) {
  return "gemm trmm trsm syrk herk syr2k her2k symm hemm potrf potrs posv trtri lauum potri";
}

const routine *routine_find(const char *name, size_t length) {
  for (int i = 0; i < ROUTINES; i++)
    if (strlen(routines[i].name) == length && memcmp(routines[i].name, name, length) == 0) return &routines[i];
  return NULL;
}

/* ----------------------------------------------------------------------------------------------- variants -- */

/* The letters that each kind of choice has, and the flags they stand for, which CBLAS numbers in this order. */
static const struct {
  char kind;
  const char *letters;
  int first;
} choices[] = {
    {'S', "LR", TRIGON_LEFT}, {'U', "UL", TRIGON_UPPER}, {'O', "NTC", TRIGON_NOTRANS}, {'D', "NU", TRIGON_NONUNIT}};

static int choice_of(char kind) {
  int i = 0;
  while (choices[i].kind != kind) i++;
  return i;
}

bool case_set_variant(bench_case *c, const char *variant) {
  const char *kinds = c->routine->letters;
  c->side = TRIGON_LEFT, c->uplo = TRIGON_LOWER, c->diag = TRIGON_NONUNIT;
  c->op[0] = c->op[1] = TRIGON_NOTRANS;
  if (strlen(variant) != strlen(kinds)) return false;
  for (int i = 0, ops = 0; kinds[i]; i++) {
    int choice = choice_of(kinds[i]);
    const char *found = strchr(choices[choice].letters, variant[i]);
    if (!found) return false;
    if (kinds[i] == 'O' && type_is_complex(c->type) && variant[i] == c->routine->refused) return false;
    int flag = choices[choice].first + (int)(found - choices[choice].letters);
    switch (kinds[i]) {
    case 'S': c->side = (trigon_side)flag; break;
    case 'U': c->uplo = (trigon_uplo)flag; break;
    case 'O': c->op[ops++] = (trigon_op)flag; break;
    case 'D': c->diag = (trigon_diag)flag; break;
    }
  }
  strcpy(c->variant, variant);
  return true;
}

bool same_group(const bench_case *a, const bench_case *b) {
  return a->routine == b->routine && a->type == b->type && strcmp(a->variant, b->variant) == 0;
}

bool case_list_variant(const routine *r, trigon_type type, int i, char variant[MOST_VARIANT], bool *end) {
  size_t length = strlen(r->letters);
  bool doubled = false;
  variant[length] = 0;
  for (size_t at = length; at-- > 0;) { /* i in mixed radix, the last letter fastest */
    const char *letters = choices[choice_of(r->letters[at])].letters;
    int count = (int)strlen(letters);
    variant[at] = letters[i % count];
    doubled |= variant[at] == 'C' && !type_is_complex(type);
    i /= count;
  }
  bench_case c = {.routine = r, .type = type};
  *end = i > 0;
  return !*end && !doubled && case_set_variant(&c, variant);
}

/* ------------------------------------------------------------------------------------------- sizes, shapes -- */

int size_index(char size) { return (int)(strchr("mnk", size) - "mnk"); }
bool routine_has(const routine *r, char size) { return strchr(r->sizes, size) != NULL; }
int64_t case_size(const bench_case *c, char size) { return c->size[size_index(size)]; }

static void turn(int64_t *rows, int64_t *cols) {
  int64_t kept = *rows;
  *rows = *cols;
  *cols = kept;
}

int case_operands(const bench_case *c) {
  int count = 0;
  while (count < MOST_OPERANDS && c->routine->operand[count].rows) count++;
  return count;
}

void case_shape(const bench_case *c, int operand, int64_t *rows, int64_t *cols) {
  const bench_operand *o = &c->routine->operand[operand];
  *rows = case_size(c, o->rows);
  *cols = case_size(c, o->cols);
  bool turned = o->turns == 's' ? c->side == TRIGON_RIGHT : o->turns && c->op[o->turns - 'a'] != TRIGON_NOTRANS;
  if (turned) turn(rows, cols);
}

bench_case case_gemm(const bench_case *c) {
  bench_case g = {.routine = routine_find("gemm", 4), .type = c->type};
  for (int i = 0; i < 3; i++) g.size[i] = case_size(c, c->routine->gemm[i]);
  if (c->side == TRIGON_RIGHT) turn(&g.size[0], &g.size[1]);
  case_set_variant(&g, "NN");
  return g;
}

double case_flops(const bench_case *c) {
  double flops = c->routine->flops((double[]){(double)c->size[M], (double)c->size[N], (double)c->size[K]});
  return type_is_complex(c->type) ? 4 * flops : flops;
}

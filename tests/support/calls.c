/* calls.c - makes, prints and describes calls as data (calls.h). */
#include "calls.h"

#include <stdio.h>
#include <string.h>

#define TRIANGLE_BLAS "side uplo op diag m n alpha A lda B ldb"
#define TRIANGLE_MATRIX "side uplo op diag alpha A B"
#define RANK_K_BLAS "uplo op n k alpha A lda beta C ldc"
#define RANK_K_MATRIX "uplo op alpha A beta C"
#define RANK_2K_BLAS "uplo op n k alpha A lda B ldb beta C ldc"
#define RANK_2K_MATRIX "uplo op alpha A B beta C"
#define SYMMETRIC_BLAS "side uplo m n alpha A lda B ldb beta C ldc"
#define SYMMETRIC_MATRIX "side uplo alpha A B beta C"

const tested_spec routines[TESTED_ROUTINES] = {
    [GEMM] = {"gemm",
              "opA opB m n k alpha A lda B ldb beta C ldc",
              "opA opB alpha A B beta C",
              {{'A', 'm', 'k', 'a', GENERAL, false},
               {'B', 'k', 'n', 'b', GENERAL, false},
               {'C', 'm', 'n', 0, GENERAL, true}}},
    [TRMM] = {"trmm",
              TRIANGLE_BLAS,
              TRIANGLE_MATRIX,
              {{'A', 'o', 'o', 0, TRIANGULAR, false}, {'B', 'm', 'n', 0, GENERAL, true}}},
    [TRSM] = {"trsm",
              TRIANGLE_BLAS,
              TRIANGLE_MATRIX,
              {{'A', 'o', 'o', 0, TRIANGULAR, false}, {'B', 'm', 'n', 0, GENERAL, true}}},
    [TRTRI] = {"trtri", "uplo diag n A lda info", "uplo diag A info", {{'A', 'n', 'n', 0, TRIANGULAR, true}}},
    [LAUUM] = {"lauum", "uplo n A lda", "uplo A", {{'A', 'n', 'n', 0, FACTOR, true}}},
    [SYRK] = {"syrk",
              RANK_K_BLAS,
              RANK_K_MATRIX,
              {{'A', 'n', 'k', 'a', GENERAL, false}, {'C', 'n', 'n', 0, SYMMETRIC, true}}},
    [HERK] = {"herk",
              RANK_K_BLAS,
              RANK_K_MATRIX,
              {{'A', 'n', 'k', 'a', GENERAL, false}, {'C', 'n', 'n', 0, HERMITIAN, true}}},
    [SYR2K] = {"syr2k",
               RANK_2K_BLAS,
               RANK_2K_MATRIX,
               {{'A', 'n', 'k', 'a', GENERAL, false},
                {'B', 'n', 'k', 'a', GENERAL, false},
                {'C', 'n', 'n', 0, SYMMETRIC, true}}},
    [HER2K] = {"her2k",
               RANK_2K_BLAS,
               RANK_2K_MATRIX,
               {{'A', 'n', 'k', 'a', GENERAL, false},
                {'B', 'n', 'k', 'a', GENERAL, false},
                {'C', 'n', 'n', 0, HERMITIAN, true}}},
    [SYMM] = {"symm",
              SYMMETRIC_BLAS,
              SYMMETRIC_MATRIX,
              {{'A', 'o', 'o', 0, SYMMETRIC, false},
               {'B', 'm', 'n', 0, GENERAL, false},
               {'C', 'm', 'n', 0, GENERAL, true}}},
    [HEMM] = {"hemm",
              SYMMETRIC_BLAS,
              SYMMETRIC_MATRIX,
              {{'A', 'o', 'o', 0, HERMITIAN, false},
               {'B', 'm', 'n', 0, GENERAL, false},
               {'C', 'm', 'n', 0, GENERAL, true}}},
    [POTRF] = {"potrf", "uplo n A lda info", "uplo A info", {{'A', 'n', 'n', 0, POSITIVE, true}}},
    [POTRS] = {"potrs",
               "uplo n nrhs A lda B ldb",
               "uplo A B",
               {{'A', 'n', 'n', 0, FACTOR, false}, {'B', 'n', 'k', 0, GENERAL, true}}},
    [POSV] = {"posv",
              "uplo n nrhs A lda B ldb info",
              "uplo A B info",
              {{'A', 'n', 'n', 0, POSITIVE, true}, {'B', 'n', 'k', 0, GENERAL, true}}},
    [POTRI] = {"potri", "uplo n A lda info", "uplo A info", {{'A', 'n', 'n', 0, FACTOR, true}}},
};

bool is_complex(trigon_type type) { return type == TRIGON_C || type == TRIGON_Z; }
bool is_single(trigon_type type) { return type == TRIGON_S || type == TRIGON_C; }

size_t element_size(trigon_type type) {
  const size_t real = is_single(type) ? sizeof(float) : sizeof(double);
  return is_complex(type) ? 2 * real : real;
}

int operands(enum tested_routine routine) {
  int count = 0;
  while (count < 3 && routines[routine].operand[count].name) count++;
  return count;
}

int argument_position(const char *list, const char *name) {
  const size_t length = strlen(name);
  for (int position = 1; *list; position++) {
    const size_t word = strcspn(list, " ");
    if (word == length && memcmp(list, name, length) == 0) return position;
    list += word;
    list += strspn(list, " ");
  }
  return 0;
}

bool takes(enum tested_routine routine, const char *name) {
  return argument_position(routines[routine].blas, name) > 0;
}

/* The symmetric updates refuse the conjugate transpose of complex matrices. The Hermitian updates refuse the
 * transpose. */
bool op_allowed(enum tested_routine routine, trigon_type type, trigon_op op) {
  if (!is_complex(type) || op == TRIGON_NOTRANS) return true;
  if (routine == SYRK || routine == SYR2K) return op == TRIGON_TRANS;
  if (routine == HERK || routine == HER2K) return op == TRIGON_CONJTRANS;
  return true;
}

static int64_t size_of_letter(const call *c, char letter) {
  switch (letter) {
  case 'm': return c->m;
  case 'n': return c->n;
  case 'k': return c->k;
  default: return c->side == TRIGON_LEFT ? c->m : c->n;
  }
}

void operand_shape(const call *c, int index, int64_t *rows, int64_t *cols) {
  const operand *x = &routines[c->routine].operand[index];
  const bool transposed = x->op && (x->op == 'a' ? c->op : c->opB) != TRIGON_NOTRANS;
  *rows = size_of_letter(c, transposed ? x->cols : x->rows);
  *cols = size_of_letter(c, transposed ? x->rows : x->cols);
}

trigon_status call_matrix(trigon_context *ctx, const call *c) {
  const trigon_matrix *x = c->stored;
  switch (c->routine) {
  case GEMM: return trigon_gemm(ctx, c->op, c->opB, c->alpha, x[0], x[1], c->beta, x[2]);
  case TRMM: return trigon_trmm(ctx, c->side, c->uplo, c->op, c->diag, c->alpha, x[0], x[1]);
  case TRSM: return trigon_trsm(ctx, c->side, c->uplo, c->op, c->diag, c->alpha, x[0], x[1]);
  case TRTRI: return trigon_trtri(ctx, c->uplo, c->diag, x[0], c->info);
  case LAUUM: return trigon_lauum(ctx, c->uplo, x[0]);
  case SYRK: return trigon_syrk(ctx, c->uplo, c->op, c->alpha, x[0], c->beta, x[1]);
  case HERK: return trigon_herk(ctx, c->uplo, c->op, c->alpha.re, x[0], c->beta.re, x[1]);
  case SYR2K: return trigon_syr2k(ctx, c->uplo, c->op, c->alpha, x[0], x[1], c->beta, x[2]);
  case HER2K: return trigon_her2k(ctx, c->uplo, c->op, c->alpha, x[0], x[1], c->beta.re, x[2]);
  case SYMM: return trigon_symm(ctx, c->side, c->uplo, c->alpha, x[0], x[1], c->beta, x[2]);
  case HEMM: return trigon_hemm(ctx, c->side, c->uplo, c->alpha, x[0], x[1], c->beta, x[2]);
  case POTRF: return trigon_potrf(ctx, c->uplo, x[0], c->info);
  case POTRS: return trigon_potrs(ctx, c->uplo, x[0], x[1]);
  case POSV: return trigon_posv(ctx, c->uplo, x[0], x[1], c->info);
  case POTRI: return trigon_potri(ctx, c->uplo, x[0], c->info);
  default: return TRIGON_NOT_SUPPORTED;
  }
}

/* The BLAS spelling of each type: blas_s, blas_d, blas_c, blas_z. */
#define EACH_TYPE "support/calls.inc"
#include "each_type.inc"

bool has_blas(enum tested_routine routine, trigon_type type) {
  return is_complex(type) || (routine != HERK && routine != HER2K && routine != HEMM);
}

trigon_status call_blas(trigon_context *ctx, const call *c) {
  switch (c->type) {
  case TRIGON_S: return blas_s(ctx, c);
  case TRIGON_D: return blas_d(ctx, c);
  case TRIGON_C: return blas_c(ctx, c);
  default: return blas_z(ctx, c);
  }
}

static char op_letter(trigon_op op) { return op == TRIGON_NOTRANS ? 'N' : op == TRIGON_TRANS ? 'T' : 'C'; }

void call_print(const call *c, char *text, size_t size) {
  const enum tested_routine r = c->routine;
  const bool two_ops = takes(r, "opA"); /* only GEMM has opA and opB, and m, n and k */
  size_t used = (size_t)snprintf(text, size, "%s %c", routines[r].name, c->type);
  struct {
    const char *name;
    char value;
  } flags[] = {{"side", c->side == TRIGON_LEFT ? 'L' : 'R'},
               {"uplo", c->uplo == TRIGON_LOWER ? 'L' : 'U'},
               {two_ops ? "opA" : "op", op_letter(c->op)},
               {"opB", op_letter(c->opB)},
               {"diag", c->diag == TRIGON_UNIT ? 'U' : 'N'}};
  struct {
    const char *name;
    int64_t value;
  } sizes[] = {{"m", c->m}, {"n", c->n}, {"k", c->k}, {"nrhs", c->k}};
  struct {
    const char *name;
    trigon_scalar value;
  } scalars[] = {{"alpha", c->alpha}, {"beta", c->beta}};
  for (size_t i = 0; i < sizeof flags / sizeof *flags && used < size; i++)
    if (takes(r, flags[i].name))
      used += (size_t)snprintf(text + used, size - used, " %s=%c", flags[i].name, flags[i].value);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes && used < size; i++)
    if (takes(r, sizes[i].name))
      used += (size_t)snprintf(text + used, size - used, " %s=%lld", sizes[i].name, (long long)sizes[i].value);
  for (size_t i = 0; i < sizeof scalars / sizeof *scalars && used < size; i++)
    if (takes(r, scalars[i].name))
      used += (size_t)snprintf(text + used, size - used, " %s=(%.9g,%.9g)", scalars[i].name, scalars[i].value.re,
                               scalars[i].value.im);
  for (int i = 0; i < operands(r) && used < size; i++)
    used += (size_t)snprintf(text + used, size - used, " ld%c=%lld", routines[r].operand[i].name + ('a' - 'A'),
                             (long long)c->stored[i].ld);
}

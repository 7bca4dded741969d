/* batch_routines.c - the table of batched routines, and their calls (batch_routines.h). */
#include "batch_routines.h"

#include <stdio.h>
#include <string.h>

#include "../../matrix/element_type.h"
#include "../by_type.h"

/* ---------------------------------------------------------------------------------------------------- sizes -- */

/* The rows and columns of operand x of all matrices: arrays, and the values of matrices that are a stride apart. */
static const int64_t *rows_array(const batch_arguments *a, int x) {
  return a->size[size_index(problem_letters(a->p, x).rows)];
}
static const int64_t *cols_array(const batch_arguments *a, int x) {
  return a->size[size_index(problem_letters(a->p, x).cols)];
}
static int64_t rows_value(const batch_arguments *a, int x) { return problem_size(a->p, problem_letters(a->p, x).rows); }
static int64_t cols_value(const batch_arguments *a, int x) { return problem_size(a->p, problem_letters(a->p, x).cols); }

/* ---------------------------------------------------------------------------------------------------- calls -- */

/* The arguments of both kinds of functions: of _batch, and of _strided. An operand, its rows and columns, the inner
 * size, and the end of the list. */
#define OPERAND_batch(x) a->at[x], a->ld[x]
#define OPERAND_strided(x) a->first[x], rows_value(a, x), a->step[x]
#define ROWS_batch(x) rows_array(a, x)
#define ROWS_strided(x) rows_value(a, x)
#define COLS_batch(x) cols_array(a, x)
#define COLS_strided(x) cols_value(a, x)
#define INNER_batch a->size[K]
#define INNER_strided a->p->size[K]
#define END_batch , a->info
#define END_strided

/* The functions of a routine: NAME_batch of arrays, and NAME_strided. The list of arguments is a macro of the type's
 * letter, of 1 in the type, and of the kind. */
#define DEFINE(name, type, LIST)                                                                                       \
  static trigon_status name##_batch(trigon_context *by, const batch_arguments *a) {                                    \
    RETURN_BY_TYPE(type, LIST##_BATCH)                                                                                 \
  }                                                                                                                    \
  static trigon_status name##_strided(trigon_context *by, const batch_arguments *a) {                                  \
    RETURN_BY_TYPE(type, LIST##_STRIDED)                                                                               \
  }

#define TRIANGLE(t, name, kind, one)                                                                                   \
  trigon_##t##name##_##kind(by, a->p->side, a->p->uplo, a->p->op[0], a->p->diag, a->count, ROWS_##kind(1),             \
                            COLS_##kind(1), one, OPERAND_##kind(0), OPERAND_##kind(1) END_##kind)
#define TRSM_BATCH(t, one) TRIANGLE(t, trsm, batch, one)
#define TRSM_STRIDED(t, one) TRIANGLE(t, trsm, strided, one)
#define TRMM_BATCH(t, one) TRIANGLE(t, trmm, batch, one)
#define TRMM_STRIDED(t, one) TRIANGLE(t, trmm, strided, one)
DEFINE(trsm, a->p->type, TRSM)
DEFINE(trmm, a->p->type, TRMM)

#define RANK_K(t, name, kind, one)                                                                                     \
  trigon_##t##name##_##kind(by, a->p->uplo, a->p->op[0], a->count, ROWS_##kind(1), INNER_##kind, one,                  \
                            OPERAND_##kind(0), one, OPERAND_##kind(1) END_##kind)
#define SYRK_BATCH(t, one) RANK_K(t, syrk, batch, one)
#define SYRK_STRIDED(t, one) RANK_K(t, syrk, strided, one)
DEFINE(syrk, a->p->type, SYRK)

/* The Hermitian form of real types is the symmetric form. */
#define DEFINE_HERK(kind)                                                                                              \
  static trigon_status herk_##kind(trigon_context *by, const batch_arguments *a) {                                     \
    if (!type_is_complex(a->p->type)) return syrk_##kind(by, a);                                                       \
    return a->p->type == TRIGON_C ? RANK_K(c, herk, kind, 1) : RANK_K(z, herk, kind, 1);                               \
  }
DEFINE_HERK(batch)
DEFINE_HERK(strided)

#define GEMM(t, kind, one)                                                                                             \
  trigon_##t##gemm_##kind(by, a->p->op[0], a->p->op[1], a->count, ROWS_##kind(2), COLS_##kind(2), INNER_##kind, one,   \
                          OPERAND_##kind(0), OPERAND_##kind(1), one, OPERAND_##kind(2) END_##kind)
#define GEMM_BATCH(t, one) GEMM(t, batch, one)
#define GEMM_STRIDED(t, one) GEMM(t, strided, one)
DEFINE(gemm, a->p->type, GEMM)

/* The arrays of an operand whose matrices are squares, and of the right-hand sides. */
#define CALL(name) static trigon_status name(trigon_context *by, const batch_arguments *a)
#define SQUARES a->at[0], a->ld[0]
#define POTRF(t, one) trigon_##t##potrf_batch(by, a->p->uplo, a->count, a->largest, ROWS_batch(0), SQUARES, a->info)
#define POTRF_APART(t, one)                                                                                            \
  trigon_##t##potrf_strided(by, a->p->uplo, a->count, ROWS_strided(0), OPERAND_strided(0), a->info)
#define SOLVE(t, name)                                                                                                 \
  trigon_##t##name##_batch(by, a->p->uplo, a->count, a->largest, ROWS_batch(0), COLS_batch(1), SQUARES,                \
                           OPERAND_batch(1), a->info)
#define POTRS(t, one) SOLVE(t, potrs)
#define POSV(t, one) SOLVE(t, posv)
#define TRTRI(t, one)                                                                                                  \
  trigon_##t##trtri_batch(by, a->p->uplo, a->p->diag, a->count, a->largest, ROWS_batch(0), SQUARES, a->info)
#define POTRI(t, one) trigon_##t##potri_batch(by, a->p->uplo, 0, a->count, a->largest, ROWS_batch(0), SQUARES, a->info)
CALL(potrf_batch){RETURN_BY_TYPE(a->p->type, POTRF)} CALL(potrf_strided){
    RETURN_BY_TYPE(a->p->type, POTRF_APART)} CALL(potrs_batch){RETURN_BY_TYPE(a->p->type, POTRS)} CALL(posv_batch){
    RETURN_BY_TYPE(a->p->type, POSV)} CALL(trtri_batch){RETURN_BY_TYPE(a->p->type, TRTRI)} CALL(potri_batch){
    RETURN_BY_TYPE(a->p->type, POTRI)}

/* The names of the eigensolver depend on the type, and values are real. */
#define EIGEN(name)                                                                                                    \
  trigon_##name(by, a->p->job, a->p->uplo, a->count, a->largest, ROWS_batch(0), SQUARES, a->at[1], a->info)
CALL(syevd_batch) {
  switch (a->p->type) {
  case TRIGON_S: return EIGEN(ssyevd_batch);
  case TRIGON_D: return EIGEN(dsyevd_batch);
  case TRIGON_C: return EIGEN(cheevd_batch);
  default: return EIGEN(zheevd_batch);
  }
}

/* ------------------------------------------------------------------------------------------------ the table -- */

static const batch_routine routines[] = {
    {"potrf", 0, false, true, potrf_batch, potrf_strided, true},
    {"potrs", 1, false, false, potrs_batch, NULL, true},
    {"posv", 1, false, true, posv_batch, NULL, true},
    {"trtri", 0, false, false, trtri_batch, NULL, true},
    {"potri", 0, false, false, potri_batch, NULL, true},
    {"syevd", 0, false, false, syevd_batch, NULL, true},
    {"trsm", 0, true, false, trsm_batch, trsm_strided, false},
    {"trmm", 0, true, false, trmm_batch, trmm_strided, false},
    {"syrk", 0, true, false, syrk_batch, syrk_strided, false},
    {"herk", 0, true, false, herk_batch, herk_strided, false},
    {"gemm", 0, true, false, gemm_batch, gemm_strided, false},
};

enum { ROUTINES = sizeof routines / sizeof *routines };

const batch_routine *batch_routine_find(const char *name, size_t length) {
  for (int i = 0; i < ROUTINES; i++)
    if (strlen(routines[i].name) == length && memcmp(routines[i].name, name, length) == 0) return &routines[i];
  return NULL;
}

void batch_routine_names(char names[MOST_BATCH_NAMES], const char *suffix, const char *between) {
  size_t length = 0;
  for (int i = 0; i < ROUTINES && length < MOST_BATCH_NAMES; i++)
    length += (size_t)snprintf(names + length, MOST_BATCH_NAMES - length, "%s%s%s", i > 0 ? between : "",
                               routines[i].name, suffix);
}

const bench_routine *batch_routine_single(const batch_routine *r) { return routine_find(r->name, strlen(r->name)); }

/* lapack_eigen.c - the argument lists of LAPACK's xSYEVD and xHEEVD, and their workspaces. */
#include "lapack_eigen.h"
#include "../matrix/element_type.h"

#include <stdlib.h>

typedef const char *L;
typedef const int32_t *I;
typedef void syevd_fn(L, L, I, void *A, I, void *w, void *work, I, int32_t *iwork, I, int32_t *info, size_t, size_t);
typedef void heevd_fn(L, L, I, void *A, I, void *w, void *work, I, void *rwork, I, int32_t *iwork, I, int32_t *info,
                      size_t, size_t);

int32_t lapack_eigen_call(direct_fn *routine, const problem *p, const trigon_matrix *X, const eigen_workspaces *s) {
  const int32_t n = (int32_t)X[0].rows, lda = (int32_t)X[0].ld;
  int32_t info;
  if (type_is_complex(p->type))
    ((heevd_fn *)routine)(p->variant, p->variant + 1, &n, X[0].data, &lda, X[1].data, s->work, &s->lwork, s->rwork,
                          &s->lrwork, s->iwork, &s->liwork, &info, 1, 1);
  else
    ((syevd_fn *)routine)(p->variant, p->variant + 1, &n, X[0].data, &lda, X[1].data, s->work, &s->lwork, s->iwork,
                          &s->liwork, &info, 1, 1);
  return info;
}

/* The size that a call has stored as a real number, but at least `least`: a float may have been rounded down. */
static int32_t stored_size(trigon_type type, const void *number, double least) {
  const double told = type_real_bytes(type) == sizeof(float) ? (double)*(const float *)number : *(const double *)number;
  const double size = told > least ? told : least;
  return size > INT32_MAX ? INT32_MAX : (int32_t)size;
}

/* Asks for the sizes. The least sizes are those of LAPACK's documentation. */
static void ask_sizes(direct_fn *routine, const problem *p, int64_t order, eigen_workspaces *s) {
  double work[2] = {0}, rwork[1] = {0};
  int32_t iwork = 0;
  const double n = (double)order;
  const trigon_matrix X[] = {{NULL, p->type, order, order, order}, {NULL, p->type, order, 1, order}};
  const bool complex = type_is_complex(p->type), vectors = p->job == TRIGON_VECTORS;
  *s = (eigen_workspaces){work, rwork, &iwork, -1, -1, -1};
  lapack_eigen_call(routine, p, X, s);
  const double real_least = vectors ? 1 + 6 * n + 2 * n * n : 2 * n + 1;
  s->lwork = stored_size(p->type, work, complex ? vectors ? 2 * n + n * n : n + 1 : real_least);
  s->lrwork = stored_size(p->type, rwork, complex ? real_least : 1);
  s->liwork = iwork;
}

bool lapack_eigen_alloc(direct_fn *routine, const problem *p, int64_t n, eigen_workspaces *s) {
  ask_sizes(routine, p, n, s);
  s->work = malloc((size_t)s->lwork * type_bytes(p->type));
  s->rwork = malloc((size_t)s->lrwork * type_real_bytes(p->type));
  s->iwork = malloc((size_t)s->liwork * sizeof *s->iwork);
  return s->work && s->rwork && s->iwork;
}

void lapack_eigen_free(eigen_workspaces *s) {
  free(s->work);
  free(s->rwork);
  free(s->iwork);
}

trigon_status lapack_syevd(direct_fn *routine, const problem *p, const trigon_matrix *X) {
  eigen_workspaces s;
  const bool ready = lapack_eigen_alloc(routine, p, X[0].rows, &s);
  if (ready) lapack_eigen_call(routine, p, X, &s);
  lapack_eigen_free(&s);
  return ready ? TRIGON_OK : TRIGON_NO_MEMORY;
}

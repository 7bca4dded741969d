/* lapack_eigen.c - the argument lists of LAPACK's eigensolvers, and their workspaces. */
#include "lapack_eigen.h"
#include "../matrix/dense.h"
#include "../matrix/element_type.h"

#include <stdlib.h>

/* J: a letter for the job, the range or the triangle. I: an integer. V: reals that are read. W: what is written. The
 * lengths of the letters stand at the end. */
typedef const char *J;
typedef const int32_t *I;
typedef const void *V;
typedef void *W;
typedef int32_t *N32;
typedef void syevd_fn(J, J, I, W A, I, W w, W work, I, N32 iwork, I, N32 info, size_t, size_t);
typedef void heevd_fn(J, J, I, W A, I, W w, W work, I, W rwork, I, N32 iwork, I, N32 info, size_t, size_t);
typedef void sygvd_fn(I itype, J, J, I, W A, I, W B, I, W w, W work, I, N32 iwork, I, N32 info, size_t, size_t);
typedef void hegvd_fn(I itype, J, J, I, W A, I, W B, I, W w, W work, I, W rwork, I, N32 iwork, I, N32 info, size_t,
                      size_t);
typedef void syevr_fn(J, J, J, I, W A, I, V vl, V vu, I il, I iu, V abstol, N32 m, W w, W Z, I, N32 isuppz, W work, I,
                      N32 iwork, I, N32 info, size_t, size_t, size_t);
typedef void heevr_fn(J, J, J, I, W A, I, V vl, V vu, I il, I iu, V abstol, N32 m, W w, W Z, I, N32 isuppz, W work, I,
                      W rwork, I, N32 iwork, I, N32 info, size_t, size_t, size_t);

/* The arguments that all of them have at the end, but for the lengths; and those at the beginning. */
#define REAL_END s->work, &s->lwork, s->iwork, &s->liwork, &info
#define COMPLEX_END s->work, &s->lwork, s->rwork, &s->lrwork, s->iwork, &s->liwork, &info
#define PROBLEM(letters) letters, p->variant + 1, &n, X[0].data, &lda

static int32_t call_whole(direct_fn *routine, const problem *p, const trigon_matrix *X, const eigen_workspaces *s) {
  const int32_t n = (int32_t)X[0].rows, lda = (int32_t)X[0].ld;
  int32_t info;
  if (type_is_complex(p->type))
    ((heevd_fn *)routine)(PROBLEM(p->variant), X[1].data, COMPLEX_END, 1, 1);
  else
    ((syevd_fn *)routine)(PROBLEM(p->variant), X[1].data, REAL_END, 1, 1);
  return info;
}

static int32_t call_general(direct_fn *routine, const problem *p, const trigon_matrix *X, const eigen_workspaces *s) {
  const int32_t itype = 1, n = (int32_t)X[0].rows, lda = (int32_t)X[0].ld, ldb = (int32_t)X[1].ld;
  int32_t info;
  if (type_is_complex(p->type))
    ((hegvd_fn *)routine)(&itype, PROBLEM(p->variant), X[1].data, &ldb, X[2].data, COMPLEX_END, 1, 1);
  else
    ((sygvd_fn *)routine)(&itype, PROBLEM(p->variant), X[1].data, &ldb, X[2].data, REAL_END, 1, 1);
  return info;
}

/* The first k values. Zero is the recommended tolerance, in any type. */
static int32_t call_part(direct_fn *routine, const problem *p, const trigon_matrix *X, const eigen_workspaces *s) {
  static const double zero = 0;
  const int32_t n = (int32_t)X[0].rows, lda = (int32_t)X[0].ld, ldz = lda, first = n > 0, last = (int32_t)p->size[K];
  int32_t info, found;
#define PART &zero, &zero, &first, &last, &zero, &found, X[1].data, s->vectors.data, &ldz, s->support
  if (type_is_complex(p->type))
    ((heevr_fn *)routine)(p->variant, PROBLEM("I"), PART, COMPLEX_END, 1, 1, 1);
  else
    ((syevr_fn *)routine)(p->variant, PROBLEM("I"), PART, REAL_END, 1, 1, 1);
#undef PART
  return info;
}

int32_t lapack_eigen_call(direct_fn *routine, const problem *p, const trigon_matrix *X, const eigen_workspaces *s) {
  if (routine_is_general(p->routine)) return call_general(routine, p, X, s);
  return (routine_is_part(p->routine) ? call_part : call_whole)(routine, p, X, s);
}

/* The size that a call has stored as a real number, but at least `least`: a float may have been rounded down. */
static int32_t stored_size(trigon_type type, const void *number, double least) {
  const double told = type_real_bytes(type) == sizeof(float) ? (double)*(const float *)number : *(const double *)number;
  const double size = told > least ? told : least;
  return size > INT32_MAX ? INT32_MAX : (int32_t)size;
}

/* The least sizes by LAPACK's documentation: elements and, for complex types, reals. */
static void least_sizes(const problem *p, double n, double *elements, double *reals) {
  const bool vectors = p->job == TRIGON_VECTORS, complex = type_is_complex(p->type);
  const bool part = routine_is_part(p->routine);
  const double real = part ? (complex ? 24 : 26) * n : vectors ? 1 + 6 * n + 2 * n * n : 2 * n + 1;
  *reals = real;
  *elements = !complex ? real : part ? 2 * n : vectors ? 2 * n + n * n : n + 1;
}

/* Asks for the sizes. */
static void ask_sizes(direct_fn *routine, const problem *p, int64_t n, eigen_workspaces *s) {
  double work[2] = {0}, rwork[1] = {0}, elements, reals;
  int32_t iwork = 0;
  trigon_matrix X[MOST_OPERANDS];
  for (int i = 0; i < MOST_OPERANDS; i++) X[i] = (trigon_matrix){NULL, p->type, n, n, n > 0 ? n : 1};
  *s = (eigen_workspaces){.work = work, .rwork = rwork, .iwork = &iwork, .lwork = -1, .lrwork = -1, .liwork = -1};
  lapack_eigen_call(routine, p, X, s);
  least_sizes(p, (double)n, &elements, &reals);
  s->lwork = stored_size(p->type, work, elements);
  s->lrwork = stored_size(p->type, rwork, type_is_complex(p->type) ? reals : 1);
  s->liwork = iwork;
}

/* Elements behind the workspace, for each row of the matrix: OpenBLAS 0.3.21's CGEMV and ZGEMV read behind a matrix
 * (operands.c), and HEEVR has one at the end of its workspace. */
enum { READ_BEHIND = 4 };

bool lapack_eigen_alloc(direct_fn *routine, const problem *p, int64_t n, eigen_workspaces *s) {
  const bool apart = routine_is_part(p->routine);
  ask_sizes(routine, p, n, s);
  s->work = malloc(((size_t)s->lwork + READ_BEHIND * (size_t)n) * type_bytes(p->type));
  s->rwork = malloc((size_t)s->lrwork * type_real_bytes(p->type));
  s->iwork = malloc((size_t)s->liwork * sizeof *s->iwork);
  s->support = malloc(((size_t)n + 1) * 2 * sizeof *s->support);
  const bool room = !apart || dense_alloc(p->type, n, p->job == TRIGON_VECTORS ? problem_values(p) : 1, &s->vectors);
  return room && s->work && s->rwork && s->iwork && s->support;
}

void lapack_eigen_free(eigen_workspaces *s) {
  free(s->work);
  free(s->rwork);
  free(s->iwork);
  free(s->support);
  free(s->vectors.data);
}

trigon_status lapack_eigen(direct_fn *routine, const problem *p, const trigon_matrix *X) {
  eigen_workspaces s;
  const bool ready = lapack_eigen_alloc(routine, p, X[0].rows, &s);
  if (ready) lapack_eigen_call(routine, p, X, &s);
  if (ready && routine_is_part(p->routine) && p->job == TRIGON_VECTORS) {
    trigon_matrix first = X[0];
    first.cols = s.vectors.cols;
    dense_copy(&s.vectors, &first);
  }
  lapack_eigen_free(&s);
  return ready ? TRIGON_OK : TRIGON_NO_MEMORY;
}

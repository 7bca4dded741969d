/* lapack.c - the loop over LAPACK that a batch is compared with (lapack.h). */
#include "lapack.h"

#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

typedef void factor_fn(const char *uplo, const int32_t *n, void *A, const int32_t *lda, int32_t *info, size_t);
typedef void trtri_fn(const char *uplo, const char *diag, const int32_t *n, void *A, const int32_t *lda, int32_t *info,
                      size_t, size_t);
typedef void solve_fn(const char *uplo, const int32_t *n, const int32_t *nrhs, void *A, const int32_t *lda, void *B,
                      const int32_t *ldb, int32_t *info, size_t);

linked_fn *batch_lapack_find(const batch_operands *b) {
#ifdef _OPENMP
  return b->orders.largest <= INT32_MAX && b->columns <= INT32_MAX ? linked_find(b->routine->name, b->type) : NULL;
#else
  (void)b;
  return NULL;
#endif
}

/* Computes matrix i. Returns LAPACK's info. */
static int32_t call(linked_fn *lapack, const batch_operands *b, int64_t i) {
  const char *const uplo = b->uplo == TRIGON_LOWER ? "L" : "U";
  const int32_t n = (int32_t)b->orders.n[i], columns = (int32_t)b->columns;
  void *const A = b->operand[0].address[i];
  int32_t info;
  if (routine_has(b->routine, 'm')) /* POTRS and POSV have right-hand sides */
    ((solve_fn *)lapack)(uplo, &n, &columns, A, &n, b->operand[1].address[i], &n, &info, 1);
  else if (strcmp(b->routine->name, "trtri") == 0)
    ((trtri_fn *)lapack)(uplo, "N", &n, A, &n, &info, 1, 1);
  else
    ((factor_fn *)lapack)(uplo, &n, A, &n, &info, 1);
  return info;
}

void batch_lapack_run(linked_fn *lapack, const batch_operands *b) {
  const int64_t count = b->orders.count;
  int64_t *const info = b->info.data;
#ifdef _OPENMP
  /* A thread takes several small matrices at once, but not so many that another thread waits for it. */
  enum { MOST_TAKEN = 16, TURNS = 32 };
  const int64_t share = count / ((int64_t)TURNS * omp_get_max_threads());
  const int taken = share < 1 ? 1 : share < MOST_TAKEN ? (int)share : MOST_TAKEN;
#pragma omp parallel for schedule(dynamic, taken)
#endif
  for (int64_t i = 0; i < count; i++) info[i] = call(lapack, b, i);
}

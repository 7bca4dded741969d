/* lapacke.c - the symbols of LAPACKE, in all precisions. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "flags.h"
#include "host.h"
#include "names.h"

enum { ROW_MAJOR = 101, COL_MAJOR = 102 };

static bool layout_is_known(int layout) { return layout == ROW_MAJOR || layout == COL_MAJOR; }

/* The same triangle of the transposed matrix. A letter that is no flag stays, so that LAPACK refuses it. */
static char folded_uplo(int layout, char uplo) {
  const trigon_uplo flag = uplo_of(&uplo);
  if (layout != ROW_MAJOR || !flag) return uplo;
  return flag == TRIGON_LOWER ? 'U' : 'L';
}

/* A distance of rows may be 0 if there are no columns. LAPACK refuses 0. */
static blas_int folded_ld(int layout, blas_int ld) { return layout == ROW_MAJOR && ld < 1 ? 1 : ld; }

static blas_int at_least_1(blas_int n) { return n < 1 ? 1 : n; }

/* LAPACKE's arguments begin with the layout, which LAPACK's do not have. */
static blas_int counted(blas_int info) { return info < 0 ? info - 1 : info; }

/* Calls the LAPACKE_xerbla of the program or of the host. Returns info. */
static blas_int refuse(const char *name, blas_int info) {
  const union {
    any_function *any;
    void (*tells)(const char *, blas_int);
  } xerbla = {lapacke_function(QUOTE(JOIN(DROPIN_PREFIX, LAPACKE_, xerbla, DROPIN_SUFFIX, )))};
  if (xerbla.any)
    xerbla.tells(name, info);
  else
    fprintf(stderr, "Wrong parameter %lld in %s\n", -(long long)info, name);
  return info;
}

/* Without a LAPACKE, the environment alone tells, as for LAPACKE itself. */
static int environment_checks(void) {
  const char *wanted = getenv("LAPACKE_NANCHECK");
  return !wanted || strtol(wanted, NULL, 10) != 0;
}

/* Whether matrices are searched for NaN. The host's LAPACKE keeps what the program has set. */
static bool checks_nan(void) {
  static _Atomic(any_function *) known;
  union {
    any_function *any;
    int (*asks)(void);
  } f = {atomic_load_explicit(&known, memory_order_relaxed)};
  if (!f.any) {
    f.any = lapacke_function(QUOTE(JOIN(DROPIN_PREFIX, LAPACKE_, get_nancheck, DROPIN_SUFFIX, )));
    if (!f.any) f.asks = environment_checks;
    atomic_store_explicit(&known, f.any, memory_order_relaxed);
  }
  return f.asks() != 0;
}

#define CALLS "lapacke_calls.inc"
#include "each_type.inc"

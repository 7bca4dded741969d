/* lapack.c - LAPACK's routines on matrices for which they fail: info, and what stays as it was. */
#include <stdlib.h>

#include "calls.h"

/* Whether the routine finds the failure before it writes. POSV does not solve then. */
static bool keeps(const arguments *x, const matrix *M) {
  switch (x->routine) {
  case TRTRI:
  case TRTRS: return true;
  case POSV: return M == &x->B;
  default: return false;
  }
}

static void fail_in(arguments *x, int64_t column) {
  make_matrices(x, column);
  arguments before = copy_call(x), theirs = copy_call(x);
  call_symbol(our_symbol(x), x);
  call_host(&theirs);
  check_call(x->info[1] == theirs.info[1], x, "info of a failure is the host's");
  check_call(x->info[0] == INFO_BEFORE && x->info[2] == INFO_BEFORE, x, "info alone is written");
  check_call(matrices_agree_outside(&x->A, &before.A), x, "a failure writes within the triangle");
  if (keeps(x, &x->A)) check_call(matrices_are_same(&x->A, &before.A), x, "a singular triangle is not written");
  if (keeps(x, &x->B)) check_call(matrices_are_same(&x->B, &before.B), x, "B is not solved for after a failure");
  if (x->routine == TRTI2) /* it divides by zero */
    check_call(matrices_difference(&x->A, &theirs.A) <= tolerance(x), x, "what is not finite is so for the host");
  free_matrices(x), free_matrices(&before), free_matrices(&theirs);
}

static void fail(arguments *x) {
  if (x->n == 0 || x->A.strict) return; /* a unit diagonal is not read */
  fail_in(x, 0), fail_in(x, x->n / 2), fail_in(x, x->n - 1);
}

/* An unblocked form has the bits of the blocked one. */
static void compare_forms(arguments *x) {
  make_matrices(x, -1);
  arguments blocked = copy_call(x);
  blocked.routine = x->routine == POTF2 ? POTRF : x->routine == LAUU2 ? LAUUM : TRTRI;
  call_symbol(our_symbol(x), x);
  call_symbol(our_symbol(&blocked), &blocked);
  check_call(x->info[1] == 0 && blocked.info[1] == 0, x, "both forms succeed");
  check_call(matrices_are_same(&x->A, &blocked.A), x, "an unblocked form has the result of the blocked one");
  free_matrices(x), free_matrices(&blocked);
}

static void test_forms(number_type type) {
  static const enum routine unblocked[] = {POTF2, LAUU2, TRTI2};
  static const blas_int sizes[] = {0, 1, 37, 150};
  for (int i = 0; i < 3; i++) {
    arguments x = {.routine = unblocked[i], .interface = FORTRAN_CALL, .type = type};
    for_each_call(&x, sizes, 4, compare_forms);
  }
}

void test_lapack(number_type type) {
  static const enum routine failing[] = {POTRF, POTF2, POSV, POTRI, TRTRI, TRTI2, TRTRS};
  static const blas_int sizes[] = {0, 1, 5, 33, 70, 150};
  for (unsigned i = 0; i < sizeof failing / sizeof *failing; i++) {
    for (int j = 0; j < INTERFACES; j++) {
      arguments x = {.routine = failing[i], .interface = (enum interface)j, .type = type};
      if (has_routine(x.interface, x.routine, type) && host_symbol(&x)) for_each_call(&x, sizes, 6, fail);
    }
  }
  if (!getenv("TRIGON_OFFLOAD")) test_forms(type); /* a GPU computes the blocked forms alone */
}

/* lapack.c - LAPACK's routines on matrices for which they fail: info, and what stays as it was. */
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

void test_lapack(number_type type) {
  static const enum routine failing[] = {POTRF, POTF2, POSV, POTRI, TRTRI, TRTI2, TRTRS};
  static const blas_int sizes[] = {0, 1, 5, 33, 70, 150};
  for (unsigned i = 0; i < sizeof failing / sizeof *failing; i++) {
    for (int j = 0; j < INTERFACES; j++) {
      arguments x = {.routine = failing[i], .interface = (enum interface)j, .type = type};
      if (has_routine(x.interface, x.routine, type) && host_symbol(&x)) for_each_call(&x, sizes, 6, fail);
    }
  }
}

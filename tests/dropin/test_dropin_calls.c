/* test_dropin_calls.c - the drop-in's symbols compute what the symbols of OpenBLAS do: each symbol, type, flag and
 * awkward size, failures, and bad arguments. The program is linked with the drop-in, and finds the host by dlopen.
 *   test_dropin_calls [N]     makes one call of N */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls/calls.h"
#include "support/check.h"

complaint last_complaint;

/* BLAS calls it instead of its own. */
__attribute__((visibility("default"))) void xerbla_(const char *name, const blas_int *position, size_t length);
void xerbla_(const char *name, const blas_int *position, size_t length) {
  const size_t most = sizeof last_complaint.name - 1;
  last_complaint.count++;
  last_complaint.position = *position;
  snprintf(last_complaint.name, sizeof last_complaint.name, "%.*s", (int)(length < most ? length : most), name);
}

/* LAPACKE calls it instead of its own. */
__attribute__((visibility("default"))) void LAPACKE_xerbla(const char *name, blas_int info);
void LAPACKE_xerbla(const char *name, blas_int info) {
  last_complaint.count++;
  last_complaint.position = (int32_t)info;
  snprintf(last_complaint.name, sizeof last_complaint.name, "%s", name);
}

void check_call(bool held, const arguments *x, const char *what) {
  enum { most_lines = 40 };
  if (!held && failed >= most_lines) {
    failed++;
    return;
  }
  check(held, what);
  if (!held) printf("  %s\n", describe(x));
}

void check_result(bool held, const char *what) { check(held, what); }

/* ------------------------------------------------------------------------------------------------- results -- */

/* Capital letters alone: the TRTRS of OpenBLAS 0.3.21 refuses the small ones for uplo and diag. */
static void capitalize(arguments *x) {
  char *const flags[] = {&x->side, &x->uplo, &x->op, &x->opB, &x->diag};
  for (int i = 0; i < 5; i++) *flags[i] = (char)(*flags[i] & ~0x20);
}

void call_host(arguments *x) {
  any_function *f = host_symbol(x);
  capitalize(x);
  arguments whole = *x;
  if (!f) {
    whole.routine = GEMM, whole.m = whole.n;
    f = host_symbol(&whole);
  }
  call_symbol(f, &whole);
  memcpy(x->info, whole.info, sizeof x->info);
}

/* OpenBLAS's kernels for small products multiply NaN by alpha = 0. The drop-in must not. */
static void give_numbers(matrix *M) {
  if (M->content != NOT_NUMBERS) return;
  free(M->block);
  M->content = TRIANGLE;
  matrix_fill(M);
}

static void check_matrix(const arguments *x, const matrix *ours, const matrix *theirs, const matrix *before) {
  if (ours->is_written) {
    check_call(matrices_difference(ours, theirs) <= tolerance(x), x, "the result is the host's");
    check_call(matrices_agree_outside(ours, before), x, "nothing else is written");
  } else if (ours->block)
    check_call(matrices_are_same(ours, before), x, "an operand is not written");
}

static void compare(arguments *x) {
  make_matrices(x, -1);
  arguments before = copy_call(x), theirs = copy_call(x);
  memset(&last_complaint, 0, sizeof last_complaint);
  call_symbol(our_symbol(x), x);
  check_call(last_complaint.count == 0, x, "xerbla_ is not called");
  give_numbers(&theirs.A), give_numbers(&theirs.B);
  call_host(&theirs);
  check_matrix(x, &x->A, &theirs.A, &before.A);
  check_matrix(x, &x->B, &theirs.B, &before.B);
  check_matrix(x, &x->C, &theirs.C, &before.C);
  check_call(memcmp(x->info, theirs.info, sizeof x->info) == 0, x, "info is the host's");
  free_matrices(x), free_matrices(&before), free_matrices(&theirs);
}

static void test_results(number_type type) {
  static const blas_int sizes[] = {0, 1, 5, 33, 70}, large[] = {150};
  for (int i = 0; i < INTERFACES; i++)
    for (int r = 0; r < ROUTINES; r++) {
      arguments x = {.routine = (enum routine)r, .interface = (enum interface)i, .type = type};
      if (!has_routine(x.interface, x.routine, type)) continue;
      if (is_lapacke(x.interface, x.routine) && !host_symbol(&x)) continue;
      for_each_call(&x, sizes, 5, compare);
      for_each_call(&x, large, 1, compare);
    }
}

/* --------------------------------------------------------------------------------------------------- names -- */

static bool is_of_dropin(const void *address) {
  Dl_info info;
  return dladdr(address, &info) && info.dli_fname && strstr(info.dli_fname, "trigon-blas");
}

static void test_symbols(number_type type) {
  for (int i = 0; i < ROWS; i++)
    for (int r = 0; r < ROUTINES; r++) {
      const arguments x = {.routine = (enum routine)r, .interface = (enum interface)i, .type = type};
      if (!has_routine(x.interface, x.routine, type)) continue;
      const bool may_lack = r == GEMMT || r == GEMMTR || is_lapacke(x.interface, x.routine);
      check_call(is_of_dropin(dlsym(RTLD_DEFAULT, symbol_name(&x))), &x, "the linker finds the drop-in's symbol");
      check_call(host_symbol(&x) || may_lack, &x, "the host has the symbol");
      check_call(host_symbol(&x) != our_symbol(&x), &x, "the host's symbol is another");
    }
}

#ifdef DROPIN_INT64
extern any_function dgemm_64_, cblas_dgemm64_, cblas_dgemm_64, zpotrf_64_;

/* A symbol with a suffix has the bits of the symbol without. */
static void compare_suffixed(const arguments *x, any_function *f) {
  arguments plain = *x;
  make_matrices(&plain, -1);
  arguments suffixed = copy_call(&plain);
  call_symbol(our_symbol(&plain), &plain), call_symbol(f, &suffixed);
  const bool is_same = matrices_are_same(&plain.A, &suffixed.A) && matrices_are_same(&plain.B, &suffixed.B) &&
                       matrices_are_same(&plain.C, &suffixed.C) &&
                       memcmp(plain.info, suffixed.info, sizeof plain.info) == 0;
  check_call(is_same, x, "a symbol with a suffix computes the same");
  free_matrices(&plain), free_matrices(&suffixed);
}

static void suffix(arguments *x) {
  static const char *const suffixes[] = {"64_", "_64"};
  const int count = x->interface == FORTRAN_CALL ? 1 : 2;
  for (int i = 0; i < count; i++) {
    char name[40];
    snprintf(name, sizeof name, "%s%s", symbol_name(x), suffixes[i]);
    const union {
      void *data;
      any_function *function;
    } found = {dlsym(RTLD_DEFAULT, name)};
    check_call(is_of_dropin(found.data), x, "the symbol has names with suffixes");
    if (found.data) compare_suffixed(x, found.function);
  }
}

static void test_suffixes(number_type type) {
  static const blas_int sizes[] = {33};
  for (int i = 0; i < INTERFACES; i++)
    for (int r = 0; r < ROUTINES; r++) {
      arguments x = {.routine = (enum routine)r, .interface = (enum interface)i, .type = type};
      if (has_routine(x.interface, x.routine, type)) for_each_call(&x, sizes, 1, suffix);
    }
}

/* Symbols that the linker finds. */
static void linked(arguments *x) {
  if (x->interface == FORTRAN_CALL)
    compare_suffixed(x, x->routine == GEMM ? dgemm_64_ : zpotrf_64_);
  else
    compare_suffixed(x, cblas_dgemm64_), compare_suffixed(x, cblas_dgemm_64);
}

static void test_linked_suffixes(void) {
  static const blas_int sizes[] = {33};
  for (int i = 0; i < INTERFACES; i++) {
    arguments x = {.routine = GEMM, .interface = (enum interface)i, .type = types[1]};
    for_each_call(&x, sizes, 1, linked);
  }
  arguments x = {.routine = POTRF, .interface = FORTRAN_CALL, .type = types[3]};
  for_each_call(&x, sizes, 1, linked);
}
#endif

int main(int argc, char **argv) {
  if (argc > 1) sample = (int)strtol(argv[1], NULL, 10);
  test_environment();
  test_eigen(), test_eigen_parts();
  for (int i = 0; i < 4; i++) {
    test_symbols(types[i]);
    test_results(types[i]);
    test_lapack(types[i]);
    test_nan(types[i]);
    test_refused(types[i]);
#ifdef DROPIN_INT64
    test_suffixes(types[i]);
#endif
  }
#ifdef DROPIN_INT64
  test_linked_suffixes();
#endif
  return checked();
}

/* lapacke.c - LAPACKE's search for NaN: what it returns, what it reads, and who turns it off. */
#define _GNU_SOURCE /* fork */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calls.h"

/* For integers of 64 bits there is no LAPACKE that turns the search off. */
static bool set_search(int on) {
  const union {
    any_function *any;
    void (*sets)(int);
  } f = {sizeof(blas_int) == sizeof(int32_t) ? lapacke_function("LAPACKE_set_nancheck") : NULL};
  if (f.any) f.sets(on);
  return f.any;
}

/* The position of a matrix among LAPACKE's arguments. */
static blas_int position_of(const arguments *x, char matrix_name) {
  const char *names = signatures[x->routine].arguments;
  return (blas_int)(strchr(names, matrix_name) - names) + 2;
}

/* Calls with a NaN in a matrix, in element (i, j). */
static void call_with_nan(arguments *x, char matrix_name, int64_t i, int64_t j, bool is_read) {
  make_matrices(x, -1);
  matrix_put(matrix_name == 'A' ? &x->A : &x->B, i, j, x->type.parts - 1, (double)NAN);
  const arguments before = copy_call(x);
  memset(&last_complaint, 0, sizeof last_complaint);
  call_symbol(our_symbol(x), x);
  check_call(last_complaint.count == 0, x, "nobody is told of a NaN");
  const blas_int expected = is_read && !x->is_work ? -position_of(x, matrix_name) : 0;
  check_call((x->info[1] < 0 ? x->info[1] : 0) == expected, x, "LAPACKE returns which matrix has a NaN");
  if (expected < 0)
    check_call(matrices_are_same(&x->A, &before.A) && matrices_are_same(&x->B, &before.B), x,
               "with a NaN nothing is written");
  arguments copy = before;
  free_matrices(x), free_matrices(&copy);
}

static void give_nan(arguments *x) {
  const int64_t n = x->n, last = n - 1;
  const bool is_lower = x->A.shape == LOWER;
  if (n < 2) return;
  call_with_nan(x, 'A', is_lower ? last : 0, is_lower ? 0 : last, true);
  call_with_nan(x, 'A', is_lower ? 0 : last, is_lower ? last : 0, false);
  call_with_nan(x, 'A', n / 2, n / 2, !x->A.strict);
  if (x->nrhs == 0) return;
  call_with_nan(x, 'B', last, 0, true);
  call_with_nan(x, 'B', 0, x->nrhs - 1, true);
}

static blas_int info_with_nan(arguments *x) {
  make_matrices(x, -1);
  matrix_put(&x->A, 1, 1, 0, (double)NAN);
  call_symbol(our_symbol(x), x);
  free_matrices(x);
  return x->info[1];
}

static void give_nan_unseen(arguments *x) {
  if (x->n >= 2) check_call(info_with_nan(x) >= 0, x, "a search that is turned off finds no NaN");
}

void test_nan(number_type type) {
  static const blas_int sizes[] = {0, 1, 2, 7, 40};
  for (int i = COLUMNS; i < INTERFACES; i++)
    for (int r = POTRF; r < ROUTINES; r++) {
      arguments x = {.routine = (enum routine)r, .interface = (enum interface)i, .type = type};
      if (!has_routine(x.interface, x.routine, type)) continue;
      for_each_call(&x, sizes, 5, give_nan);
      if (!set_search(0)) continue;
      for_each_call(&x, sizes, 5, give_nan_unseen);
      set_search(1);
    }
}

void test_environment(void) {
  arguments x = {.routine = POTRF, .interface = ROWS, .type = types[1], .uplo = 'L', .n = 3};
  choose_leading(&x);
  const pid_t child = fork();
  if (child == 0) _exit(setenv("LAPACKE_NANCHECK", "0", 1) == 0 && info_with_nan(&x) >= 0 ? 0 : 1);
  int status = -1;
  const bool ended = child > 0 && waitpid(child, &status, 0) == child;
  check_call(ended && WIFEXITED(status) && WEXITSTATUS(status) == 0, &x,
             "LAPACKE_NANCHECK=0 turns the search for NaN off");
}

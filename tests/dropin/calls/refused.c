/* refused.c - bad arguments, one and two at a time: xerbla_ hears the same name and position from the drop-in as from
 * the host, info is the same, and nothing is written. */
#include <stdio.h>
#include <string.h>

#include "calls.h"

/* A change that makes an argument bad. */
typedef struct mistake {
  char argument;
  int value; /* a letter, a size, or how far below its least value a leading dimension is */
} mistake;

static const mistake mistakes[] = {{'S', 'X'}, {'U', 'X'}, {'O', 'X'}, {'O', 'T'}, {'O', 'C'}, {'P', 'X'},
                                   {'D', 'X'}, {'m', -1},  {'n', -1},  {'k', -1},  {'r', -1},  {'x', 1},
                                   {'x', 70},  {'y', 1},   {'y', 70},  {'z', 1},   {'z', 70}};
enum { MISTAKES = sizeof mistakes / sizeof *mistakes };

/* An increment is bad if it is 0. */
static blas_int too_small(const matrix *M, int by) {
  if (M->is_vector) return 0;
  const int64_t rows = memory_rows(M);
  return (blas_int)((rows < 1 ? 1 : rows) - by);
}

static void make_mistake(arguments *x, mistake m) {
  switch (m.argument) {
  case 'S': x->side = (char)m.value; break;
  case 'U': x->uplo = (char)m.value; break;
  case 'O': x->op = (char)m.value; break;
  case 'P': x->opB = (char)m.value; break;
  case 'D': x->diag = (char)m.value; break;
  case 'm': x->m = (blas_int)m.value; break;
  case 'n': x->n = (blas_int)m.value; break;
  case 'k': x->k = (blas_int)m.value; break;
  case 'r': x->nrhs = (blas_int)m.value; break;
  case 'x': x->lda = too_small(&x->A, m.value); break;
  case 'y': x->ldb = too_small(&x->B, m.value); break;
  default: x->ldc = too_small(&x->C, m.value);
  }
}

/* SYRK over complex numbers has no conjugate transpose, and HERK has no transpose. */
static bool is_possible(const arguments *x, mistake m) {
  if (!has_argument(x->routine, m.argument)) return false;
  if (m.argument != 'O' || m.value == 'X') return true;
  if (x->type.parts == 1) return false;
  const bool is_symmetric = x->routine == SYRK || x->routine == SYR2K;
  const bool is_hermitian = x->routine == HERK || x->routine == HER2K;
  return m.value == 'C' ? is_symmetric : is_hermitian;
}

static void refuse(arguments *x) {
  arguments before = copy_call(x), theirs = copy_call(x);
  any_function *host = host_tells(x) ? host_symbol(x) : NULL;
  memset(&last_complaint, 0, sizeof last_complaint);
  call_symbol(our_symbol(x), x);
  const complaint ours = last_complaint;
  if (host) {
    memset(&last_complaint, 0, sizeof last_complaint);
    call_symbol(host, &theirs);
    check_call(ours.count == last_complaint.count, x, "xerbla_ is called as often as by the host");
    check_call(ours.position == last_complaint.position, x, "xerbla_ hears the host's position");
    check_call(strcmp(ours.name, last_complaint.name) == 0, x, "xerbla_ hears the host's name");
    check_call(memcmp(x->info, theirs.info, sizeof x->info) == 0, x, "info of a bad argument is the host's");
  }
  if (host && last_complaint.count == 0) { /* OpenBLAS takes a leading dimension of 0 if there is nothing to read */
    check_call(matrices_are_same(&x->C, &theirs.C), x, "what the host takes, it computes");
    free_matrices(&before), free_matrices(&theirs);
    return;
  }
  if (is_lapacke(x->interface, x->routine)) check_call(x->info[1] < 0, x, "LAPACKE returns that an argument is bad");
  const bool is_same =
      matrices_are_same(&x->A, &before.A) && matrices_are_same(&x->B, &before.B) && matrices_are_same(&x->C, &before.C);
  check_call(is_same, x, "a bad argument lets nothing be written");
  free_matrices(&before), free_matrices(&theirs);
}

/* OpenBLAS may lack GEMMT, so that the drop-in itself tells its bad arguments: the position is that of Fortran. */
static void check_told_by_us(const arguments *x, char argument) {
  const char *names = signatures[x->routine].arguments;
  const char name[] = {(char)(x->type.letter - 'a' + 'A'), 'G', 'E', 'M', 'M', 'T', 0};
  check_call(last_complaint.count == 1 && last_complaint.position == strchr(names, argument) - names + 1, x,
             "xerbla_ hears the position from the drop-in");
  check_call(strncmp(last_complaint.name, name, strlen(name)) == 0, x, "xerbla_ hears the name from the drop-in");
}

static void refuse_each(arguments *good) {
  const bool has_host = host_tells(good); /* without one, the drop-in prints a line for each call */
  for (int i = 0; i < MISTAKES; i++)
    for (int j = i; j < (has_host ? MISTAKES : i + 1); j++) {
      arguments x = *good;
      if (!is_possible(&x, mistakes[i]) || !is_possible(&x, mistakes[j])) continue;
      make_matrices(&x, -1);
      make_mistake(&x, mistakes[i]), make_mistake(&x, mistakes[j]);
      refuse(&x);
      if (!has_host && (x.routine == GEMMT || x.routine == GEMMTR)) check_told_by_us(&x, mistakes[i].argument);
      free_matrices(&x);
    }
  if (good->interface == FORTRAN_CALL) return;
  arguments x = *good;
  make_matrices(&x, -1);
  x.unknown_layout = LAYOUT_UNKNOWN;
  refuse(&x);
  free_matrices(&x);
}

void test_refused(number_type type) {
  static const blas_int sizes[][4] = {{5, 4, 3, 2}, {0, 5, 4, 3}, {5, 0, 3, 1}, {4, 5, 0, 0}};
  for (int i = 0; i < INTERFACES; i++)
    for (int r = 0; r < ROUTINES; r++) {
      arguments x = {.routine = (enum routine)r, .interface = (enum interface)i, .type = type};
      if (!has_routine(x.interface, x.routine, type)) continue;
      const int shapes = host_tells(&x) ? 4 : 1;
      for (int s = 0; s < shapes; s++)
        for (int turned = 0; turned < (shapes > 1 ? 2 : 1); turned++) {
          x.side = turned ? 'R' : 'L', x.uplo = turned ? 'U' : 'L', x.diag = turned ? 'U' : 'N';
          x.op = x.opB = !turned ? 'N' : x.routine == HERK || x.routine == HER2K ? 'C' : 'T';
          x.m = sizes[s][0], x.n = sizes[s][1], x.k = sizes[s][2], x.nrhs = sizes[s][3];
          x.alpha[0] = 0.75, x.alpha[1] = -0.5, x.beta[0] = 0.5, x.beta[1] = 0.25;
          choose_leading(&x);
          refuse_each(&x);
          x.is_work = is_lapacke(x.interface, x.routine);
          if (x.is_work) refuse_each(&x);
          x.is_work = false;
        }
    }
}

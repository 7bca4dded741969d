/* test_vector_pieces.c - products with vectors for which the buffers have no room are computed in pieces, and have the
 * same bits with any number of threads. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/kernels/packed/loops/vectors.h"
#include "cpu/processors.h"
#include "support/check.h"

enum { ORDER = 700, LD = 705, INC = 2, TEAM = 3 };

extern const kernels *const portable_kernels[4];

typedef double _Complex number;

/* Y is what one thread computes with large buffers. */
typedef struct vectors {
  number A[LD * ORDER], x[INC * ORDER], y[INC * ORDER], Y[INC * ORDER];
} vectors;

static void fill(number *x, int64_t count, unsigned state) {
  for (int64_t i = 0; i < count; i++) {
    double part[2];
    for (int p = 0; p < 2; p++)
      state = state * 1664525u + 1013904223u, part[p] = (double)(state >> 8) / (1 << 24) - 0.5;
    x[i] = part[0] + part[1] * I;
  }
}

/* `turn`: rows of A are contiguous. The upper triangle of a structure that is not general is NaN. */
static product problem(vectors *v, structure is, int turn, bool conjugate) {
  const int64_t row = turn ? LD : 1, col = turn ? 1 : LD;
  fill(v->A, LD * ORDER, 1);
  fill(v->x, INC * ORDER, 2);
  fill(v->y, INC * ORDER, 3);
  for (int64_t j = 0; j < ORDER && is != STRUCTURE_GENERAL; j++)
    for (int64_t i = 0; i < j; i++) v->A[i * row + j * col] = NAN;
  return (product){.m = ORDER,
                   .n = 1,
                   .k = ORDER,
                   .count = 1,
                   .alpha = {0.5, -1},
                   .beta = {2, 0.25},
                   .A = {v->A, row, col, 0, conjugate},
                   .B = {v->x, INC, ORDER * INC, 0, false},
                   .C = {v->y, INC, ORDER * INC, 0, false},
                   .A_is = is};
}

static double distance(const number *x, const number *y) {
  double most = 0;
  for (int64_t i = 0; i < INC * ORDER; i++) {
    const double d = cabs(x[i] - y[i]);
    if (!(d <= most)) most = d;
  }
  return most;
}

/* With room for so many elements in the shared buffer. */
static void compare(packed *p, vectors *v, structure is, int turn, bool conjugate, int64_t room) {
  const int64_t bytes = p->column_bytes;
  product o = problem(v, is, turn, conjugate);
  vectors_run(p, 1, TRIGON_Z, &o);
  memcpy(v->Y, v->y, sizeof v->y);
  o = problem(v, is, turn, conjugate);
  vectors_run(p, TEAM, TRIGON_Z, &o);
  check_that(memcmp(v->y, v->Y, sizeof v->y) == 0, "structure %d, turn %d: bits depend on threads", (int)is, turn);
  o = problem(v, is, turn, conjugate);
  p->column_bytes = room * (int64_t)sizeof(number);
  vectors_run(p, TEAM, TRIGON_Z, &o);
  p->column_bytes = bytes;
  check_that(distance(v->y, v->Y) < 1e-12, "structure %d, turn %d, conjugate %d, room for %d: differs by %g", (int)is,
             turn, conjugate, (int)room, distance(v->y, v->Y));
}

int main(void) {
  packed *p = NULL;
  reason why;
  vectors *v = malloc(sizeof *v);
  if (packed_create(portable_kernels, TEAM, &p, &why) != TRIGON_OK || !v) return 1;
  for (int64_t room = 2600; room < 30000; room *= 2)
    for (int turn = 0; turn < 2; turn++)
      for (int conjugate = 0; conjugate < 2; conjugate++) {
        compare(p, v, STRUCTURE_GENERAL, turn, conjugate == 1, room);
        compare(p, v, STRUCTURE_HERMITIAN, turn, conjugate == 1, room);
        if (!conjugate) compare(p, v, STRUCTURE_SYMMETRIC, turn, false, room);
      }
  packed_destroy(p);
  free(v);
  return checked();
}

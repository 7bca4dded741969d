/* small_solver.h - whole eigenproblems of small orders on one thread, in a few KiB of memory. */
#ifndef TRIGON_SMALL_SOLVER_H
#define TRIGON_SMALL_SOLVER_H

#include <stdbool.h>
#include <stdint.h>

/* Up to this order one thread computes faster than the steps for all orders do. */
enum { small_solver_order = 100 };

/* A triangle of order n, 1 <= n <= small_solver_order. The values, and the vectors if they are wanted, are stored as
 * SYEVD stores them; else A is read alone. */
typedef struct small_problem {
  bool lower, vectors;
  int64_t n, lda;
  void *A, *values, *memory;
} small_problem;

/* How many elements the memory has: two matrices whose columns are whole groups of rows, and five vectors. */
static inline int64_t small_solver_elements(int64_t n, bool vectors) {
  const int64_t rows = (n + 7) / 8 * 8;
  return rows * (n * (vectors ? 2 : 1) + 5);
}

/* Several problems at once, of orders up to small_lanes_order: two matrices and seven vectors for each, in the memory
 * of the first one, at an address that is a multiple of 64. */
enum { small_lanes_order = 32 };
static inline int64_t small_group_elements(int64_t n, int lanes) { return lanes * n * (2 * n + 7); }

/* The solvers for one instruction set, by the index of the type. Groups are of real types alone, have at most `lanes`
 * problems, and either all of them want vectors, or none. Infos are LAPACK's. */
typedef struct small_solvers {
  int64_t (*one[4])(const small_problem *);
  int lanes[4];
  void (*group[4])(int count, const small_problem *, int64_t *infos);
} small_solvers;

extern const small_solvers small_solvers_portable;
#if defined(__x86_64__)
extern const small_solvers small_solvers_avx2, small_solvers_avx512;
#endif

#endif

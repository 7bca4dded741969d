/* test_few_columns.c - a team of threads computes what one thread computes: solves and products with few columns. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "cpu/kernels/packed/loops/few_columns.h"
#include "support/check.h"

enum { ORDER = 203, WIDEST = 33, LD = 210, TEAM = 3 };

extern const kernels *const portable_kernels[4];

typedef struct job {
  triangular problem;
  bool solve;
  void *panels, *scratch[TEAM];
  pthread_barrier_t barrier;
} job;

typedef struct member_of {
  job *of;
  int id;
} member_of;

static void wait_at(void *barrier) { pthread_barrier_wait(barrier); }

static void *member(void *argument) {
  const member_of *p = argument;
  job *j = p->of;
  const few_columns_member m = {
      .id = p->id, .size = TEAM, .wait = wait_at, .team = &j->barrier, .scratch = j->scratch[p->id]};
  few_columns_run(portable_kernels[1], TRIGON_D, &j->problem, j->solve, j->panels, &m);
  return NULL;
}

static bool run_team(job *j) {
  pthread_t thread[TEAM];
  member_of members[TEAM];
  bool started = true;
  pthread_barrier_init(&j->barrier, NULL, TEAM);
  for (int i = 0; i < TEAM; i++) {
    members[i] = (member_of){j, i};
    if (pthread_create(&thread[i], NULL, member, &members[i]) != 0) abort();
  }
  for (int i = 0; i < TEAM; i++) started = pthread_join(thread[i], NULL) == 0 && started;
  pthread_barrier_destroy(&j->barrier);
  return started;
}

static void fill(double *x, int64_t count, double diagonal) {
  unsigned state = 1;
  for (int64_t i = 0; i < count; i++) {
    state = state * 1664525u + 1013904223u;
    x[i] = i % (LD + 1) == 0 && diagonal > 0 ? diagonal : (double)(state >> 8) / (1 << 24) - 0.5;
  }
}

static double difference(const double *x, const double *y, int64_t count) {
  double most = 0;
  for (int64_t i = 0; i < count; i++) {
    const double d = fabs(x[i] - y[i]);
    if (!(d <= most)) most = d;
  }
  return most;
}

/* `turn` 0: columns of L are contiguous; 1: rows are. `back`: L is walked from its end. */
static void compare(job *j, double *const B[2], const double *L, int width, int turn, int back) {
  const int64_t row = turn ? LD : 1, col = turn ? 1 : LD, sign = back ? -1 : 1;
  const few_columns_member alone = {.size = 1, .scratch = j->scratch[0]};
  for (int i = 0; i < 2; i++) fill(B[i], LD * WIDEST, 0);
  j->problem = (triangular){.n = ORDER, .width = width, .count = 1, .alpha = {0.7, 0}};
  j->problem.L = (operand){(double *)L + (back ? (ORDER - 1) * (LD + 1) : 0), sign * row, sign * col, 0, false};
  j->problem.B = (operand){B[0], 1, LD, 0, false};
  few_columns_run(portable_kernels[1], TRIGON_D, &j->problem, j->solve, j->panels, &alone);
  j->problem.B.data = B[1];
  const bool ran = run_team(j);
  char what[96];
  snprintf(what, sizeof what, "%s, %d columns, strides %d and %d", j->solve ? "solve" : "product", width,
           (int)(sign * row), (int)(sign * col));
  check(ran && difference(B[0], B[1], LD * WIDEST) < 1e-12, what);
}

int main(void) {
  static const int widths[] = {1, 2, 4, 9, 33};
  job j = {.panels = aligned_alloc(4096, 1 << 20)};
  double *L = malloc(sizeof(double) * LD * LD), *B[2] = {malloc(sizeof(double) * LD * WIDEST)};
  B[1] = malloc(sizeof(double) * LD * WIDEST);
  for (int i = 0; i < TEAM; i++) j.scratch[i] = aligned_alloc(4096, (few_columns_scratch_bytes + 4095) / 4096 * 4096);
  if (!L || !B[0] || !B[1] || !j.panels || !j.scratch[0] || !j.scratch[1] || !j.scratch[2]) abort();
  fill(L, LD * LD, 20);
  for (int solve = 0; solve < 2; solve++)
    for (int turn = 0; turn < 2; turn++)
      for (int back = 0; back < 2; back++)
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
          j.solve = solve;
          compare(&j, B, L, widths[w], turn, back);
        }
  for (int i = 0; i < TEAM; i++) free(j.scratch[i]);
  free(j.panels), free(L), free(B[0]), free(B[1]);
  return checked();
}

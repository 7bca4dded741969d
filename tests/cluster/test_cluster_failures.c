/* test_cluster_failures.c - what fails in the mathematics is told to every process: pivots of POTRF, zeros of TRTRI;
 * and the functions that only read a diagonal. */
#include <math.h>

#include "cluster_support.h"
#include "support/matrices.h"

enum { N = 37, NB = 5 };

static int rank;
static process_grid grid;
static trigon_context *ctx;

typedef struct problem {
  guarded whole;
  distributed part;
} problem;

static void fill(problem *p, trigon_type type, enum storage storage, int64_t cols) {
  random_stream r = {11};
  guarded_shape(&p->whole, type, N, cols, 0);
  matrix_fill(p->whole.matrix, storage, TRIGON_LOWER, TRIGON_NONUNIT, RANDOM, &r);
}

static trigon_matrix deal(problem *p) {
  const distribution how = {.mb = NB, .nb = NB, .rsrc = 1, .csrc = grid.cols > 1, .rows_before = 1, .cols_before = 2};
  const distribution on_column = {.mb = NB, .nb = NB, .rows_behind = 1};
  distribute(&p->part, &grid, grid.rows > 1 ? &how : &on_column, p->whole.matrix);
  return distributed_operand(&p->part);
}

static bool untouched(const problem *p) {
  char text[128];
  return !distributed_stray(&p->part, (region){REGION_NONE, false}, text, sizeof text);
}

static void expect(trigon_status status, int64_t info, int64_t due, const char *what) {
  check_that(status == TRIGON_OK && info == due, "process %d, %s: %s, info %lld, must be %lld", rank, what,
             status == TRIGON_OK ? "success" : trigon_message(ctx), (long long)info, (long long)due);
}

/* A pivot that is negative, zero or NaN. POSV does not touch B then. */
static void check_pivots(trigon_type type) {
  static const double bad[] = {-1, 0, NAN};
  static const int64_t columns[] = {0, 4, 5, 22, N - 1};
  problem A = {0}, B = {0};
  for (int b = 0; b < 3; b++)
    for (int c = 0; c < 5; c++) {
      int64_t info = -1;
      fill(&A, type, POSITIVE, N);
      fill(&B, type, GENERAL, 3);
      matrix_put(A.whole.matrix, columns[c], columns[c], (trigon_scalar){bad[b], 0});
      trigon_status status = trigon_potrf(ctx, TRIGON_LOWER, deal(&A), &info);
      expect(status, info, columns[c] + 1, "potrf");
      status = trigon_posv(ctx, TRIGON_LOWER, deal(&A), deal(&B), &info);
      expect(status, info, columns[c] + 1, "posv");
      check(untouched(&B), "posv has changed B");
      status = trigon_potrf(ctx, TRIGON_LOWER, deal(&A), NULL);
      check(trigon_finish(ctx, &info) == TRIGON_OK, "finish");
      expect(status, info, columns[c] + 1, "finish");
    }
  guarded_free(&A.whole), guarded_free(&B.whole), distributed_free(&A.part), distributed_free(&B.part);
}

/* Zeros: the first one counts, and nothing is written. */
static void check_zeros(trigon_type type) {
  static const int64_t columns[] = {0, 4, 5, 22, N - 1};
  problem L = {0};
  for (int c = 0; c < 5; c++) {
    int64_t info = -1;
    fill(&L, type, FACTOR, N);
    matrix_put(L.whole.matrix, columns[c], columns[c], (trigon_scalar){0, 0});
    matrix_put(L.whole.matrix, N - 1, N - 1, (trigon_scalar){0, 0});
    trigon_status status = trigon_trtri(ctx, TRIGON_LOWER, TRIGON_NONUNIT, deal(&L), &info);
    expect(status, info, columns[c] + 1, "trtri");
    check(untouched(&L), "trtri has changed A");
    status = trigon_potri(ctx, TRIGON_LOWER, deal(&L), &info);
    expect(status, info, columns[c] + 1, "potri");
    check(untouched(&L), "potri has changed A");
    status = trigon_check_diagonal(ctx, deal(&L), &info);
    expect(status, info, columns[c] + 1, "check_diagonal");
    double logdet = 0;
    check(trigon_logdet(ctx, deal(&L), &logdet) == TRIGON_OK && logdet == -INFINITY, "logdet of a singular factor");
  }
  guarded_free(&L.whole), distributed_free(&L.part);
}

/* The number is the same on all processes, bit by bit, and the right one. */
static void check_logdet(trigon_type type) {
  problem L = {0};
  double due = 0, logdet = 0, least, most;
  fill(&L, type, FACTOR, N);
  for (int64_t i = 0; i < N; i++) due += 2 * log(fabs(matrix_get(L.whole.matrix, i, i).re));
  check(trigon_logdet(ctx, deal(&L), &logdet) == TRIGON_OK, "logdet");
  check_that(fabs(logdet - due) <= 1e-13 * (1 + fabs(due)), "logdet is %.17g, must be %.17g", logdet, due);
  MPI_Allreduce(&logdet, &least, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(&logdet, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  check(least == most, "logdet differs between processes");
  const trigon_matrix empty = {NULL, type, 0, 0, 1};
  check(trigon_logdet(ctx, empty, &logdet) == TRIGON_OK && logdet == 0, "logdet of nothing");
  guarded_free(&L.whole), distributed_free(&L.part);
}

/* TRTRI is cut into steps of one block; POTRF, for one, is not cut. */
static void check_trace(void) {
  char name[300];
  trigon_count counts[TRIGON_LAUUM + 1];
  problem A = {0};
  snprintf(name, sizeof name, "%s?trace=1", cluster_name());
  trigon_context *traced = open_cluster(name, &grid);
  fill(&A, TRIGON_D, FACTOR, N);
  check(trigon_trtri(traced, TRIGON_LOWER, TRIGON_NONUNIT, deal(&A), NULL) == TRIGON_OK, "a traced call");
  check(trigon_trace(traced, counts, TRIGON_LAUUM + 1) == TRIGON_OK, "its trace");
  const int64_t solves = counts[TRIGON_TRSM].calls;
  check_that(solves == (N - 1) / NB, "%lld solves, must be %d", (long long)solves, (N - 1) / NB);
  trigon_destroy(traced);
  guarded_free(&A.whole), distributed_free(&A.part);
}

/* By counting. */
static void check_counts(void) {
  for (int64_t size = 0; size < 40; size++)
    for (int64_t block = 1; block < 12; block++)
      for (int64_t places = 1; places < 5; places++)
        for (int64_t first = 0; first < places; first++)
          for (int64_t at = 0; at < places; at++) {
            int64_t due = 0;
            for (int64_t i = 0; i < size; i++) due += (i / block + first) % places == at;
            check(trigon_cluster_count(size, block, at, first, places) == due, "a count");
          }
  check(trigon_cluster_count(-1, 1, 0, 0, 1) == 0 && trigon_cluster_count(1, 0, 0, 0, 1) == 0 &&
            trigon_cluster_count(1, 1, 1, 0, 1) == 0 && trigon_cluster_count(1, 1, 0, -1, 1) == 0,
        "counts without sense");
}

int main(int argc, char **argv) {
  static const trigon_type types[] = {TRIGON_S, TRIGON_D, TRIGON_C, TRIGON_Z};
  rank = start(&argc, &argv, 120);
  if (rank == 0) check_counts();
  for (int rows = 1; rows <= 4; rows *= 2) {
    grid = grid_open(rows, 4 / rows);
    ctx = open_cluster(cluster_name(), &grid);
    for (int t = 0; t < 4; t++) check_pivots(types[t]), check_zeros(types[t]), check_logdet(types[t]);
    check_trace();
    trigon_destroy(ctx);
    Cblacs_gridexit(grid.context);
  }
  return finish_checks(rank);
}

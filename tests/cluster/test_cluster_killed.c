/* test_cluster_killed.c - one of the processes is killed in the midst of calls; test_cluster_killed.sh looks how the
 * others end. Usage: mpirun -np 4 test_cluster_killed */
#include <signal.h>
#include <string.h>

#include "cluster_support.h"
#include "support/matrices.h"

enum { N = 300, NB = 8, CALLS = 10000, KILLED = 20 };

int main(int argc, char **argv) {
  const distribution how = {.mb = NB, .nb = NB};
  random_stream r = {5};
  guarded whole = {0};
  distributed A = {0};
  const int rank = start(&argc, &argv, 60);
  const process_grid grid = grid_open(2, 2);
  trigon_context *ctx = open_cluster(cluster_name(), &grid);
  guarded_shape(&whole, TRIGON_D, N, N, 0);
  matrix_fill(whole.matrix, POSITIVE, TRIGON_LOWER, TRIGON_NONUNIT, RANDOM, &r);
  for (int i = 0; i < CALLS; i++) {
    int64_t info = -1;
    distribute(&A, &grid, &how, whole.matrix);
    if (i == KILLED && rank == 0) printf("calls are under way\n"), fflush(stdout);
    if (i == KILLED && rank == 3) raise(SIGKILL);
    const trigon_status status = trigon_potrf(ctx, TRIGON_LOWER, distributed_operand(&A), &info);
    check_that(status == TRIGON_OK && info == 0, "call %d: %s", i, trigon_message(ctx));
  }
  distributed_free(&A), guarded_free(&whole);
  trigon_destroy(ctx);
  return finish_checks(rank);
}

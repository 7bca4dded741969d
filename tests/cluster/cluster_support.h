/* cluster_support.h - what the tests with several processes share: a start of MPI with a watchdog, and checks whose
 * counts are added up over all processes. */
#ifndef TRIGON_TESTS_CLUSTER_SUPPORT_H
#define TRIGON_TESTS_CLUSTER_SUPPORT_H

#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

#include "distributed_matrix.h"
#include "support/check.h"

/* The name of the context. The environment names another library of ScaLAPACK. */
static inline const char *cluster_name(void) {
  const char *named = getenv("TRIGON_TEST_SCALAPACK");
  return named ? named : "cluster:" SCALAPACK_LIBRARY;
}

/* Starts MPI. After `seconds` a signal ends the process, and mpirun the job, so that no mistake can hang. */
static inline int start(int *argc, char ***argv, unsigned seconds) {
  int rank = 0;
  alarm(seconds);
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

static inline trigon_context *open_cluster(const char *name, const process_grid *g) {
  char why[400];
  trigon_context *ctx = NULL;
  const trigon_status status = trigon_cluster_create(name, g->context, &ctx, why, sizeof why);
  check_that(status == TRIGON_OK && ctx, "%s: %s", trigon_status_string(status), why);
  if (!ctx) MPI_Abort(MPI_COMM_WORLD, 1);
  return ctx;
}

/* Ends MPI. Returns the exit status of the program, the same in all processes. */
static inline int finish_checks(int rank) {
  int counts[] = {passed, failed}, sums[2];
  MPI_Allreduce(counts, sums, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  passed = sums[0], failed = sums[1];
  if (rank == 0) checked();
  fflush(stdout);
  MPI_Finalize();
  return failed > 0;
}

#endif

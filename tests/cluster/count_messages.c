/* count_messages.c - MPI's profiling interface: each function that sends counts its buffer, then calls MPI's own.
 *
 * ScaLAPACK calls these definitions because a program's symbols come before those of its libraries. */
#include "count_messages.h"

#include <mpi.h>

static double calls, bytes;

static void count(int elements, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  calls++;
  bytes += (double)elements * size;
}

#define COUNTED __attribute__((visibility("default")))

COUNTED int MPI_Send(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  count(n, type);
  return PMPI_Send(data, n, type, to, tag, comm);
}

COUNTED int MPI_Rsend(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  count(n, type);
  return PMPI_Rsend(data, n, type, to, tag, comm);
}

COUNTED int MPI_Isend(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *r) {
  count(n, type);
  return PMPI_Isend(data, n, type, to, tag, comm, r);
}

COUNTED int MPI_Sendrecv(const void *data, int n, MPI_Datatype type, int to, int tag, void *in, int m, MPI_Datatype t,
                         int from, int tag_in, MPI_Comm comm, MPI_Status *status) {
  count(n, type);
  return PMPI_Sendrecv(data, n, type, to, tag, in, m, t, from, tag_in, comm, status);
}

COUNTED int MPI_Bcast(void *data, int n, MPI_Datatype type, int root, MPI_Comm comm) {
  count(n, type);
  return PMPI_Bcast(data, n, type, root, comm);
}

COUNTED int MPI_Reduce(const void *data, void *to, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  count(n, type);
  return PMPI_Reduce(data, to, n, type, op, root, comm);
}

COUNTED int MPI_Allreduce(const void *data, void *to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  count(n, type);
  return PMPI_Allreduce(data, to, n, type, op, comm);
}

void count_start(void) { calls = bytes = 0; }

message_count count_stop(void) {
  int processes = 1;
  double own[] = {calls, bytes}, sums[2];
  PMPI_Comm_size(MPI_COMM_WORLD, &processes);
  PMPI_Allreduce(own, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return (message_count){sums[0] / processes, sums[1] / processes};
}

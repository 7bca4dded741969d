/* test_clusters.c - how the simulated GPU runs clusters of blocks. */
#define _GNU_SOURCE /* fork */
#include "cluster_kernels.h"
#include "sim_test.h"

#include <string.h>

enum { THREADS = 40, N = 12 * THREADS };

/* Runs a probe over zeroed data, 12 blocks in clusters. */
static cudaError_t run(cluster_probe what, int cluster, int out[N]) {
  int *data = device_ints(N);
  cudaError_t error = launch_cluster_probe(what, one, N / THREADS, THREADS, (cluster_task){data, cluster});
  if (error == cudaSuccess) error = cudaStreamSynchronize(one);
  if (error == cudaSuccess) error = cudaMemcpy(out, data, N * sizeof *data, cudaMemcpyDeviceToHost);
  cudaFree(data);
  return error;
}

static bool exchanged(const int *x, int cluster) {
  bool good = true;
  for (int i = 0; i < N; i++) {
    const int block = i / THREADS, next = block / cluster * cluster + (block + 1) % cluster;
    good &= x[i] == next * THREADS + i % THREADS;
  }
  return good;
}

static void test_errors(const char *text) {
  static const struct {
    cluster_probe what;
    int error;
  } wrong[] = {{CLUSTER_RACE, simErrorRace},       {CLUSTER_BEFORE, simErrorCluster},
               {CLUSTER_BEHIND, simErrorCluster},  {CLUSTER_NO_BLOCK, simErrorCluster},
               {CLUSTER_DIVERGE, simErrorBarrier}, {CLUSTER_DEADLOCK, simErrorDeadlock}};
  int x[N];
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    check(run(wrong[i].what, 4, x) == (cudaError_t)wrong[i].error, "a wrong use of a cluster is found");
    configure(text);
  }
}

static void test_clusters(void) {
  static const char *const residents[] = {"", "&resident=1", "&resident=7", "&resident=64"};
  int x[N];
  for (int seed = 1; seed <= 4; seed++)
    for (int i = 0; i < 4; i++) {
      char text[40];
      snprintf(text, sizeof text, "seed=%d%s", seed, residents[i]);
      configure(text);
      for (int cluster = 1; cluster <= 12; cluster++)
        if (12 % cluster == 0)
          check(run(CLUSTER_EXCHANGE, cluster, x) == cudaSuccess && exchanged(x, cluster),
                "blocks read each other's shared memory");
      check(run(CLUSTER_EARLY_END, 4, x) == cudaSuccess && x[0] == 0 && x[THREADS] == 1 && x[N - 1] == 1,
            "a barrier does not wait for blocks that have ended");
      test_errors(text);
    }
}

static void test_refusals(void) {
  static const struct {
    int blocks, threads, cluster;
  } bad[] = {{12, 32, 0}, {12, 32, 5}, {17, 32, 17}, {16, 1024, 16}};
  configure("");
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    check(launch_cluster_probe(CLUSTER_EXCHANGE, one, bad[i].blocks, bad[i].threads,
                               (cluster_task){NULL, bad[i].cluster}) == cudaErrorInvalidClusterSize,
          "a cluster whose blocks cannot be resident together is refused");
  configure("together=3");
  check(launch_cluster_probe(CLUSTER_EXCHANGE, one, 12, 32, (cluster_task){NULL, 4}) == cudaErrorInvalidClusterSize,
        "a cluster is refused if the device has no room for it");
  configure("");
}

int main(void) {
  configure("");
  cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  test_clusters();
  test_refusals();
  check(cudaStreamDestroy(one) == cudaSuccess && sim_allocated(0) == 0 && sim_handles(0) == 0,
        "nothing is left behind");
  return checked();
}

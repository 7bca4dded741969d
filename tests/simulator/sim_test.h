/* sim_test.h - code that the tests of the simulated GPU share. */
#ifndef TRIGON_SIM_TEST_H
#define TRIGON_SIM_TEST_H

#include "sim_kernels.h"
#include "support/check.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static cudaStream_t one; /* not ordered with the legacy stream */

static inline void configure(const char *text) {
  char why[200] = "";
  if (sim_configure(0, text, why, sizeof why) != 0) check(false, why);
}

static inline void *device_bytes(size_t size) {
  void *p = NULL;
  check(cudaMalloc(&p, size) == cudaSuccess, "an allocation");
  return p;
}

static inline int *device_ints(int count) {
  int *p = device_bytes((size_t)count * sizeof *p);
  check(cudaMemsetAsync(p, 0, (size_t)count * sizeof *p, one) == cudaSuccess, "a set");
  check(cudaStreamSynchronize(one) == cudaSuccess, "a wait");
  return p;
}

static inline int first_int(const int *p) {
  int x = -1;
  check(cudaMemcpy(&x, p, sizeof x, cudaMemcpyDefault) == cudaSuccess, "a copy of a number to the host");
  return x;
}

/* Launches a kernel that adds to a number. */
static inline cudaError_t add_on(cudaStream_t stream, int *data, int value) {
  return launch_probe(PROBE_ADD, stream, 1, 1, 0, (probe_task){data, value});
}

/* Returns whether a function ends the process by a signal or by the sanitizer. */
static inline bool dies(void (*run)(void *), void *argument) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    if (!freopen("/dev/null", "w", stderr)) _exit(0);
    run(argument);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

#endif

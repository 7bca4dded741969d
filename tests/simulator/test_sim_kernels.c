/* test_sim_kernels.c - how the simulated GPU runs kernels: order, barriers, shuffles, shared memory.
 *
 * The order is that of blocks and of threads. */
#define _GNU_SOURCE /* fork */
#include "sim_test.h"

#include <string.h>

enum { N = 128 };

static cudaError_t add(int *data) { return launch_probe(PROBE_ADD, one, 1, 1, 0, (probe_task){data, 0}); }

/* Runs a probe over zeroed data. out gets N + 1 numbers. */
static cudaError_t run(probe what, int blocks, int threads, size_t shared, int value, int out[N + 1]) {
  int *data = device_ints(N + 1);
  for (int i = 0; i <= N && what != PROBE_ORDER && what != PROBE_BARRIER_ORDER; i++) out[i] = i;
  if (what == PROBE_REVERSE || what == PROBE_REVERSE_RACE || (what >= PROBE_COPIES && what <= PROBE_COPIES_CHANGED))
    cudaMemcpy(data, out, (N + 1) * sizeof *data, cudaMemcpyHostToDevice);
  cudaError_t error = launch_probe(what, one, blocks, threads, shared, (probe_task){data, value});
  if (error == cudaSuccess) error = cudaStreamSynchronize(one);
  if (error == cudaSuccess) error = cudaMemcpy(out, data, (N + 1) * sizeof *data, cudaMemcpyDeviceToHost);
  cudaFree(data);
  return error;
}

static bool ascends(const int *x, int count, int first, int step) {
  bool holds = true;
  for (int i = 0; i < count; i++) holds &= x[i] == first + i * step;
  return holds;
}

static int compare_ints(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static void test_order(void) {
  int x[N + 1], y[N + 1];
  for (probe what = PROBE_ORDER; what <= PROBE_BARRIER_ORDER; what++) {
    configure("seed=1");
    check(run(what, 1, 100, 0, 0, x) == cudaSuccess && ascends(x + 1, 100, 0, 1), "threads ascend");
    check(run(what, 100, 1, 0, 0, x) == cudaSuccess && ascends(x + 1, 100, 0, 1), "blocks ascend");
    configure("seed=2");
    check(run(what, 1, 100, 0, 0, x) == cudaSuccess && ascends(x + 1, 100, 99, -1), "threads descend");
    check(run(what, 100, 1, 0, 0, x) == cudaSuccess && ascends(x + 1, 100, 99, -1), "blocks descend");
    configure("seed=3");
    check(run(what, 10, 10, 0, 0, x) == cudaSuccess && run(what, 10, 10, 0, 0, y) == cudaSuccess &&
              memcmp(x, y, sizeof x) != 0,
          "orders change from launch to launch");
    configure("seed=3");
    check(run(what, 10, 10, 0, 0, y) == cudaSuccess && memcmp(x, y, sizeof x) == 0,
          "the same seed gives the same orders");
    qsort(x + 1, 100, sizeof *x, compare_ints);
    check(ascends(x + 1, 100, 0, 1), "every thread runs once");
  }
}

static bool reversed(probe what) {
  int x[N + 1];
  bool good = run(what, 2, 64, 64 * sizeof(int), 0, x) == cudaSuccess;
  return good && ascends(x, 64, 63, -1) && ascends(x + 64, 64, 127, -1);
}

/* Copies that have not landed are NaNs, -1 as a number. */
static void test_copies(void) {
  for (int seed = 1; seed <= 5; seed++) {
    char text[20];
    int x[N + 1];
    snprintf(text, sizeof text, "seed=%d", seed);
    configure(text);
    check(run(PROBE_COPIES, 2, 64, 128 * sizeof(int), 0, x) == cudaSuccess && ascends(x, 64, 63, -1) &&
              ascends(x + 64, 64, 127, -1),
          "asynchronous copies land at the wait");
    for (probe wrong = PROBE_COPIES_EARLY; wrong <= PROBE_COPIES_CHANGED; wrong++)
      check(run(wrong, 2, 64, 128 * sizeof(int), 0, x) == cudaSuccess && ascends(x, N, -1, 0),
            "copies that are read too early, and copies whose source changes, are NaNs");
    check(run(PROBE_COPY_SKEWED, 1, 1, sizeof(double), 0, x) == simErrorMisalignedAddress, "a misaligned copy");
  }
}

/* Checks which blocks have turns, in ascending order. */
static bool turns_are(probe what, const char *setting, const int *blocks) {
  int x[N + 1];
  configure(setting);
  return run(what, 3, 2, 0, 20, x) == cudaSuccess && x[0] == 6 && memcmp(x + 1, blocks, 6 * sizeof *x) == 0;
}

static void test_residents(void) {
  static const int one_by_one[] = {0, 0, 1, 1, 2, 2}, by_twos[] = {0, 1, 0, 1, 2, 2}, all[] = {0, 1, 2, 0, 1, 2};
  for (probe what = PROBE_TURNS; what <= PROBE_ATOMIC_TURNS; what++)
    check(turns_are(what, "resident=1", one_by_one) && turns_are(what, "resident=2", by_twos) &&
              turns_are(what, "resident=3", all) && turns_are(what, "resident=64", all),
          "blocks change at barriers and atomics; a block that ends makes room");
  configure("resident=64");
  int x[N + 1];
  check(run(PROBE_EARLY_END, 16, 1024, 0, 1024, x) == cudaSuccess, "many large blocks");
  check(reversed(PROBE_REVERSE), "each block has shared memory of its own");
}

static void test_barriers(void) {
  int x[N + 1];
  for (int seed = 1; seed <= 5; seed++) {
    char text[20];
    snprintf(text, sizeof text, "seed=%d", seed);
    configure(text);
    check(reversed(PROBE_REVERSE), "with a barrier the result is right");
    check(!reversed(PROBE_REVERSE_RACE), "without a barrier the result is wrong");
    check(run(PROBE_EARLY_END, 1, 100, 0, 50, x) == cudaSuccess && x[49] == 0 && x[50] == 1 && x[99] == 1,
          "threads may end while others wait");
    check(run(PROBE_DIVERGE, 1, 2, 0, 0, x) == simErrorBarrier, "two barriers at once");
    check(cudaDeviceSynchronize() == simErrorBarrier && add(NULL) == simErrorBarrier, "the error sticks");
    configure(text);
    check(run(PROBE_DIVERGE, 1, 1, 0, 0, x) == cudaSuccess, "the next configuration clears the error");
    check(run(PROBE_DIVERGE_FILES, 1, 2, 0, 0, x) == simErrorBarrier, "two barriers on one line of two files");
    const char *text_of = cudaGetErrorString(simErrorBarrier);
    check(strstr(text_of, "first.h:1") && strstr(text_of, "second.h:1"), "the error names both files");
  }
}

static void test_shuffles(void) {
  static const probe wrong[] = {PROBE_SHUFFLE_ENDED, PROBE_SHUFFLE_BARRIER, PROBE_SHUFFLE_SITES,
                                PROBE_SHUFFLE_FILES, PROBE_GATHER_ENDED,    PROBE_SHUFFLE_NO_LANE};
  int x[N + 1];
  for (int seed = 1; seed <= 3; seed++)
    for (int warp = 32; warp <= 64; warp += 32) {
      char text[30];
      snprintf(text, sizeof text, "seed=%d&warp=%d", seed, warp);
      configure(text);
      for (probe what = PROBE_SHUFFLE; what <= PROBE_GATHER; what++) {
        check(run(what, 1, N, 0, 0, x) == cudaSuccess, "a shuffle");
        for (int first = 0; first < N; first += warp)
          check(ascends(x + first, warp, first + warp - 1, -1), "lanes of a warp reach each other");
      }
      for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        check(run(wrong[i], 1, 64, 0, 0, x) == (wrong[i] == PROBE_SHUFFLE_NO_LANE ? simErrorLane : simErrorShuffle),
              "a wrong shuffle");
        configure(text);
      }
      check(run(PROBE_SHUFFLE, 1, 16, 0, 0, x) == simErrorLane, "a shuffle with lanes that the block does not have");
    }
}

static void overrun(void *unused) {
  int x[N + 1];
  (void)unused;
  if (run(PROBE_SHARED_OVERRUN, 1, 1, 37, 37, x) != cudaSuccess) _exit(1);
}

static void test_kernels(void) {
  int x[N + 1];
  unsigned long long least = 1000, wide[2] = {0, 0}, *p, *pair;
  configure("");
  p = device_bytes(sizeof *p), pair = device_bytes(sizeof wide);
  cudaMemcpy(pair, wide, sizeof wide, cudaMemcpyDefault);
  check(run(PROBE_SHARED_UNWRITTEN, 2, 64, 64 * sizeof(int), 0, x) == cudaSuccess && ascends(x, N, -1, 0),
        "every block finds shared memory unwritten");
  check(run(PROBE_SHARED_OVERRUN, 1, 1, 37, 36, x) == cudaSuccess, "the last byte of shared memory can be written");
  check(dies(overrun, NULL), "a write behind shared memory is found");
  cudaMemcpy(p, &least, sizeof least, cudaMemcpyDefault);
  check(launch_probe(PROBE_MINIMUM, one, 3, 5, 0, (probe_task){(int *)p, 17}) == cudaSuccess, "minima");
  cudaStreamSynchronize(one);
  check(cudaMemcpy(&least, p, sizeof least, cudaMemcpyDefault) == cudaSuccess && least == 17,
        "the atomic minimum is the least number");
  check(launch_probe(PROBE_SUM_AND_MAXIMUM, one, 3, 5, 0, (probe_task){(int *)pair, 17}) == cudaSuccess, "sums");
  cudaStreamSynchronize(one);
  check(cudaMemcpy(wide, pair, sizeof wide, cudaMemcpyDefault) == cudaSuccess && wide[0] == 360ull << 32 &&
            wide[1] == 31ull << 32,
        "the atomic sum and the atomic maximum have 64 bits");
  check(cudaFree(pair) == cudaSuccess, "memory of sums is freed");
  check(cudaFree(p) == cudaSuccess, "memory is freed");

  const struct {
    int64_t blocks;
    int threads;
    size_t shared;
  } bad[] = {{0, 1, 0}, {INT64_C(1) << 31, 1, 0}, {1, 0, 0}, {1, 1025, 0}, {1, 1, (227 << 10) + 1}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    check(launch_probe(PROBE_DIVERGE, one, bad[i].blocks, bad[i].threads, bad[i].shared, (probe_task){0}) ==
              cudaErrorInvalidValue,
          "a launch with bad dimensions is refused");
  check(run(PROBE_EARLY_END, 1, 1024, 227 << 10, 1024, x) == cudaSuccess, "the largest block");
}

/* A kernel must be loaded before its launch, with the shared memory of the launch. */
static void test_loading(void) {
  configure("");
  check(launch_beyond_loaded(one, (48 << 10) + 1) == cudaErrorInvalidValue, "more shared memory than was asked for");
  check(launch_unloaded(one) == simErrorNotLoaded && strstr(cudaGetErrorString(simErrorNotLoaded), "32 threads"),
        "a launch of a kernel that was not loaded is found, and its report names its threads");
  check(cudaStreamSynchronize(one) == simErrorNotLoaded, "this error sticks");
  configure("");
  check(cudaStreamSynchronize(one) == cudaSuccess, "the error is gone with the device's settings");
  int *p = device_ints(1);
  check(add_on(one, p, 5) == cudaSuccess && cudaStreamSynchronize(one) == cudaSuccess && first_int(p) == 5,
        "loaded kernels run");
  cudaFree(p);
}

int main(void) {
  configure("");
  cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  test_order();
  test_residents();
  test_barriers();
  test_shuffles();
  test_copies();
  test_kernels();
  test_loading();
  check(cudaStreamDestroy(one) == cudaSuccess && sim_allocated(0) == 0 && sim_handles(0) == 0,
        "nothing is left behind");
  return checked();
}

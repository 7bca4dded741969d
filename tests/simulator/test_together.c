/* test_together.c - launches whose blocks are resident all at once, on the simulated GPU: blocks that wait for
 * neighbours on both sides pass in every order, every mistake is reported in every order, and launches of more blocks
 * than there is room for are refused. */
#include "neighbours_kernel.h"
#include "support/check.h"

#include <stdlib.h>
#include <string.h>

enum { SEEDS = 12, ROUNDS = 5, ROOM = 9 };

static void configure(int seed) {
  char text[60], why[200] = "";
  snprintf(text, sizeof text, "seed=%d%s&resident=%d&together=%d", seed, seed % 2 ? "" : "&warp=64", 1 + seed % 3,
           ROOM);
  if (sim_configure(0, text, why, sizeof why) != 0) check(false, why);
}

static void expect(double *x, int64_t blocks) {
  for (int round = 0; round < ROUNDS; round++) {
    double before = 0;
    for (int64_t b = 0; b < blocks; b++) {
      const double now = x[b * NEIGHBOURS_THREADS], behind = b + 1 < blocks ? x[(b + 1) * NEIGHBOURS_THREADS] : 0;
      x[b * NEIGHBOURS_THREADS] += 3 * before + 5 * behind;
      before = now;
    }
  }
}

static bool is_right(const double *found, int64_t blocks) {
  double *x = malloc((size_t)blocks * NEIGHBOURS_THREADS * sizeof *x);
  if (!x) exit(2);
  for (int64_t b = 0; b < blocks; b++)
    for (int t = 0; t < NEIGHBOURS_THREADS; t++) x[b * NEIGHBOURS_THREADS + t] = (double)(b + t);
  for (int t = 0; t < NEIGHBOURS_THREADS; t++) expect(x + t, blocks);
  const bool right = memcmp(x, found, (size_t)blocks * NEIGHBOURS_THREADS * sizeof *x) == 0;
  free(x);
  return right;
}

/* Launches twice on the same places, which are cleared in between, as a replayed graph does. */
static cudaError_t run(neighbours_mistake mistake, int64_t blocks, bool *right) {
  const size_t places = (size_t)(4 * blocks * NEIGHBOURS_THREADS) * neighbours_slot_bytes();
  const size_t bytes = (size_t)blocks * NEIGHBOURS_THREADS * sizeof(double);
  neighbours_task task = {.rounds = ROUNDS};
  cudaStream_t stream = NULL;
  double *found = malloc(bytes);
  if (!found) exit(2);
  *right = true;
  cudaError_t error = cudaMalloc(&task.slots, places);
  if (error == cudaSuccess) error = cudaMalloc((void **)&task.x, bytes);
  if (error == cudaSuccess) error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  for (int launch = 0; launch < 2 && error == cudaSuccess; launch++) {
    error = cudaMemsetAsync(task.slots, 0, places, stream);
    if (error == cudaSuccess) error = launch_neighbours(mistake, stream, blocks, task);
    if (error == cudaSuccess) error = cudaMemcpyAsync(found, task.x, bytes, cudaMemcpyDeviceToHost, stream);
    if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
    *right = *right && error == cudaSuccess && is_right(found, blocks);
  }
  if (stream) (void)cudaStreamDestroy(stream);
  (void)cudaFree(task.x);
  (void)cudaFree(task.slots);
  free(found);
  return error;
}

static void test_right(void) {
  for (int seed = 1; seed <= SEEDS; seed++)
    for (int64_t blocks = 1; blocks <= ROOM; blocks += 4) {
      bool right;
      configure(seed);
      const cudaError_t error = run(NEIGHBOURS_RIGHT, blocks, &right);
      if (error != cudaSuccess) printf("seed %d: %s\n", seed, cudaGetErrorString(error));
      check(error == cudaSuccess && right, "blocks that wait in both directions");
    }
}

/* The error that each mistake gives in every order; the order may decide between two. */
static const struct {
  neighbours_mistake mistake;
  cudaError_t as, or_as;
  const char *what;
} mistakes[] = {
    {NEIGHBOURS_APART, simErrorTicket, simErrorDeadlock, "a launch that does not ask for all blocks at once"},
    {NEIGHBOURS_NO_PUT, simErrorDeadlock, simErrorDeadlock, "a number that nobody sends"},
    {NEIGHBOURS_NO_GET, simErrorRace, simErrorRace, "a number that is not waited for"},
    {NEIGHBOURS_ONE_SLOT, simErrorRace, simErrorDeadlock, "a number that takes the place of one that was not read"},
};

static void test_mistakes(void) {
  for (int seed = 1; seed <= SEEDS; seed++)
    for (size_t m = 0; m < sizeof mistakes / sizeof *mistakes; m++) {
      bool right;
      configure(seed);
      const cudaError_t error = run(mistakes[m].mistake, ROOM, &right);
      const bool reported = error == mistakes[m].as || error == mistakes[m].or_as;
      if (!reported) printf("seed %d: %s\n", seed, cudaGetErrorString(error));
      check(reported, mistakes[m].what);
    }
}

/* A refusal does not cost the device. */
static void test_room(void) {
  bool right;
  int64_t blocks = 0;
  configure(1);
  check(simMostTogether(&blocks, NEIGHBOURS_THREADS) == cudaSuccess && blocks == ROOM, "the room for blocks together");
  check(run(NEIGHBOURS_RIGHT, ROOM + 1, &right) == simErrorCooperativeLaunchTooLarge, "one block too many is refused");
  check(run(NEIGHBOURS_RIGHT, ROOM, &right) == cudaSuccess && right, "the next launch is right");
}

int main(void) {
  test_right();
  test_mistakes();
  test_room();
  configure(1);
  check(sim_allocated(0) == 0 && sim_handles(0) == 0, "nothing is left behind");
  return checked();
}

/* test_dataflow.c - blocks that wait for other blocks, on the simulated GPU: the right kernel passes in every order of
 * blocks, and every mistake, a missing await first of all, is reported in every order. */
#include "chain.h"
#include "support/check.h"

#include <string.h>

enum { SEEDS = 20, TILES = 10, WORDS = 100 };
static const char *const resident[] = {"&resident=1", "&resident=2", "&resident=3", "&resident=64", ""};
enum { RESIDENT = sizeof resident / sizeof *resident };

static void configure(int seed, const char *more) {
  char text[60], why[200] = "";
  snprintf(text, sizeof text, "seed=%d%s%s", seed, seed % 2 ? "" : "&warp=64", more);
  if (sim_configure(0, text, why, sizeof why) != 0) check(false, why);
}

static cudaError_t run(chain_mistake mistake, int64_t tiles, bool fresh, bool *right) {
  chain c;
  *right = false;
  cudaError_t error = chain_open(&c, WORDS, tiles);
  c.task.fresh = fresh;
  if (error == cudaSuccess) error = chain_run(&c, mistake, tiles, 17, right);
  chain_close(&c);
  return error;
}

static void test_right(void) {
  for (int seed = 1; seed <= SEEDS; seed++)
    for (int i = 0; i < RESIDENT; i++)
      for (int64_t tiles = 1; tiles <= 3 * TILES; tiles += TILES - 1) {
        bool right;
        configure(seed, resident[i]);
        cudaError_t error = run(CHAIN_RIGHT, tiles, seed % 3 == 0, &right);
        if (error != cudaSuccess) printf("seed %d%s: %s\n", seed, resident[i], cudaGetErrorString(error));
        check(error == cudaSuccess && right, "a chain of tiles, twice on one set of flags");
      }
}

/* The error that each mistake gives, in every order from a seed on. If two errors are given, the order decides which
 * error comes first. */
static const struct {
  int seed;
  chain_mistake mistake;
  cudaError_t as, or_as;
  const char *message, *what;
} mistakes[] = {
    {1, CHAIN_NO_AWAIT, simErrorRace, simErrorRace, "nothing orders", "a tile is read without an await"},
    {1, CHAIN_LOW_AWAIT, simErrorRace, simErrorTicket, "", "an await of an earlier tile in the slot"},
    {1, CHAIN_NO_PUBLISH, simErrorDeadlock, simErrorDeadlock, "(ticket 1) awaits 1 in the flag at",
     "a tile is not published"},
    {1, CHAIN_RELAXED, simErrorRace, simErrorRace, "nothing orders", "a flag is set without a release"},
    {1, CHAIN_NO_TICKET, simErrorTicket, simErrorDeadlock, "", "a block waits without a ticket"},
    /* In the ascending order (seed 1) the tickets are the blocks' indices. */
    {2, CHAIN_UNUSED_TICKET, simErrorTicket, simErrorDeadlock, "", "a block waits for one with a higher ticket"},
    {1, CHAIN_NO_RESET, simErrorUnpublished, simErrorUnpublished, "which holds", "the flags of a launch before"},
    {1, CHAIN_ALL_LAST, simErrorRace, simErrorRace, "nothing orders", "flags are reset while others wait"},
    {1, CHAIN_NO_BARRIER, simErrorRace, simErrorRace, "nothing orders", "a barrier is missing"},
    {1, CHAIN_PLAIN_LOOK, simErrorRace, simErrorRace, "atomically", "a plain look at a flag"},
    {1, CHAIN_FLAGS_LEFT, simErrorFalling, simErrorUnpublished, "which holds",
     "flags, not tickets, of a launch before"},
    {1, CHAIN_FALLING_FLAG, simErrorFalling, simErrorFalling, "which holds", "a flag gets a lower value"},
    {1, CHAIN_TWO_WRITERS, simErrorRace, simErrorFalling, "", "two blocks publish to a flag in any order"},
    {1, CHAIN_LATE_ZERO, simErrorRace, simErrorRace, "atomically", "one block sets a counter of all"},
    {1, CHAIN_NO_ARRIVAL, simErrorRace, simErrorRace, "nothing orders", "the last block is not found by arrivals"},
    {1, CHAIN_NO_COUNT, simErrorDeadlock, simErrorDeadlock, "which holds 9", "a block does not count itself"},
    {1, CHAIN_LOW_COUNT, simErrorRace, simErrorRace, "nothing orders", "an await of fewer counts than there are"},
    {1, CHAIN_UPWARD_COUNT, simErrorTicket, simErrorDeadlock, "", "a block awaits counts of higher tickets"},
};

static void test_mistakes(void) {
  for (int seed = 1; seed <= SEEDS; seed++)
    for (int i = 0; i < RESIDENT; i++)
      for (size_t m = 0; m < sizeof mistakes / sizeof *mistakes; m++) {
        if (seed < mistakes[m].seed) continue;
        bool right;
        configure(seed, resident[i]);
        cudaError_t error = run(mistakes[m].mistake, TILES, false, &right);
        const char *text = cudaGetErrorString(error);
        bool reported = (error == mistakes[m].as || error == mistakes[m].or_as) && strstr(text, mistakes[m].message);
        if (!reported) printf("seed %d%s: %s\n", seed, resident[i], text);
        check(reported, mistakes[m].what);
      }
}

int main(void) {
  test_right();
  test_mistakes();
  configure(1, "");
  check(sim_allocated(0) == 0 && sim_handles(0) == 0, "nothing is left behind");
  return checked();
}

/* test_litmus.c - data pass from block to block on a real GPU.
 *
 * tg_ticket, tg_publish, tg_await and tg_last_block promise this. Caches, scopes and the order of memory accesses
 * exist on a real GPU alone; the simulated GPU does not have them. A chain has thousands of tiles in few slots, so
 * that every multiprocessor has old contents of each slot in its cache. Each chain runs twice on one set of flags.
 *
 *   test_litmus [ROUNDS]     chains of each kind (default: 40) */
#include "simulator/chain.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 40, TILES = 2000 };

/* Returns the number of chains with a wrong result, or -1 for an error of the device. */
static int run_chains(int words, bool fresh, int rounds) {
  int wrong = 0;
  chain c;
  cudaError_t error = chain_open(&c, words, TILES + rounds);
  c.task.fresh = fresh;
  for (int round = 0; round < rounds && error == cudaSuccess; round++) {
    bool right;
    error = chain_run(&c, CHAIN_RIGHT, TILES + round, (unsigned)round, &right);
    wrong += error == cudaSuccess && !right;
  }
  chain_close(&c);
  printf("chains of tiles of %d bytes, %s loads: %d of %d wrong%s%s\n", words * (int)sizeof(unsigned),
         fresh ? "fresh" : "plain", wrong, rounds, error == cudaSuccess ? "" : ": ",
         error == cudaSuccess ? "" : cudaGetErrorString(error));
  return error == cudaSuccess ? wrong : -1;
}

int main(int argc, char **argv) {
  static const int words[] = {1, 64, 2048, 12000};
  const int rounds = argc > 1 ? atoi(argv[1]) : ROUNDS;
  int failed = rounds < 1;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    for (int fresh = 0; fresh <= 1; fresh++) failed |= run_chains(words[i], fresh, rounds) != 0;
  return failed;
}

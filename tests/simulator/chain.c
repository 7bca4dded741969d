/* chain.c - runs the chain of tiles on a device and checks the result (chain.h). */
#include "chain.h"

#include <stdlib.h>
#include <string.h>

enum { COUNTERS = CHAIN_SLOTS + 6 }; /* flags, ticket, arrived, begun, rest, counted, unmarked */

static size_t tile_bytes(const chain *c) { return (size_t)c->task.words * sizeof(unsigned); }

cudaError_t chain_open(chain *c, int words, int64_t most) {
  *c = (chain){.task = {.words = words}};
  c->host = malloc(2 * tile_bytes(c));
  c->expected = malloc(2 * tile_bytes(c));
  cudaError_t error = c->host && c->expected ? cudaSuccess : cudaErrorMemoryAllocation;
  if (error == cudaSuccess) error = cudaMalloc((void **)&c->task.flags, COUNTERS * sizeof(unsigned));
  if (error == cudaSuccess) error = cudaMalloc((void **)&c->task.marks, (size_t)most);
  for (int i = 0; i < CHAIN_SLOTS && error == cudaSuccess; i++)
    error = cudaMalloc((void **)&c->task.slots[i], tile_bytes(c));
  if (error == cudaSuccess) error = cudaStreamCreateWithFlags(&c->stream, cudaStreamNonBlocking);
  if (error != cudaSuccess) return error;
  c->task.ticket = c->task.flags + CHAIN_SLOTS;
  c->task.arrived = c->task.ticket + 1;
  c->task.begun = c->task.arrived + 1;
  c->task.rest = c->task.begun + 1;
  c->task.counted = c->task.rest + 1;
  c->task.unmarked = c->task.counted + 1;
  return cudaSuccess;
}

void chain_close(chain *c) {
  if (c->stream) (void)cudaStreamDestroy(c->stream);
  for (int i = 0; i < CHAIN_SLOTS; i++) (void)cudaFree(c->task.slots[i]);
  (void)cudaFree(c->task.marks);
  (void)cudaFree(c->task.flags);
  free(c->host);
  free(c->expected);
}

/* Computes on the host the tiles 1 .. tiles that follow the tile in `expected`. */
static void expect(chain *c, int64_t tiles) {
  const int n = c->task.words;
  unsigned *tile = c->expected, *before = tile + n;
  for (int64_t k = 1; k <= tiles; k++) {
    memcpy(before, tile, tile_bytes(c));
    for (int i = 0; i < n; i++) tile[i] = 3 * before[n - 1 - i] + (unsigned)k;
  }
}

/* Slot 0 gets the tile in `expected`. The other slots hold wrong values. */
static cudaError_t upload(chain *c) {
  cudaError_t error = cudaSuccess;
  for (int i = 1; i < CHAIN_SLOTS && error == cudaSuccess; i++)
    error = cudaMemsetAsync(c->task.slots[i], 0x5a, tile_bytes(c), c->stream);
  if (error != cudaSuccess) return error;
  return cudaMemcpyAsync(c->task.slots[0], c->expected, tile_bytes(c), cudaMemcpyHostToDevice, c->stream);
}

static cudaError_t launch_and_read(chain *c, chain_mistake mistake, int64_t tiles) {
  cudaError_t error = launch_chain(mistake, c->stream, tiles, c->task);
  if (error == cudaSuccess)
    error =
        cudaMemcpyAsync(c->host, c->task.slots[tiles % CHAIN_SLOTS], tile_bytes(c), cudaMemcpyDeviceToHost, c->stream);
  return error == cudaSuccess ? cudaStreamSynchronize(c->stream) : error;
}

static cudaError_t check_counters(chain *c, bool *right) {
  unsigned counters[COUNTERS];
  cudaError_t error = cudaMemcpyAsync(counters, c->task.flags, sizeof counters, cudaMemcpyDeviceToHost, c->stream);
  if (error == cudaSuccess) error = cudaStreamSynchronize(c->stream);
  for (int i = 0; i < COUNTERS && error == cudaSuccess; i++) *right = *right && counters[i] == 0;
  return error;
}

cudaError_t chain_run(chain *c, chain_mistake mistake, int64_t tiles, unsigned seed, bool *right) {
  *right = true;
  cudaError_t error = cudaMemsetAsync(c->task.flags, 0, COUNTERS * sizeof(unsigned), c->stream);
  if (error == cudaSuccess) error = cudaMemsetAsync(c->task.marks, 0, (size_t)tiles, c->stream);
  for (int i = 0; i < c->task.words; i++) c->expected[i] = seed += 0x9E3779B9u;
  for (int launch = 0; launch < 2 && error == cudaSuccess; launch++) {
    error = upload(c);
    if (error == cudaSuccess) error = launch_and_read(c, mistake, tiles);
    expect(c, tiles);
    *right = *right && error == cudaSuccess && memcmp(c->host, c->expected, tile_bytes(c)) == 0;
  }
  return error == cudaSuccess ? check_counters(c, right) : error;
}

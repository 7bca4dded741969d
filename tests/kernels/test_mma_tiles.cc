/* test_mma_tiles.cc - the choice of a dataflow leaf's tile (src/gpu/kernels/dataflow/mma_tiles.h). The test has a leaf of
 * its own, because the tables of kinds of GPUs name no tile that a leaf lacks. C cannot include the header. */
#include "gpu/kernels/dataflow/mma_tiles.h"
#include "support/check.h"

#include <cstring>

static int launched;

template <int TILE> static cudaError_t launch(queue, const factor *, const dataflow_setup *) {
  launched = TILE;
  return cudaSuccess;
}
static const mma_tile<factor> tiles[] = {{{64, 64}, launch<64>}, {{128, 128}, launch<128>}};

static const tile_choice small_orders[] = {{0, false, 0, 100, 0, 0, 0, 0, 0, 0, 0, {64, 64}},
                                           {0, false, 0, 200, 0, 0, 0, 0, 0, 0, 0, {128, 128}},
                                           {0, false, 0, 0, 0, 0, 0, 0, 0, 0, 0, {128, 64}}};

/* The launched tile of a triangle of this order, or 0. */
static int tile_for(int64_t order, tile_shape option, cudaError_t expected) {
  gpu_arch arch = {};
  arch.tiles[TILES_LAUUM] = small_orders;
  queue q = {};
  q.arch = &arch;
  factor f = {};
  f.n = order, f.count = 1;
  dataflow_setup setup = {};
  setup.shape = option;
  launched = 0;
  check(launch_mma_tile(tiles, TILES_LAUUM, q, &f, &setup) == expected, "the status of the launch");
  return launched;
}

int main(void) {
  const tile_shape none = {0, 0};
  check(tile_for(100, none, cudaSuccess) == 64, "the first row of the table that fits names the tile");
  check(tile_for(101, none, cudaSuccess) == 128, "the second row");
  check(tile_for(100, {128, 128}, cudaSuccess) == 128, "the option names the tile");
  check(tile_for(100, {128, 64}, cudaSuccess) == 64, "a tile that the leaf lacks leaves the choice to the table");
  check(tile_for(201, {64, 64}, cudaSuccess) == 64, "the option, where the table names a tile that the leaf lacks");
  check(tile_for(201, none, cudaErrorInvalidDeviceFunction) == 0, "a table that names a tile that the leaf lacks");
  check(strcmp(cudaGetErrorString(cudaErrorInvalidDeviceFunction), "invalid device function") == 0, "the error's text");
  return checked();
}

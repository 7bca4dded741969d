/* launcher_lists.c - what the launchers have, by the tables of a kind of GPU. */
#include "launcher_lists.h"

#include "gpu/kernels/launchers.h"

static const batch_kernel *kernel(batch_table table, trigon_type type, int at) {
  switch (table) {
  case BATCH_POTRF: return potrf_batch_kernel(type, at);
  case BATCH_POSV: return posv_batch_kernel(type, at);
  case BATCH_INVERSE: return inverse_batch_kernel(type, at);
  default: return trsm_batch_kernel(type, at);
  }
}

static const tile_shape *tile(tile_table table, int at) {
  switch (table) {
  case TILES_TRSM: return trsm_dataflow_tile(at);
  case TILES_TRMM: return trmm_dataflow_tile(at);
  case TILES_TRTRI: return trtri_dataflow_tile(at);
  case TILES_LAUUM: return lauum_dataflow_tile(at);
  default: return NULL; /* TILES_TRSM_VECTORS chooses no tile */
  }
}

const launcher_lists gpu_launcher_lists = {kernel, tile, batch_bin_ends};

/* tiles_any_type.h - the tiles of POTRF of a large matrix of a batch, for every type on every GPU. They are those of
 * the dataflow leaf (potrf_tiles.h). */
#ifndef TRIGON_TILES_ANY_TYPE_H
#define TRIGON_TILES_ANY_TYPE_H

#include "gpu/kernels/batch/batch_share.h"
#include "gpu/kernels/dataflow/potrf/potrf_tiles.h"

/* The tiles of a geometry G, for tile_share. */
template <class G, bool MMA_> struct any_type_tiles {
  using T = typename G::T;
  using order = tile_order<G::TALL, 1>;
  using workspace = typename G::workspace;
  static constexpr bool MMA = MMA_;
  static constexpr int ORDER = G::ORDER, THREADS = G::THREADS;
  /* A block that takes many tiles needs more registers than one that takes a tile. */
  static constexpr int RESIDENT = G::RESIDENT > 2 ? G::RESIDENT - 1 : 2;

  __device__ static workspace &shared() { return G::shared(); }
  __device__ static unsigned *word() { return shared().words; }

  /* An item as potrf_item knows it. All tiles of the item are published together, by tile_share. The barriers in
   * between are not needed, but without them nvcc 13.0 moves code across, and spills registers (C: 648 bytes of loads
   * for sm_90, with them 32). */
  struct item_coord {
    unsigned row, col;
    tile_share<order> &share;
    __device__ void publish(unsigned, unsigned) const { __syncthreads(); }
    __device__ void await_row(unsigned, unsigned) const { share.await_diagonal(); }
    __device__ unsigned await_rows(unsigned, unsigned, unsigned, unsigned due, unsigned *) const {
      return share.await_columns(due);
    }
  };

  /* The tiles of an item of the lower triangle A of order n. One thread calls record(column) for the first column whose
   * pivot is not positive. */
  template <class Record> __device__ void take(const matrix<T> &A, int64_t n, tile_share<order> &share, Record record) {
    potrf_item<G>(A, n, share.at.tiles, item_coord{share.row(), share.col(), share}, record);
  }
};

#endif

/* tile_kernels.h - the launchers of a dataflow leaf's kernels by their tiles, which rows of a kind of GPU choose
 * (gpu/arch/tile_choice.h). */
#ifndef TRIGON_TILE_KERNELS_H
#define TRIGON_TILE_KERNELS_H

#include "gpu/kernels/launch.h"

template <class Launch> struct tile_kernel {
  tile_shape shape;
  Launch *launch;
};

/* The launcher of the tiles of this shape. NULL: there is none. Rows have no such shape (gpu_check_rows), but the
 * option `tile` may. */
template <class Launch, int COUNT>
inline Launch *tile_launcher(const tile_kernel<Launch> (&kernels)[COUNT], tile_shape shape) {
  for (const tile_kernel<Launch> &k : kernels)
    if (k.shape.rows == shape.rows && k.shape.cols == shape.cols) return k.launch;
  return NULL;
}

template <class Launch, int COUNT>
inline const tile_shape *tile_number(const tile_kernel<Launch> (&kernels)[COUNT], int at) {
  return at < COUNT ? &kernels[at].shape : NULL;
}

#endif

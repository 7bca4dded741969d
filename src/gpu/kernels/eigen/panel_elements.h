/* panel_elements.h - the elements of a panel, and how a panel is factored by a cluster. */
#ifndef TRIGON_PANEL_ELEMENTS_H
#define TRIGON_PANEL_ELEMENTS_H

#include "eigen_launchers.h"
#include "gpu/kernels/element.h"

template <class T> __device__ inline T *element_at(const panel_matrix &p, int64_t i, int64_t j) {
  return static_cast<T *>(p.X) + i * p.row + j * p.col;
}
template <class T> __device__ inline T load_element(const panel_matrix &p, int64_t i, int64_t j) {
  const T x = *element_at<T>(p, i, j);
  return p.conjugate ? conjugate(x) : x;
}
template <class T> __device__ inline void store_element(const panel_matrix &p, int64_t i, int64_t j, T x) {
  *element_at<T>(p, i, j) = p.conjugate ? conjugate(x) : x;
}

/* launch_factor_panel by one launch of one cluster. *done: whether the device has such a cluster, and the panel fits
 * it. Otherwise nothing was launched. */
template <class T> cudaError_t launch_panel_cluster(queue, const factored_panel &, bool *done);

#endif

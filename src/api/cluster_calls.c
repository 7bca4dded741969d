/* cluster_calls.c - the public functions of trigon_cluster.h that need no context: views of distributed matrices. */
#include <string.h>

#include "core/distributed.h"

trigon_matrix trigon_cluster_matrix(trigon_cluster_view *view, trigon_type type, int64_t rows, int64_t cols,
                                    void *local, const int *descriptor, int64_t ia, int64_t ja) {
  trigon_matrix M = {NULL, type, rows, cols, rows > 1 ? rows : 1};
  if (!view || !descriptor) return M;
  *view = (trigon_cluster_view){.tag = distributed_tag, .local = local, .ia = ia, .ja = ja};
  memcpy(view->descriptor, descriptor, sizeof view->descriptor);
  M.data = view;
  return M;
}

int64_t trigon_cluster_count(int64_t size, int64_t block, int64_t at, int64_t first, int64_t places) {
  if (size < 0 || block < 1 || at < 0 || first < 0 || at >= places || first >= places) return 0;
  return distributed_count(size, block, at >= first ? at - first : at - first + places, places);
}

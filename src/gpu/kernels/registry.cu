/* registry.cu - the list of all kernels, and the loading of those that the device can run. */
#include "registry.h"

/* Rows are added before main begins, or while the plugin is loaded. No row or file must be initialized before. */
const kernel_row *registry_first = nullptr;

const kernel_row *registered_kernels() { return registry_first; }

cudaError_t load_kernels(unsigned has) {
  cudaError_t error = cudaSuccess;
  for (const kernel_row *k = registry_first; k && error == cudaSuccess; k = k->next)
    if ((k->needs & ~has) == 0) error = tg_load(k->function, k->shared);
  return error;
}

/* kernel_code.c - tells tests the kernels of the plugin's registry, and which code the device runs for them. */
#include "core/plugin.h"
#include "gpu/kernels/registry.h"

int PLUGIN_KERNEL(int i, plugin_kernel *out) {
  const kernel_row *k = registered_kernels();
  for (; k && i > 0; i--) k = k->next;
  if (!k) return -1;
  *out = (plugin_kernel){.name = k->name, .shared = k->shared, .needs = k->needs};
  return (int)tg_kernel_code(k->function, &out->ptx, &out->binary);
}

/* native_plugin.c - a plugin that stands in for a vendor's library: native=1 gives a context of the simulated GPU. The
 * command can then be tested with rows that otherwise need a GPU of NVIDIA. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "build.h"
#include "core/plugin.h"

const char PLUGIN_BUILD[] = "sim " TRIGON_BUILD;

trigon_status PLUGIN_CREATE(const plugin_request *request, reason *why, engine **out) {
  plugin_request plain = *request;
  plugin_create_fn *create;
  void *const handle = dlopen(TRIGON_SIM_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  void *const symbol = handle ? dlsym(handle, PLUGIN_CREATE_NAME) : NULL;
  if (!symbol) {
    snprintf(why->text, sizeof why->text, "cannot load %s", TRIGON_SIM_PLUGIN);
    return TRIGON_NOT_FOUND;
  }
  memcpy(&create, &symbol, sizeof create);
  plain.options.native = false;
  return create(&plain, why, out);
}

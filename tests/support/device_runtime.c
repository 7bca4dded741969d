/* device_runtime.c - finds the functions of the runtime of the device under test (device_runtime.h). */
#include "device_runtime.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct entry {
  const char *name;
  size_t offset;
} entry;

static const entry shared[] = {{"GetDeviceCount", offsetof(runtime, get_device_count)},
                               {"GetDevice", offsetof(runtime, get_device)},
                               {"SetDevice", offsetof(runtime, set_device)},
                               {"DeviceGetAttribute", offsetof(runtime, get_attribute)},
                               {"MemGetInfo", offsetof(runtime, mem_get_info)},
                               {"Malloc", offsetof(runtime, malloc)},
                               {"Free", offsetof(runtime, free)},
                               {"MemcpyAsync", offsetof(runtime, memcpy_async)},
                               {"MemsetAsync", offsetof(runtime, memset_async)},
                               {"StreamCreateWithFlags", offsetof(runtime, stream_create)},
                               {"StreamDestroy", offsetof(runtime, stream_destroy)},
                               {"StreamSynchronize", offsetof(runtime, stream_synchronize)},
                               {"StreamBeginCapture", offsetof(runtime, begin_capture)},
                               {"StreamEndCapture", offsetof(runtime, end_capture)},
                               {"GraphInstantiate", offsetof(runtime, instantiate)},
                               {"GraphLaunch", offsetof(runtime, launch)},
                               {"GraphDestroy", offsetof(runtime, graph_destroy)},
                               {"GraphExecDestroy", offsetof(runtime, instance_destroy)},
                               {"GetLastError", offsetof(runtime, last_error)}};
static const entry driver[] = {{"CtxGetCurrent", offsetof(runtime, current_context)},
                               {"DevicePrimaryCtxGetState", offsetof(runtime, primary_state)}};
static const entry simulated[] = {{"_operations", offsetof(runtime, operations)},
                                  {"_allocated", offsetof(runtime, allocated)},
                                  {"_handles", offsetof(runtime, handles)}};

static const char *find(runtime *r, void *library, const char *prefix, const entry *entries, size_t count) {
  static char missing[64];
  for (size_t i = 0; i < count; i++) {
    snprintf(missing, sizeof missing, "%s%s", prefix, entries[i].name);
    void *function = dlsym(library, missing);
    if (!function) return missing;
    memcpy((char *)r + entries[i].offset, &function, sizeof function);
  }
  return NULL;
}

/* The simulated GPU's runtime is in the plugin, which is loaded already. The loader finds the plugin by its path. */
static void *open_library(bool is_simulated) {
  static const char *const names[] = {"libcudart.so.13", "libcudart.so", "/usr/local/cuda/lib64/libcudart.so"};
  char path[4096];
  const char *folder = getenv("TRIGON_BACKEND_PATH");
  snprintf(path, sizeof path, "%s/libtrigon-sim.so", folder ? folder : ".");
  if (is_simulated) return dlopen(path, RTLD_NOW | RTLD_NOLOAD);
  void *library = NULL;
  for (size_t i = 0; !library && i < sizeof names / sizeof *names; i++) library = dlopen(names[i], RTLD_NOW);
  return library;
}

const char *runtime_open(runtime *r, const char *kind) {
  const bool is_simulated = strcmp(kind, "sim") == 0;
  *r = (runtime){0};
  void *library = open_library(is_simulated);
  if (!library) return is_simulated ? "libtrigon-sim.so in TRIGON_BACKEND_PATH" : "libcudart.so";
  const char *missing = find(r, library, kind, shared, sizeof shared / sizeof *shared);
  void *cuda_driver = strcmp(kind, "cuda") == 0 ? dlopen("libcuda.so.1", RTLD_NOW) : NULL;
  if (!missing && cuda_driver) missing = find(r, cuda_driver, "cu", driver, sizeof driver / sizeof *driver);
  if (missing || !is_simulated) return missing;
  return find(r, library, kind, simulated, sizeof simulated / sizeof *simulated);
}

bool runtime_untouched(const runtime *r, const int *others, int count) {
  void *current = NULL;
  if (!r->current_context) return true;
  if (r->current_context(&current) != 0 || current) return false;
  for (int i = 0; i < count; i++) {
    unsigned flags;
    int active = 1;
    if (r->primary_state(others[i], &flags, &active) != 0 || active) return false;
  }
  return true;
}

/* device_kernels.c - which code an NVIDIA GPU runs for the kernels of a plugin: its own, or with arch=portable the code
 * that the driver has compiled from PTX for compute capability 8.0. The plugin tells it (core/plugin.h). */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/plugin.h"
#include "support/device_job.h"

/* CUDA's numbers of the attributes: cudaDevAttrComputeCapabilityMajor and the minor one. */
enum { CAPABILITY_MAJOR = 75, CAPABILITY_MINOR = 76 };

enum { PTX80 = 80, LEAST_KERNELS = 100 }; /* the registry has some hundreds */

static int capability_of(const device *d) {
  int major = 0, minor = 0;
  check(d->runtime.get_attribute(&major, CAPABILITY_MAJOR, d->number) == 0 &&
            d->runtime.get_attribute(&minor, CAPABILITY_MINOR, d->number) == 0,
        "the device's compute capability");
  return 10 * major + minor;
}

/* The function of a plugin that a context has loaded. */
static plugin_kernel_fn *find_plugin(const char *file) {
  plugin_kernel_fn *function = NULL;
  char path[4096];
  const char *folder = getenv("TRIGON_BACKEND_PATH");
  snprintf(path, sizeof path, "%s/%s", folder ? folder : ".", file);
  void *library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
  void *found = library ? dlsym(library, PLUGIN_KERNEL_NAME) : NULL;
  check(found != NULL, "%s is loaded and tells its kernels", path);
  memcpy(&function, &found, sizeof found);
  return function;
}

/* All kernels must come from PTX of this version, and run as code of the device. */
static void check_code(const char *name, plugin_kernel_fn *kernel, int own, int ptx) {
  plugin_kernel k;
  int i = 0, error;
  for (; (error = kernel(i, &k)) == 0; i++)
    check(k.ptx == ptx && k.binary == own, "%s: %s: the PTX is %d, must be %d; the code is %d, must be %d", name,
          k.name, k.ptx, ptx, k.binary, own);
  check(error == -1, "%s: kernel %d: the runtime's error %d", name, i, error);
  check(i > LEAST_KERNELS, "%s: its plugin has %d kernels", name, i);
  printf("%s: %d kernels, code for %d from PTX for %d\n", name, i, own, ptx);
}

static void check_context(const device *d, const char *options, const char *file, int ptx) {
  trigon_context *ctx = NULL;
  char name[64], why[400] = "";
  snprintf(name, sizeof name, "cuda:%d%s", d->number, options);
  check(trigon_create(name, &ctx, why, sizeof why) == TRIGON_OK, "%s: %s", name, why);
  plugin_kernel_fn *const kernel = ctx ? find_plugin(file) : NULL;
  if (kernel) check_code(name, kernel, capability_of(d), ptx);
  trigon_destroy(ctx);
}

void test_kernels(const device *d) {
  if (strncmp(d->name, "cuda:", 5) != 0) {
    printf("skipped: the code of kernels; only NVIDIA's GPUs have PTX\n");
    return;
  }
  check_context(d, "", "libtrigon-cuda.so", capability_of(d));
  check_context(d, "?arch=portable", "libtrigon-cuda-ptx80.so", PTX80);
  check_context(d, "?arch=ampere", "libtrigon-cuda-ptx80.so", PTX80);
}

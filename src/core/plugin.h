/* plugin.h - what a plugin for GPUs (libtrigon-cuda.so, -hip, -sim) exports: its build, and how to make an engine. */
#ifndef TRIGON_PLUGIN_H
#define TRIGON_PLUGIN_H

#include "engine.h"
#include "options.h"

typedef struct plugin_request {
  const char *kind; /* "cuda", "hip", "sim" or "cluster" */
  int device;       /* of a cluster: the BLACS context of its grid */
  engine_options options;
  const char *extra; /* for the simulated GPU alone, KEY=VALUE[&KEY=VALUE]..., or ""; of a cluster: the library */
} plugin_request;

/* The plugin's name (the kind, or cuda-ptx80), a space, and TRIGON_BUILD, which changes with every header that library
 * and plugin share. The library compares this text before it calls the plugin: a plugin works only with the library of
 * the same sources. */
#define PLUGIN_BUILD trigon_plugin_build
#define PLUGIN_BUILD_NAME "trigon_plugin_build"
TRIGON_API extern const char PLUGIN_BUILD[];

/* `why` gets the reason of each failure, as long as the engine lives. On failure *out is untouched. */
typedef trigon_status plugin_create_fn(const plugin_request *, reason *why, engine **out);

#define PLUGIN_CREATE trigon_plugin_create
#define PLUGIN_CREATE_NAME "trigon_plugin_create"
TRIGON_API plugin_create_fn PLUGIN_CREATE;

/* For tests: a kernel of the plugin, and the code that the current device runs for it. The versions are compute
 * capabilities times ten; both are 0 if the vendor has none. */
typedef struct plugin_kernel {
  const char *name;
  size_t shared;  /* bytes */
  unsigned needs; /* gpu/kernels/registry.h */
  int ptx;        /* of the PTX from which the code was compiled, before the plugin was built or by the driver */
  int binary;     /* of the code itself */
} plugin_kernel;

/* Stores kernel `i` from 0. Returns 0, or the vendor's error; -1: there are fewer kernels. */
typedef int plugin_kernel_fn(int i, plugin_kernel *);

#define PLUGIN_KERNEL trigon_plugin_kernel
#define PLUGIN_KERNEL_NAME "trigon_plugin_kernel"
TRIGON_API plugin_kernel_fn PLUGIN_KERNEL;

#endif

/* plugin.h - what a plugin for GPUs (libtrigon-cuda.so, -hip, -sim) exports: its build, and how to make an engine. */
#ifndef TRIGON_PLUGIN_H
#define TRIGON_PLUGIN_H

#include "engine.h"
#include "options.h"

typedef struct plugin_request {
  const char *kind; /* "cuda", "hip" or "sim" */
  int device;
  engine_options options;
  const char *extra; /* options for the simulated GPU alone, KEY=VALUE[&KEY=VALUE]..., or "" */
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

#endif

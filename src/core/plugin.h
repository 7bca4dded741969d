/* plugin.h - what a plugin of the library that is loaded on its own (libtrigon-cuda.so, -hip, -sim) shows to the rest: what
 * it is, and a function, which makes a backend. */
#ifndef TRIGON_PLUGIN_H
#define TRIGON_PLUGIN_H

#include "engine.h"
#include "options.h"

typedef struct plugin_request {
  const char *kind; /* "cuda", "hip" or "sim" */
  int device;
  engine_options options;
  const char *extra; /* options that only the simulated GPU knows, KEY=VALUE[&KEY=VALUE]..., or "" */
} plugin_request;

/* The kind, a space, and TRIGON_BUILD, which changes with every header that is shared. It is looked at before anything
 * is called: a plugin serves the library of its own sources alone. */
#define PLUGIN_BUILD trigon_plugin_build
#define PLUGIN_BUILD_NAME "trigon_plugin_build"
TRIGON_API extern const char PLUGIN_BUILD[];

/* `why` gets the reasons of failures, now and as long as the engine lives. On failure *out is untouched. */
typedef trigon_status plugin_create_fn(const plugin_request *, reason *why, engine **out);

#define PLUGIN_CREATE trigon_plugin_create
#define PLUGIN_CREATE_NAME "trigon_plugin_create"
TRIGON_API plugin_create_fn PLUGIN_CREATE;

#endif

/* plugin.h - what a part of the library that is loaded on its own (libtrigon-cuda.so, -hip, -sim) shows to the rest: what
 * it is, and a function, which makes a backend. */
#ifndef TRIGON_PLUGIN_H
#define TRIGON_PLUGIN_H

#include "engine.h"
#include "options.h"

typedef struct part_request {
  const char *kind; /* "cuda", "hip" or "sim" */
  int device;
  engine_options options;
  const char *extra; /* options that only the simulated GPU knows, KEY=VALUE[&KEY=VALUE]..., or "" */
} part_request;

/* The kind, a space, and TRIGON_BUILD, which changes with every header that is shared. It is looked at before anything
 * is called: a part serves the library of its own sources alone. */
#define PART_BUILD trigon_part_build
#define PART_BUILD_NAME "trigon_part_build"
TRIGON_API extern const char PART_BUILD[];

/* `why` gets the reasons of failures, now and as long as the engine lives. On failure *out is untouched. */
typedef trigon_status part_create_fn(const part_request *, reason *why, engine **out);

#define PART_CREATE trigon_part_create
#define PART_CREATE_NAME "trigon_part_create"
TRIGON_API part_create_fn PART_CREATE;

#endif

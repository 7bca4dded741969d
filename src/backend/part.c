/* part.c - loads the parts of the library that serve devices: a machine without a GPU or its driver runs all the rest. */
#define _GNU_SOURCE /* dladdr1, secure_getenv */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends.h"

enum { path_size = 4096, path_shown = 120 };

/* The folder of the shared object that holds this code, or NULL where that is the program itself. */
static const char *own_folder(int *length) {
  static const char inside = 0;
  Dl_info found;
  struct link_map *map = NULL;
  if (!dladdr1(&inside, &found, (void **)&map, RTLD_DL_LINKMAP) || !map || !map->l_name[0]) return NULL;
  const char *slash = strrchr(map->l_name, '/');
  *length = slash ? (int)(slash - map->l_name) : 1;
  return slash ? map->l_name : ".";
}

/* Stores the path of the part's file; returns whether it fits. A program with more rights than its user must not load
 * what the user's environment names. */
static bool part_path(const char *kind, char *path) {
  const char *named = secure_getenv("TRIGON_BACKEND_PATH");
  int length = 0, written;
  const char *own = own_folder(&length);
  if (named && *named)
    written = snprintf(path, path_size, "%s/libtrigon-%s.so", named, kind);
  else if (own)
    written = snprintf(path, path_size, "%.*s/trigon/libtrigon-%s.so", length, own, kind);
  else
    written = snprintf(path, path_size, TRIGON_PART_DIR "/libtrigon-%s.so", kind);
  return written >= 0 && written < path_size;
}

/* The loader's words begin with the path where they are about the file itself. Of a long path its end is told. */
static trigon_status cannot_load(const part_request *request, const char *path, const char *words, reason *why) {
  size_t length = strlen(path);
  const char *end = length > path_shown ? path + length - path_shown : path;
  if (strlen(words) > length + 2 && memcmp(words, path, length) == 0) words += length + 2;
  snprintf(why->text, sizeof why->text, "no part for %s:%d: cannot load %s%.*s: %.140s", request->kind, request->device,
           end > path ? "..." : "", path_shown, end, words);
  return TRIGON_NOT_FOUND;
}

trigon_status part_load(const part_request *request, reason *why, backend **out) {
  char path[path_size];
  part_create_fn *create;
  if (!part_path(request->kind, path)) return cannot_load(request, path, "the path is too long", why);
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  void *symbol = handle ? dlsym(handle, PART_CREATE_NAME) : NULL;
  if (!symbol) {
    const char *words = dlerror();
    return cannot_load(request, path, words ? words : "it has no " PART_CREATE_NAME, why);
  }
  memcpy(&create, &symbol, sizeof symbol);
  return create(request, why, out);
}

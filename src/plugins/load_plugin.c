/* load_plugin.c - finds and loads the plugin of a GPU: the folders where plugins may be, and the check of its build. */
#define _GNU_SOURCE /* secure_getenv */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build.h"
#include "load_plugin.h"
#include "process/own_object.h"

/* A path that does not fit is cut to a path that the system refuses as too long. */
enum { path_size = PATH_MAX + 1, path_shown = 90, max_candidates = 2 };

enum { plugin_name_size = 40 }; /* the size of "/trigon/libtrigon-KIND.so", or more */

typedef char path[path_size];

/* Kinds of GPUs that take a build of the plugin of their own. On a newer GPU the ordinary build would run the newer
 * GPU's code, and the rows of the kind alone would test little. */
static const struct arch_build {
  const char *kind, *arch; /* of the context's name */
  const char *suffix;      /* the file is libtrigon-KINDSUFFIX.so */
  const char *option;      /* of CMake, which makes the build */
} arch_builds[] = {{"cuda", "portable", "-ptx80", "TRIGON_CUDA_PTX80"},
                   {"cuda", "ampere", "-ptx80", "TRIGON_CUDA_PTX80"},
                   {"cuda", "ampere-rtx", "-ptx80", "TRIGON_CUDA_PTX80"},
                   {"cuda", "ada", "-ptx80", "TRIGON_CUDA_PTX80"}};

/* NULL: the ordinary build. */
static const struct arch_build *find_arch_build(const plugin_request *request) {
  for (size_t i = 0; i < sizeof arch_builds / sizeof *arch_builds; i++)
    if (strcmp(request->kind, arch_builds[i].kind) == 0 && strcmp(request->options.arch, arch_builds[i].arch) == 0)
      return &arch_builds[i];
  return NULL;
}

static const char *suffix_of(const plugin_request *request) {
  const struct arch_build *b = find_arch_build(request);
  return b ? b->suffix : "";
}

/* The files that may be the plugin. The first file that exists is loaded. */
typedef struct candidates {
  path file[max_candidates];
  int count;
  const char *named_by; /* for messages: " (TRIGON_BACKEND_PATH is set)", or "" */
} candidates;

/* A path for messages. A long path loses its beginning. */
typedef struct short_path {
  char text[path_shown + 4];
} short_path;

static short_path shorten(const char *file) {
  short_path s;
  size_t length = strlen(file);
  const char *end = length > path_shown ? file + length - path_shown : file;
  snprintf(s.text, sizeof s.text, "%s%.*s", end > file ? "..." : "", path_shown, end);
  return s;
}

__attribute__((format(printf, 3, 4))) static trigon_status refuse_plugin(const plugin_request *request, reason *why,
                                                                         const char *format, ...) {
  va_list rest;
  int used = snprintf(why->text, sizeof why->text, "no plugin for %s:%d: ", request->kind, request->device);
  va_start(rest, format);
  vsnprintf(why->text + used, sizeof why->text - (size_t)used, format, rest);
  va_end(rest);
  return TRIGON_NOT_FOUND;
}

/* secure_getenv: a program with more rights than its user must not load a file that the user's environment names. The
 * folder of the installation serves a static library, which may be in a program or in a shared object far from Trigon's
 * plugins. Only absolute paths count, because relative ones change with the current folder. */
static trigon_status list_candidates(const plugin_request *request, candidates *p, reason *why) {
  const char *named = secure_getenv("TRIGON_BACKEND_PATH"), *kind = request->kind;
  const char *suffix = suffix_of(request);
  char own[PATH_MAX - plugin_name_size];
  p->count = 0;
  p->named_by = "";
  if (named && *named) {
    if (*named != '/')
      return refuse_plugin(request, why, "TRIGON_BACKEND_PATH is \"%s\", must be an absolute path",
                           shorten(named).text);
    p->named_by = " (TRIGON_BACKEND_PATH is set)";
    snprintf(p->file[p->count++], path_size, "%s/libtrigon-%s%s.so", named, kind, suffix);
    return TRIGON_OK;
  }
  if (own_object_folder(own, sizeof own))
    snprintf(p->file[p->count++], path_size, "%s/trigon/libtrigon-%s%s.so", own, kind, suffix);
  snprintf(p->file[p->count++], path_size, TRIGON_PLUGIN_DIR "/libtrigon-%s%s.so", kind, suffix);
  if (p->count == 2 && strcmp(p->file[0], p->file[1]) == 0) p->count = 1;
  return TRIGON_OK;
}

static trigon_status refuse_absent(const plugin_request *request, const candidates *p, reason *why) {
  const struct arch_build *b = find_arch_build(request);
  short_path first = shorten(p->file[0]);
  char hint[80] = "";
  if (b) snprintf(hint, sizeof hint, "; arch=%s needs it: build with -D%s=ON", b->arch, b->option);
  if (p->count == 1) return refuse_plugin(request, why, "there is no %s%s%s", first.text, p->named_by, hint);
  return refuse_plugin(request, why, "there is neither %s nor %s%s", first.text, shorten(p->file[1]).text, hint);
}

/* If the loader's words are about the file itself, they begin with its path. Else they are about a library that the
 * file needs. */
static trigon_status cannot_load(const plugin_request *request, const char *file, reason *why) {
  const char *words = dlerror();
  if (!words) words = "the loader does not say why";
  size_t length = strlen(file);
  if (strncmp(words, file, length) == 0 && strlen(words) > length + 2)
    return refuse_plugin(request, why, "cannot load %s: %.150s", shorten(file).text, words + length + 2);
  return refuse_plugin(
      request, why,
      "cannot load %s: it needs a library that does not load: %.100s (LD_LIBRARY_PATH can name its folder)",
      shorten(file).text, words);
}

/* Whether the file does not exist. The loader reports all other problems. */
static bool is_absent(const char *file) { return access(file, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR); }

/* C has no conversion from dlsym's void * to a pointer to a function, so the bytes are copied. */
static trigon_status open_plugin(const plugin_request *request, const char *file, reason *why,
                                 plugin_create_fn **create) {
  char wanted[64];
  void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  const char *build = handle ? dlsym(handle, PLUGIN_BUILD_NAME) : NULL;
  void *symbol = build ? dlsym(handle, PLUGIN_CREATE_NAME) : NULL;
  snprintf(wanted, sizeof wanted, "%s%s " TRIGON_BUILD, request->kind, suffix_of(request));
  trigon_status status = TRIGON_OK;
  if (!symbol)
    status = cannot_load(request, file, why);
  else if (strcmp(build, wanted) != 0)
    status = refuse_plugin(request, why, "%s is built from other sources than this library: %.40s, not %s",
                           shorten(file).text, build, wanted);
  if (status == TRIGON_OK)
    memcpy(create, &symbol, sizeof symbol);
  else if (handle)
    dlclose(handle); /* safe: no function of the plugin was called */
  return status;
}

trigon_status plugin_load(const plugin_request *request, reason *why, engine **out) {
  candidates p;
  plugin_create_fn *create;
  int i = 0;
  TRY(list_candidates(request, &p, why));
  while (i < p.count && is_absent(p.file[i])) i++;
  if (i == p.count) return refuse_absent(request, &p, why);
  TRY(open_plugin(request, p.file[i], why, &create));
  return create(request, why, out);
}

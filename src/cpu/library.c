/* library.c - see library.h.
 *
 * A namespace has a C library of its own, and this second C library has thread-specific keys of its own
 * (pthread_key_create), numbered from 0 like ours. But a thread has one array of values, for both. OpenMP's runtime, for
 * one, would write its value over that of a user's key of the same number, and the user's destructor would get it. So
 * some of our keys are lent to each namespace: nobody here gets them, and the namespace gets no others.
 *
 * The second C library does not hear of the end of a thread that the first one made, and calls no destructors. OpenMP's
 * runtime frees a thread's helpers in one. We ask it to, in a destructor of ours. */
#define _GNU_SOURCE /* dlmopen, dlinfo */
#include "library.h"

#include <dlfcn.h>
#include <gnu/lib-names.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../process/own_object.h"
#include "openblas_memory.h"

/* OpenMP's runtimes take one key or two, Intel's with its thread building blocks a few more. */
enum { lent_keys = 7 };

struct loaded_library {
  loaded_library *next;
  void *threads;                 /* the part of the namespace's C library that knows threads */
  void *handle;                  /* the library itself */
  int (*pause_openmp)(int kind); /* omp_pause_resource_all, or NULL */
  pthread_key_t entered;         /* has a value in threads that are ready */
  pthread_key_t lent[lent_keys]; /* the namespace's */
  int users, taken;              /* now, and for how many something was taken */
  void *kept[most_users];        /* what was taken */
  char name[];
};

/* The libraries that are loaded, and the linked one, which nobody loads by name (for its users alone). These are
 * Trigon's only global state, and guarded. Namespaces are few, so that a second context on a library shares the first
 * one's; and a library must stay when its context goes, for the threads that it started could not survive an unloading. */
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
static loaded_library *loaded_libraries;
static loaded_library linked_library;

/* ---------------------------------------------------------------------------------------- messages -- */

/* What the loader's words mean for somebody who loads libraries by name. */
static const char *advice(const char *words) {
  if (strstr(words, "static TLS"))
    return " (too many libraries loaded by name; the environment variable GLIBC_TUNABLES=glibc.rtld.nns=16 makes room)";
  if (strstr(words, "namespace"))
    return " (each library that is loaded by name takes a namespace, and the loader has 16)";
  return "";
}

static trigon_status cannot_load(reason *why) {
  const char *words = dlerror();
  if (!words) words = "the loader does not say why";
  snprintf(why->text, sizeof why->text, "cannot load the library: %.150s%s", words, advice(words));
  return TRIGON_NOT_FOUND;
}

static trigon_status no_memory(reason *why) {
  snprintf(why->text, sizeof why->text, "out of memory");
  return TRIGON_NO_MEMORY;
}

/* ----------------------------------------------------------------------------------------- threads -- */

/* Runs in each thread that entered the library, as the thread ends. */
static void leave(void *library) {
  enum { omp_pause_soft = 1 };
  const loaded_library *l = library;
  if (l->pause_openmp) l->pause_openmp(omp_pause_soft);
}

/* A thread's values for high keys lie in blocks that are allocated with the first value. The C library that frees them
 * must allocate them: ours. */
trigon_status library_enter(loaded_library *l, reason *why) {
  if (pthread_getspecific(l->entered)) return TRIGON_OK;
  for (int i = 0; i < lent_keys; i++)
    if (pthread_setspecific(l->lent[i], l) != 0 || pthread_setspecific(l->lent[i], NULL) != 0) return no_memory(why);
  return pthread_setspecific(l->entered, l) == 0 ? TRIGON_OK : no_memory(why);
}

static void delete_keys(const loaded_library *l, int lent) {
  pthread_key_delete(l->entered);
  for (int i = 0; i < lent; i++) pthread_key_delete(l->lent[i]);
}

static trigon_status make_keys(loaded_library *l, reason *why) {
  int lent = 0;
  bool made = pthread_key_create(&l->entered, leave) == 0;
  while (made && lent < lent_keys && pthread_key_create(&l->lent[lent], NULL) == 0) lent++;
  if (lent == lent_keys) return TRIGON_OK;
  if (made) delete_keys(l, lent);
  snprintf(why->text, sizeof why->text,
           "cannot load the library: the process has no %d thread-specific keys left (pthread_key_create)",
           1 + lent_keys);
  return TRIGON_NOT_FOUND;
}

/* Leaves the namespace's C library no other keys than those lent to it, before anything there asks for one. */
static trigon_status lend_keys(const loaded_library *l, reason *why) {
  int (*create)(pthread_key_t *, void (*)(void *));
  int (*delete)(pthread_key_t);
  pthread_key_t key;
  if (!library_find(l->threads, "pthread_key_create", &create) ||
      !library_find(l->threads, "pthread_key_delete", &delete))
    return cannot_load(why);
  for (int i = 0; i < PTHREAD_KEYS_MAX; i++) create(&key, NULL);
  for (int i = 0; i < lent_keys; i++) delete (l->lent[i]);
  return TRIGON_OK;
}

/* ----------------------------------------------------------------------------------------- loading -- */

/* The C libraries share the stacks of threads that have ended, to start others on. The one that starts a thread frees what
 * the thread before it had of thread-local variables, which the loader has allocated by our C library's malloc. So the
 * namespace's stacks are too large to be kept: the loader frees what belongs to them. Only addresses are taken. */
static trigon_status enlarge_stacks(const loaded_library *l, reason *why) {
  enum { kept_stacks = 40 << 20, stack_size = kept_stacks + (8 << 20) }; /* glibc.pthread.stack_cache_size's default */
  int (*get)(pthread_attr_t *), (*set)(const pthread_attr_t *);
  pthread_attr_t attributes;
  size_t size = 0;
  if (!library_find(l->threads, "pthread_getattr_default_np", &get) ||
      !library_find(l->threads, "pthread_setattr_default_np", &set))
    return cannot_load(why);
  if (get(&attributes) != 0) return no_memory(why);
  bool done = pthread_attr_getstacksize(&attributes, &size) == 0;
  if (size < stack_size) done = done && pthread_attr_setstacksize(&attributes, stack_size) == 0;
  done = done && set(&attributes) == 0;
  pthread_attr_destroy(&attributes);
  return done ? TRIGON_OK : no_memory(why);
}

static trigon_status open_namespace(loaded_library *l, Lmid_t *space, reason *why) {
  l->threads = dlmopen(LM_ID_NEWLM, LIBPTHREAD_SO, RTLD_NOW | RTLD_LOCAL);
  if (!l->threads || dlinfo(l->threads, RTLD_DI_LMID, space) != 0) return cannot_load(why);
  TRY(lend_keys(l, why));
  return enlarge_stacks(l, why);
}

static trigon_status open_library(loaded_library *l, library_check *check, reason *why) {
  Lmid_t space;
  TRY(open_namespace(l, &space, why));
  TRY(library_enter(l, why));
  l->handle = dlmopen(space, l->name, RTLD_NOW | RTLD_LOCAL);
  if (!l->handle) return cannot_load(why);
  TRY(check(l->name, l->handle, why));
  library_find(l->handle, "omp_pause_resource_all", &l->pause_openmp);
  return own_object_keep() ? TRIGON_OK : cannot_load(why);
}

static void close_library(loaded_library *l) {
  if (l->handle) dlclose(l->handle);
  if (l->threads) dlclose(l->threads);
  delete_keys(l, lent_keys);
}

static trigon_status load_new(const char *name, library_check *check, loaded_library **out, reason *why) {
  TRY(openblas_room_to_load(why));
  loaded_library *l = calloc(1, sizeof *l + strlen(name) + 1);
  if (!l) return no_memory(why);
  memcpy(l->name, name, strlen(name) + 1);
  trigon_status status = make_keys(l, why);
  if (status == TRIGON_OK) {
    status = open_library(l, check, why);
    if (status != TRIGON_OK) close_library(l);
  }
  if (status != TRIGON_OK) {
    free(l);
    return status;
  }
  l->next = loaded_libraries;
  *out = loaded_libraries = l;
  return TRIGON_OK;
}

static trigon_status find_or_load(const char *name, library_check *check, loaded_library **out, reason *why) {
  loaded_library *l = loaded_libraries;
  while (l && strcmp(l->name, name) != 0) l = l->next;
  if (!l) return load_new(name, check, out, why);
  *out = l;
  return library_enter(l, why);
}

trigon_status library_load(const char *name, library_check *check, loaded_library **out, reason *why) {
  pthread_mutex_lock(&loading);
  trigon_status status = find_or_load(name, check, out, why);
  pthread_mutex_unlock(&loading);
  return status;
}

static trigon_status add_user(loaded_library *l, library_take *take, const void *argument, reason *why) {
  if (l->users == l->taken && l->taken < most_users) {
    TRY(take(argument, l->kept, l->taken, why));
    l->taken++;
  }
  l->users++;
  return TRIGON_OK;
}

trigon_status library_add_user(loaded_library *l, library_take *take, const void *argument, reason *why) {
  pthread_mutex_lock(&loading);
  const trigon_status status = add_user(l ? l : &linked_library, take, argument, why);
  pthread_mutex_unlock(&loading);
  return status;
}

void library_remove_user(loaded_library *l) {
  pthread_mutex_lock(&loading);
  (l ? l : &linked_library)->users--;
  pthread_mutex_unlock(&loading);
}

void *library_handle(const loaded_library *l) { return l->handle; }

/* The address of a symbol, as dlsym gives it, is no pointer to a function in C: it is copied. */
bool library_find(void *handle, const char *name, void *function) {
  void *symbol = dlsym(handle, name);
  memcpy(function, &symbol, sizeof symbol);
  return symbol != NULL;
}

/* library.c - loads libraries by name, each into a namespace of its own, and keeps the list of the loaded libraries.
 *
 * A namespace has a second C library. This C library numbers its thread-specific keys (pthread_key_create) from 0, as
 * ours does, but a thread has only one array of values. So OpenMP's runtime, for example, would overwrite the value of
 * a user's key of the same number, and the user's destructor would get OpenMP's value. Therefore each namespace borrows
 * some keys of our C library: nobody else gets these keys, and the namespace gets no other keys.
 *
 * If our C library made a thread, the second C library does not notice the end of the thread, and calls no destructors.
 * OpenMP's runtime frees a thread's helper threads in such a destructor. A destructor of ours asks OpenMP to do so. */
#define _GNU_SOURCE /* dlmopen, dlinfo */
#include "library.h"

#include <dlfcn.h>
#include <gnu/lib-names.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "openblas_memory.h"
#include "process/own_object.h"

/* OpenMP's runtimes take one or two keys. Intel's runtime, with its Threading Building Blocks, takes a few more. */
enum { lent_keys = 7 };

struct loaded_library {
  loaded_library *next;
  void *threads;                 /* handle of the namespace's libpthread */
  void *handle;                  /* handle of the library */
  int (*pause_openmp)(int kind); /* omp_pause_resource_all, or NULL */
  pthread_key_t entered;         /* has a value in threads that may call the library */
  pthread_key_t lent[lent_keys]; /* keys that the namespace uses */
  int users, taken;              /* the present users; the number of things in `kept` */
  void *kept[most_users];        /* one thing for each user, as library_take stored it */
  char name[];
};

/* The libraries that are loaded by name. A mutex guards them. Two reasons need a list. There are few namespaces, so
 * that all contexts on a library share one namespace. And a library must outlive its contexts, because the threads that
 * it started would not survive an unloading. */
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
static loaded_library *loaded_libraries;

/* ---------------------------------------------------------------------------------------- messages -- */

/* Explains an error of the loader to a user who loads libraries by name. */
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

/* The destructor of the key `entered`: runs at the end of each thread that entered the library. */
static void end_thread(void *library) {
  enum { omp_pause_soft = 1 };
  const loaded_library *l = library;
  if (l->pause_openmp) l->pause_openmp(omp_pause_soft);
}

/* A thread's values for high keys lie in blocks, which the first value allocates. Our C library frees these blocks, so
 * our C library must allocate them: here. */
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
  bool made = pthread_key_create(&l->entered, end_thread) == 0;
  while (made && lent < lent_keys && pthread_key_create(&l->lent[lent], NULL) == 0) lent++;
  if (lent == lent_keys) return TRIGON_OK;
  if (made) delete_keys(l, lent);
  snprintf(why->text, sizeof why->text,
           "cannot load the library: the process has no %d thread-specific keys left (pthread_key_create)",
           1 + lent_keys);
  return TRIGON_NOT_FOUND;
}

/* Takes all keys of the namespace's C library, then gives the lent keys back to it. Nothing in the namespace has asked
 * for a key before. */
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

/* Both C libraries keep the stacks of ended threads for new threads, and share them. A C library that reuses a stack
 * frees the thread-local variables of the ended thread. The loader has allocated these by the malloc of our C library,
 * so the second C library must not free them. Therefore the namespace's stacks are too large to be kept, and the loader
 * frees the variables. Larger stacks take addresses, not memory. */
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
  const trigon_status status = add_user(l, take, argument, why);
  pthread_mutex_unlock(&loading);
  return status;
}

void library_remove_user(loaded_library *l) {
  pthread_mutex_lock(&loading);
  l->users--;
  pthread_mutex_unlock(&loading);
}

void *library_handle(const loaded_library *l) { return l->handle; }

/* C has no conversion from dlsym's void * to a pointer to a function, so the bytes are copied. */
bool library_find(void *handle, const char *name, void *function) {
  void *symbol = dlsym(handle, name);
  memcpy(function, &symbol, sizeof symbol);
  return symbol != NULL;
}

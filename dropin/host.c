/* host.c - finds the BLAS underneath. */
#define _GNU_SOURCE
#include "host.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* What is known of the host. A thread that finds it stores the same addresses as any other. */
static struct {
  _Atomic(void *) handle;
  _Atomic(any_function *) threads;
  atomic_int is_known;
} host;

/* Where this library lies. */
static const void *base_of(const void *address) {
  Dl_info info;
  return dladdr(address, &info) ? info.dli_fbase : NULL;
}

static any_function *symbol_of(void *handle, const char *symbol) {
  union {
    void *data;
    any_function *function;
  } found = {dlsym(handle, symbol)};
  if (found.data && base_of(found.data) == base_of(&host)) return NULL;
  return found.function;
}

#define PROBE QUOTE(FORTRAN(d, gemm))

/* A library that has BLAS's symbols, and does not get them from us. */
static bool is_host(void *handle) { return handle && symbol_of(handle, PROBE); }

/* The names of all loaded libraries, one after the other. */
typedef struct names {
  char *text;
  size_t used, size;
} names;

static int add_name(struct dl_phdr_info *info, size_t size, void *of) {
  names *n = of;
  const size_t length = strlen(info->dlpi_name) + 1;
  (void)size;
  if (n->used + length > n->size) {
    const size_t larger = 2 * (n->used + length);
    char *text = realloc(n->text, larger);
    if (!text) return 1;
    n->text = text, n->size = larger;
  }
  memcpy(n->text + n->used, info->dlpi_name, length);
  n->used += length;
  return 0;
}

/* A host among the loaded libraries whose names contain `part`. Libraries are opened after the walk, because the walk
 * holds a lock of the loader. */
static void *find_loaded(const char *part) {
  names n = {NULL, 0, 0};
  void *found = NULL;
  dl_iterate_phdr(add_name, &n);
  for (size_t at = 0; at < n.used && !found; at += strlen(n.text + at) + 1) {
    const char *name = n.text + at;
    void *handle = *name && strstr(name, part) ? dlopen(name, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD) : NULL;
    if (is_host(handle))
      found = handle;
    else if (handle)
      dlclose(handle);
  }
  free(n.text);
  return found;
}

#ifdef DROPIN_WHEEL
/* The wheel has loaded its BLAS before it calls. The file's name changes from release to release, so that the symbol
 * tells: first in libraries whose name looks right, then in all. */
static void *find_usual_host(void) {
  void *handle = find_loaded("openblas");
  return handle ? handle : find_loaded("");
}
#else
static void *find_usual_host(void) {
  void *handle = find_loaded(DROPIN_HOST);
  if (!handle) handle = dlopen(DROPIN_HOST, RTLD_LAZY | RTLD_LOCAL);
  return is_host(handle) ? handle : NULL;
}
#endif

static void *find_host(void) {
  const char *named = getenv("TRIGON_BLAS_UNDER");
  void *handle = named && *named ? dlopen(named, RTLD_LAZY | RTLD_LOCAL) : NULL;
  return is_host(handle) ? handle : find_usual_host();
}

/* A function of OpenBLAS itself. Its name has the prefix and the suffix, or none. */
#define OF_OPENBLAS(handle, first, second)                                                                             \
  either(handle, QUOTE(JOIN(DROPIN_PREFIX, openblas_, first, second, DROPIN_SUFFIX)),                                  \
         QUOTE(JOIN(openblas_, first, second, , )))
static any_function *either(void *handle, const char *name, const char *plain) {
  any_function *f = symbol_of(handle, name);
  return f ? f : symbol_of(handle, plain);
}

/* OpenBLAS for OpenMP takes as many threads as OpenMP says. */
static any_function *function_for_threads(void *handle) {
  union {
    any_function *any;
    int (*asks)(void);
  } parallel = {OF_OPENBLAS(handle, get, _parallel)};
  enum { by_openmp = 2 };
  any_function *openmp = NULL;
  if (parallel.any && parallel.asks() == by_openmp) openmp = symbol_of(RTLD_DEFAULT, "omp_get_max_threads");
  if (openmp) return openmp;
  any_function *f = OF_OPENBLAS(handle, get_num, _threads);
  return f ? f : symbol_of(handle, "bli_thread_get_num_threads");
}

static void *known_host(void) {
  if (!atomic_load_explicit(&host.is_known, memory_order_acquire)) {
    void *handle = find_host();
    atomic_store(&host.handle, handle);
    if (handle) atomic_store(&host.threads, function_for_threads(handle));
    atomic_store_explicit(&host.is_known, 1, memory_order_release);
  }
  return atomic_load_explicit(&host.handle, memory_order_relaxed);
}

any_function *host_function(const char *symbol) {
  void *handle = known_host();
  any_function *found = handle ? symbol_of(handle, symbol) : NULL;
  if (found) return found;
  handle = find_usual_host(); /* a BLAS that was named may have no LAPACK */
  return handle ? symbol_of(handle, symbol) : NULL;
}

any_function *lapacke_function(const char *symbol) {
  any_function *found = symbol_of(RTLD_DEFAULT, symbol);
  if (!found) found = host_function(symbol);
#if !defined DROPIN_WHEEL && !defined DROPIN_INT64
  void *handle = found ? NULL : dlopen("liblapacke.so.3", RTLD_LAZY | RTLD_LOCAL); /* Debian's OpenBLAS has none */
  if (handle) found = symbol_of(handle, symbol);
#endif
  return found;
}

void tell_bad_argument(const char *name, blas_int position) {
  enum { length = 6 };
  static const char symbol[] = QUOTE(JOIN(DROPIN_PREFIX, xerbla, _, DROPIN_SUFFIX, ));
  union {
    any_function *any;
    void (*tells)(const char *, const blas_int *, size_t);
  } xerbla = {symbol_of(RTLD_DEFAULT, symbol)};
  if (!xerbla.any) xerbla.any = host_function(symbol);
  if (xerbla.any) xerbla.tells(name, &position, length);
}

const char *host_core(void) {
  void *handle = known_host();
  const union {
    any_function *any;
    char *(*asks)(void);
  } f = {handle ? OF_OPENBLAS(handle, get, _corename) : NULL};
  return f.any ? f.asks() : NULL;
}

int host_threads(void) {
  known_host();
  const union {
    any_function *any;
    int (*asks)(void);
  } f = {atomic_load_explicit(&host.threads, memory_order_relaxed)};
  if (!f.any) return 0;
  const int threads = f.asks();
  return threads < 0 ? 0 : threads;
}

/* host.c - finds the BLAS underneath. */
#define _GNU_SOURCE
#include "host.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifndef DROPIN_HOST
#define DROPIN_HOST "libopenblas.so.0"
#endif

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

/* The first library of the process whose name contains `part`. Wheels bring a BLAS under a name of their own. */
typedef struct wanted {
  const char *part;
  void *handle;
} wanted;

static int look_at(struct dl_phdr_info *info, size_t size, void *of) {
  wanted *w = of;
  (void)size;
  if (!strstr(info->dlpi_name, w->part)) return 0;
  w->handle = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
  return is_host(w->handle);
}

static void *find_host(void) {
  const char *named = getenv("TRIGON_BLAS_UNDER");
  if (named && *named) {
    void *handle = dlopen(named, RTLD_LAZY | RTLD_LOCAL);
    if (is_host(handle)) return handle;
  }
  wanted w = {.part = DROPIN_HOST};
  dl_iterate_phdr(look_at, &w);
  if (is_host(w.handle)) return w.handle;
  void *handle = dlopen(DROPIN_HOST, RTLD_LAZY | RTLD_LOCAL);
  return is_host(handle) ? handle : NULL;
}

/* OpenBLAS for OpenMP takes as many threads as OpenMP says. */
static any_function *function_for_threads(void *handle) {
  union {
    any_function *any;
    int (*asks)(void);
  } parallel = {symbol_of(handle, "openblas_get_parallel")};
  enum { by_openmp = 2 };
  any_function *openmp = NULL;
  if (parallel.any && parallel.asks() == by_openmp) openmp = symbol_of(RTLD_DEFAULT, "omp_get_max_threads");
  if (openmp) return openmp;
  any_function *f = symbol_of(handle, QUOTE(JOIN(DROPIN_PREFIX, openblas_get_num, _threads, DROPIN_SUFFIX, )));
  if (!f) f = symbol_of(handle, "openblas_get_num_threads");
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
  handle = dlopen(DROPIN_HOST, RTLD_LAZY | RTLD_LOCAL); /* a BLAS that was named may have no LAPACK */
  return handle ? symbol_of(handle, symbol) : NULL;
}

void tell_bad_argument(const char *name, blas_int position) {
  enum { length = 6 };
  union {
    any_function *any;
    void (*tells)(const char *, const blas_int *, size_t);
  } xerbla = {symbol_of(RTLD_DEFAULT, "xerbla_")};
  if (!xerbla.any) xerbla.any = host_function("xerbla_");
  if (xerbla.any) xerbla.tells(name, &position, length);
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

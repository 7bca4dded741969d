/* blas.c - fills the table of BLAS and LAPACK entry points: from the linker, or from a library loaded by name. */
#define _GNU_SOURCE /* dlmopen */
#include "blas.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* Every entry: its slot in the table, its type, and its name in each precision. */
#define BLAS_ENTRIES(X)                                                                                                \
  X(gemm, gemm_fn, sgemm, dgemm, cgemm, zgemm)                                                                         \
  X(trmm, trxm_fn, strmm, dtrmm, ctrmm, ztrmm)                                                                         \
  X(trsm, trxm_fn, strsm, dtrsm, ctrsm, ztrsm)                                                                         \
  X(syrk[0], syrk_fn, ssyrk, dsyrk, csyrk, zsyrk)                                                                      \
  X(syrk[1], syrk_fn, ssyrk, dsyrk, cherk, zherk)                                                                      \
  X(syr2k[0], syr2k_fn, ssyr2k, dsyr2k, csyr2k, zsyr2k)                                                                \
  X(syr2k[1], syr2k_fn, ssyr2k, dsyr2k, cher2k, zher2k)                                                                \
  X(symm[0], symm_fn, ssymm, dsymm, csymm, zsymm)                                                                      \
  X(symm[1], symm_fn, ssymm, dsymm, chemm, zhemm)
#define LAPACK_ENTRIES(X)                                                                                              \
  X(potrf, factor_fn, spotrf, dpotrf, cpotrf, zpotrf)                                                                  \
  X(lauum, factor_fn, slauum, dlauum, clauum, zlauum)                                                                  \
  X(trtri, trtri_fn, strtri, dtrtri, ctrtri, ztrtri)

#define DECLARE(slot, type, s, d, c, z) extern type s##_, d##_, c##_, z##_;
#define LINK(slot, type, s, d, c, z)                                                                                   \
  table->slot[0] = s##_, table->slot[1] = d##_, table->slot[2] = c##_, table->slot[3] = z##_;
#define LOAD(slot, type, s, d, c, z)                                                                                   \
  if (!missing) missing = find_all(handle, suffix, table->slot, (const char *[4]){#s, #d, #c, #z});

BLAS_ENTRIES(DECLARE)
#if TRIGON_HAVE_LAPACK
LAPACK_ENTRIES(DECLARE)
#endif

/* What only some libraries can tell of themselves. */
typedef struct self_description {
  char *(*openblas_config)(void);
  int (*openblas_threads)(void);
  const char *(*blis_version)(void);
  int64_t (*blis_threads)(void);
} self_description;

extern char *openblas_get_config(void) __attribute__((weak));
extern int openblas_get_num_threads(void) __attribute__((weak));
extern const char *bli_info_get_version_str(void) __attribute__((weak));
extern int64_t bli_thread_get_num_threads(void) __attribute__((weak));

static void describe(blas *table, const char *name, self_description self) {
  char version[160] = "", threads[40] = "";
  if (self.openblas_config) {
    snprintf(version, sizeof version, "%s", self.openblas_config());
    for (size_t end = strlen(version); end > 0 && version[end - 1] == ' '; end--) version[end - 1] = '\0';
  } else if (self.blis_version) {
    snprintf(version, sizeof version, "BLIS %s", self.blis_version());
  } else {
    snprintf(version, sizeof version, "%s", name);
  }
  int64_t count = self.openblas_threads ? self.openblas_threads() : self.blis_threads ? self.blis_threads() : 0;
  if (count > 0) snprintf(threads, sizeof threads, ", %lld thread%s", (long long)count, count > 1 ? "s" : "");
  snprintf(table->described, sizeof table->described, "%s%s, %d-bit integers, %s", version, threads,
           table->wide ? 64 : 32, table->lapack ? "with LAPACK" : "leaf factorizations of our own");
}

trigon_status blas_linked(blas *table) {
  *table = (blas){.int_max = INT32_MAX};
  BLAS_ENTRIES(LINK)
#if TRIGON_HAVE_LAPACK
  LAPACK_ENTRIES(LINK)
  table->lapack = true;
#endif
  describe(table, "the BLAS linked at build time",
           (self_description){openblas_get_config, openblas_get_num_threads, bli_info_get_version_str,
                              bli_thread_get_num_threads});
  return TRIGON_OK;
}

/* Fills the four entries at `slot`, an array of function pointers, with the library's symbols of these names; returns
 * the first that is missing, or NULL. */
static const char *find_all(void *handle, const char *suffix, void *slot, const char *const names[4]) {
  for (int i = 0; i < 4; i++) {
    char symbol[32];
    snprintf(symbol, sizeof symbol, "%s%s", names[i], suffix);
    void *found = dlsym(handle, symbol);
    if (!found) return names[i];
    memcpy((char *)slot + (size_t)i * sizeof found, &found, sizeof found);
  }
  return NULL;
}

/* What builds with 64-bit integers append to a name, or only what Fortran does. One suffix serves all of a library. */
static const char *suffix_of(void *handle, bool wide) { return wide && dlsym(handle, "idamax_64_") ? "_64_" : "_"; }

/* The width of a library's integers, asked of it: idamax_ answers 0 for a stride that is not positive, and 2^32 is 0 to
 * a library that reads 32 bits. With one element nothing but x[0] is ever read. */
static bool reads_64_bits(int32_t (*idamax)(const blas_int *n, const double *x, const blas_int *incx)) {
  const double x = 1;
  blas_int n = {.wide = 1}, stride = {.wide = INT64_C(1) << 32};
  return idamax(&n, &x, &stride) == 1;
}

/* Whether the library is a BLAS with integers of that width. */
static trigon_status check_library(const char *library, void *handle, bool wide, reason *why) {
  char name[32];
  snprintf(name, sizeof name, "idamax%s", suffix_of(handle, wide));
  void *symbol = dlsym(handle, name);
  int32_t (*idamax)(const blas_int *, const double *, const blas_int *);
  memcpy(&idamax, &symbol, sizeof symbol);
  if (symbol && reads_64_bits(idamax) == wide) return TRIGON_OK;
  if (symbol)
    snprintf(why->text, sizeof why->text, "this library has %d-bit integers, its name is \"%s:%.160s\"", wide ? 32 : 64,
             wide ? "cpu" : "cpu64", library);
  else
    snprintf(why->text, sizeof why->text, "this is no BLAS, it has no idamax_: \"%.160s\"", library);
  return TRIGON_NOT_FOUND;
}

/* The libraries that stand in namespaces of their own, by the names that asked for them. This is the library's only
 * global state, and guarded: the loader has 16 namespaces in all and no way to ask which hold what (asking for one that
 * is not in use leaves its lock held), and a library must stay when its context goes, for the threads that it started
 * could not survive an unloading. */
enum { most_libraries = 15, name_size = 1024 };
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
static struct loaded_library {
  char name[name_size];
  void *handle;
} loaded_libraries[most_libraries];

static trigon_status open_locked(const char *library, bool wide, void **handle, reason *why) {
  struct loaded_library *place = loaded_libraries, *end = loaded_libraries + most_libraries;
  while (place < end && place->handle && strcmp(place->name, library) != 0) place++;
  if (place == end || strlen(library) >= name_size) {
    snprintf(why->text, sizeof why->text, "no more than %d libraries can be loaded by name", (int)most_libraries);
    return TRIGON_NOT_FOUND;
  }
  if (place->handle) {
    *handle = place->handle;
    return check_library(library, *handle, wide, why);
  }
  *handle = dlmopen(LM_ID_NEWLM, library, RTLD_NOW | RTLD_LOCAL);
  if (!*handle) {
    snprintf(why->text, sizeof why->text, "cannot load the library: %s", dlerror());
    return TRIGON_NOT_FOUND;
  }
  trigon_status status = check_library(library, *handle, wide, why);
  if (status != TRIGON_OK) {
    dlclose(*handle);
    return status;
  }
  snprintf(place->name, sizeof place->name, "%s", library);
  place->handle = *handle;
  return TRIGON_OK;
}

static trigon_status open_library(const char *library, bool wide, void **handle, reason *why) {
  pthread_mutex_lock(&loading);
  trigon_status status = open_locked(library, wide, handle, why);
  pthread_mutex_unlock(&loading);
  return status;
}

/* Copies the address of a function, by the name that builds with 64-bit integers give it or the plain one; leaves the
 * pointer at `function` NULL where there is none. */
static void look_up(void *handle, const char *wide_name, const char *name, void *function) {
  void *symbol = dlsym(handle, wide_name);
  if (!symbol) symbol = dlsym(handle, name);
  memcpy(function, &symbol, sizeof symbol);
}

static void describe_loaded(blas *table, const char *library, void *handle) {
  self_description self;
  look_up(handle, "openblas_get_config64_", "openblas_get_config", &self.openblas_config);
  look_up(handle, "openblas_get_num_threads64_", "openblas_get_num_threads", &self.openblas_threads);
  look_up(handle, "bli_info_get_version_str", "bli_info_get_version_str", &self.blis_version);
  look_up(handle, "bli_thread_get_num_threads", "bli_thread_get_num_threads", &self.blis_threads);
  describe(table, library, self);
}

trigon_status blas_load(blas *table, const char *library, bool wide, reason *why) {
  *table = (blas){.wide = wide, .int_max = wide ? INT64_MAX : INT32_MAX};
  void *handle;
  trigon_status status = open_library(library, wide, &handle, why);
  if (status != TRIGON_OK) return status;
  const char *missing = NULL, *suffix = suffix_of(handle, wide);
  BLAS_ENTRIES(LOAD)
  if (missing) {
    snprintf(why->text, sizeof why->text, "this BLAS has no %s%s: \"%.160s\"", missing, suffix, library);
    return TRIGON_NOT_FOUND;
  }
  LAPACK_ENTRIES(LOAD)
  table->lapack = !missing;
  describe_loaded(table, library, handle);
  return TRIGON_OK;
}

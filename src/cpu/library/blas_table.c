/* blas_table.c - fills the table of BLAS and LAPACK entry points, from a library loaded by name. */
#include "blas_table.h"
#include "openblas_core.h"
#include "openblas_memory.h"

#include <dlfcn.h>
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

#define LOAD(slot, type, s, d, c, z)                                                                                   \
  if (!missing) missing = find_all(handle, suffix, table->slot, (const char *[4]){#s, #d, #c, #z});

/* Functions by which some libraries describe themselves; NULL if the library lacks the function. */
typedef struct self_description {
  char *(*openblas_config)(void), *(*openblas_core)(void);
  int (*openblas_threads)(void);
  const char *(*blis_version)(void);
  int64_t (*blis_threads)(void);
} self_description;

/* A library that was loaded by name has the name of its file, because several builds may call themselves OpenBLAS. */
static void name_library(blas *table, const char *file) {
  const char *slash = strrchr(file, '/');
  snprintf(table->name, sizeof table->name, "%s", slash ? slash + 1 : file);
}

static void describe(blas *table, const char *file, self_description self) {
  char version[160] = "", threads[40] = "";
  if (self.openblas_config) {
    snprintf(version, sizeof version, "%s", self.openblas_config());
    for (size_t end = strlen(version); end > 0 && version[end - 1] == ' '; end--) version[end - 1] = '\0';
  } else if (self.blis_version) {
    snprintf(version, sizeof version, "BLIS %s", self.blis_version());
  } else {
    snprintf(version, sizeof version, "%s", file);
  }
  name_library(table, file);
  int64_t count = self.openblas_threads ? self.openblas_threads() : self.blis_threads ? self.blis_threads() : 0;
  if (count > 0) snprintf(threads, sizeof threads, ", %lld thread%s", (long long)count, count > 1 ? "s" : "");
  snprintf(table->described, sizeof table->described, "%s%s, %d-bit integers, %s", version, threads,
           table->wide ? 64 : 32, table->lapack ? "with LAPACK" : "leaf factorizations of our own");
  if (self.openblas_config && self.openblas_core)
    table->core = self.openblas_core(), table->config = self.openblas_config();
}

/* Fills `slot`, an array of four function pointers, with the library's symbols of these names. Returns the first name
 * that is missing, or NULL. */
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

/* The suffix of all symbols of a library: Fortran's "_", or the suffix of some builds with 64-bit integers. */
static const char *suffix_of(void *handle, bool wide) { return wide && dlsym(handle, "idamax_64_") ? "_64_" : "_"; }

/* Whether the library reads integers of 64 bits. idamax_ returns 0 if the stride is not positive, and a library that
 * reads 32 bits reads the stride 2^32 as 0. With one element, idamax_ reads x[0] alone. */
static bool reads_64_bits(int32_t (*idamax)(const blas_int *n, const double *x, const blas_int *incx)) {
  const double x = 1;
  blas_int n = {.wide = 1}, stride = {.wide = INT64_C(1) << 32};
  return idamax(&n, &x, &stride) == 1;
}

/* A BLAS with integers of the other width passes and stays loaded: check_width tells the user the right name, and the
 * user will ask for this name. */
static trigon_status check_is_blas(const char *library, void *handle, reason *why) {
  if (dlsym(handle, "idamax_") || dlsym(handle, "idamax_64_")) return TRIGON_OK;
  snprintf(why->text, sizeof why->text, "\"%.160s\" is not a BLAS: this library has no idamax_", library);
  return TRIGON_NOT_FOUND;
}

/* A library whose names all end in _64_ has 64-bit integers. */
static trigon_status check_width(const char *library, void *handle, bool wide, reason *why) {
  char name[32];
  snprintf(name, sizeof name, "idamax%s", suffix_of(handle, wide));
  int32_t (*idamax)(const blas_int *, const double *, const blas_int *);
  if (library_find(handle, name, &idamax) && reads_64_bits(idamax) == wide) return TRIGON_OK;
  snprintf(why->text, sizeof why->text, "this library has %d-bit integers, use \"%s:%.160s\"", wide ? 32 : 64,
           wide ? "cpu" : "cpu64", library);
  return TRIGON_NOT_FOUND;
}

static bool is_among(const void *buffer, void *const *kept, int count) {
  for (int i = 0; i < count; i++)
    if (kept[i] == buffer) return true;
  return false;
}

/* Makes OpenBLAS take one buffer more than those in `kept`: asks for buffers until one is new, then gives all of them
 * back. OpenBLAS keeps the buffers for later calls. A request may need room for a new buffer, because OpenBLAS does not
 * offer the buffers that a call is using. */
static trigon_status take_buffer(const void *blas_table, void **kept, int count, reason *why) {
  const blas *table = blas_table;
  void *held[most_users + 1];
  int got = 0;
  trigon_status status;
  do {
    status = openblas_room(1, 0, why);
    if (status == TRIGON_OK) held[got++] = table->take_buffer(0);
  } while (status == TRIGON_OK && got <= count && is_among(held[got - 1], kept, count));
  if (status == TRIGON_OK) kept[count] = held[got - 1];
  while (got > 0) table->give_buffer(held[--got]);
  return status;
}

/* If the address space is limited, OpenBLAS takes a buffer for each context now. Once the process has filled its
 * address space, OpenBLAS would ask for a buffer for ever. */
static trigon_status start_blas(blas *table, reason *why) {
  if (!table->take_buffer || !table->give_buffer || !address_space_is_limited()) return TRIGON_OK;
  TRY(library_add_user(table->library, take_buffer, table, why));
  table->counted = true;
  return TRIGON_OK;
}

void blas_leave(blas *table) {
  if (table->counted) library_remove_user(table->library);
  table->counted = false;
}

/* Stores the address of a function in the pointer at `function`, or NULL. The function has the name of builds with
 * 64-bit integers, or the plain name. */
static void look_up(void *handle, const char *wide_name, const char *name, void *function) {
  if (!library_find(handle, wide_name, function)) library_find(handle, name, function);
}

static void describe_loaded(blas *table, const char *library, void *handle) {
  self_description self;
  look_up(handle, "openblas_get_config64_", "openblas_get_config", &self.openblas_config);
  look_up(handle, "openblas_get_corename64_", "openblas_get_corename", &self.openblas_core);
  look_up(handle, "openblas_get_num_threads64_", "openblas_get_num_threads", &self.openblas_threads);
  look_up(handle, "bli_info_get_version_str", "bli_info_get_version_str", &self.blis_version);
  look_up(handle, "bli_thread_get_num_threads", "bli_thread_get_num_threads", &self.blis_threads);
  describe(table, library, self);
}

trigon_status blas_load(blas *table, const char *library, bool wide, reason *why) {
  *table = (blas){.wide = wide, .int_max = wide ? INT64_MAX : INT32_MAX};
  TRY(library_load(library, check_is_blas, &table->library, why));
  void *handle = library_handle(table->library);
  TRY(check_width(library, handle, wide, why));
  const char *missing = NULL, *suffix = suffix_of(handle, wide);
  BLAS_ENTRIES(LOAD)
  if (missing) {
    snprintf(why->text, sizeof why->text, "this BLAS has no %s%s: \"%.160s\"", missing, suffix, library);
    return TRIGON_NOT_FOUND;
  }
  LAPACK_ENTRIES(LOAD)
  table->lapack = !missing;
  describe_loaded(table, library, handle);
  look_up(handle, "blas_memory_alloc64_", "blas_memory_alloc", &table->take_buffer);
  look_up(handle, "blas_memory_free64_", "blas_memory_free", &table->give_buffer);
  return start_blas(table, why);
}

trigon_status blas_load_installed(blas *table, reason *why) {
  static const struct {
    const char *name;
    bool wide;
  } usual[] = {
      {"libopenblas64.so.0", true}, {"libopenblas.so.0", false}, {"libblis64.so.4", true}, {"libblis.so.4", false}};
  trigon_status status = TRIGON_NOT_FOUND;
  for (size_t i = 0; i < sizeof usual / sizeof *usual && status != TRIGON_OK; i++) {
    status = blas_load(table, usual[i].name, usual[i].wide, why);
    if (status != TRIGON_OK) blas_leave(table), *table = (blas){0};
  }
  return status;
}

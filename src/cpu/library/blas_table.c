/* blas_table.c - fills the table of BLAS and LAPACK entry points, from a library loaded by name. */
#include "blas_table.h"
#include "core/escape.h"
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
  if (!missing) missing = find_all(handle, style, table->slot, (const char *[4]){#s, #d, #c, #z});

/* Functions by which some libraries describe themselves; NULL if the library lacks the function. */
typedef struct self_description {
  char *(*openblas_config)(void), *(*openblas_core)(void);
  int (*openblas_threads)(void), (*openblas_parallel)(void);
  const char *(*blis_version)(void);
  int64_t (*blis_threads)(void), (*blis_threading)(void);
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
    escape_text(file, version, sizeof version);
  }
  name_library(table, file);
  int64_t count = self.openblas_threads ? self.openblas_threads() : self.blis_threads ? self.blis_threads() : 0;
  if (count > 0) snprintf(threads, sizeof threads, ", %lld thread%s", (long long)count, count > 1 ? "s" : "");
  snprintf(table->described, sizeof table->described, "%s%s, %d-bit integers, %s", version, threads,
           table->wide ? 64 : 32, table->lapack ? "with LAPACK" : "leaf factorizations of our own");
  if (self.openblas_config && self.openblas_core)
    table->core = self.openblas_core(), table->config = self.openblas_config();
}

/* How a library writes the names of its routines: Fortran's dgemm_; dgemm_64_ of some builds with 64-bit integers; and
 * either behind "scipy_" in the OpenBLAS that Python's packages bundle. */
typedef struct naming {
  const char *prefix, *suffix;
} naming;

static const naming namings[] = {{"", "_"}, {"", "_64_"}, {"scipy_", "_"}, {"scipy_", "_64_"}};
enum { naming_count = sizeof namings / sizeof *namings };

static void *find_routine(void *handle, const naming *style, const char *name) {
  char symbol[32];
  snprintf(symbol, sizeof symbol, "%s%s%s", style->prefix, name, style->suffix);
  return dlsym(handle, symbol);
}

/* The naming of the library, or NULL: it is no BLAS. If it has two, the one that integers of this width suggest. */
static const naming *naming_of(void *handle, bool wide) {
  for (int i = 0; i < naming_count; i++) {
    const naming *style = &namings[wide ? i ^ 1 : i];
    if (find_routine(handle, style, "idamax")) return style;
  }
  return NULL;
}

/* Fills `slot`, an array of four function pointers, with the library's routines of these names. Returns the first name
 * that is missing, or NULL. */
static const char *find_all(void *handle, const naming *style, void *slot, const char *const names[4]) {
  for (int i = 0; i < 4; i++) {
    void *found = find_routine(handle, style, names[i]);
    if (!found) return names[i];
    memcpy((char *)slot + (size_t)i * sizeof found, &found, sizeof found);
  }
  return NULL;
}

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
  if (naming_of(handle, false)) return TRIGON_OK;
  snprintf(why->text, sizeof why->text, "\"%.160s\" is not a BLAS: this library has no idamax_", library);
  return TRIGON_NOT_FOUND;
}

static trigon_status check_width(const char *library, void *handle, bool wide, reason *why) {
  int32_t (*idamax)(const blas_int *, const double *, const blas_int *);
  void *found = find_routine(handle, naming_of(handle, wide), "idamax");
  memcpy(&idamax, &found, sizeof found);
  if (reads_64_bits(idamax) == wide) return TRIGON_OK;
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

/* Stores the address of a function in the pointer at `function`, or NULL. Builds with 64-bit integers may write "64_"
 * behind its name. */
static void look_up(void *handle, const naming *style, const char *name, void *function) {
  char symbol[64];
  snprintf(symbol, sizeof symbol, "%s%s64_", style->prefix, name);
  if (library_find(handle, symbol, function)) return;
  snprintf(symbol, sizeof symbol, "%s%s", style->prefix, name);
  if (!library_find(handle, symbol, function)) library_find(handle, name, function);
}

static void describe_loaded(blas *table, const char *library, void *handle, const naming *style) {
  self_description self;
  look_up(handle, style, "openblas_get_config", &self.openblas_config);
  look_up(handle, style, "openblas_get_corename", &self.openblas_core);
  look_up(handle, style, "openblas_get_num_threads", &self.openblas_threads);
  look_up(handle, style, "bli_info_get_version_str", &self.blis_version);
  look_up(handle, style, "bli_thread_get_num_threads", &self.blis_threads);
  look_up(handle, style, "openblas_get_parallel", &self.openblas_parallel);
  look_up(handle, style, "bli_info_get_enable_threading", &self.blis_threading);
  table->serial =
      (self.openblas_parallel && self.openblas_parallel() == 0) || (self.blis_threading && self.blis_threading() == 0);
  describe(table, library, self);
}

trigon_status blas_load(blas *table, const char *library, bool wide, reason *why) {
  *table = (blas){.wide = wide, .int_max = wide ? INT64_MAX : INT32_MAX};
  TRY(library_load(library, check_is_blas, &table->library, why));
  void *handle = library_handle(table->library);
  TRY(check_width(library, handle, wide, why));
  const naming *style = naming_of(handle, wide);
  const char *missing = NULL;
  BLAS_ENTRIES(LOAD)
  if (missing) {
    snprintf(why->text, sizeof why->text, "this BLAS has no %s%s%s: \"%.160s\"", style->prefix, missing, style->suffix,
             library);
    return TRIGON_NOT_FOUND;
  }
  LAPACK_ENTRIES(LOAD)
  table->lapack = !missing;
  describe_loaded(table, library, handle, style);
  look_up(handle, style, "blas_memory_alloc", &table->take_buffer);
  look_up(handle, style, "blas_memory_free", &table->give_buffer);
  return start_blas(table, why);
}

trigon_status blas_load_installed(blas *table, reason *why) {
  static const struct {
    const char *name;
    bool wide;
  } usual[] = {
      {"libopenblas64.so.0", true}, {"libopenblas.so.0", false}, {"libblis64.so.4", true}, {"libblis.so.4", false}};
  const int count = sizeof usual / sizeof *usual;
  trigon_status status = TRIGON_NOT_FOUND;
  int serial = count; /* the first library that has no threads */
  for (int i = 0; i < count; i++) {
    status = blas_load(table, usual[i].name, usual[i].wide, why);
    if (status == TRIGON_OK && !table->serial) return TRIGON_OK;
    if (status == TRIGON_OK && serial == count) serial = i;
    blas_leave(table), *table = (blas){0};
  }
  if (serial == count) return status;
  status = blas_load(table, usual[serial].name, usual[serial].wide, why);
  if (status != TRIGON_OK) blas_leave(table), *table = (blas){0};
  return status;
}

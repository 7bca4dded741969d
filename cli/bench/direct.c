/* direct.c - finds and calls the routines of a BLAS and LAPACK that is loaded into the process.
 *
 * Fortran's interface: all arguments are passed by address, and the lengths of the texts follow the arguments. The
 * library has integers of 32 bits. */
#include "direct.h"
#include "../matrix/element_type.h"
#include "lapack_eigen.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

const char *const native_names[] = {"native", "direct", "trsv"};

/* ------------------------------------------------------------------------------------------------- library -- */

void *direct_open(const char *context, char *why, size_t why_size) {
  static const char narrow[] = "cpu:";
  if (strncmp(context, narrow, strlen(narrow)) != 0) {
    snprintf(why, why_size, "only a BLAS with 32-bit integers can be called directly, not %s", context);
    return NULL;
  }
  void *library = dlopen(context + strlen(narrow), RTLD_NOW | RTLD_LOCAL);
  if (!library) snprintf(why, why_size, "%s", dlerror());
  return library;
}

/* The OpenBLAS that Python's packages bundle has "scipy_" before all names. C does not convert an address of data to a
 * function. */
static bool find_symbol(void *library, const char *symbol, void *function) {
  char bundled[64];
  void *address = dlsym(library, symbol);
  snprintf(bundled, sizeof bundled, "scipy_%s", symbol);
  if (!address) address = dlsym(library, bundled);
  memcpy(function, &address, sizeof address);
  return address != NULL;
}

direct_fn *direct_find(void *library, const char *name, trigon_type type) {
  char symbol[16];
  direct_fn *function;
  snprintf(symbol, sizeof symbol, "%c%s_", (char)type, name);
  find_symbol(library, symbol, &function);
  return function;
}

void direct_set_one_thread(void *library) {
  void (*openblas)(int);
  void (*blis)(int64_t);
  if (find_symbol(library, "openblas_set_num_threads", &openblas)) openblas(1);
  if (find_symbol(library, "bli_thread_set_num_threads", &blis)) blis(1);
}

/* The routine for the row that is being measured. dlsym is too slow for a timed call. */
static direct_fn *found;
static bool find(void *library, const char *name, trigon_type type) {
  found = direct_find(library, name, type);
  return found;
}

/* --------------------------------------------------------------------------------------------------- calls -- */

/* L: a letter of the variant. I: an integer. V: a scalar or an operand that is read. W: an operand that is written. The
 * lengths of the letters stand at the end. */
typedef const char *L;
typedef const int32_t *I;
typedef const void *V;
typedef void *W;
typedef void gemm_fn(L, L, I, I, I, V, V, I, V, I, V, W, I, size_t, size_t);
typedef void trxm_fn(L, L, L, L, I, I, V, V, I, W, I, size_t, size_t, size_t, size_t);
typedef void trsv_fn(L, L, L, I, V, I, W, I, size_t, size_t, size_t);
typedef void rank_k_fn(L, L, I, I, V, V, I, V, W, I, size_t, size_t);
typedef void rank_2k_fn(L, L, I, I, V, V, I, V, I, V, W, I, size_t, size_t);
typedef void symm_fn(L, L, I, I, V, V, I, V, I, V, W, I, size_t, size_t);
typedef void factor_fn(L, I, W, I, W, size_t);
typedef void trtri_fn(L, L, I, W, I, W, size_t, size_t);
typedef void solve_fn(L, I, I, W, I, W, I, W, size_t);

typedef void gemv_fn(L, I, I, V, V, I, V, I, V, W, I, size_t);
typedef void symv_fn(L, I, V, V, I, V, I, V, W, I, size_t);
typedef void trxv_fn(L, L, L, I, V, I, W, I, size_t, size_t, size_t);
typedef void ger_fn(I, I, V, V, I, V, I, W, I);
typedef void syr_fn(L, I, V, V, I, W, I, size_t);
typedef void syr2_fn(L, I, V, V, I, V, I, W, I, size_t);

/* The numbers of a call: rows, columns and leading dimension of each operand, the size k, and 1 in the type. */
typedef struct numbers {
  int32_t rows[MOST_OPERANDS], cols[MOST_OPERANDS], ld[MOST_OPERANDS], k, info;
  V one; /* routines that take a real scalar do not read the imaginary part */
} numbers;

static numbers numbers_of(const problem *p, const trigon_matrix *X) {
  static const float single[] = {1, 0};
  static const double twice[] = {1, 0};
  numbers s = {.k = (int32_t)problem_size(p, 'k'), .one = twice};
  if (p->type == TRIGON_S || p->type == TRIGON_C) s.one = single;
  for (int i = 0; i < MOST_OPERANDS; i++) {
    s.rows[i] = (int32_t)X[i].rows;
    s.cols[i] = (int32_t)X[i].cols;
    s.ld[i] = (int32_t)X[i].ld;
  }
  return s;
}

/* A call with the numbers s, the letters v and the operands X. */
#define CALL(name, ...)                                                                                                \
  static trigon_status name(trigon_context *ctx, const problem *p, const trigon_matrix *X) {                           \
    numbers s = numbers_of(p, X);                                                                                      \
    L v = p->variant;                                                                                                  \
    (void)ctx, (void)v;                                                                                                \
    ((name##_fn *)found)(__VA_ARGS__);                                                                                 \
    return TRIGON_OK;                                                                                                  \
  }
#define INPUT(i) X[i].data, &s.ld[i]
#define OUTPUT(i) X[i].data, &s.ld[i]

CALL(gemm, v, v + 1, &s.rows[2], &s.cols[2], &s.k, s.one, INPUT(0), INPUT(1), s.one, OUTPUT(2), 1, 1)
CALL(trxm, v, v + 1, v + 2, v + 3, &s.rows[1], &s.cols[1], s.one, INPUT(0), OUTPUT(1), 1, 1, 1, 1)
CALL(trsv, v + 1, v + 2, v + 3, &s.rows[1], INPUT(0), X[1].data, &s.cols[1], 1, 1, 1) /* the stride is 1 = cols */
CALL(rank_k, v, v + 1, &s.rows[1], &s.k, s.one, INPUT(0), s.one, OUTPUT(1), 1, 1)
CALL(rank_2k, v, v + 1, &s.rows[2], &s.k, s.one, INPUT(0), INPUT(1), s.one, OUTPUT(2), 1, 1)
CALL(symm, v, v + 1, &s.rows[2], &s.cols[2], s.one, INPUT(0), INPUT(1), s.one, OUTPUT(2), 1, 1)
CALL(factor, v, &s.rows[0], OUTPUT(0), &s.info, 1)
CALL(trtri, v, v + 1, &s.rows[0], OUTPUT(0), &s.info, 1, 1)
/* The increment of a vector is 1, as many as the vector has columns. */
#define VECTOR(i) X[i].data, &s.cols[i]
CALL(gemv, v, &s.rows[0], &s.cols[0], s.one, INPUT(0), VECTOR(1), s.one, VECTOR(2), 1)
CALL(symv, v, &s.rows[0], s.one, INPUT(0), VECTOR(1), s.one, VECTOR(2), 1)
CALL(trxv, v, v + 1, v + 2, &s.rows[0], INPUT(0), VECTOR(1), 1, 1, 1)
CALL(ger, &s.rows[2], &s.cols[2], s.one, VECTOR(0), VECTOR(1), OUTPUT(2))
CALL(syr, v, &s.rows[1], s.one, VECTOR(0), OUTPUT(1), 1)
CALL(syr2, v, &s.rows[2], s.one, VECTOR(0), VECTOR(1), OUTPUT(2), 1)
CALL(solve, v, &s.rows[1], &s.cols[1], INPUT(0), OUTPUT(1), &s.info, 1)

static trigon_status eigen(trigon_context *ctx, const problem *p, const trigon_matrix *X) {
  (void)ctx;
  return lapack_eigen(found, p, X);
}

/* --------------------------------------------------------------------------------------------------- choice -- */

/* The library's names of a routine for complex and for real types. The Hermitian forms of real types are the symmetric
 * forms. */
static const struct direct_routine {
  const char *name, *complex_name, *real_name;
  routine_call *call;
} routines[] = {
    {"gemm", "gemm", "gemm", gemm},       {"trmm", "trmm", "trmm", trxm},      {"trsm", "trsm", "trsm", trxm},
    {"syrk", "syrk", "syrk", rank_k},     {"herk", "herk", "syrk", rank_k},    {"syr2k", "syr2k", "syr2k", rank_2k},
    {"her2k", "her2k", "syr2k", rank_2k}, {"symm", "symm", "symm", symm},      {"hemm", "hemm", "symm", symm},
    {"potrf", "potrf", "potrf", factor},  {"potri", "potri", "potri", factor}, {"lauum", "lauum", "lauum", factor},
    {"trtri", "trtri", "trtri", trtri},   {"potrs", "potrs", "potrs", solve},  {"posv", "posv", "posv", solve},
    {"gemv", "gemv", "gemv", gemv},       {"symv", "symv", "symv", symv},      {"hemv", "hemv", "symv", symv},
    {"trmv", "trmv", "trmv", trxv},       {"trsv", "trsv", "trsv", trxv},      {"ger", "geru", "ger", ger},
    {"syr", "syr", "syr", syr},           {"her", "her", "syr", syr},          {"syr2", "syr2", "syr2", syr2},
    {"her2", "her2", "syr2", syr2},       {"syevd", "heevd", "syevd", eigen},  {"syevdx", "heevr", "syevr", eigen},
    {"sygvd", "hegvd", "sygvd", eigen}};
static const struct direct_routine trsv_routine = {"trsv", "trsv", "trsv", trsv};

static const struct direct_routine *choose(native_kind kind, const problem *p) {
  const struct direct_routine *r = routines;
  if (kind == NATIVE_TRSV) return &trsv_routine;
  while (strcmp(r->name, p->routine->name) != 0) r++;
  return r;
}

static const char *name_of(const struct direct_routine *r, trigon_type type) {
  return type_is_complex(type) ? r->complex_name : r->real_name;
}

const char *direct_name(const problem *p) { return name_of(choose(NATIVE_DIRECT, p), p->type); }

const char *direct_refusal(native_kind kind, const problem *p) {
  if (kind == NATIVE_TRSV &&
      (strcmp(p->routine->name, "trsm") != 0 || p->side != TRIGON_LEFT || problem_size(p, 'n') != 1))
    return "TRSV takes the place of trsm with side L and --n 1 only";
  for (int i = 0; i < SIZES; i++)
    if (p->size[i] > INT32_MAX) return "a size does not fit into 32 bits";
  return NULL;
}

routine_call *direct_call(void *library, native_kind kind, const problem *p) {
  const struct direct_routine *r = choose(kind, p);
  return find(library, name_of(r, p->type), p->type) ? r->call : NULL;
}

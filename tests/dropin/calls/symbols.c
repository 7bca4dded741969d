/* symbols.c - calls the symbols of Fortran and of CBLAS, the drop-in's and the host's. */
#define _GNU_SOURCE /* RTLD_DEFAULT, RTLD_DEEPBIND */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"

const signature signatures[ROUTINES] = {
    [GEMM] = {"gemm", "OPmnkaAxBybCz"},   [TRMM] = {"trmm", "SUODmnaAxBy"},       [TRSM] = {"trsm", "SUODmnaAxBy"},
    [SYRK] = {"syrk", "UOnkaAxbCz"},      [SYR2K] = {"syr2k", "UOnkaAxBybCz"},    [SYMM] = {"symm", "SUmnaAxBybCz"},
    [HERK] = {"herk", "UOnkaAxbCz"},      [HER2K] = {"her2k", "UOnkaAxBybCz"},    [HEMM] = {"hemm", "SUmnaAxBybCz"},
    [GEMMT] = {"gemmt", "UOPnkaAxBybCz"}, [GEMMTR] = {"gemmtr", "UOPnkaAxBybCz"}, [POTRF] = {"potrf", "UnAxi"},
    [POTF2] = {"potf2", "UnAxi"},         [POTRI] = {"potri", "UnAxi"},           [LAUUM] = {"lauum", "UnAxi"},
    [GEMV] = {"gemv", "OmnaAxBybCz"},     [TRMV] = {"trmv", "UODnAxBy"},          [TRSV] = {"trsv", "UODnAxBy"},
    [SYMV] = {"symv", "UnaAxBybCz"},      [HEMV] = {"hemv", "UnaAxBybCz"},        [GER] = {"ger", "mnaAxByCz"},
    [GERU] = {"geru", "mnaAxByCz"},       [GERC] = {"gerc", "mnaAxByCz"},         [SYR] = {"syr", "UnaAxCz"},
    [HER] = {"her", "UnaAxCz"},           [SYR2] = {"syr2", "UnaAxByCz"},         [HER2] = {"her2", "UnaAxByCz"},
    [LAUU2] = {"lauu2", "UnAxi"},         [POTRS] = {"potrs", "UnrAxByi"},        [POSV] = {"posv", "UnrAxByi"},
    [TRTRI] = {"trtri", "UDnAxi"},        [TRTI2] = {"trti2", "UDnAxi"},          [TRTRS] = {"trtrs", "UODnrAxByi"}};

bool has_argument(enum routine routine, char argument) { return strchr(signatures[routine].arguments, argument); }

bool is_lapacke(enum interface interface, enum routine routine) {
  static const bool has[ROUTINES] = {
      [POTRF] = true, [POTRI] = true, [LAUUM] = true, [POTRS] = true, [POSV] = true, [TRTRI] = true, [TRTRS] = true};
  return interface != FORTRAN_CALL && has[routine];
}

bool has_routine(enum interface interface, enum routine routine, number_type type) {
  enum { REAL_TYPES = 1, COMPLEX_TYPES = 2 };
  static const int only[ROUTINES] = {
      [HERK] = COMPLEX_TYPES, [HER2K] = COMPLEX_TYPES, [HEMM] = COMPLEX_TYPES, [GERU] = COMPLEX_TYPES,
      [GERC] = COMPLEX_TYPES, [HEMV] = COMPLEX_TYPES,  [HER] = COMPLEX_TYPES,  [HER2] = COMPLEX_TYPES,
      [GER] = REAL_TYPES,     [SYR2] = REAL_TYPES};
  const bool is_lapack = type.parts == 2 && (routine == SYMV || routine == SYR);
  if (only[routine] && only[routine] != type.parts) return false;
  return interface == FORTRAN_CALL || (routine < CBLAS_ROUTINES && !is_lapack) || is_lapacke(interface, routine);
}

/* ------------------------------------------------------------------------------------------------- Fortran -- */

/* The address of an argument. */
static void *address_of(arguments *x, char argument, void *alpha, void *beta) {
  switch (argument) {
  case 'S': return &x->side;
  case 'U': return &x->uplo;
  case 'O': return &x->op;
  case 'P': return &x->opB;
  case 'D': return &x->diag;
  case 'm': return &x->m;
  case 'n': return &x->n;
  case 'k': return &x->k;
  case 'r': return &x->nrhs;
  case 'a': return alpha;
  case 'b': return beta;
  case 'A': return matrix_data(&x->A);
  case 'B': return matrix_data(&x->B);
  case 'C': return matrix_data(&x->C);
  case 'x': return &x->lda;
  case 'y': return &x->ldb;
  case 'z': return &x->ldc;
  default: return &x->info[1];
  }
}

static void call_fortran(any_function *f, arguments *x) {
  typedef void *p;
  typedef size_t length; /* of a character argument */
  const bool is_single = x->type.real_bytes == 4;
  float single[2][2] = {{(float)x->alpha[0], (float)x->alpha[1]}, {(float)x->beta[0], (float)x->beta[1]}};
  const char *names = signatures[x->routine].arguments;
  const size_t count = strlen(names);
  p a[13] = {NULL};
  for (size_t i = 0; i < count; i++)
    a[i] = address_of(x, names[i], is_single ? (p)single[0] : (p)x->alpha, is_single ? (p)single[1] : (p)x->beta);
  /* A function takes as many lengths as it has flags, and leaves the others. */
  switch (count) {
  case 5: ((void (*)(p, p, p, p, p, length, length, length, length))f)(a[0], a[1], a[2], a[3], a[4], 1, 1, 1, 1); break;
  case 6:
    ((void (*)(p, p, p, p, p, p, length, length, length, length))f)(a[0], a[1], a[2], a[3], a[4], a[5], 1, 1, 1, 1);
    break;
  case 7:
    ((void (*)(p, p, p, p, p, p, p, length, length, length, length))f)(a[0], a[1], a[2], a[3], a[4], a[5], a[6], 1, 1,
                                                                       1, 1);
    break;
  case 8:
    ((void (*)(p, p, p, p, p, p, p, p, length, length, length, length))f)(a[0], a[1], a[2], a[3], a[4], a[5], a[6],
                                                                          a[7], 1, 1, 1, 1);
    break;
  case 9:
    ((void (*)(p, p, p, p, p, p, p, p, p, length, length, length, length))f)(a[0], a[1], a[2], a[3], a[4], a[5], a[6],
                                                                             a[7], a[8], 1, 1, 1, 1);
    break;
  case 10:
    ((void (*)(p, p, p, p, p, p, p, p, p, p, length, length, length, length))f)(a[0], a[1], a[2], a[3], a[4], a[5],
                                                                                a[6], a[7], a[8], a[9], 1, 1, 1, 1);
    break;
  case 11:
    ((void (*)(p, p, p, p, p, p, p, p, p, p, p, length, length, length, length))f)(
        a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], 1, 1, 1, 1);
    break;
  case 12:
    ((void (*)(p, p, p, p, p, p, p, p, p, p, p, p, length, length, length, length))f)(
        a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], 1, 1, 1, 1);
    break;
  default:
    ((void (*)(p, p, p, p, p, p, p, p, p, p, p, p, p, length, length, length, length))f)(
        a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], 1, 1, 1, 1);
  }
}

/* --------------------------------------------------------------------------------------------------- CBLAS -- */

enum { ROW_MAJOR = 101, COL_MAJOR = 102, NO_FLAG = 7 };

/* CBLAS's flags, as letters with their numbers. */
typedef struct c_letter {
  char letter;
  int number;
} c_letter;
static const c_letter ops[] = {{'n', 111}, {'t', 112}, {'c', 113}, {'r', 114}, {0, NO_FLAG}},
                      uplos[] = {{'u', 121}, {'l', 122}, {0, NO_FLAG}},
                      diags[] = {{'n', 131}, {'u', 132}, {0, NO_FLAG}},
                      sides[] = {{'l', 141}, {'r', 142}, {0, NO_FLAG}};

static int c_flag(const c_letter *flags, char letter) {
  while (flags->letter && flags->letter != (letter | 0x20)) flags++;
  return flags->number;
}

static int layout_of(const arguments *x) {
  return x->unknown_layout ? x->unknown_layout : x->interface == ROWS ? ROW_MAJOR : COL_MAJOR;
}

typedef any_function *symbol_table[ROUTINES];

#define JOINED(a, b, c) a##b##c
#define JOIN(a, b, c) JOINED(a, b, c)

#define LETTER s
#define REAL float
#define COMPLEX 0
#include "symbols.inc"
#define LETTER d
#define REAL double
#define COMPLEX 0
#include "symbols.inc"
#define LETTER c
#define REAL float
#define COMPLEX 1
#include "symbols.inc"
#define LETTER z
#define REAL double
#define COMPLEX 1
#include "symbols.inc"

/* LAPACKE returns info. The host's LAPACKE has integers of 32 bits. It takes those of 64 bits, because arguments lie in
 * registers and places of 64 bits. */
static void call_lapacke(any_function *f, arguments *x) {
  typedef blas_int i;
  typedef void *p;
  const int layout = layout_of(x);
  const p A = matrix_data(&x->A), B = matrix_data(&x->B);
  i info;
  switch (x->routine) {
  case TRTRI: info = ((i(*)(int, char, char, i, p, i))f)(layout, x->uplo, x->diag, x->n, A, x->lda); break;
  case TRTRS:
    info = ((i(*)(int, char, char, char, i, i, p, i, p, i))f)(layout, x->uplo, x->op, x->diag, x->n, x->nrhs, A, x->lda,
                                                              B, x->ldb);
    break;
  case POTRS:
  case POSV: info = ((i(*)(int, char, i, i, p, i, p, i))f)(layout, x->uplo, x->n, x->nrhs, A, x->lda, B, x->ldb); break;
  default: info = ((i(*)(int, char, i, p, i))f)(layout, x->uplo, x->n, A, x->lda);
  }
  x->info[1] = f == our_symbol(x) ? info : (int32_t)info;
}

void call_symbol(any_function *f, arguments *x) {
  if (x->interface == FORTRAN_CALL) {
    call_fortran(f, x);
    return;
  }
  if (is_lapacke(x->interface, x->routine)) {
    call_lapacke(f, x);
    return;
  }
  switch (x->type.letter) {
  case 's': s_call_cblas(f, x); break;
  case 'd': d_call_cblas(f, x); break;
  case 'c': c_call_cblas(f, x); break;
  default: z_call_cblas(f, x);
  }
}

/* --------------------------------------------------------------------------------------------------- names -- */

static any_function *symbol_in(void *handle, const char *name) {
  const union {
    void *data;
    any_function *function;
  } found = {dlsym(handle, name)};
  return found.function;
}

any_function *our_symbol(const arguments *x) {
  const bool is_fortran = x->interface == FORTRAN_CALL;
  if (is_lapacke(x->interface, x->routine)) return symbol_in(RTLD_DEFAULT, symbol_name(x));
  switch (x->type.letter) {
  case 's': return is_fortran ? s_fortran[x->routine] : s_cblas[x->routine];
  case 'd': return is_fortran ? d_fortran[x->routine] : d_cblas[x->routine];
  case 'c': return is_fortran ? c_fortran[x->routine] : c_cblas[x->routine];
  default: return is_fortran ? z_fortran[x->routine] : z_cblas[x->routine];
  }
}

const char *symbol_name(const arguments *x) {
  static char name[32];
  const bool is_of_lapacke = is_lapacke(x->interface, x->routine), is_fortran = x->interface == FORTRAN_CALL;
  snprintf(name, sizeof name, "%s%c%s%s",
           is_of_lapacke ? "LAPACKE_"
           : is_fortran  ? ""
                         : "cblas_",
           x->type.letter, signatures[x->routine].name,
           is_fortran                    ? "_"
           : is_of_lapacke && x->is_work ? "_work"
                                         : "");
  return name;
}

#ifdef DROPIN_INT64
#define HOST "libopenblas64.so.0"
#else
#define HOST "libopenblas.so.0"
#endif

any_function *host_function(const char *name) {
  static void *handle;
  if (!handle) handle = dlopen(HOST, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    printf("FAILED: %s\n", dlerror());
    exit(1);
  }
  return symbol_in(handle, name);
}

/* Debian has LAPACKE for integers of 32 bits alone. Beside a drop-in for 64 bits, it must find its own LAPACK. */
#ifdef DROPIN_INT64
enum { LAPACKE_MODE = RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND };
#else
enum { LAPACKE_MODE = RTLD_NOW | RTLD_LOCAL };
#endif

any_function *lapacke_function(const char *name) {
  static void *handle;
  static bool is_known;
#if !defined DROPIN_INT64 || !defined __SANITIZE_ADDRESS__ /* the sanitizer does not support RTLD_DEEPBIND */
  if (!is_known) handle = dlopen("liblapacke.so.3", LAPACKE_MODE);
#endif
  if (!is_known && !handle) printf("skipped: there is no LAPACKE to compare with\n");
  is_known = true;
  return handle ? symbol_in(handle, name) : NULL;
}

any_function *host_symbol(const arguments *x) {
  return is_lapacke(x->interface, x->routine) ? lapacke_function(symbol_name(x)) : host_function(symbol_name(x));
}

bool host_tells(const arguments *x) {
#ifdef DROPIN_INT64
  if (is_lapacke(x->interface, x->routine)) return false;
#endif
  return host_symbol(x);
}

const char *describe(const arguments *x) {
  static char text[400];
  static const char *const interfaces[] = {"Fortran", "by columns", "by rows"};
  snprintf(text, sizeof text,
           "%s (%s): side %c, uplo %c, op %c, opB %c, diag %c, m %lld, n %lld, k %lld, nrhs %lld, lda %lld, ldb %lld, "
           "ldc %lld, alpha %g + %gi, beta %g + %gi",
           symbol_name(x), interfaces[x->interface], x->side, x->uplo, x->op, x->opB, x->diag, (long long)x->m,
           (long long)x->n, (long long)x->k, (long long)x->nrhs, (long long)x->lda, (long long)x->ldb,
           (long long)x->ldc, x->alpha[0], x->alpha[1], x->beta[0], x->beta[1]);
  return text;
}

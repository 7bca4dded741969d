/* calls.h - one call of BLAS or LAPACK as data: Fortran's and C's symbols take it, the drop-in's and the host's. */
#ifndef TRIGON_TESTS_DROPIN_CALLS_H
#define TRIGON_TESTS_DROPIN_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "matrices.h"

#ifdef DROPIN_INT64
typedef int64_t blas_int;
#else
typedef int32_t blas_int;
#endif

/* A function of any type. */
typedef void any_function(void);

enum routine {
  GEMM,
  TRMM,
  TRSM,
  SYRK,
  SYR2K,
  SYMM,
  HERK,
  HER2K,
  HEMM,
  GEMV,
  TRMV,
  TRSV,
  SYMV,
  HEMV,
  GER,
  GERU,
  GERC,
  SYR,
  HER,
  SYR2,
  HER2, /* with vectors */
  GEMMT,
  GEMMTR, /* products */
  POTRF,
  POTF2,
  POTRI,
  LAUUM,
  LAUU2,
  POTRS,
  POSV,
  TRTRI,
  TRTI2,
  TRTRS, /* LAPACK */
  ROUTINES,
  CBLAS_ROUTINES = GEMMT, /* CBLAS has the routines before it */
};

/* How a routine is called. LAPACK's routines by columns and rows are LAPACKE's. */
enum interface { FORTRAN_CALL, COLUMNS, ROWS, INTERFACES };

/* The name of a routine, and its arguments in Fortran's order:
 *   S U O P D   side, uplo, op of A, op of B, diag
 *   m n k r     sizes; r is the number of right-hand sides
 *   A B C       matrices or vectors; x y z are their leading dimensions or increments
 *   a b         alpha and beta
 *   i           info */
typedef struct signature {
  const char *name, *arguments;
} signature;
extern const signature signatures[ROUTINES];

bool has_argument(enum routine routine, char argument);
/* Whether the type has the routine. */
bool has_routine(enum interface interface, enum routine routine, number_type type);
/* Whether the call is one of LAPACKE. */
bool is_lapacke(enum interface interface, enum routine routine);

enum { INFO_BEFORE = 77, LAYOUT_UNKNOWN = 7 };

typedef struct arguments {
  enum routine routine;
  enum interface interface;
  number_type type;
  char side, uplo, op, opB, diag;
  blas_int m, n, k, nrhs, lda, ldb, ldc;
  double alpha[2], beta[2];
  matrix A, B, C;
  blas_int info[3];   /* a guard, info, a guard */
  int unknown_layout; /* if not 0: CBLAS gets it as the layout */
  bool is_work;       /* LAPACKE's function with _work */
} arguments;

/* Calls a symbol with these arguments. */
void call_symbol(any_function *f, arguments *x);

/* The symbols: the drop-in's, as the linker found it, and the host's, or NULL. */
any_function *our_symbol(const arguments *x);
any_function *host_symbol(const arguments *x);
any_function *host_function(const char *name);
any_function *lapacke_function(const char *name);
/* Whether the host tells the program's xerbla. */
bool host_tells(const arguments *x);
/* Calls the host with capital letters. Where it lacks GEMMT, its GEMM computes both triangles. */
void call_host(arguments *x);
/* The name of the symbol. */
const char *symbol_name(const arguments *x);
/* A text with the name and all arguments. */
const char *describe(const arguments *x);

/* What xerbla_ was told last. */
typedef struct complaint {
  int count;
  int64_t position;
  char name[32];
} complaint;
extern complaint last_complaint;

/* Counts a check. A failed one is printed with the call. */
void check_call(bool held, const arguments *x, const char *what);

/* The same for a check that belongs to no call. */
void check_result(bool held, const char *what);

/* Gives the call matrices of its shape. `failing` >= 0: the factorization, or the triangle, fails in this column. */
void make_matrices(arguments *x, int64_t failing);
void free_matrices(arguments *x);
arguments copy_call(const arguments *x);
/* Sets the leading dimensions: one that is as small as it can be, or larger by 1, 2 or 5. Increments are 1, 2, -1 or
 * -3. */
void choose_leading(arguments *x);
/* How far the drop-in and the host may differ. */
double tolerance(const arguments *x);

/* for_each_call makes one call of so many. */
extern int sample;
/* Calls f on every choice of flags and of the sizes, with leading dimensions and matrices of its own. */
void for_each_call(arguments *x, const blas_int *sizes, int count, void (*f)(arguments *x));

void test_lapack(number_type type);
void test_nan(number_type type);
/* Must come before all calls of LAPACKE. */
void test_environment(void);
void test_refused(number_type type);
void test_eigen(void);
void test_eigen_parts(void);

#endif

/* names.h - the names of the symbols: dpotrf_ of Fortran, cblas_dgemm of C. A library for wheels has a prefix, as in
 * scipy_dpotrf_, and one with 64-bit integers may have a suffix, as in dpotrf_64_. */
#ifndef TRIGON_DROPIN_NAMES_H
#define TRIGON_DROPIN_NAMES_H

#include <stdint.h>

/* The integers of the interface. */
#ifdef DROPIN_INT64
typedef int64_t blas_int;
#else
typedef int32_t blas_int;
#endif

/* DROPIN_WHEEL: the library has the names of wheels alone, and loads no host. */
#ifndef DROPIN_PREFIX
#define DROPIN_PREFIX
#endif
#ifndef DROPIN_SUFFIX
#define DROPIN_SUFFIX
#endif
#if defined DROPIN_INT64 && !defined DROPIN_WHEEL
#define DROPIN_SUFFIXES /* symbols have further names, with suffixes */
#endif

#define JOINED(a, b, c, d, e) a##b##c##d##e
#define JOIN(a, b, c, d, e) JOINED(a, b, c, d, e)
#define QUOTED(x) #x
#define QUOTE(x) QUOTED(x)

/* Symbols of a type's letter and a routine. */
#define FORTRAN(letter, routine) JOIN(DROPIN_PREFIX, letter, routine, _, DROPIN_SUFFIX)
#define CBLAS(letter, routine) JOIN(DROPIN_PREFIX, cblas_, letter, routine, DROPIN_SUFFIX)
#define LAPACKE(letter, routine) JOIN(DROPIN_PREFIX, LAPACKE_, letter, routine, DROPIN_SUFFIX)
#define LAPACKE_WORK(letter, routine) JOIN(JOIN(DROPIN_PREFIX, LAPACKE_, letter, routine, _work), DROPIN_SUFFIX, , , )

/* Programs declare the symbols themselves. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#define EXPORTED __attribute__((visibility("default")))

#endif

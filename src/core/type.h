/* type.h - the four element types: their sizes, their order in tables, their scalars. */
#ifndef TRIGON_TYPE_H
#define TRIGON_TYPE_H

#include <stdbool.h>
#include <trigon.h>

enum { TYPES = 4 };

static inline bool type_is_valid(trigon_type t) {
  return t == TRIGON_S || t == TRIGON_D || t == TRIGON_C || t == TRIGON_Z;
}

static inline bool type_is_complex(trigon_type t) { return t == TRIGON_C || t == TRIGON_Z; }
static inline bool type_is_single(trigon_type t) { return t == TRIGON_S || t == TRIGON_C; }

/* The type of the real numbers in the same precision. */
static inline trigon_type real_type_of(trigon_type t) { return type_is_single(t) ? TRIGON_S : TRIGON_D; }

/* The index of a type in tables, which have the order s, d, c, z. */
static inline int type_index(trigon_type t) { return 2 * type_is_complex(t) + !type_is_single(t); }

static const trigon_type types_in_order[TYPES] = {TRIGON_S, TRIGON_D, TRIGON_C, TRIGON_Z};

/* Bytes of an element. */
static inline int64_t type_size(trigon_type t) { return (type_is_single(t) ? 4 : 8) * (type_is_complex(t) ? 2 : 1); }

/* ------------------------------------------------------------------------------------------------ scalars -- */

static const trigon_scalar zero = {0, 0}, one = {1, 0}, minus_one = {-1, 0};

static inline bool is_zero(trigon_scalar a) { return a.re == 0 && a.im == 0; }
static inline bool is_one(trigon_scalar a) { return a.re == 1 && a.im == 0; }
static inline trigon_scalar conjugate(trigon_scalar a) { return (trigon_scalar){a.re, -a.im}; }

/* `volatile`, because GCC 12 leaves out the conversion of two numbers to float and back if it makes one vector of
 * them. */
static inline double rounded_to_single(double x) {
  volatile float f = (float)x;
  return (double)f;
}

/* The scalar, rounded to the precision of a type. A scalar that underflows becomes zero. */
static inline trigon_scalar rounded(trigon_scalar a, trigon_type t) {
  return type_is_single(t) ? (trigon_scalar){rounded_to_single(a.re), rounded_to_single(a.im)} : a;
}

#endif

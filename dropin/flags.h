/* flags.h - BLAS's letters as flags. A letter that is no flag becomes 0, which Trigon refuses: then the host says which
 * argument is bad. */
#ifndef TRIGON_DROPIN_FLAGS_H
#define TRIGON_DROPIN_FLAGS_H

#include <stdbool.h>

#include <trigon.h>

/* A letter in small or large form. */
static inline char letter(const char *flag) { return (char)(*flag | 0x20); }

static inline trigon_op op_of(const char *flag) {
  switch (letter(flag)) {
  case 'n': return TRIGON_NOTRANS;
  case 't': return TRIGON_TRANS;
  case 'c': return TRIGON_CONJTRANS;
  default: return 0;
  }
}

static inline trigon_uplo uplo_of(const char *flag) {
  const char c = letter(flag);
  return c == 'l' ? TRIGON_LOWER : c == 'u' ? TRIGON_UPPER : 0;
}

static inline trigon_side side_of(const char *flag) {
  const char c = letter(flag);
  return c == 'l' ? TRIGON_LEFT : c == 'r' ? TRIGON_RIGHT : 0;
}

static inline trigon_diag diag_of(const char *flag) {
  const char c = letter(flag);
  return c == 'n' ? TRIGON_NONUNIT : c == 'u' ? TRIGON_UNIT : 0;
}

/* The flags of the transposed problem. What is no flag stays none. */
static inline trigon_uplo other_uplo(trigon_uplo u) {
  return u == TRIGON_LOWER ? TRIGON_UPPER : u == TRIGON_UPPER ? TRIGON_LOWER : u;
}
static inline trigon_side other_side(trigon_side s) {
  return s == TRIGON_LEFT ? TRIGON_RIGHT : s == TRIGON_RIGHT ? TRIGON_LEFT : s;
}
/* For SYRK and SYR2K (`adjoint` TRANS) and for HERK and HER2K (CONJTRANS). Complex types do not have the other one;
 * real types take it for the same. */
static inline trigon_op other_op(trigon_op op, trigon_op adjoint, bool is_complex) {
  if (op == TRIGON_NOTRANS) return adjoint;
  const bool is_other = !is_complex && (op == TRIGON_TRANS || op == TRIGON_CONJTRANS);
  return op == adjoint || is_other ? TRIGON_NOTRANS : 0;
}

#endif

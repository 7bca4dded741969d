/* by_type.h - calls of functions whose names and scalars depend on the type. */
#ifndef TRIGON_CLI_BENCH_BY_TYPE_H
#define TRIGON_CLI_BENCH_BY_TYPE_H

#include <trigon.h>

/* Returns what call(LETTER, ONE) gives: the letter of the type, and 1 as the type's scalar. `call` is a macro. */
#define RETURN_BY_TYPE(type, call)                                                                                     \
  switch (type) {                                                                                                      \
  case TRIGON_S: return call(s, 1);                                                                                    \
  case TRIGON_D: return call(d, 1);                                                                                    \
  case TRIGON_C: return call(c, ((trigon_scalar){1, 0}));                                                              \
  default: return call(z, ((trigon_scalar){1, 0}));                                                                    \
  }

#endif

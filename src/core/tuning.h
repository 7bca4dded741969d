/* tuning.h - the form of a tuning table: up to which order a routine is one leaf, and which variant of it runs. */
#ifndef TRIGON_TUNING_H
#define TRIGON_TUNING_H

#include "routine.h"

/* The ways in which a leaf can be computed. */
typedef enum variant {
  VARIANT_VENDOR, /* the vendor's routine: BLAS, LAPACK, cuBLAS, cuSOLVER */
  VARIANT_STEP,   /* our own leaf: takes any order, needs only the leaf buffer, runs if another variant cannot */
  VARIANT_PACKED  /* CPU: register kernels of our own over packed operands */
} variant;

/* Entries for the types s, d, c, z. The recursion cuts an operation above the order `stop`. A stop of 0 means: never
 * cut. */
typedef struct tuning_row {
  int64_t stop[TYPES];
  variant leaf[TYPES];
} tuning_row;

typedef struct tuning {
  tuning_row row[ROUTINES];
} tuning;

/* The same stop and variant for all types. */
#define ALL_TYPES(order, variant)                                                                                      \
  {                                                                                                                    \
    .stop = {order, order, order, order}, .leaf = { variant, variant, variant, variant }                               \
  }

#endif

/* tuning.h - which variant of a leaf runs, and at which order the recursion stops: one table for each kind of machine. */
#ifndef TRIGON_TUNING_H
#define TRIGON_TUNING_H

#include "routine.h"

/* The ways in which a leaf can be computed. */
typedef enum variant {
  VARIANT_VENDOR, /* the vendor's routine: BLAS, LAPACK, cuBLAS, cuSOLVER */
  VARIANT_STEP    /* our own, of any order in no more than the leaf buffer; what runs if another variant cannot */
} variant;

/* For the types s, d, c, z. A stop of 0: nothing is cut. */
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

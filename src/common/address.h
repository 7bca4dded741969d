/* address.h - turns a view into an address, for engines whose `base` is an address in memory. */
#ifndef TRIGON_ADDRESS_H
#define TRIGON_ADDRESS_H

#include "core/view.h"

/* The address of the view's first rectangle. */
static inline void *address_of(view A) {
  return (char *)A.base + type_size(A.type) * (A.row * increment_of(A) + A.col * A.ld);
}

/* The distance in elements from the begin of a rectangle to the begin of the next. */
static inline int64_t batch_stride_of(view A) { return A.row_step * increment_of(A) + A.col_step * A.ld; }

#endif

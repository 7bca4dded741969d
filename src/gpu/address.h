/* address.h - turns a view into an address in device memory. Nothing else does. */
#ifndef TRIGON_GPU_ADDRESS_H
#define TRIGON_GPU_ADDRESS_H

#include "../core/view.h"

/* The address of the view's first rectangle. */
static inline void *gpu_address(view A) { return (char *)A.base + type_size(A.type) * (A.row + A.col * A.ld); }

/* The distance in elements from the begin of a rectangle to the begin of the next. */
static inline int64_t gpu_batch_stride(view A) { return A.row_step + A.col_step * A.ld; }

#endif

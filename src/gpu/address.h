/* address.h - the one place where a view becomes an address in device memory. */
#ifndef TRIGON_GPU_ADDRESS_H
#define TRIGON_GPU_ADDRESS_H

#include "../core/view.h"

/* Where the view's first rectangle begins. */
static inline void *gpu_address(view A) { return (char *)A.base + type_size(A.type) * (A.row + A.col * A.ld); }

/* How many elements lie between the begins of two neighbouring rectangles. */
static inline int64_t gpu_batch_stride(view A) { return A.row_step + A.col_step * A.ld; }

#endif

/* host_storage.c - memory and copies of the CPU's machine: all operands are in host memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/fold.h"
#include "cpu.h"
#include "kernels/unblocked.h"

enum { alignment = 256 };

/* aligned_alloc takes only multiples of the alignment. */
trigon_status host_alloc(machine *m, int64_t bytes, void **data) {
  if (bytes <= PTRDIFF_MAX - alignment)
    *data = aligned_alloc(alignment, ((size_t)bytes + alignment - 1) / alignment * alignment);
  if (*data) return TRIGON_OK;
  snprintf(m->why->text, sizeof m->why->text, "out of memory: %lld bytes", (long long)bytes);
  return TRIGON_NO_MEMORY;
}

trigon_status host_release(machine *m, void *data) {
  (void)m;
  free(data);
  return TRIGON_OK;
}

trigon_status host_copy_triangle(machine *m, const triangle_move *t) {
  (void)m;
  const triangle_copy folded = fold_triangle_copy(t->uplo, t->op, t->other, t->from, t->to);
  unblocked_for(t->to.type)->copy_triangle(&folded);
  return TRIGON_OK;
}

trigon_status host_copy(machine *m, view from, view to) {
  (void)m;
  const size_t element = (size_t)type_size(from.type);
  for (int64_t j = 0; j < from.n; j++)
    memcpy((char *)to.base + (size_t)(j * to.ld) * element, (const char *)from.base + (size_t)(j * from.ld) * element,
           (size_t)from.m * element);
  return TRIGON_OK;
}

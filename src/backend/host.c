/* host.c - where the CPU's operands live: host memory, which needs no transfers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends.h"

enum { alignment = 256 };

static size_t element_size(trigon_type type) {
  size_t real = type == TRIGON_S || type == TRIGON_C ? sizeof(float) : sizeof(double);
  return type == TRIGON_C || type == TRIGON_Z ? 2 * real : real;
}

/* aligned_alloc wants whole multiples of the alignment. */
static trigon_status host_alloc(backend *b, int64_t bytes, void **data) {
  if (bytes <= PTRDIFF_MAX - alignment)
    *data = aligned_alloc(alignment, ((size_t)bytes + alignment - 1) / alignment * alignment);
  if (*data) return TRIGON_OK;
  snprintf(b->why->text, sizeof b->why->text, "out of memory: %lld bytes", (long long)bytes);
  return TRIGON_NO_MEMORY;
}

static trigon_status host_release(backend *b, void *data) {
  (void)b;
  free(data);
  return TRIGON_OK;
}

static trigon_status host_copy(backend *b, view from, view to) {
  (void)b;
  const size_t element = element_size(from.type);
  for (int64_t j = 0; j < from.n; j++)
    memcpy((char *)to.base + (size_t)(j * to.ld) * element, (const char *)from.base + (size_t)(j * from.ld) * element,
           (size_t)from.m * element);
  return TRIGON_OK;
}

/* Nothing is taken beyond the operands, so that there is nothing to cap or to reserve. */
const storage_ops host_storage = {
    .on_host = true,
    .alloc = host_alloc,
    .release = host_release,
    .upload = host_copy,
    .download = host_copy,
    .copy = host_copy,
    .memory = cpu_memory,
};

/* pinned.c - host memory that simulated devices read by themselves: a copy from it reads when the copy runs. */
#include "sim_machine.h"

#include <stdlib.h>
#include <string.h>

/* Returns the place in the list of the range that begins at p. */
static host_range **find(const void *p) {
  host_range **link = &sim.pinned;
  while (*link && (*link)->data != p) link = &(*link)->next;
  return link;
}

bool sim_is_pinned(const void *p) {
  for (const host_range *r = sim.pinned; r; r = r->next)
    if ((uintptr_t)p - (uintptr_t)r->data < r->size) return true;
  return false;
}

int simPointerPinned(const void *p) {
  HOLD;
  return sim_is_pinned(p);
}

static simError_t add(const void *data, size_t size) {
  host_range *r = malloc(sizeof *r);
  if (!r) return simErrorMemoryAllocation;
  *r = (host_range){sim.pinned, data, size};
  sim.pinned = r;
  return simSuccess;
}

static void drop(host_range **link) {
  host_range *r = *link;
  *link = r->next;
  free(r);
}

/* Whether a part of these bytes is pinned already. */
static bool overlaps(const void *p, size_t size) {
  for (const host_range *r = sim.pinned; r; r = r->next)
    if ((uintptr_t)p - (uintptr_t)r->data < r->size || (uintptr_t)r->data - (uintptr_t)p < size) return true;
  return false;
}

simError_t simHostRegister(void *data, size_t size, unsigned flags) {
  HOLD;
  if (!data || size == 0 || flags > simHostRegisterPortable) return sim_report(simErrorInvalidValue);
  if (overlaps(data, size)) return sim_report(simErrorHostMemoryAlreadyRegistered);
  const simError_t error = sim_attempt(sim_current(), PIN);
  return sim_report(error ? error : add(data, size));
}

simError_t simHostUnregister(void *data) {
  HOLD;
  host_range **link = find(data);
  if (!*link) return sim_report(simErrorHostMemoryNotRegistered);
  drop(link);
  return simSuccess;
}

simError_t simHostAlloc(void **data, size_t size, unsigned flags) {
  HOLD;
  if (!data || flags > simHostAllocPortable) return sim_report(simErrorInvalidValue);
  simError_t error = sim_attempt(sim_current(), PIN);
  const size_t bytes = (size + sim_alignment - 1) / sim_alignment * sim_alignment;
  void *memory = error || bytes < size ? NULL : aligned_alloc(sim_alignment, bytes);
  if (!memory) return sim_report(error ? error : simErrorMemoryAllocation);
  memset(memory, sim_unwritten, bytes);
  error = add(memory, size);
  if (error)
    free(memory);
  else
    *data = memory;
  return sim_report(error);
}

/* The work that may use the memory runs first. */
simError_t simFreeHost(void *data) {
  HOLD;
  if (!data) return simSuccess;
  host_range **link = find(data);
  if (!*link) return sim_report(simErrorInvalidValue);
  for (int d = 0; d < sim_devices; d++) sim_finish(&sim.device[d]);
  drop(link);
  free(data);
  return simSuccess;
}

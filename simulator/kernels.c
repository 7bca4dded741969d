/* kernels.c - the kernels that were loaded onto a device. */
#include "sim_machine.h"

#include <stdlib.h>
#include <string.h>

/* The index of the kernel in the order of addresses, or where it would be. */
static int index_of(const sim_device *d, const void *kernel) {
  int first = 0, end = d->loaded_count;
  while (first < end) {
    const int middle = first + (end - first) / 2;
    if ((uintptr_t)d->loaded[middle].kernel < (uintptr_t)kernel)
      first = middle + 1;
    else
      end = middle;
  }
  return first;
}

const loaded_kernel *sim_loaded(const sim_device *d, const void *kernel) {
  const int at = index_of(d, kernel);
  return at < d->loaded_count && d->loaded[at].kernel == kernel ? &d->loaded[at] : NULL;
}

static bool grow(sim_device *d) {
  enum { least = 64 };
  if (d->loaded_count < d->loaded_room) return true;
  const int room = d->loaded_room ? 2 * d->loaded_room : least;
  loaded_kernel *more = realloc(d->loaded, (size_t)room * sizeof *more);
  if (more) d->loaded = more, d->loaded_room = room;
  return more != NULL;
}

simError_t simLoad(const void *kernel, size_t shared) {
  HOLD;
  sim_device *d = sim_current();
  simError_t error = sim_attempt_query(d);
  if (error == simSuccess && shared > sim_most_shared) error = simErrorInvalidValue;
  if (error != simSuccess) return sim_report(error);
  const int at = index_of(d, kernel);
  if (!sim_loaded(d, kernel)) {
    if (!grow(d)) return sim_report(simErrorMemoryAllocation);
    memmove(&d->loaded[at + 1], &d->loaded[at], (size_t)(d->loaded_count - at) * sizeof *d->loaded);
    d->loaded_count++;
  }
  d->loaded[at] = (loaded_kernel){kernel, shared};
  return simSuccess;
}

void sim_unload(sim_device *d) {
  free(d->loaded);
  d->loaded = NULL;
  d->loaded_count = d->loaded_room = 0;
}

bool sim_is_loaded(int device, const void *kernel) {
  HOLD;
  return sim_is_device(device) && sim_loaded(&sim.device[device], kernel);
}

/* memory.c - the memory of simulated devices. Each device reserves addresses for an arena. The arena grows from its
 * begin, by whole pages. Bytes of the arena that are in no allocation hold sim_unwritten. The host can access the arena
 * only between sim_open and sim_close. */
#define _GNU_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE */
#include "sim_machine.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#if SIM_ASAN
#include <sanitizer/asan_interface.h>
#define POISON(p, size) __asan_poison_memory_region(p, size)
#define UNPOISON(p, size) __asan_unpoison_memory_region(p, size)
#else
#define POISON(p, size) ((void)(p), (void)(size))
#define UNPOISON(p, size) ((void)(p), (void)(size))
#endif

static const size_t arena_size = (size_t)64 << 30; /* twice the largest `memory`: gaps take room, too */
static const size_t page = (size_t)2 << 20;        /* the protection of huge pages changes quickly */
/* The least distance before, between and behind allocations. A kernel that runs over an end by a column of 511 doubles
 * writes into a gap, where the write is found, and not into another allocation. */
static const size_t gap = 4096;

static size_t round_up(size_t size, size_t multiple) { return (size + multiple - 1) / multiple * multiple; }

bool sim_in_arena(const void *p) {
  for (int d = 0; d < sim_devices; d++) {
    size_t offset = (uintptr_t)p - (uintptr_t)sim.device[d].arena;
    if (sim.device[d].arena && offset < arena_size) return true;
  }
  return false;
}

sim_device *sim_owner(const void *p, size_t size) {
  for (int d = 0; d < sim_devices; d++)
    for (allocation *a = sim.device[d].allocations; a; a = a->next) {
      size_t offset = (uintptr_t)p - (uintptr_t)a->data;
      if (offset < a->size && size <= a->size - offset) return &sim.device[d];
    }
  return NULL;
}

int simPointerDevice(const void *p) {
  HOLD;
  sim_device *d = sim_owner(p, 1);
  return d ? (int)(d - sim.device) : -1;
}

bool simIsOneAllocation(const void *p, size_t size) {
  HOLD;
  return sim_owner(p, size) != NULL;
}

void sim_open(sim_device *d) {
  if (d && d->open++ == 0) mprotect(d->arena, d->used, PROT_READ | PROT_WRITE);
}

void sim_close(sim_device *d) {
  if (d && --d->open == 0) mprotect(d->arena, d->used, PROT_NONE);
}

bool sim_unwritten_bytes(const unsigned char *p, size_t size) {
  unsigned char all = sim_unwritten;
  for (size_t i = 0; i < size; i++) all &= p[i];
  return all == sim_unwritten;
}

/* Returns whether the gaps around an allocation are unchanged. The address sanitizer guards the gaps itself. */
static bool guarded(const allocation *a) {
  size_t behind = round_up(a->size, sim_alignment) - a->size + gap;
  return SIM_ASAN || (sim_unwritten_bytes(a->data - gap, gap) && sim_unwritten_bytes(a->data + a->size, behind));
}

void sim_check_guards(sim_device *d) {
  for (allocation *a = d->allocations; a && !d->error; a = a->next)
    if (!guarded(a)) d->error = simErrorStrayWrite;
}

/* Makes the first `end` bytes of an open arena usable. */
static bool grow(sim_device *d, size_t end) {
  size_t used = round_up(end, page);
  if (used <= d->used) return true;
  if (!d->arena) {
    void *area = mmap(NULL, arena_size + page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (area == MAP_FAILED) return false;
    d->arena = (unsigned char *)area + (page - (uintptr_t)area % page);
    madvise(d->arena, arena_size, MADV_HUGEPAGE);
  }
  unsigned char *more = d->arena + d->used;
  if (used > arena_size || mprotect(more, used - d->used, PROT_READ | PROT_WRITE) != 0) return false;
  memset(more, sim_unwritten, used - d->used);
  POISON(more, used - d->used);
  d->used = used;
  return true;
}

/* Finds the first gap that has room. Returns the place in the list, and stores the place in the arena in *offset. */
static allocation **find_room(sim_device *d, size_t size, size_t *offset) {
  allocation **link = &d->allocations;
  *offset = round_up(gap, sim_alignment);
  for (; *link; link = &(*link)->next) {
    size_t begin = (size_t)((*link)->data - d->arena);
    if (*offset + size + gap <= begin) break;
    *offset = round_up(begin + (*link)->size, sim_alignment) + gap;
  }
  return link;
}

static simError_t allocate(sim_device *d, void **data, size_t size) {
  if (size > d->set.memory || d->allocated > d->set.memory - size) return simErrorMemoryAllocation;
  allocation *a = malloc(sizeof *a);
  size_t offset;
  allocation **link = find_room(d, size, &offset);
  sim_open(d);
  bool grown = a && grow(d, round_up(offset + size, sim_alignment) + gap);
  sim_close(d);
  if (!grown) {
    free(a);
    return simErrorMemoryAllocation;
  }
  *a = (allocation){*link, d->arena + offset, size};
  *link = a;
  d->allocated += size;
  UNPOISON(a->data, size);
  *data = a->data;
  return simSuccess;
}

simError_t simMalloc(void **data, size_t size) {
  HOLD;
  simError_t error = data ? sim_unsafe_call() : simErrorInvalidValue;
  if (!error) error = sim_attempt(sim_current(), ALLOC);
  if (error) return sim_report(error);
  *data = NULL;
  return sim_report(size > 0 ? allocate(sim_current(), data, size) : simSuccess);
}

static void release(sim_device *d, allocation **link) {
  allocation *a = *link;
  sim_open(d);
  if (!guarded(a) && !d->error) d->error = simErrorStrayWrite;
  memset(a->data, sim_unwritten, a->size);
  POISON(a->data, a->size);
  sim_close(d);
  d->allocated -= a->size;
  *link = a->next;
  free(a);
}

/* Memory is released even if the device has failed, so that tests find memory that nobody frees. */
simError_t simFree(void *data) {
  HOLD;
  simError_t error = sim_unsafe_call();
  if (!data || error) return sim_report(error);
  sim_device *d = sim_owner(data, 1);
  if (!d) return sim_report(simErrorInvalidValue);
  sim_finish(d);
  allocation **link = &d->allocations;
  while (*link && (*link)->data != data) link = &(*link)->next;
  if (!*link) return sim_report(simErrorInvalidValue);
  release(d, link);
  return sim_report(d->error);
}

simError_t simMemGetInfo(size_t *available, size_t *total) {
  HOLD;
  sim_device *d = sim_current();
  *total = d->set.memory;
  *available = d->allocated < d->set.memory ? d->set.memory - d->allocated : 0;
  return sim_report(d->error ? d->error : sim_attempt_query(d));
}

int64_t sim_allocated(int device) {
  HOLD;
  return sim_is_device(device) ? (int64_t)sim.device[device].allocated : -1;
}

/* cpu_workspace.c - the CPU's workspace: memory for emulated products, within the cap of trigon_set_workspace. */
#include <stdlib.h>

#include "cpu.h"

enum {
  default_cap = 256 << 20, /* without trigon_set_workspace */
  alignment = 256,
};

static void drop(cpu *c) {
  free(c->workspace);
  c->workspace = NULL, c->workspace_bytes = 0;
}

trigon_status cpu_set_workspace(machine *m, void *buffer, int64_t bytes) {
  cpu *c = cpu_on(m);
  drop(c);
  c->cap = bytes, c->buffer = bytes > 0 ? buffer : NULL;
  return TRIGON_OK;
}

/* The bytes before the first aligned address of the caller's buffer. */
static int64_t unaligned(const cpu *c) {
  return c->buffer ? (alignment - (int64_t)((uintptr_t)c->buffer % alignment)) % alignment : 0;
}

void *cpu_buffer(const cpu *c) { return (char *)c->buffer + unaligned(c); }

int64_t cpu_most_lent(machine *m) {
  const cpu *c = cpu_on(m);
  const int64_t cap = c->cap < 0 ? default_cap : c->cap - c->taken, bytes = cap - unaligned(c);
  return bytes > 0 ? bytes / alignment * alignment : 0;
}

/* The old memory goes first, so that both together never exceed the cap. If there is no memory for more, the old size
 * may still be there. */
static void enlarge(cpu *c, int64_t bytes) {
  const int64_t before = c->workspace_bytes;
  drop(c);
  c->workspace = aligned_alloc(alignment, (size_t)bytes), c->workspace_bytes = bytes;
  if (c->workspace) return;
  if (before > 0) c->workspace = aligned_alloc(alignment, (size_t)before);
  c->workspace_bytes = c->workspace ? before : 0;
}

trigon_status cpu_lend(machine *m, int64_t wanted, void **data, int64_t *bytes) {
  cpu *c = cpu_on(m);
  const int64_t most = cpu_most_lent(m);
  const int64_t size = wanted < most ? (wanted + alignment - 1) / alignment * alignment : most;
  if (c->buffer) {
    *data = cpu_buffer(c), *bytes = c->taken > 0 ? 0 : most;
    return TRIGON_OK;
  }
  if (c->workspace_bytes < size) enlarge(c, size);
  *data = c->workspace, *bytes = c->workspace_bytes;
  return TRIGON_OK;
}

/* copies.c - copies data between the host and simulated devices, and fills device memory. */
#include "sim_machine.h"

#include <stdlib.h>
#include <string.h>

/* If the source was in pageable host memory, the copied data follow this struct. */
typedef struct copy {
  sim_device *to_device, *from_device; /* NULL: host memory */
  unsigned char *to;
  const unsigned char *from;
  bool later; /* the source is read when the copy runs */
  size_t to_pitch, from_pitch, width, height;
} copy;

static void copy_rows(unsigned char *to, size_t to_pitch, const unsigned char *from, size_t from_pitch, size_t width,
                      size_t height) {
  for (size_t i = 0; i < height; i++) memcpy(to + i * to_pitch, from + i * from_pitch, width);
}

static void run_copy(sim_device *d, void *argument) {
  (void)d;
  const copy *c = argument;
  sim_open(c->to_device);
  sim_open(c->from_device);
  if (c->later)
    copy_rows(c->to, c->to_pitch, c->from, c->from_pitch, c->width, c->height);
  else
    copy_rows(c->to, c->to_pitch, (const unsigned char *)(c + 1), c->width, c->width, c->height);
  sim_close(c->from_device);
  sim_close(c->to_device);
}

/* Finds the device that has allocated a range: *owner is NULL for host memory. Returns false if the range crosses the
 * bounds of an allocation. */
static bool locate(const void *p, size_t pitch, size_t width, size_t height, sim_device **owner) {
  *owner = sim_owner(p, pitch * (height - 1) + width);
  return *owner || !sim_in_arena(p);
}

/* Whether some of these bytes of host memory are pinned, and others are not: cuMemcpyAsync does not copy them. */
static bool is_partly_pinned(const void *p, size_t pitch, size_t width, size_t height) {
  size_t pinned = 0;
  for (size_t row = 0; row < height; row++) {
    const unsigned char *first = (const unsigned char *)p + row * pitch;
    pinned += (size_t)sim_is_pinned(first) + (size_t)sim_is_pinned(first + width - 1);
  }
  return pinned > 0 && pinned < 2 * height;
}

static simError_t check_copy(copy *c, simMemcpyKind kind) {
  if (c->to_pitch < c->width || c->from_pitch < c->width) return simErrorInvalidValue;
  if (!locate(c->to, c->to_pitch, c->width, c->height, &c->to_device) ||
      !locate(c->from, c->from_pitch, c->width, c->height, &c->from_device))
    return simErrorInvalidValue;
  if ((!c->to_device && is_partly_pinned(c->to, c->to_pitch, c->width, c->height)) ||
      (!c->from_device && is_partly_pinned(c->from, c->from_pitch, c->width, c->height)))
    return simErrorInvalidValue;
  simMemcpyKind meant = c->from_device ? c->to_device ? simMemcpyDeviceToDevice : simMemcpyDeviceToHost
                        : c->to_device ? simMemcpyHostToDevice
                                       : simMemcpyHostToHost;
  return kind == simMemcpyDefault || kind == meant ? simSuccess : simErrorInvalidMemcpyDirection;
}

static simError_t push_copy(simStream_t s, copy c, simMemcpyKind kind) {
  if (c.width == 0 || c.height == 0) return simSuccess;
  simError_t error = check_copy(&c, kind);
  if (!error && s->capture && !(c.to_device && c.from_device)) error = simErrorStreamCaptureUnsupported;
  if (!error) error = sim_attempt(s->device, COPY);
  if (error) return error;
  c.later = c.from_device || s->device->set.coherent || sim_is_pinned(c.from);
  if (c.later) return sim_push(s, run_copy, &c, sizeof c, NULL, 0);
  unsigned char *packed = malloc(c.width * c.height);
  if (!packed) return simErrorMemoryAllocation;
  copy_rows(packed, c.width, c.from, c.from_pitch, c.width, c.height);
  error = sim_push(s, run_copy, &c, sizeof c, packed, c.width * c.height);
  free(packed);
  return error;
}

simError_t simMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                            simMemcpyKind kind, simStream_t stream) {
  HOLD;
  simStream_t s = sim_stream(stream);
  const size_t most = s->device->set.pitch;
  copy c = {.to = to, .from = from, .to_pitch = to_pitch, .from_pitch = from_pitch, .width = width, .height = height};
  return sim_report(to_pitch > most || from_pitch > most ? simErrorInvalidPitchValue : push_copy(s, c, kind));
}

simError_t simMemcpyAsync(void *to, const void *from, size_t size, simMemcpyKind kind, simStream_t stream) {
  HOLD;
  copy c = {.to = to, .from = from, .to_pitch = size, .from_pitch = size, .width = size, .height = 1};
  return sim_report(push_copy(sim_stream(stream), c, kind));
}

static simError_t check_unsafe(void) {
  HOLD;
  return sim_report(sim_unsafe_call());
}

simError_t simMemcpy(void *to, const void *from, size_t size, simMemcpyKind kind) {
  simError_t error = check_unsafe();
  if (!error) error = simMemcpyAsync(to, from, size, kind, NULL);
  return error ? error : simStreamSynchronize(NULL);
}

typedef struct fill {
  void *to;
  int value;
  size_t size;
} fill;

static void run_fill(sim_device *d, void *argument) {
  (void)d;
  const fill *f = argument;
  memset(f->to, f->value, f->size);
}

simError_t simMemsetAsync(void *to, int value, size_t size, simStream_t stream) {
  HOLD;
  simStream_t s = sim_stream(stream);
  fill f = {to, value, size};
  if (size == 0) return simSuccess;
  simError_t error = sim_owner(to, size) == s->device ? sim_attempt(s->device, COPY) : simErrorInvalidValue;
  return sim_report(error ? error : sim_push(s, run_fill, &f, sizeof f, NULL, 0));
}

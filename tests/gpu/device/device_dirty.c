/* device_dirty.c - the option dirty=1, which the sweep sets: calls find NaN in the leaf buffer and in the workspace. */
#include <stdio.h>

#include "support/device_job.h"

/* Scales one element. This call uses none of the buffers. */
static trigon_status scale_one(trigon_context *ctx, void *element) {
  return trigon_dgemm(ctx, TRIGON_NOTRANS, TRIGON_NOTRANS, 1, 1, 0, 1, element, 1, element, 1, 2, element, 1);
}

/* Returns whether all of the `count` bytes of device memory from `from` on are `value`. */
static bool all_bytes(const device *d, const void *from, int64_t count, unsigned char value) {
  static unsigned char bytes[256];
  bool same = true;
  for (int64_t at = 0; at < count; at += (int64_t)sizeof bytes) {
    const int64_t left = count - at, now = left < (int64_t)sizeof bytes ? left : (int64_t)sizeof bytes;
    check(d->runtime.memcpy_async(bytes, (const char *)from + at, (size_t)now, RUNTIME_TO_HOST, NULL) == 0 &&
              d->runtime.stream_synchronize(NULL) == 0,
          "a look");
    for (int64_t i = 0; i < now; i++) same = same && bytes[i] == value;
  }
  return same;
}

/* Sets the `bytes` bytes of device memory at `data` to 0x5a. The next call must fill both ends with 0xff if the
 * context is dirty; otherwise the next call must not change the bytes. */
static void finds(const device *d, trigon_context *ctx, bool dirty, void *data, int64_t bytes, const char *where) {
  enum { end = 4096 };
  void *element = NULL;
  const unsigned char expected = dirty ? 0xff : 0x5a;
  check(trigon_alloc(ctx, 8, &element) == TRIGON_OK, "an element: %s", trigon_message(ctx));
  check(d->runtime.memset_async(data, 0x5a, (size_t)bytes, NULL) == 0 && d->runtime.stream_synchronize(NULL) == 0,
        "fill");
  check(scale_one(ctx, element) == TRIGON_OK && trigon_finish(ctx, NULL) == TRIGON_OK, "a call: %s",
        trigon_message(ctx));
  check(all_bytes(d, data, end, expected), "dirty=%d: the begin of the %s", dirty, where);
  check(all_bytes(d, (char *)data + bytes - end, end, expected), "dirty=%d: the end of the %s", dirty, where);
  check(trigon_free(ctx, element) == TRIGON_OK, "free");
}

static void dirty_workspace(const device *d, bool dirty) {
  enum { size = 3 * MIB };
  void *buffer;
  trigon_context *ctx = device_open(d, dirty ? "dirty=1" : "dirty=0");
  check(trigon_alloc(ctx, size, &buffer) == TRIGON_OK, "a buffer: %s", trigon_message(ctx));
  check(trigon_set_workspace(ctx, buffer, size) == TRIGON_OK, "the buffer: %s", trigon_message(ctx));
  finds(d, ctx, dirty, buffer, size, "workspace");
  check(trigon_set_workspace(ctx, NULL, 0) == TRIGON_OK && trigon_free(ctx, buffer) == TRIGON_OK, "free");
  trigon_destroy(ctx);
}

/* The simulated GPU places a new context's leaf buffer in the memory that was freed last. */
static void dirty_leaf_buffer(const device *d, bool dirty) {
  enum { control = 64 << 10 };
  void *memory, *again;
  if (!d->simulated) return;
  check(d->runtime.malloc(&memory, LEAF_BUFFER) == 0 && d->runtime.free(memory) == 0, "memory");
  trigon_context *ctx = device_open(d, dirty ? "dirty=1" : "dirty=0");
  check(d->runtime.malloc(&again, LEAF_BUFFER) == 0 && again != memory && d->runtime.free(again) == 0,
        "the leaf buffer has the memory that was freed last");
  finds(d, ctx, dirty, (char *)memory + control, LEAF_BUFFER - control, "leaf buffer");
  trigon_destroy(ctx);
}

/* If one of the fillings fails, the call reports the failure. */
static void failing_dirt(const device *d) {
  enum { fillings = 2 };
  char options[64];
  if (!d->simulated) return;
  trigon_context *ctx = device_open(d, "dirty=1");
  const int64_t creation = d->runtime.operations(d->number, "copy");
  trigon_destroy(ctx);
  for (int k = 1; k <= fillings + 1; k++) {
    void *element;
    snprintf(options, sizeof options, "dirty=1&fail=copy:%lld", (long long)creation + k);
    ctx = device_open(d, options);
    check(trigon_alloc(ctx, 8, &element) == TRIGON_OK, "an element: %s", trigon_message(ctx));
    check(scale_one(ctx, element) == (k > fillings ? TRIGON_OK : TRIGON_DEVICE_FAILED), "filling %d fails: %s", k,
          trigon_message(ctx));
    check(scale_one(ctx, element) == TRIGON_OK || k > fillings, "the next call does not: %s", trigon_message(ctx));
    check(trigon_free(ctx, element) == TRIGON_OK, "free: %s", trigon_message(ctx));
    trigon_destroy(ctx);
  }
  trigon_destroy(device_open(d, "")); /* resets the device to its defaults */
}

void test_dirty(const device *d) {
  for (int dirty = 0; dirty < 2; dirty++) {
    dirty_workspace(d, dirty);
    dirty_leaf_buffer(d, dirty);
  }
  failing_dirt(d);
}

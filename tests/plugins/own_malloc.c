/* own_malloc.c - a malloc for a program that has its own malloc, as many programs have.
 *
 * This malloc frees nothing. If the C library's free gets this memory, free ends the program. The address sanitizer
 * has such a malloc already, so this file is empty then. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifndef __SANITIZE_ADDRESS__

enum { header = 64, room = 256 << 20 };

static _Alignas(header) unsigned char memory[room];
static size_t used;

/* The size is at the begin of the header. The end of the header is 0; there the C library looks for a size. */
static void *take(size_t alignment, size_t size) {
  if (size > room) return NULL;
  const size_t step = alignment > header ? alignment : header, whole = (size + header + step - 1) / step * step + step;
  const size_t at = __atomic_fetch_add(&used, whole, __ATOMIC_RELAXED);
  if (at + whole > room) return NULL;
  unsigned char *begin = memory + at + header;
  begin += (step - (uintptr_t)begin % step) % step;
  memcpy(begin - header, &size, sizeof size);
  return begin;
}

void *malloc(size_t size) { return take(header, size); }
void free(void *data) { (void)data; }
void *calloc(size_t count, size_t size) { return size && count > room / size ? NULL : take(header, count * size); }
void *aligned_alloc(size_t alignment, size_t size) { return take(alignment, size); }
void *memalign(size_t alignment, size_t size);
void *memalign(size_t alignment, size_t size) { return take(alignment, size); }

int posix_memalign(void **data, size_t alignment, size_t size) {
  enum { no_memory = 12 };
  *data = take(alignment, size);
  return *data ? 0 : no_memory;
}

void *realloc(void *old, size_t size) {
  void *data = take(header, size);
  size_t before = 0;
  if (old) memcpy(&before, (unsigned char *)old - header, sizeof before);
  if (data && old) memcpy(data, old, before < size ? before : size);
  return data;
}

#endif

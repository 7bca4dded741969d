/* device_code.c - lists the device code in a shared object: device_code FILE
 *
 * Prints a line for each kind of code and compute capability, "ptx 80" or "cubin 90", with how many images there are.
 * nvcc stores images in containers. The toolkit's own tool for them, cuobjdump, is not always installed.
 * A container has a header of 16 bytes: the magic number, the version, the header's size, the size of what follows. An
 * image has a header, too: from byte 0 its kind, from byte 4 the header's size, from byte 8 the size of what follows
 * the header, and from byte 28 the compute capability. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t magic = 0xba55ed50;
enum { CONTAINER_HEADER = 16, IMAGE_HEADER = 32, ALIGNED = 8, PTX = 1, CUBIN = 2, CAPABILITIES = 1000 };

static int64_t images[CUBIN + 1][CAPABILITIES];

static void give_up(const char *why, uint64_t at) {
  printf("byte %llu: %s\n", (unsigned long long)at, why);
  exit(1);
}

#define FIELD(type, bytes, at)                                                                                         \
  static type bytes(const unsigned char *data) {                                                                       \
    type x;                                                                                                            \
    memcpy(&x, data + (at), sizeof x);                                                                                 \
    return x;                                                                                                          \
  }
FIELD(uint32_t, magic_of, 0)
FIELD(uint16_t, container_header_of, 6)
FIELD(uint64_t, size_of, 8) /* of a container and of an image */
FIELD(uint16_t, kind_of, 0)
FIELD(uint32_t, image_header_of, 4)
FIELD(uint32_t, capability_of, 28)
#undef FIELD

/* Counts the images from `at` up to `end`. */
static void count_images(const unsigned char *data, uint64_t at, uint64_t end) {
  while (at < end) {
    if (end - at < IMAGE_HEADER) give_up("the header of an image does not end in its container", at);
    const uint32_t kind = kind_of(data + at), header = image_header_of(data + at),
                   capability = capability_of(data + at);
    const uint64_t size = size_of(data + at);
    if (kind != PTX && kind != CUBIN) give_up("the image is of an unknown kind", at);
    if (capability >= CAPABILITIES) give_up("no device has such a compute capability", at);
    if (header < IMAGE_HEADER || header > end - at || size > end - at - header)
      give_up("an image does not end in its container", at);
    images[kind][capability]++;
    at += header + size;
  }
}

/* Counts the images of all containers. */
static void count_all(const unsigned char *data, uint64_t size) {
  for (uint64_t at = 0; at + CONTAINER_HEADER <= size; at += ALIGNED) {
    if (magic_of(data + at) != magic) continue;
    const uint64_t header = container_header_of(data + at), length = size_of(data + at);
    if (header < CONTAINER_HEADER || header > size - at || length > size - at - header)
      give_up("a container does not end in the file", at);
    count_images(data, at + header, at + header + length);
    at += (header + length) / ALIGNED * ALIGNED - ALIGNED;
  }
}

static unsigned char *read_file(const char *name, uint64_t *size) {
  FILE *file = fopen(name, "rb");
  if (!file || fseek(file, 0, SEEK_END) != 0) return NULL;
  const long length = ftell(file);
  unsigned char *data = length > 0 ? malloc((size_t)length) : NULL;
  rewind(file);
  const bool whole = data && fread(data, 1, (size_t)length, file) == (size_t)length;
  fclose(file);
  *size = (uint64_t)length;
  if (whole) return data;
  free(data);
  return NULL;
}

int main(int count, char **words) {
  static const char *const kinds[] = {[PTX] = "ptx", [CUBIN] = "cubin"};
  uint64_t size = 0;
  unsigned char *data = count == 2 ? read_file(words[1], &size) : NULL;
  if (!data) {
    printf("cannot read %s\n", count == 2 ? words[1] : "a file: device_code FILE");
    return 1;
  }
  count_all(data, size);
  for (int kind = PTX; kind <= CUBIN; kind++)
    for (int capability = 0; capability < CAPABILITIES; capability++)
      if (images[kind][capability] > 0)
        printf("%s %d: %lld\n", kinds[kind], capability, (long long)images[kind][capability]);
  free(data);
  return 0;
}

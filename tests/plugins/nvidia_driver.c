/* nvidia_driver.c - a replacement of NVIDIA's driver, libcuda.so.1.
 *
 * The environment variable DRIVER_VERSION gives the version, e.g. 11040. */
#include <stdlib.h>

#pragma GCC visibility push(default)
int cuInit(unsigned flags);
int cuDriverGetVersion(int *version);

int cuInit(unsigned flags) { return (int)flags; }

int cuDriverGetVersion(int *version) {
  const char *text = getenv("DRIVER_VERSION");
  *version = text ? atoi(text) : 0;
  return 0;
}

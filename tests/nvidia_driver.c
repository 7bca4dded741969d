/* nvidia_driver.c - stands in the place of NVIDIA's driver, libcuda.so.1: of the version that DRIVER_VERSION says, e.g. 11040. */
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

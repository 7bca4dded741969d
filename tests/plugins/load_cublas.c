/* load_cublas.c - loads cuBLAS as the plugin for NVIDIA GPUs does, without a GPU: cublas_library.c takes its place.
 *
 *   load_cublas [LIBRARY]
 *
 * Prints the name of the cuBLAS that was found, and then each place of the table that has a wrong routine. If none was
 * found, prints why. LIBRARY is loaded before, as if the program had a cuBLAS already. */
#include <dlfcn.h>
#include <stdio.h>

#include "gpu/library/vendor_blas.h"

typedef int routine_of_the_test(void);

int main(int count, char **words) {
  static char workspace[4096];
  reason why = {0};
  gpu_blas *blas = NULL;
  if (count > 1 && !dlopen(words[1], RTLD_NOW | RTLD_LOCAL)) {
    printf("%s\n", dlerror());
    return 1;
  }
  if (gpu_blas_create(&blas, &why) != TRIGON_OK) {
    printf("%s\n", why.text);
    return 0;
  }
  printf("%s\n", gpu_blas_name(blas));
  for (int place = 0; place < BLAS_FUNCTIONS; place++) {
    const int found = ((routine_of_the_test *)gpu_blas_at(blas, place))();
    if (found != place) printf("place %d has the routine of place %d\n", place, found);
  }
  if (gpu_blas_attach(blas, NULL, workspace, sizeof workspace, &why) != TRIGON_OK) printf("%s\n", why.text);
  gpu_blas_destroy(blas);
  return 0;
}

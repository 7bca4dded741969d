/* gpu-1.c - the program around the lines of docs/gpu.md: input of the lines, and clean-up after the lines. */
#include <stdio.h>
#include <trigon.h>

int main(void) {
  double hA[] = {4, 2, 2, 5}, hB[] = {8, 12};
  int64_t n = 2, nrhs = 1, info;
  char why[256];
  trigon_context *ctx;
#include "gpu-1.inc"
  printf("info %d, x = %g %g\n", (int)info, hB[0], hB[1]);
  trigon_free(ctx, dA.data);
  trigon_free(ctx, dB.data);
  trigon_destroy(ctx);
}

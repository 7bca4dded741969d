/* fp64-1.c - the program around the lines of docs/fp64.md: a small product, and what the report says. */
#include <stdio.h>
#include <trigon.h>

int main(void) {
  double A[] = {1, 2, 3, 4}, B[] = {5, 6, 7, 8}, C[4];
  int64_t n = 2;
  char why[256];
  trigon_context *ctx;
  if (trigon_create("cpu", &ctx, why, sizeof why) != TRIGON_OK) return puts(why), 1;
#include "fp64-1.inc"
  printf("%g %g %g %g, %d of %d emulated\n", C[0], C[1], C[2], C[3], (int)report.emulated, (int)report.products);
  trigon_destroy(ctx);
}

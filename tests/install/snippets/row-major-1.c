/* row-major-1.c - the program around the recipe for POTRS. A and B are row-major.
 * The recipe must not read A's upper triangle. */
#include <stdio.h>
#include <trigon.h>

int main(void) {
  double A[] = {4, 99, 2, 5}, B[] = {8, 2, 12, 5};
  int64_t n = 2, nrhs = 2, lda = 2, ldb = 2, info;
  trigon_context *ctx;
  if (trigon_create("cpu", &ctx, NULL, 0) != TRIGON_OK) return 1;
#include "row-major-1.inc"
  printf("info %d, X = %g %g, %g %g\n", (int)info, B[0], B[1], B[2], B[3]);
  trigon_destroy(ctx);
}

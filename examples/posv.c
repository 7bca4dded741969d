/* posv - factors a positive definite matrix and solves with the factor. The program compiles as C and as C++. */
#include <stdio.h>
#include <trigon.h>
int main(void) {
  double A[] = {4, 2, 2, 5}, B[] = {8, 12}; /* column-major */
  int64_t info;
  trigon_context *ctx;
  if (trigon_create("cpu", &ctx, NULL, 0) != TRIGON_OK) return 1;
  if (trigon_dposv(ctx, TRIGON_LOWER, 2, 1, A, 2, B, 2, &info) != TRIGON_OK) return 1;
  printf("info %d, x = %g %g\n", (int)info, B[0], B[1]);
  trigon_destroy(ctx);
}

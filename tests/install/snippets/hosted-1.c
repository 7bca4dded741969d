/* hosted-1.c - the program around the lines of docs/hosted.md: input of the lines, and clean-up after the lines. */
#include <stdio.h>
#include <trigon.h>

static void fill(void *data, int64_t n) {
  double *A = data;
  for (int64_t i = 0; i < n * n; i++) A[i] = i % (n + 1) == 0 ? 4 : 1;
}

int main(void) {
  double B[] = {5, 5};
  int64_t n = 2, nrhs = 1, info;
  char why[256];
  trigon_context *ctx;
  void *A;
#include "hosted-1.inc"
  printf("info %d, x = %g %g\n", (int)info, B[0], B[1]);
  trigon_free(ctx, A);
  trigon_destroy(ctx);
}

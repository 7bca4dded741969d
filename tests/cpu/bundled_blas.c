/* bundled_blas.c - a library whose one routine has the name that Python's packages give it: integers have 64 bits, and
 * "scipy_" stands before each name. */
#include <stdint.h>

__attribute__((visibility("default"))) int32_t scipy_idamax_64_(const int64_t *n, const double *x, const int64_t *incx);

int32_t scipy_idamax_64_(const int64_t *n, const double *x, const int64_t *incx) {
  int32_t largest = 0;
  if (*n < 1 || *incx < 1) return 0;
  for (int32_t i = 1; i < *n; i++)
    if (x[i * *incx] * x[i * *incx] > x[largest * *incx] * x[largest * *incx]) largest = i;
  return largest + 1;
}

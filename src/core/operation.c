/* operation.c - the work of an operation: its flops, and the bytes that it reads and writes. */
#include "operation.h"

static double area(view A) { return (double)A.m * (double)A.n; }
static double triangle(view A) { return (double)A.n * (double)(A.n + 1) / 2; }

/* An output is written. If beta is not 0, the output is also read. */
static double passes(trigon_scalar beta) { return is_zero(beta) ? 1 : 2; }

/* POTRF and LAUUM take n³/3 + n²/2 + n/6 flops, INVERT takes n³/3 + 2n/3 (LAPACK Working Note 41). In this form the
 * sums are exact in double precision. */
static double cube_flops(double n) { return n * (n + 1) * (2 * n + 1) / 6; }
static double inverse_flops(double n) { return n * (n * n + 2) / 3; }

/* The work for a real type; `bytes` counts elements here. SYRK has one product of matrices like A, SYR2K has two. */
static workload real_work(const operation *o) {
  const double n = (double)order_of(o), k = (double)sizes_of(o).k;
  const double products = o->routine == ROUTINE_SYR2K ? 2 : 1;
  switch (o->routine) {
  case ROUTINE_GEMM: return (workload){2 * area(o->C) * k, area(o->A) + area(o->B) + passes(o->beta) * area(o->C)};
  case ROUTINE_TRMM:
  case ROUTINE_TRSM: return (workload){n * area(o->B), triangle(o->A) + 2 * area(o->B)};
  case ROUTINE_SYRK:
  case ROUTINE_SYR2K:
    return (workload){products * 2 * triangle(o->C) * k, products * area(o->A) + passes(o->beta) * triangle(o->C)};
  case ROUTINE_SYMM: return (workload){2 * n * area(o->C), triangle(o->A) + area(o->B) + passes(o->beta) * area(o->C)};
  case ROUTINE_POTRF:
  case ROUTINE_LAUUM: return (workload){cube_flops(n), 2 * triangle(o->A)};
  case ROUTINE_INVERT: return (workload){inverse_flops(n), 2 * triangle(o->A)};
  default: return (workload){0, 0};
  }
}

workload work_of(const operation *o) {
  workload w = real_work(o);
  if (type_is_complex(o->A.type)) w.flops *= 4;
  w.bytes *= (double)type_size(o->A.type);
  return w;
}

/* double_float_case.h - products of doubles with guarded operands, for the tests of pairs of floats. */
#ifndef TRIGON_DOUBLE_FLOAT_CASE_H
#define TRIGON_DOUBLE_FLOAT_CASE_H

#include "common/fold.h"
#include "decorators/fp64/host_double_float.h"

typedef double generator(int64_t line, int64_t term, double phi);
generator spread, adversarial, small_integer;
double uniform(void);
uint64_t random_bits(void);

/* If `fill` is NULL, the operand holds NaNs. C begins with `fill` if beta is not 0, else with NaNs. */
typedef struct gemm_case {
  trigon_type type;
  int64_t m, n, k;
  trigon_op op, opB;
  trigon_scalar alpha, beta;
  double phi;
  generator *fill;
} gemm_case;

/* A, B and C on the host. Each has three more rows than it needs; NaNs are in the last ones. */
typedef struct gemm_data {
  operation o;
  double *A, *B, *C, *before; /* `before`: a copy of C */
  size_t a_bytes, b_bytes, c_bytes;
} gemm_data;

gemm_data make_gemm(const gemm_case *);
void free_gemm(gemm_data *);
void restore_C(gemm_data *);

/* Computes C by the host reference, with the best workspace or the least one. The second function computes by another
 * build of the reference. */
typedef void gemm_function(machine *, trigon_type, const product *, void *workspace, int64_t bytes);
void run_reference(gemm_data *, bool tight);
void run_by(gemm_function *, gemm_data *, bool tight);

/* The largest error over its bound, or over the expected size of errors. */
double share_of_bound(const gemm_data *, bool expected);

/* C in plain arithmetic. */
void run_plainly(gemm_data *);

bool guards_hold(const gemm_data *);

/* Whether two doubles have the same bits, or both are NaNs. */
bool same_double(double x, double y);
bool same_matrices(const double *x, const double *y, size_t bytes);

#endif

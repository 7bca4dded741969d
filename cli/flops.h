/* flops.h - how many floating-point operations the Cholesky routines take, and those of complex types. */
#ifndef TRIGON_CLI_FLOPS_H
#define TRIGON_CLI_FLOPS_H

#include <stdbool.h>
#include <trigon.h>

/* Of a factorization of order n, of a solution with nrhs right-hand sides, and of an inversion from the factor, over
 * real types. Source: LAPACK Working Note 41. */
double potrf_flops(double n);
double potrs_flops(double n, double nrhs);
double potri_flops(double n);

/* Of an eigensolver of order n, over real types, in leading terms: SYTRD (4/3·n³, Working Note 41); with vectors also
 * ORMTR with n columns (2·n³, Working Note 41) and the products of divide and conquer if nothing is deflated (4/3·n³,
 * LAPACK Working Note 69). */
double syevd_flops(double n, bool vectors);

/* The same if that many vectors are computed: both terms of the vectors in proportion. */
double syevdx_flops(double n, double vectors);

/* Of a generalized problem: POTRF (1/3·n³) and SYGST (n³) in addition, and with vectors TRSM (n³). */
double sygvd_flops(double n, bool vectors);

/* The flops of a call in this type that takes `flops` over real types: a complex type takes four times as many. */
double flops_in_type(trigon_type type, double flops);

#endif

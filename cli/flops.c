/* flops.c - the operation counts of the Cholesky routines. */
#include "flops.h"
#include "matrix/element_type.h"

double potrf_flops(double n) { return n * n * n / 3 + n * n / 2 + n / 6; }

double potrs_flops(double n, double nrhs) { return 2 * n * n * nrhs; }

double potri_flops(double n) { return 2 * n * n * n / 3; }

double syevd_flops(double n, bool vectors) { return syevdx_flops(n, vectors ? n : 0); }

double syevdx_flops(double n, double vectors) { return (4 * n + 10 * vectors) / 3 * n * n; }

double sygvd_flops(double n, bool vectors) { return syevd_flops(n, vectors) + (vectors ? 7.0 : 4.0) / 3 * n * n * n; }

double flops_in_type(trigon_type type, double flops) { return type_is_complex(type) ? 4 * flops : flops; }

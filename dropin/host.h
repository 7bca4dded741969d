/* host.h - the BLAS underneath: what Trigon does not compute, and what it refuses, goes there. */
#ifndef TRIGON_DROPIN_HOST_H
#define TRIGON_DROPIN_HOST_H

#include <stdbool.h>

#include "names.h"

/* A function of any type. */
typedef void any_function(void);

/* The host's function of this name, or NULL. It is never one of our own. The host is sought at the first call, never
 * when the library is loaded: a program's constructors may call a BLAS before ours have run. */
any_function *host_function(const char *symbol);

/* The same for a function of LAPACKE itself: the program's, the host's, or that of the library LAPACKE. */
any_function *lapacke_function(const char *symbol);

/* Calls the program's xerbla_, or the host's, with a name of six letters and the position of the argument. */
void tell_bad_argument(const char *name, blas_int position);

/* OpenBLAS's name for the kernels that it uses, or NULL. */
const char *host_core(void);

/* How many threads the host would use now, at least 1; 0: it does not say. */
int host_threads(void);

#endif

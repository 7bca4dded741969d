/* direct.h - the routines of a BLAS and LAPACK, called as programs call them: without Trigon in between. */
#ifndef TRIGON_CLI_BENCH_DIRECT_H
#define TRIGON_CLI_BENCH_DIRECT_H

#include "problem.h"

/* What native calls: the routine in a context with native=1; the library's routine itself; the library's TRSV, for a
 * TRSM with side L and one right-hand side. */
typedef enum native_kind { NATIVE_CONTEXT, NATIVE_DIRECT, NATIVE_TRSV } native_kind;

/* As in --vs and in CSV. */
extern const char *const native_names[];

/* Loads the library of a context's name "cpu:LIBRARY". A context must have shown before that the library is a BLAS with
 * 32-bit integers. The library stays loaded, because the threads that it starts would not survive an unloading. Returns
 * NULL, with the reason, on failure. */
void *direct_open(const char *context, char *why, size_t why_size);

/* The library's routine for this type, or NULL. Its integers have 32 bits. */
typedef void direct_fn(void);
direct_fn *direct_find(void *library, const char *name, trigon_type type);

/* The library's name of the problem's routine, which depends on the type: "syevd" is "heevd" for c and z, and "syevdx"
 * is "syevr" or "heevr". */
const char *direct_name(const problem *p);

/* Makes the library compute calls of this thread in this thread alone, if the library is OpenBLAS or BLIS. Two threads
 * must not do so at once. In OpenBLAS for OpenMP the setting holds for one thread of the program. */
void direct_set_one_thread(void *library);

/* Why this kind, which is not NATIVE_CONTEXT, cannot compute the problem with any library, or NULL. */
const char *direct_refusal(native_kind kind, const problem *p);

/* The call for a problem that is not refused (of an eigensolver, also with NATIVE_CONTEXT); NULL: the library has no
 * such routine. Only the call that was asked for last may be used. The call does not use its context. It ignores
 * LAPACK's info, because the residual shows a failure, too. An eigensolver's call returns TRIGON_NO_MEMORY if there
 * is no room for its workspaces. */
routine_call *direct_call(void *library, native_kind kind, const problem *p);

#endif

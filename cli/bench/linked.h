/* linked.h - the routines of the linked BLAS and LAPACK, called as programs call them: without Trigon in between. */
#ifndef TRIGON_CLI_BENCH_LINKED_H
#define TRIGON_CLI_BENCH_LINKED_H

#include "problem.h"

/* What native calls: the routine in a context with native=1; the linked library's routine itself; the linked library's
 * TRSV, for a TRSM with side L and one right-hand side. */
typedef enum native_kind { NATIVE_CONTEXT, NATIVE_DIRECT, NATIVE_TRSV } native_kind;

/* As in --vs and in CSV. */
extern const char *const native_names[];

/* The routine of the linked LAPACK or BLAS for this type, or NULL. Its integers have 32 bits. */
typedef void linked_fn(void);
linked_fn *linked_find(const char *name, trigon_type type);

/* Why this kind cannot compute the problem for the context with this name, or NULL. */
const char *linked_refusal(native_kind kind, const problem *p, const char *backend);

/* The call for a problem that is not refused; NULL: the routine's own. Only the call that was asked for last may be
 * used. The call does not use its context. It ignores LAPACK's info, because the residual shows a failure, too. */
routine_call *linked_call(native_kind kind, const problem *p);

#endif

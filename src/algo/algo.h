/* algo.h - the algorithms: each routine is written once, for every precision and machine.
 *
 * The caller has checked the arguments. No operand is empty unless a comment says so. trigon.h has the shapes and the
 * meaning of the routine of the same name. */
#ifndef TRIGON_ALGO_H
#define TRIGON_ALGO_H

#include "core/engine.h"

/* The only entry: the engine runs the operation as a leaf, or an algorithm cuts the operation. A, and B in SYR2K, may
 * have k = 0. */
trigon_status algo_run(engine *, const operation *);

/* Runs an operation that is passed by value, so that a call can contain the formula of its operation. */
static inline trigon_status run(engine *e, operation o) { return algo_run(e, &o); }

/* n1 is the order of the first diagonal block. */
trigon_status algo_trmm(engine *, const operation *, int64_t n1);
trigon_status algo_trsm(engine *, const operation *, int64_t n1);
trigon_status algo_syrk(engine *, const operation *, int64_t n1);
trigon_status algo_syr2k(engine *, const operation *, int64_t n1);
trigon_status algo_symm(engine *, const operation *, int64_t n1);
trigon_status algo_potrf(engine *, const operation *, int64_t n1);
trigon_status algo_invert(engine *, const operation *, int64_t n1);
trigon_status algo_lauum(engine *, const operation *, int64_t n1);
trigon_status algo_trtri(engine *, const operation *);
trigon_status algo_potrs(engine *, const operation *);
trigon_status algo_posv(engine *, const operation *);
trigon_status algo_potri(engine *, const operation *);
trigon_status algo_sygst(engine *, const operation *);
trigon_status algo_syevd(engine *, const operation *);
trigon_status algo_sygvd(engine *, const operation *);
trigon_status algo_stedc(engine *, const operation *);

/* The bytes that SYEVD or STEDC takes. INT64_MAX if int64_t may not count them. */
int64_t algo_syevd_workspace(const eigen_support *, const operation *);
int64_t algo_sygst_workspace(const eigen_support *, const operation *);

#endif

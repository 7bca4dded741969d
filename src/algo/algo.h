/* algo.h - the algorithms: each routine once, for every precision and machine. Arguments are checked already, operands
 * conform, and nothing is empty unless said so. Shapes and meaning stand at the routine of the same name in trigon.h. */
#ifndef TRIGON_ALGO_H
#define TRIGON_ALGO_H

#include "../core/engine.h"

/* The one door: the engine runs the operation, or an algorithm cuts it. A, and B in SYR2K, may have k = 0. */
trigon_status algo_run(engine *, const operation *);

/* The same for an operation that is written down where it is run. */
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

#endif

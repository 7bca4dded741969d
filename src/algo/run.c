/* run.c - the only entry to the algorithms: runs an operation as a leaf, or calls the algorithm that cuts it. */
#include "algo.h"

trigon_status algo_run(engine *e, const operation *o) {
  const int64_t n1 = e->cut(e, o);
  if (n1 == 0) return e->run(e, o);
  switch (o->routine) {
  case ROUTINE_TRMM: return algo_trmm(e, o, n1);
  case ROUTINE_TRSM: return algo_trsm(e, o, n1);
  case ROUTINE_SYRK: return algo_syrk(e, o, n1);
  case ROUTINE_SYR2K: return algo_syr2k(e, o, n1);
  case ROUTINE_SYMM: return algo_symm(e, o, n1);
  case ROUTINE_POTRF: return algo_potrf(e, o, n1);
  case ROUTINE_INVERT: return algo_invert(e, o, n1);
  case ROUTINE_LAUUM: return algo_lauum(e, o, n1);
  case ROUTINE_TRTRI: return algo_trtri(e, o);
  case ROUTINE_POTRS: return algo_potrs(e, o);
  case ROUTINE_POSV: return algo_posv(e, o);
  case ROUTINE_POTRI: return algo_potri(e, o);
  case ROUTINE_SYGST: return algo_sygst(e, o);
  case ROUTINE_SYEVD: return algo_syevd(e, o);
  case ROUTINE_SYGVD: return algo_sygvd(e, o);
  case ROUTINE_STEDC: return algo_stedc(e, o);
  default: return e->run(e, o); /* nothing to cut */
  }
}

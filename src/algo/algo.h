/* algo.h - the algorithms: each routine once, for every precision and machine. Arguments are checked already, operands
 * conform, and nothing is empty unless said so. Shapes and meaning stand at the routine of the same name in trigon.h;
 * `adjoint` in backend.h. */
#ifndef TRIGON_ALGO_H
#define TRIGON_ALGO_H

#include "../backend.h"

trigon_status algo_trmm(backend *, trigon_side, trigon_uplo, trigon_op, trigon_diag, trigon_scalar alpha, view A,
                        view B);
trigon_status algo_trsm(backend *, trigon_side, trigon_uplo, trigon_op, trigon_diag, trigon_scalar alpha, view A,
                        view B);
/* A, and B in SYR2K, may have k = 0. */
trigon_status algo_syrk(backend *, trigon_op adjoint, trigon_uplo, trigon_op, trigon_scalar alpha, view A,
                        trigon_scalar beta, view C);
trigon_status algo_syr2k(backend *, trigon_op adjoint, trigon_uplo, trigon_op, trigon_scalar alpha, view A, view B,
                         trigon_scalar beta, view C);
trigon_status algo_symm(backend *, trigon_op adjoint, trigon_side, trigon_uplo, trigon_scalar alpha, view A, view B,
                        trigon_scalar beta, view C);
trigon_status algo_potrf(backend *, trigon_uplo, view A);
trigon_status algo_potrs(backend *, trigon_uplo, view A, view B);
trigon_status algo_posv(backend *, trigon_uplo, view A, view B);
trigon_status algo_trtri(backend *, trigon_uplo, trigon_diag, view A);
trigon_status algo_lauum(backend *, trigon_uplo, view A);
trigon_status algo_potri(backend *, trigon_uplo, view A);

#endif

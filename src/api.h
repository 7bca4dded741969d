/* api.h - each routine behind both of its spellings: checks the arguments of a call and runs it. */
#ifndef TRIGON_API_INTERNAL_H
#define TRIGON_API_INTERNAL_H

#include "api_checks.h"

trigon_status run_gemm(call, trigon_op opA, trigon_op opB, trigon_scalar alpha, trigon_matrix A, trigon_matrix B,
                       trigon_scalar beta, trigon_matrix C);
trigon_status run_trmm(call, trigon_side, trigon_uplo, trigon_op, trigon_diag, trigon_scalar alpha, trigon_matrix A,
                       trigon_matrix B);
trigon_status run_trsm(call, trigon_side, trigon_uplo, trigon_op, trigon_diag, trigon_scalar alpha, trigon_matrix A,
                       trigon_matrix B);
trigon_status run_syrk(call, trigon_op adjoint, trigon_uplo, trigon_op, trigon_scalar alpha, trigon_matrix A,
                       trigon_scalar beta, trigon_matrix C);
trigon_status run_syr2k(call, trigon_op adjoint, trigon_uplo, trigon_op, trigon_scalar alpha, trigon_matrix A,
                        trigon_matrix B, trigon_scalar beta, trigon_matrix C);
trigon_status run_symm(call, trigon_op adjoint, trigon_side, trigon_uplo, trigon_scalar alpha, trigon_matrix A,
                       trigon_matrix B, trigon_scalar beta, trigon_matrix C);
trigon_status run_potrf(call, trigon_uplo, trigon_matrix A, int64_t *info);
trigon_status run_potrs(call, trigon_uplo, trigon_matrix A, trigon_matrix B);
trigon_status run_posv(call, trigon_uplo, trigon_matrix A, trigon_matrix B, int64_t *info);
trigon_status run_trtri(call, trigon_uplo, trigon_diag, trigon_matrix A, int64_t *info);
trigon_status run_lauum(call, trigon_uplo, trigon_matrix A);
trigon_status run_potri(call, trigon_uplo, trigon_matrix A, int64_t *info);
trigon_status run_logdet(call, trigon_matrix A, double *logdet);

#endif

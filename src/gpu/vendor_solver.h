/* vendor_solver.h - the vendor's own factorizations, for comparison (native=1): cuSOLVER, which is loaded when the
 * first call asks for it. */
#ifndef TRIGON_VENDOR_SOLVER_H
#define TRIGON_VENDOR_SOLVER_H

#include "../core/error.h"
#include "../core/operation.h"
#include "kernels/kernels.h"

typedef struct gpu_solver gpu_solver;

/* Whether cuSOLVER has the routine. */
bool gpu_solver_has(routine);

/* TRIGON_NOT_SUPPORTED if the machine has no cuSOLVER. */
trigon_status gpu_solver_create(gpu_solver **out, reason *why);
void gpu_solver_destroy(gpu_solver *);

/* The bytes of its workspace on the device. */
int64_t gpu_solver_memory(const gpu_solver *);

/* Runs the operation, on one block, in the stream; a failure of the mathematics is recorded in *failure, as POTRF's leaf
 * does. The workspace grows with the operation and is kept. */
trigon_status gpu_solver_run(gpu_solver *, const operation *, queue, unsigned long long *failure, reason *why);

#endif

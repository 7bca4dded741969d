/* vendor_solver.h - factorizations by cuSOLVER, for leaf=vendor and native=1. Loaded when a call first needs it. */
#ifndef TRIGON_VENDOR_SOLVER_H
#define TRIGON_VENDOR_SOLVER_H

#include "core/error.h"
#include "core/operation.h"
#include "gpu/kernels/launchers.h"

typedef struct gpu_solver gpu_solver;

/* Whether cuSOLVER has the routine. */
bool gpu_solver_has(routine);

/* Whether the current device has cuSOLVER. */
bool gpu_solver_is_there(void);

/* TRIGON_NOT_SUPPORTED if the machine has no cuSOLVER. */
trigon_status gpu_solver_create(gpu_solver **out, reason *why);
void gpu_solver_destroy(gpu_solver *);

/* The bytes that the solver holds on the device. */
int64_t gpu_solver_memory(const gpu_solver *);

/* Makes the workspace large enough for a block of the operation, or for its batch. The workspace is kept. Launches
 * nothing. TRIGON_NOT_SUPPORTED: cuSOLVER does not take the sizes. TRIGON_NO_MEMORY: there is no memory for the
 * workspace, or the stream is being captured and the workspace would have to grow. */
trigon_status gpu_solver_prepare(gpu_solver *, const operation *, bool capturing, reason *why);

/* Runs the operation, which must have one block and be prepared, in the stream. Records a mathematical failure in
 * *failure, as POTRF's leaf does. */
trigon_status gpu_solver_run(gpu_solver *, const operation *, queue, unsigned long long *failure, reason *why);

/* POTRF of a batch whose matrices are a stride apart. The batch must be prepared, and its entries must be right. Stores
 * all infos. */
trigon_status gpu_solver_run_batch(gpu_solver *, const operation *, queue, reason *why);

#endif

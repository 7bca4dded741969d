/* gpu_leaves.h - the leaves of one GPU: kernels of our own (gpu_leaves.c), and the vendor's routines
 * (vendor_leaves.c). */
#ifndef TRIGON_GPU_LEAVES_H
#define TRIGON_GPU_LEAVES_H

#include "device.h"

/* The entries of the engine (gpu_call.c). gpu_create.c adds `destroy` and the machine. */
extern const engine gpu_engine;

/* Stores what the device offers for emulated arithmetic (emulation.c). */
void gpu_open_emulation(gpu *);

/* Stores the machine's part of the eigensolver, as the option `stages` wants it (gpu_eigen.c). */
void gpu_open_eigen(gpu *);

/* Runs a leaf. */
trigon_status gpu_run(engine *, const operation *);

/* Memory and words for kernels whose blocks wait for each other. */
dataflow_setup gpu_dataflow_setup(const gpu *);

/* Runs a batch: its operands are arrays of device memory (gpu_batch.c). */
trigon_status gpu_run_batch(gpu *, const operation *);
trigon_status gpu_check_batch(gpu *, const operation *);
bool gpu_batch_takes_workspace(gpu *, const operation *);

/* The option `schedule` (schedules.c). The first function makes the device ready, or refuses a schedule that the device
 * does not have. The second factors a batch by the schedule; the entries are checked, and the schedule is not auto. */
trigon_status gpu_open_schedule(gpu *);
trigon_status gpu_factor_by_schedule(gpu *, const batch_task *, trigon_type, const dataflow_setup *);

/* Whether cuBLAS or cuSOLVER has the routine; whether the vendor's BLAS has it, products among them. */
bool gpu_vendor_has(routine);
bool gpu_vendor_multiplies(routine);

/* Runs a routine of the vendor's BLAS by this handle, in its stream. */
trigon_status gpu_vendor_run_on(gpu_blas *, const operation *, reason *why);

/* Batches of the vendor's BLAS, with native=1 (vendor_batch.c). The first function makes what the batch needs, or
 * refuses the batch: TRIGON_NOT_SUPPORTED. */
trigon_status gpu_vendor_open_batch(gpu *, const operation *);
trigon_status gpu_vendor_run_batch(gpu *, const operation *);

/* *takes becomes whether the vendor's routine runs this leaf: if it keeps the contract of a leaf (core/engine.h), and
 * the library is there, takes the size, and has its workspace. Launches nothing: if it is false, another variant runs.
 * The operation must not be trivial. */
trigon_status gpu_vendor_takes(gpu *, const operation *, bool *takes);

/* With native=1, before anything is launched: makes the vendor's routine ready. TRIGON_NOT_SUPPORTED if native=1 does
 * not support the operation. */
trigon_status gpu_vendor_open(gpu *, const operation *);

/* TRIGON_NOT_SUPPORTED if native=1 supports no operation. */
trigon_status gpu_vendor_support(gpu *);

/* Runs an operation by the vendor's routine, which gpu_vendor_takes or gpu_vendor_open has made ready. The operation
 * must not be trivial. */
trigon_status gpu_vendor_run(gpu *, const operation *);

/* The same for a routine of level 2, if the vendor's BLAS is known to have them: for comparison, with native=1. */
bool gpu_vendor_has_vectors(void);
trigon_status gpu_vendor_vectors(gpu *, const operation *);

#endif

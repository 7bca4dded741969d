/* leaves.h - what runs on one GPU: leaves of our own (leaves.c), and the vendor's routines (vendor_leaves.c). */
#ifndef TRIGON_GPU_LEAVES_H
#define TRIGON_GPU_LEAVES_H

#include "device.h"

/* The engine, without `destroy` and the machine: these are its maker's (create.c). */
extern const engine gpu_engine;

/* The vendor's own routines as leaves: whether the vendor has the routine. */
bool gpu_vendor_has(routine);

/* Whether the vendor's routine does for this operation what a leaf must. */
bool gpu_vendor_keeps_contract(const operation *);

/* Loads what the vendor's routine needs. */
trigon_status gpu_vendor_open(gpu *, const operation *);

/* Runs an operation that is not trivial. */
trigon_status gpu_vendor_run(gpu *, const operation *);

#endif

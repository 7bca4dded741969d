/* cpu.h - the struct of the CPU's engine, shared by create.c, leaves.c and storage.c. */
#ifndef TRIGON_CPU_H
#define TRIGON_CPU_H

#include <stddef.h>

#include "../core/engine.h"
#include "../core/options.h"
#include "blas_table.h"
#include "packed/packed.h"

enum {
  leaf_copy_order = 256, /* the order of the largest block that POTRF and INVERT copy into the leaf buffer */
  leaf_copy_bytes = leaf_copy_order * leaf_copy_order * 2 * (int)sizeof(double)
};

typedef struct cpu {
  engine engine; /* first: an engine * is a cpu * */
  machine machine;
  blas lib;
  engine_options options;
  tuning tuning;    /* the table, changed by this BLAS and the options */
  int64_t *info;    /* gets the failure of the present call; NULL: `finish` tells the failure */
  int64_t failure;  /* the first failure of the present call, or 0 */
  int64_t kept;     /* the first failure that `finish` will tell, or 0 */
  size_t leaf_used; /* with dirty=1: these first bytes of leaf_copy may hold other values than NaN */
  packed *packed;   /* the register kernels and their buffers; NULL if no leaf is packed */
  void *leaf_copy;  /* the leaf buffer, for POTRF and INVERT */
} cpu;

static inline cpu *cpu_of(engine *e) { return (cpu *)e; }
static inline cpu *cpu_on(machine *m) { return (cpu *)((char *)m - offsetof(cpu, machine)); }

/* Whether the address of an element depends on the leading dimension. */
static inline bool uses_leading(view A) { return A.m > 0 && A.n > 1; }

/* The engine, without `destroy` and the machine (create.c). */
extern const engine cpu_engine;

/* The tuning table for this BLAS and these options. */
tuning cpu_tuning(const cpu *);

/* The order up to which this operation is one leaf. */
int64_t cpu_stop(const cpu *, const operation *);

/* Runs a leaf. Its sizes and leading dimensions must fit the BLAS's integers. */
trigon_status cpu_run(engine *, const operation *);

/* The machine's memory and copies, on the host (storage.c). */
trigon_status host_alloc(machine *, int64_t bytes, void **data);
trigon_status host_release(machine *, void *data);
trigon_status host_copy(machine *, view from, view to);

#endif

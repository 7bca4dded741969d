/* cpu.h - the CPU's engine as its files share it: cpu.c (creation, recursion, calls), cpu_run.c (leaves). */
#ifndef TRIGON_CPU_H
#define TRIGON_CPU_H

#include <stddef.h>

#include "../core/engine.h"
#include "../core/options.h"
#include "blas.h"

enum {
  leaf_copy_order = 256, /* of the largest block that POTRF and INVERT copy: the context's leaf buffer */
  leaf_copy_bytes = leaf_copy_order * leaf_copy_order * 2 * (int)sizeof(double)
};

typedef struct cpu {
  engine engine; /* first: an engine * is a cpu * */
  machine machine;
  blas lib;
  engine_options options;
  tuning tuning;    /* this engine's own */
  int64_t *info;    /* where the present call's failure goes */
  int64_t failure;  /* of the present call */
  int64_t kept;     /* the first failure for `finish` */
  void *leaf_copy;  /* leaf_copy_bytes, for POTRF and INVERT */
  size_t leaf_used; /* with dirty=1: these first bytes of leaf_copy may hold other values than NaN */
} cpu;

static inline cpu *cpu_of(engine *e) { return (cpu *)e; }
static inline cpu *cpu_on(machine *m) { return (cpu *)((char *)m - offsetof(cpu, machine)); }

/* Whether the leading dimension finds an element: without rows, or with one column, it does not. */
static inline bool uses_leading(view A) { return A.m > 0 && A.n > 1; }

/* Runs a leaf: sizes and leading dimensions fit the BLAS's integers. */
trigon_status cpu_run(engine *, const operation *);

/* Memory on the host. */
trigon_status host_alloc(machine *, int64_t bytes, void **data);
trigon_status host_release(machine *, void *data);
trigon_status host_copy(machine *, view from, view to);

#endif

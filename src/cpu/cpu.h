/* cpu.h - the struct of the CPU's engine, shared by cpu_create.c, cpu_leaves.c and host_storage.c. */
#ifndef TRIGON_CPU_H
#define TRIGON_CPU_H

#include <stddef.h>

#include "core/engine.h"
#include "core/options.h"
#include "cpu/arch/cpu_arch.h"
#include "cpu/kernels/packed/packed.h"
#include "cpu/library/blas_table.h"
#include "cpu/team/team.h"

enum {
  element_order = 8,     /* up to here, inverses and LᴴL take less time by unblocked.c than by vectors */
  leaf_copy_order = 256, /* the order of the largest block that POTRF and INVERT copy into the leaf buffer */
  leaf_copy_bytes = leaf_copy_order * leaf_copy_order * 2 * (int)sizeof(double)
};

typedef struct cpu {
  engine engine; /* first: an engine * is a cpu * */
  machine machine;
  blas lib;        /* a BLAS that was loaded by name, or an empty table */
  bool seeks_blas; /* an installed BLAS is loaded at the first large call */
  bool found_blas; /* it was */
  int64_t int_max; /* the largest leading dimension that a call can take */
  engine_options options;
  tuning tuning;                        /* the table, changed by this BLAS and the options */
  const cpu_arch *arch;                 /* the kind of this CPU, or the one that the option arch= names */
  const char *tuned_for;                /* which machines the built-in table is for */
  tuning_source source;                 /* the file of the table */
  int64_t small_order[ROUTINES][TYPES]; /* the largest order of a small call; -1 if the routine has none */
  int64_t *info;                        /* gets the failure of the present call; NULL: `finish` returns it */
  int64_t failure;                      /* the first failure of the present call, or 0 */
  int64_t kept;                         /* the first failure that `finish` will return, or 0 */
  size_t leaf_used; /* with dirty=1: these first bytes of leaf_copy may hold other values than NaN */
  int threads;      /* the largest team for leaves of our own */
  packed *packed;   /* the register kernels and their buffers; NULL if no leaf is packed */
  void *leaf_copy;  /* the leaf buffer, for POTRF and INVERT */
  int64_t cap;      /* of the workspace for emulated products; negative: the default */
  void *buffer;     /* the caller's workspace, or NULL */
  int64_t taken;    /* bytes of the cap that an eigensolver has taken for the present call */
  void *workspace;  /* our own, from the first call on that needs it, or NULL */
  int64_t workspace_bytes;
  engine **workers; /* engines of one thread each (workers.c), from their first use on */
  int worker_count;
  char described[320 + tuning_path_size]; /* whose kernels compute, and the table */
  char kind[32];                          /* the line of trigon_rows that names the kind */
  char advice[640]; /* how to get faster kernels, and what is wrong with the file of the table; or "" */
} cpu;

static inline cpu *cpu_of(engine *e) { return (cpu *)e; }
static inline cpu *cpu_on(machine *m) { return (cpu *)((char *)m - offsetof(cpu, machine)); }

/* Whether the address of an element depends on the leading dimension. */
static inline bool uses_leading(view A) { return A.m > 0 && A.n > 1; }

static inline bool has_blas(const cpu *c) { return c->lib.library != NULL; }

/* Loads an installed BLAS, if there is one, for calls that are large (cpu_create.c). */
void cpu_seek_blas(cpu *);

/* The engine, without `destroy` and the machine (cpu_create.c). */
extern const engine cpu_engine;

/* Makes the engine's tuning: the table for this BLAS, changed by the file of the table and by the options. */
trigon_status cpu_tuning(cpu *);

/* Lowers the stops of a table to what the buffers of a member can take (workers.c). */
void cpu_tune_member(const cpu *, tuning *);

/* Whether the table has a range with this leaf. */
bool cpu_tuning_has(const tuning *, variant leaf);

/* Whether every routine that has packed leaves uses them: by option, or because there is no BLAS. */
bool cpu_is_packed(const cpu *);

/* Runs a leaf. Its sizes and leading dimensions must fit the BLAS's integers. */
trigon_status cpu_run(engine *, const operation *);

/* Runs a public call, if it is small (small.c). Here and below, the engine may be a decorator (core/small_ops.h). */
bool cpu_run_small(engine *, const small_call *);
bool cpu_run_small_product(engine *, const small_product_call *);

/* A small call of level 2 (small_vectors.c). */
bool cpu_run_small_vectors(engine *, const vectors_call *);

/* Several small calls at once (small.c). */
small_batch_limits cpu_small_batch_limits(engine *, routine, trigon_type);
bool cpu_run_small_batch(engine *, const small_call *calls, int count);

/* The context's threads (workers.c). */
void cpu_parallel_for(machine *, int64_t count, index_work *work, void *job);
int cpu_threads(machine *);

/* Engines for these threads, what they hold, and their end (workers.c). */
engine *const *cpu_workers(engine *, int count);
int64_t cpu_worker_memory(const cpu *);
void cpu_free_workers(cpu *);

/* The workspace for emulated products (cpu_workspace.c). */
trigon_status cpu_set_workspace(machine *, void *buffer, int64_t bytes);
trigon_status cpu_lend(machine *, int64_t wanted, void **data, int64_t *bytes);
int64_t cpu_most_lent(machine *);
void *cpu_buffer(const cpu *); /* the first aligned address of the caller's buffer */

/* The machine's memory and copies, on the host (host_storage.c). */
trigon_status host_alloc(machine *, int64_t bytes, void **data);
trigon_status host_release(machine *, void *data);
trigon_status host_copy(machine *, view from, view to);
trigon_status host_copy_triangle(machine *, const triangle_move *);

#endif

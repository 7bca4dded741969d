/* machine.h - where a context's data live and when things happen: memory, transfers, workspace, stream, timer, threads,
 * and the wait for results. */
#ifndef TRIGON_MACHINE_H
#define TRIGON_MACHINE_H

#include "error.h"
#include "view.h"

typedef struct machine machine;
typedef struct eigen_support eigen_support;         /* eigen_support.h */
typedef struct emulation_support emulation_support; /* fp64/emulation_support.h */
typedef struct queue_ops queue_ops;                 /* queues.h */
typedef struct tuning tuning;                       /* tuning.h */

typedef void index_work(int64_t i, void *job);

/* The triangle `uplo` of `to` becomes that of op(from). */
typedef struct triangle_move {
  trigon_uplo uplo;
  trigon_op op;
  trigon_other other;
  view from, to;
} triangle_move;

/* trigon.h has the contracts. The caller has checked signs, shapes and types. No matrix is empty. Only a buffer, a
 * stream and info may be NULL. With TRIGON_BAD_ARGUMENT the reason names the argument. If a comment says
 * that a kind of machine does not have an entry, the entry is NULL there. */
typedef struct machine_ops {
  bool on_host;

  /* Memory of operands. `keep` gives one block that the machine frees at its end, even if the device is lost by then; a
   * later call gets the same block. The host does not have `keep`. */
  trigon_status (*alloc)(machine *, int64_t bytes, void **data);
  trigon_status (*release)(machine *, void *data);
  trigon_status (*keep)(machine *, int64_t bytes, void **data);
  int64_t (*memory)(machine *); /* the bytes that the machine holds, without those of `alloc` */

  /* Transfers. `from` of an upload is on the host, and so is `to` of a download. */
  trigon_status (*upload)(machine *, view from, view to);
  trigon_status (*download)(machine *, view from, view to);
  trigon_status (*copy)(machine *, view from, view to);
  trigon_status (*copy_triangle)(machine *, const triangle_move *);

  /* Host memory that devices read by themselves, the bytes that moved since the last question, and the part of the
   * present work that was handed over, from 0 to 1. The host, which moves nothing, has none of these. A GPU, whose
   * caller moves data, does not have the last two. `progress` may be asked while another entry runs. */
  trigon_status (*pin)(machine *, void *data, int64_t bytes);
  trigon_status (*unpin)(machine *, void *data);
  void (*traffic)(machine *, int64_t *in, int64_t *out, int64_t *between);
  double (*progress)(machine *);

  /* The stream. `finish` waits for all work, and stores the first failure that was kept since the last `finish`, or 0.
   * The host does not have set_stream. */
  trigon_status (*finish)(machine *, int64_t *info);
  trigon_status (*set_stream)(machine *, void *stream);

  /* The timer. The host has neither entry: the caller reads a clock. */
  trigon_status (*start_timer)(machine *, double hold);
  trigon_status (*stop_timer)(machine *, double *seconds);

  /* Workspace beyond the leaf buffer. `lend` lends memory for the present call, between `begin` and `end`, that nothing
   * else uses: as much as is wanted, or less if there is a cap or no memory. It stores the bytes, maybe 0.
   * TRIGON_NO_MEMORY if the stream is captured and the memory was not reserved. most_lent: the most bytes that `lend`
   * lends, if there is memory; a GPU does not have it. The host does not have `reserve`: it prepares nothing ahead. */
  trigon_status (*set_workspace)(machine *, void *buffer, int64_t bytes);
  trigon_status (*reserve)(machine *, int64_t bytes);
  trigon_status (*lend)(machine *, int64_t wanted, void **data, int64_t *bytes);
  int64_t (*most_lent)(machine *);

  /* Several processes: each public call of a routine begins in all of them. If this process refuses the call before
   * `begin`, `withdraw` tells the others, whose `begin` then refuses it, too, and returns the status that all processes
   * return. Machines of one process have no entry. */
  trigon_status (*withdraw)(machine *);

  /* Threads, for machine_parallel_for and machine_threads. set_threads: 0 asks for the default. A GPU has no entry. */
  void (*parallel_for)(machine *, int64_t count, index_work *work, void *job);
  int (*threads)(machine *);
  void (*set_threads)(machine *, int threads);
} machine_ops;

struct machine {
  const machine_ops *ops;
  const emulation_support *emulation; /* for emulated arithmetic; NULL: the host's */
  const eigen_support *eigen;         /* for eigenproblems; NULL: the machine has no eigensolver */
  const queue_ops *queues;            /* where data move while work runs; NULL: on the host */
  const char *description, *advice;   /* the texts of trigon_describe and trigon_advice */
  const char *tuning_file;            /* where the engine looks for its tuning table, or "" */
  const tuning *tuning;               /* the table in force; NULL: there is nothing to tune */
  const char *rows;                   /* what trigon_rows tells beside the table: lines */
  reason *why; /* the last failure of the machine or of its engine; the context owns the reason */
};

/* How many threads may run calls of engines at once. A machine without threads has the calling thread. */
static inline int machine_threads(machine *m) { return m->ops->threads ? m->ops->threads(m) : 1; }

/* Calls work(i, job) once for each i < count, on the machine's threads, which take the numbers in ascending order.
 * Takes no memory. Without threads, or without a machine, the calling thread takes all numbers. */
static inline void machine_parallel_for(machine *m, int64_t count, index_work *work, void *job) {
  if (m && m->ops->parallel_for)
    m->ops->parallel_for(m, count, work, job);
  else
    for (int64_t i = 0; i < count; i++) work(i, job);
}

#endif

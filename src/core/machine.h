/* machine.h - where a context's data live: memory, transfers, workspace, stream, timer, and the wait for results. */
#ifndef TRIGON_MACHINE_H
#define TRIGON_MACHINE_H

#include "error.h"
#include "view.h"

typedef struct machine machine;
typedef struct emulation_support emulation_support; /* fp64/emulation_support.h */

typedef void index_work(int64_t i, void *job);

/* trigon.h has the contracts. The caller has checked signs, shapes and types. No matrix is empty. Only a buffer, a
 * stream and info may be NULL. With TRIGON_BAD_ARGUMENT the reason names the argument. An entry of the second group is
 * NULL if the machine does not have the function. */
typedef struct machine_ops {
  bool on_host;
  trigon_status (*alloc)(machine *, int64_t bytes, void **data);
  trigon_status (*release)(machine *, void *data);
  trigon_status (*upload)(machine *, view from, view to); /* `from` is on the host */
  trigon_status (*download)(machine *, view from, view to);
  trigon_status (*copy)(machine *, view from, view to);
  int64_t (*memory)(machine *); /* the bytes that the machine holds, without those of `alloc` */
  /* Waits for all work. Stores the first failure that was kept since the last `finish`, or 0. */
  trigon_status (*finish)(machine *, int64_t *info);
  const char *(*describe)(machine *);
  const char *(*advice)(machine *);
  const char *(*tuning_file)(machine *); /* where the engine looks for its tuning table, or "" */

  trigon_status (*set_workspace)(machine *, void *buffer, int64_t bytes);
  trigon_status (*reserve)(machine *, int64_t bytes);
  /* Lends memory for the present call, between `begin` and `end`, that nothing else uses: as much as is wanted, or less
   * if there is a cap or no memory. Stores the bytes, maybe 0. TRIGON_NO_MEMORY if the stream is captured and the
   * memory was not reserved. */
  trigon_status (*lend)(machine *, int64_t wanted, void **data, int64_t *bytes);
  int64_t (*most_lent)(machine *); /* the most bytes that `lend` lends, if there is memory */
  /* One block of memory, which the machine frees at its end, even if the device is lost by then. A later call gets the
   * same block. */
  trigon_status (*keep)(machine *, int64_t bytes, void **data);
  /* Calls work(i, job) once for each i < count, on the machine's threads, which take the numbers in ascending order.
   * Takes no memory. `threads` says how many threads may run calls of engines at once. NULL, both: see
   * machine_parallel_for. */
  void (*parallel_for)(machine *, int64_t count, index_work *work, void *job);
  int (*threads)(machine *);
  trigon_status (*set_stream)(machine *, void *stream);
  trigon_status (*start_timer)(machine *, double hold);
  trigon_status (*stop_timer)(machine *, double *seconds);
} machine_ops;

struct machine {
  const machine_ops *ops;
  const emulation_support *emulation; /* for emulated arithmetic; NULL: the host's */
  reason *why; /* the last failure of the machine or of its engine; the context owns the reason */
};

/* A machine without threads of its own has the calling thread. So has no machine at all. */
static inline int machine_threads(machine *m) { return m->ops->threads ? m->ops->threads(m) : 1; }
static inline void machine_parallel_for(machine *m, int64_t count, index_work *work, void *job) {
  if (m && m->ops->parallel_for)
    m->ops->parallel_for(m, count, work, job);
  else
    for (int64_t i = 0; i < count; i++) work(i, job);
}

#endif

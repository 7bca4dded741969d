/* device.h - the struct of the GPU's engine, and the device layer: device.c, gpu_workspace.c, timer.c.
 *
 * The leaves (gpu_leaves.h) use this layer. gpu_create.c makes the struct. */
#ifndef TRIGON_GPU_DEVICE_H
#define TRIGON_GPU_DEVICE_H

#include <assert.h>
#include <stdalign.h>
#include <stddef.h>

#include "core/eigen_support.h"
#include "core/engine.h"
#include "core/options.h"
#include "core/queues.h"
#include "fp64/emulation_support.h"
#include "gpu/arch/file_rows.h"
#include "gpu/kernels/call/on_condition.h"
#include "gpu/kernels/launchers.h"
#include "gpu/library/vendor_blas.h"
#include "gpu/library/vendor_solver.h"

/* The leaf buffer: the info block, then memory that the vendor's BLAS may use under every cap. */
enum { info_block_bytes = 1 << 16, leaf_buffer_bytes = 2 << 20 };

/* The start of the leaf buffer, in device memory. */
typedef struct info_block {
  unsigned long long failure; /* the first failure of the present call; no_failure between calls */
  int64_t kept;               /* the first failure that `finish` will return, or 0 */
  /* The words of dataflow_words. Blocks poll flags, so that each counter has a cache line of its own. */
  alignas(128) unsigned ticket;
  alignas(128) unsigned arrived;
  alignas(128) unsigned flags[dataflow_flags];
} info_block;

static_assert(sizeof(info_block) <= info_block_bytes, "the BLAS may overwrite what lies behind these bytes");

/* Memory for the vendor's BLAS beyond the leaf buffer. The caller owns the memory, or (`own`) the context does. */
typedef struct workspace {
  void *data;
  int64_t bytes;
  bool own;
} workspace;

typedef struct gpu {
  engine engine; /* first: an engine * is a gpu * */
  machine machine;
  emulation_support emulation; /* of the machine */
  eigen_support eigen;         /* of the machine */
  engine_options options;
  gpu_traits traits;    /* of the device; the queue has its kind */
  tuning tuning;        /* the table, changed by the options */
  tuning_source source; /* the file of the table */
  file_rows file_rows;  /* the kind's rows of tiles and of classes, changed by the file */
  int device;
  tg_device_guard guard;
  bool open;      /* the guard is open */
  int most_pitch; /* the most bytes from column to column in a two-dimensional copy */
  int coherent;   /* not 0: the device reads and writes all host memory by itself */
  queue queue;
  cudaStream_t own_stream;
  cudaStream_t copying[QUEUES];   /* the queues in and out; NULL until there is a copy; the queue of work is `queue` */
  side_streams sides;             /* of the queue */
  cudaEvent_t handover;           /* orders a new stream behind the old one */
  cudaEvent_t mark[2];            /* the start and the end of the timer */
  info_block *info_block;         /* the leaf buffer, which begins with the info block */
  gpu_blas *blas;                 /* NULL: the vendor's BLAS was not found, or is not wanted */
  gpu_solver *solver;             /* NULL: no call has needed cuSOLVER */
  struct vendor_batches *batches; /* NULL: no batch has gone to the vendor's BLAS */
  bool no_solver;                 /* cuSOLVER does not load, so leaf=vendor does without */
  int64_t cap;                    /* the most bytes of the workspace; -1: the default */
  workspace workspace;
  workspace kept;         /* what gpu_keep has given */
  workspace lent;         /* what emulated products take beside it */
  workspace eigen_memory; /* what eigensolvers take, if it is not the caller's buffer */
  int64_t taken;          /* bytes of the caller's buffer that an eigensolver has taken for the present call */
  int64_t lent_most;      /* the most that is lent, whatever the cap is; -1: the cap says it */
  int64_t lent_short;     /* the device had no memory for so many bytes */
  bool ready;             /* the BLAS has its workspace and its stream */
  bool full;     /* the device had no memory for a workspace; only trigon_reserve or trigon_set_workspace asks again */
  bool captured; /* a graph may use the workspace */
  bool busy;     /* calls that were not captured may still run: nothing has waited for them */
  cudaStream_t recording;  /* for work that runs on a condition; NULL until there is some */
  conditional *conditions; /* such work that may still run */
  bool unconditional;      /* the driver has no conditions */
  void **retired;          /* old workspaces that graphs may use; freed with the context */
  int retired_count;
  int64_t retired_bytes;
  int64_t together; /* schedule=device: a kernel launches for no more matrices at once */
  int64_t *info;    /* the present call's info, on the device; NULL: `finish` returns the failure */
  bool may_fail;    /* the end of the present call must take the failure from the info block */
  bool stale;       /* the info block may hold the failure of an earlier call */
  char described[256 + tuning_path_size];
  char *rows;       /* of the kind, for trigon_rows */
  char advice[400]; /* what is wrong with the file of the table, or "" */
} gpu;

static inline gpu *gpu_of(engine *e) { return (gpu *)e; }
static inline gpu *gpu_on(machine *m) { return (gpu *)((char *)m - offsetof(gpu, machine)); }

/* Turns an error into a status. The reason says that `what` failed. */
trigon_status gpu_status(gpu *, cudaError_t, const char *what);

/* Allocates device memory. TRIGON_NO_MEMORY: the reason names the memory by `what`. */
trigon_status gpu_allocate(gpu *, int64_t bytes, void **data, const char *what);

/* Returns the status, with this text as its reason. */
trigon_status gpu_refuse(gpu *, trigon_status, const char *text);

/* All use of the device is between gpu_enter and gpu_leave. gpu_leave makes the caller's current device current
 * again. */
trigon_status gpu_enter(gpu *);
void gpu_leave(gpu *);
trigon_status gpu_leave_with(gpu *, trigon_status); /* leaves, and returns the status */

/* TRIGON_BAD_ARGUMENT if the memory of this argument, `bytes` from `address` on, does not belong to the device, or is
 * not aligned. */
trigon_status gpu_check_memory(gpu *, const char *argument, const void *address, int64_t bytes, int64_t alignment);

/* TRIGON_BAD_ARGUMENT if the memory of this matrix does not belong to the device, or is not aligned. The matrix may be
 * empty. */
trigon_status gpu_check_view(gpu *, const char *argument, view A);

/* Makes the device ready for a call. `computes` says that the call is not trivial: then the vendor's BLAS gets its
 * workspace. A missing workspace is allocated, unless the stream is being captured. */
trigon_status gpu_prepare(gpu *, bool computes);

/* Makes the vendor's BLAS work in the queue's stream, which has changed. */
trigon_status gpu_follow_stream(gpu *);

/* Clears the failure in the info block, from here on in the stream. */
trigon_status gpu_reset_failure(gpu *);

/* Waits for the stream. TRIGON_NOT_SUPPORTED if the stream is being captured. */
trigon_status gpu_wait(gpu *);
bool gpu_is_capturing(gpu *);

/* Entries of the machine for the workspace (gpu_workspace.c). */
trigon_status gpu_set_workspace(machine *, void *buffer, int64_t bytes);
trigon_status gpu_reserve(machine *, int64_t bytes);
trigon_status gpu_lend(machine *, int64_t wanted, void **data, int64_t *bytes);
trigon_status gpu_limit_products(machine *, int64_t bytes);
trigon_status gpu_take(machine *, int64_t bytes, void **data);
void gpu_give(machine *, void *data);

/* The timer (timer.c). gpu_open_timer makes its two events when the context is made. */
trigon_status gpu_open_timer(gpu *);
trigon_status gpu_start_timer(machine *, double hold);
trigon_status gpu_stop_timer(machine *, double *seconds);
void gpu_close_timer(gpu *);

/* Copies a matrix in a stream (device.c). */
trigon_status gpu_copy_in_stream(gpu *, view from, view to, enum cudaMemcpyKind, cudaStream_t);

/* Entries of the machine and of gpu_queue_ops (gpu_queues.c). */
trigon_status gpu_pin(machine *, void *data, int64_t bytes);
trigon_status gpu_unpin(machine *, void *data);

/* Frees the streams of gpu_queue_ops (gpu_queues.c). */
void gpu_close_queues(gpu *);

/* Frees what batches of the vendor's BLAS have made; and the bytes that it holds on the device (vendor_batch.c). */
void gpu_vendor_close_batches(gpu *);
int64_t gpu_vendor_batch_memory(const gpu *);

extern const machine_ops gpu_machine_ops;
extern const queue_ops gpu_queue_ops;

#endif

/* device.h - one GPU as its files share it: its memory and streams (device.c), its workspace (workspace.c), its timer
 * (timer.c). Leaves (leaves.h) stand on it, and create.c makes it. */
#ifndef TRIGON_GPU_DEVICE_H
#define TRIGON_GPU_DEVICE_H

#include <stddef.h>

#include "../core/engine.h"
#include "../core/options.h"
#include "kernels/kernels.h"
#include "vendor_blas.h"
#include "vendor_solver.h"

/* The leaf buffer: the info block, and behind it memory that the vendor's BLAS has under every cap. */
enum { info_block_bytes = 256, leaf_buffer_bytes = 2 << 20 };

/* At the start of the leaf buffer, in device memory. */
typedef struct info_block {
  unsigned long long failure; /* of the present call; no_failure between calls */
  int64_t kept;               /* the first failure for `finish` */
} info_block;

/* Memory for the vendor's BLAS beyond the leaf buffer: the caller's, or our own. */
typedef struct workspace {
  void *data;
  int64_t bytes;
  bool own;
} workspace;

typedef struct gpu {
  engine engine; /* first: an engine * is a gpu * */
  machine machine;
  engine_options options;
  tuning tuning; /* this engine's own */
  int device;
  tg_device_guard guard;
  bool open;      /* the guard is */
  int most_pitch; /* bytes from column to column that a two-dimensional copy takes */
  queue queue;
  cudaStream_t own_stream;
  cudaEvent_t handover;   /* from one stream to the next */
  cudaEvent_t mark[2];    /* of the timer */
  info_block *info_block; /* the leaf buffer */
  gpu_blas *blas;         /* NULL: none, or not wanted */
  gpu_solver *solver;     /* NULL: not asked for */
  int64_t cap;            /* of the workspace; -1: the default */
  workspace workspace;
  bool ready;     /* the BLAS has its memory, and the stream */
  bool full;      /* there was no memory for a workspace: not asked for again before somebody says so */
  bool captured;  /* a graph may use the workspace */
  bool busy;      /* calls that were not captured may be running: nothing has waited since */
  void **retired; /* workspaces that graphs may use, freed with the context */
  int retired_count;
  int64_t retired_bytes;
  int64_t *info; /* of the present call */
  bool may_fail; /* the present call has an outcome */
  bool stale;    /* the last call's outcome could not be taken from the info block */
  char described[192];
} gpu;

static inline gpu *gpu_of(engine *e) { return (gpu *)e; }
static inline gpu *gpu_on(machine *m) { return (gpu *)((char *)m - offsetof(gpu, machine)); }

/* TRIGON_OK, or the status that the error stands for; the reason says what failed. */
trigon_status gpu_status(gpu *, cudaError_t, const char *what);

/* Stores the address of new device memory. `what` names it in the reason of a failure: TRIGON_NO_MEMORY. */
trigon_status gpu_allocate(gpu *, int64_t bytes, void **data, const char *what);

/* The status, whose reason is this text. */
trigon_status gpu_refuse(gpu *, trigon_status, const char *text);

/* These bracket everything that is asked of the device: the caller's current device is the same behind them. */
trigon_status gpu_enter(gpu *);
void gpu_leave(gpu *);
trigon_status gpu_left(gpu *, trigon_status); /* the status; leaves on the way */

/* TRIGON_OK, or TRIGON_BAD_ARGUMENT where that argument's memory, `bytes` from `address` on, is not this device's or not
 * aligned. */
trigon_status gpu_check_memory(gpu *, const char *argument, const void *address, int64_t bytes, int64_t alignment);

/* The same for a matrix, which may be empty. */
trigon_status gpu_check_view(gpu *, const char *argument, view A);

/* Makes the device ready for a call; `computes`: which is not trivial. The vendor's BLAS gets its workspace, which is allocated
 * if it is not there yet, unless the stream is being captured. */
trigon_status gpu_prepare(gpu *, bool computes);

/* The present call has no failure, from here on in the stream. */
trigon_status gpu_reset_failure(gpu *);

/* Waits for the stream, unless it is being captured: TRIGON_NOT_SUPPORTED then. */
trigon_status gpu_wait(gpu *);
bool gpu_is_capturing(gpu *);

/* The machine's workspace. */
trigon_status gpu_set_workspace(machine *, void *buffer, int64_t bytes);
trigon_status gpu_reserve(machine *, int64_t bytes);

/* The timer (timer.c): its two events are made with the context. */
trigon_status gpu_open_timer(gpu *);
trigon_status gpu_start_timer(machine *, double hold);
trigon_status gpu_stop_timer(machine *, double *seconds);
void gpu_close_timer(gpu *);

extern const machine_ops gpu_machine_ops;

#endif

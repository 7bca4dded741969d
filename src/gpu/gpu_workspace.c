/* gpu_workspace.c - the workspace of the vendor's BLAS on one GPU: its size, its allocation, its end. */
#include <stdio.h>
#include <stdlib.h>

#include "device.h"

/* How many bytes at each end of a buffer are filled with dirty=1. To fill all of a buffer would double the time of a
 * small call on the simulated GPU. */
enum { dirty_end = 16 << 10 };

enum { workspace_alignment = 256 }; /* cuBLAS requires this alignment */

/* The most that is lent for emulated products if there is no cap: below 4 GiB with the other buffers. */
static const int64_t gpu_lent_max = (int64_t)TG_TILE(64, 4032) << 20;

/* The bytes of the workspace beyond the leaf buffer. No call takes more, whatever the size of its operands, so the
 * default cap of 1/16 of the largest operand never matters. */
static int64_t workspace_bytes(const gpu *g) {
  const int64_t least = leaf_buffer_bytes - info_block_bytes; /* the BLAS has these bytes under every cap */
  if (!g->blas || (g->cap >= 0 && g->cap <= least)) return 0;
  return g->cap < 0 || g->cap > gpu_blas_workspace_max ? gpu_blas_workspace_max : g->cap;
}

static trigon_status attach(gpu *g) {
  if (g->ready) return TRIGON_OK;
  void *data = g->workspace.data ? g->workspace.data : (char *)g->info_block + info_block_bytes;
  int64_t bytes = g->workspace.data ? g->workspace.bytes : leaf_buffer_bytes - info_block_bytes;
  if (g->blas) TRY(gpu_blas_attach(g->blas, g->queue.stream, data, bytes, g->machine.why));
  g->ready = true;
  return TRIGON_OK;
}

trigon_status gpu_follow_stream(gpu *g) {
  g->ready = false;
  return attach(g);
}

static trigon_status allocate_workspace(gpu *g) {
  const int64_t bytes = workspace_bytes(g);
  if (bytes == 0 || g->workspace.data) return TRIGON_OK;
  if (gpu_is_capturing(g))
    return gpu_refuse(g, TRIGON_NO_MEMORY,
                      "the workspace cannot be allocated while the stream is captured: "
                      "call trigon_reserve before the capture");
  TRY(gpu_allocate(g, bytes, &g->workspace.data, "the workspace"));
  g->workspace.bytes = bytes, g->workspace.own = true;
  g->ready = false;
  return TRIGON_OK;
}

/* If the device has no memory for the workspace, the BLAS works with the leaf buffer alone, as under a cap of 0. */
static trigon_status take_workspace(gpu *g) {
  if (g->ready || g->full) return TRIGON_OK;
  trigon_status status = allocate_workspace(g);
  g->full = status == TRIGON_NO_MEMORY && !gpu_is_capturing(g);
  return g->full ? TRIGON_OK : status;
}

trigon_status gpu_reset_failure(gpu *g) {
  return gpu_status(g, cudaMemsetAsync(&g->info_block->failure, 0xff, sizeof g->info_block->failure, g->queue.stream),
                    "the reset of the failure");
}

static trigon_status fill_ends(gpu *g, void *data, int64_t bytes) {
  const int64_t end = bytes < dirty_end ? bytes : dirty_end;
  cudaError_t error = cudaMemsetAsync(data, 0xff, (size_t)end, g->queue.stream);
  if (error == cudaSuccess) error = cudaMemsetAsync((char *)data + bytes - end, 0xff, (size_t)end, g->queue.stream);
  return gpu_status(g, error, "filling a buffer with NaN");
}

static trigon_status make_dirty(gpu *g) {
  TRY(fill_ends(g, (char *)g->info_block + info_block_bytes, leaf_buffer_bytes - info_block_bytes));
  return g->workspace.data ? fill_ends(g, g->workspace.data, g->workspace.bytes) : TRIGON_OK;
}

trigon_status gpu_prepare(gpu *g, bool computes) {
  const bool capturing = gpu_is_capturing(g);
  if (computes) {
    TRY(take_workspace(g));
    TRY(attach(g));
  }
  g->captured = g->captured || capturing; /* a batch uses the workspace that is there */
  g->busy = g->busy || !capturing;
  if (g->options.dirty) TRY(make_dirty(g));
  if (!g->stale) return TRIGON_OK;
  TRY(gpu_reset_failure(g));
  g->stale = capturing; /* a captured reset runs only when the graph is replayed */
  return TRIGON_OK;
}

/* Frees memory. If a graph may use it, it is freed with the context instead. */
static trigon_status drop(gpu *g, workspace *w) {
  if (w->own && g->captured) {
    void **more = realloc(g->retired, sizeof *more * (size_t)(g->retired_count + 1));
    if (!more) return gpu_refuse(g, TRIGON_NO_MEMORY, "out of host memory");
    g->retired = more;
    g->retired[g->retired_count++] = w->data;
    g->retired_bytes += w->bytes;
  } else if (w->own) {
    TRY(gpu_status(g, cudaFree(w->data), "freeing the workspace"));
  }
  *w = (workspace){0};
  return TRIGON_OK;
}

static trigon_status change_workspace(gpu *g, void *buffer, int64_t bytes) {
  if (buffer && bytes > 0) TRY(gpu_check_memory(g, "buffer", buffer, bytes, workspace_alignment));
  TRY(gpu_wait(g));
  TRY(drop(g, &g->lent));
  TRY(drop(g, &g->eigen_memory));
  TRY(drop(g, &g->workspace));
  g->ready = g->captured = g->full = false;
  g->lent_short = 0; /* the memory is asked for again */
  g->cap = bytes;
  const int64_t share = workspace_bytes(g);
  if (buffer && share > 0) g->workspace = (workspace){buffer, share, false};
  if (buffer && bytes > 0) g->lent = (workspace){(char *)buffer + share, bytes - share, false};
  return TRIGON_OK;
}

/* What may be lent beside the workspace of the BLAS. */
static int64_t most_lent(const gpu *g) {
  if (g->lent_most >= 0) return g->lent_most;
  const int64_t share = workspace_bytes(g);
  return g->cap < 0 ? gpu_lent_max : g->cap > share ? g->cap - share : 0;
}

/* If the device does not have the memory, half of it may do. Memory that a graph may use stays anyway, so it is only
 * exchanged for a larger one. */
static trigon_status allocate_lent(gpu *g, int64_t bytes) {
  enum { useful = 1 << 20 };
  if (!g->captured) TRY(drop(g, &g->lent));
  for (const int64_t wanted = bytes; bytes > g->lent.bytes && (bytes == wanted || bytes >= useful); bytes /= 2) {
    void *data = NULL;
    const trigon_status status = gpu_allocate(g, bytes, &data, "the workspace of emulated products");
    if (status == TRIGON_NO_MEMORY) continue;
    TRY(status);
    const trigon_status dropped = drop(g, &g->lent);
    if (dropped != TRIGON_OK) {
      cudaFree(data);
      return dropped;
    }
    g->lent = (workspace){data, bytes, true};
    return TRIGON_OK;
  }
  return TRIGON_OK;
}

/* Memory that was once refused is not asked for again: `lent_short` is what had been wanted. During a capture a smaller
 * memory does: the blocks are smaller. */
static trigon_status lend(gpu *g, int64_t wanted) {
  const int64_t most = most_lent(g);
  if (wanted > most) wanted = most;
  const bool enough = g->lent.bytes >= wanted || (g->lent.data && !g->lent.own) || g->lent_short >= wanted;
  if (enough || wanted == 0 || (g->lent.data && gpu_is_capturing(g))) return TRIGON_OK;
  if (gpu_is_capturing(g))
    return gpu_refuse(g, TRIGON_NO_MEMORY,
                      "the workspace of emulated products cannot be allocated while the stream is captured: "
                      "call trigon_reserve before the capture");
  TRY(allocate_lent(g, wanted));
  if (g->lent.bytes < wanted) g->lent_short = wanted;
  return TRIGON_OK;
}

trigon_status gpu_lend(machine *m, int64_t wanted, void **data, int64_t *bytes) {
  gpu *g = gpu_on(m);
  const tg_device_guard outer = g->guard; /* a call is open: its end restores what its begin has saved */
  TRY(gpu_enter(g));
  const trigon_status status = gpu_leave_with(g, lend(g, wanted));
  g->guard = outer;
  *data = (char *)g->lent.data + g->taken, *bytes = g->lent.bytes - g->taken;
  return status;
}

/* ----------------------------------------------------------------------------------- memory of eigensolvers -- */

/* What a solver may take under the cap. */
static int64_t most_taken(const gpu *g) {
  const int64_t share = workspace_bytes(g);
  return g->cap < 0 ? INT64_MAX : g->cap > share ? g->cap - share : 0;
}

static trigon_status allocate_taken(gpu *g, int64_t bytes) {
  if (g->eigen_memory.bytes >= bytes) return TRIGON_OK;
  if (gpu_is_capturing(g))
    return gpu_refuse(
        g, TRIGON_NO_MEMORY,
        "the workspace of the eigensolver cannot be allocated while the stream is captured: make one call "
        "of this size before, or give a buffer by trigon_set_workspace");
  TRY(drop(g, &g->eigen_memory));
  TRY(gpu_allocate(g, bytes, &g->eigen_memory.data, "the workspace of the eigensolver"));
  g->eigen_memory.bytes = bytes, g->eigen_memory.own = true;
  return TRIGON_OK;
}

static trigon_status take(gpu *g, int64_t bytes, void **data) {
  if (bytes > most_taken(g)) {
    char text[160];
    snprintf(text, sizeof text, "the solver needs %lld bytes of workspace, and trigon_set_workspace allows %lld",
             (long long)bytes, (long long)most_taken(g));
    return gpu_refuse(g, TRIGON_NO_MEMORY, text);
  }
  const bool has_buffer = g->lent.data && !g->lent.own;
  if (!has_buffer) TRY(allocate_taken(g, bytes));
  *data = has_buffer ? g->lent.data : g->eigen_memory.data;
  g->taken = has_buffer ? (bytes + workspace_alignment - 1) / workspace_alignment * workspace_alignment : 0;
  return g->options.dirty
             ? gpu_status(g, cudaMemsetAsync(*data, 0xff, (size_t)bytes, g->queue.stream), "filling with NaN")
             : TRIGON_OK;
}

trigon_status gpu_take(machine *m, int64_t bytes, void **data) {
  gpu *g = gpu_on(m);
  TRY(gpu_enter(g));
  return gpu_leave_with(g, take(g, bytes, data));
}

/* The memory stays for the next call. */
void gpu_give(machine *m, void *data) {
  (void)data;
  gpu_on(m)->taken = 0;
}

static trigon_status limit_products(gpu *g, int64_t bytes) {
  TRY(gpu_wait(g));
  TRY(drop(g, &g->lent));
  g->lent_short = 0;
  g->lent_most = bytes;
  return TRIGON_OK;
}

trigon_status gpu_limit_products(machine *m, int64_t bytes) {
  gpu *g = gpu_on(m);
  TRY(gpu_enter(g));
  return gpu_leave_with(g, limit_products(g, bytes));
}

trigon_status gpu_set_workspace(machine *m, void *buffer, int64_t bytes) {
  gpu *g = gpu_on(m);
  TRY(gpu_enter(g));
  return gpu_leave_with(g, change_workspace(g, buffer, bytes));
}

static trigon_status reserve(gpu *g) {
  trigon_status status = allocate_workspace(g);
  g->full = status == TRIGON_NO_MEMORY && !gpu_is_capturing(g);
  return status == TRIGON_OK ? attach(g) : status;
}

trigon_status gpu_reserve(machine *m, int64_t bytes) {
  gpu *g = gpu_on(m);
  (void)bytes; /* the workspace has one size */
  TRY(gpu_enter(g));
  return gpu_leave_with(g, reserve(g));
}

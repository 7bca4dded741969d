/* gpu_device.c - one GPU as a machine: its memory, its workspace, its streams. */
#include "gpu.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { workspace_alignment = 256 }; /* cuBLAS asks for it */

/* How many bytes at each end of a buffer are filled with dirty=1. To fill all of a buffer would double the time of a
 * small call on the simulated GPU. */
enum { dirty_end = 16 << 10 };

/* ----------------------------------------------------------------------------------------- errors, devices -- */

trigon_status gpu_status(gpu *g, cudaError_t error, const char *what) {
  if (error == cudaSuccess) return TRIGON_OK;
  (void)cudaGetLastError(); /* the caller's next look at it must not find our failure */
  snprintf(g->machine.why->text, sizeof g->machine.why->text, "%s:%d: %s failed: %s", TG_VENDOR, g->device, what,
           cudaGetErrorString(error));
  return TRIGON_DEVICE_FAILED;
}

trigon_status gpu_allocate(gpu *g, int64_t bytes, void **data, const char *what) {
  char text[96];
  snprintf(text, sizeof text, "the allocation of %s, %lld bytes,", what, (long long)bytes);
  cudaError_t error = cudaMalloc(data, (size_t)bytes);
  trigon_status status = gpu_status(g, error, text);
  return error == cudaErrorMemoryAllocation ? TRIGON_NO_MEMORY : status;
}

trigon_status gpu_refuse(gpu *g, trigon_status status, const char *text) {
  snprintf(g->machine.why->text, sizeof g->machine.why->text, "%s:%d: %s", TG_VENDOR, g->device, text);
  return status;
}

/* An argument that is bad, and why: "ADDRESS is ...". */
__attribute__((format(printf, 4, 5))) static trigon_status blame(gpu *g, const char *argument, const void *address,
                                                                 const char *format, ...) {
  char what[160];
  va_list values;
  va_start(values, format);
  vsnprintf(what, sizeof what, format, values);
  va_end(values);
  g->machine.why->argument = argument;
  snprintf(g->machine.why->text, sizeof g->machine.why->text, "%p %s", address, what);
  return TRIGON_BAD_ARGUMENT;
}

trigon_status gpu_enter(gpu *g) { return gpu_status(g, tg_enter(&g->scope), "making the device the current one"); }

void gpu_leave(gpu *g) { tg_leave(&g->scope); }

/* Whether kernels of this device may use the address: device memory of its own, or such as every device and the host share. */
static bool is_here(gpu *g, const void *address) {
  const int device = tg_pointer_device(address);
  return device == g->device || (device >= 0 && tg_pointer_on_host(address));
}

/* Kernels that read what is not theirs cost the process its device, so that both ends are looked at. (What lies between them
 * may be several allocations, mapped side by side.) */
trigon_status gpu_check_memory(gpu *g, const char *argument, const void *address, int64_t bytes, int64_t alignment) {
  const int device = tg_pointer_device(address);
  if (device < 0)
    return blame(g, argument, address, "is no device memory, must be memory of %s:%d", TG_VENDOR, g->device);
  if (!is_here(g, address))
    return blame(g, argument, address, "is memory of %s:%d, must be memory of %s:%d", TG_VENDOR, device, TG_VENDOR,
                 g->device);
  if ((intptr_t)address % alignment != 0)
    return blame(g, argument, address, "is not aligned to %d bytes", (int)alignment);
  if (!is_here(g, (const char *)address + bytes - 1))
    return blame(g, argument, address, "and the %lld bytes from there on do not end in memory of %s:%d",
                 (long long)bytes, TG_VENDOR, g->device);
  return TRIGON_OK;
}

trigon_status gpu_check_view(gpu *g, const char *argument, view A) {
  if (A.m == 0 || A.n == 0) return TRIGON_OK;
  const int64_t element = type_size(A.type);
  return gpu_check_memory(g, argument, A.base, ((A.n - 1) * A.ld + A.m) * element, element);
}

bool gpu_is_capturing(gpu *g) {
  bool capturing = false;
  if (g->queue.stream == g->own_stream) return false; /* nobody else has a handle on it */
  if (tg_is_capturing(g->queue.stream, &capturing) == cudaSuccess) return capturing;
  (void)cudaGetLastError(); /* whatever is asked of that stream next will tell */
  return false;
}

trigon_status gpu_wait(gpu *g) {
  if (gpu_is_capturing(g))
    return gpu_refuse(g, TRIGON_NOT_SUPPORTED, "the stream is being captured: nothing can be waited for");
  TRY(gpu_status(g, cudaStreamSynchronize(g->queue.stream), "waiting for the stream"));
  g->busy = false;
  return TRIGON_OK;
}

/* ----------------------------------------------------------------------------------------------- workspace -- */

/* How much the vendor's BLAS gets beyond the leaf buffer. No call takes more, whatever the size of its operands, so that
 * the cap of 1/16 of the largest of them never counts. */
static int64_t workspace_bytes(const gpu *g) {
  const int64_t least = leaf_buffer_bytes - control_bytes; /* what it has anyway */
  if (!g->blas || (g->cap >= 0 && g->cap <= least)) return 0;
  return g->cap < 0 || g->cap > gpu_blas_most ? gpu_blas_most : g->cap;
}

static trigon_status attach(gpu *g) {
  if (g->ready) return TRIGON_OK;
  void *data = g->workspace.data ? g->workspace.data : (char *)g->control + control_bytes;
  int64_t bytes = g->workspace.data ? g->workspace.bytes : leaf_buffer_bytes - control_bytes;
  if (g->blas) TRY(gpu_blas_attach(g->blas, g->queue.stream, data, bytes, g->machine.why));
  g->ready = true;
  return TRIGON_OK;
}

static trigon_status allocate_workspace(gpu *g) {
  const int64_t bytes = workspace_bytes(g);
  if (bytes == 0 || g->workspace.data) return TRIGON_OK;
  if (gpu_is_capturing(g))
    return gpu_refuse(g, TRIGON_NO_MEMORY,
                      "memory would have to be allocated while the stream is captured: "
                      "call trigon_reserve before");
  TRY(gpu_allocate(g, bytes, &g->workspace.data, "the workspace"));
  g->workspace.bytes = bytes, g->workspace.own = true;
  g->ready = false;
  return TRIGON_OK;
}

/* A device without memory for the workspace computes with the leaf buffer alone, as under a cap of 0. */
static trigon_status take_workspace(gpu *g) {
  if (g->ready || g->full) return TRIGON_OK;
  trigon_status status = allocate_workspace(g);
  g->full = status == TRIGON_NO_MEMORY && !gpu_is_capturing(g);
  return g->full ? TRIGON_OK : status;
}

trigon_status gpu_reset_failure(gpu *g) {
  return gpu_status(g, cudaMemsetAsync(&g->control->failure, 0xff, sizeof g->control->failure, g->queue.stream),
                    "the reset of the failure");
}

static trigon_status fill_ends(gpu *g, void *data, int64_t bytes) {
  const int64_t end = bytes < dirty_end ? bytes : dirty_end;
  cudaError_t error = cudaMemsetAsync(data, 0xff, (size_t)end, g->queue.stream);
  if (error == cudaSuccess) error = cudaMemsetAsync((char *)data + bytes - end, 0xff, (size_t)end, g->queue.stream);
  return gpu_status(g, error, "filling a buffer with NaN");
}

static trigon_status make_dirty(gpu *g) {
  TRY(fill_ends(g, (char *)g->control + control_bytes, leaf_buffer_bytes - control_bytes));
  return g->workspace.data ? fill_ends(g, g->workspace.data, g->workspace.bytes) : TRIGON_OK;
}

trigon_status gpu_prepare(gpu *g, bool computes) {
  const bool capturing = gpu_is_capturing(g);
  if (computes) {
    TRY(take_workspace(g));
    TRY(attach(g));
    g->captured = g->captured || capturing;
  }
  g->busy = g->busy || !capturing;
  if (g->options.dirty) TRY(make_dirty(g));
  if (!g->stale) return TRIGON_OK;
  TRY(gpu_reset_failure(g));
  g->stale = capturing; /* a captured reset happens in replays alone */
  return TRIGON_OK;
}

/* Gives up the present workspace: now, or with the context where a graph may use it. */
static trigon_status drop_workspace(gpu *g) {
  void *data = g->workspace.data;
  if (g->workspace.own && g->captured) {
    void **more = realloc(g->retired, sizeof *more * (size_t)(g->retired_count + 1));
    if (!more) return gpu_refuse(g, TRIGON_NO_MEMORY, "out of host memory");
    g->retired = more;
    g->retired[g->retired_count++] = data;
    g->retired_bytes += g->workspace.bytes;
  } else if (g->workspace.own) {
    TRY(gpu_status(g, cudaFree(data), "freeing the workspace"));
  }
  g->workspace = (workspace){0};
  g->ready = g->captured = g->full = false;
  return TRIGON_OK;
}

static trigon_status change_workspace(gpu *g, void *buffer, int64_t bytes) {
  if (buffer && bytes > 0) TRY(gpu_check_memory(g, "buffer", buffer, bytes, workspace_alignment));
  TRY(gpu_wait(g));
  TRY(drop_workspace(g));
  g->cap = bytes;
  if (buffer && workspace_bytes(g) > 0) g->workspace = (workspace){buffer, workspace_bytes(g), false};
  return TRIGON_OK;
}

/* ------------------------------------------------------------------------------------------------- storage -- */

/* The result of a storage operation, which stands between enter and leave. */
static trigon_status left(gpu *g, trigon_status status) {
  gpu_leave(g);
  return status;
}

static trigon_status gpu_set_workspace(machine *m, void *buffer, int64_t bytes) {
  gpu *g = gpu_on(m);
  TRY(gpu_enter(g));
  return left(g, change_workspace(g, buffer, bytes));
}

static trigon_status reserve(gpu *g) {
  trigon_status status = allocate_workspace(g);
  g->full = status == TRIGON_NO_MEMORY && !gpu_is_capturing(g);
  return status == TRIGON_OK ? attach(g) : status;
}

static trigon_status gpu_reserve(machine *m, int64_t bytes) {
  gpu *g = gpu_on(m);
  (void)bytes; /* the workspace has one size */
  TRY(gpu_enter(g));
  return left(g, reserve(g));
}

/* Work in the old stream comes before later calls: they share the leaf buffer and the workspace. A stream that is being
 * captured can neither wait for work outside its graph nor be waited for. */
static trigon_status order_streams(gpu *g, cudaStream_t stream) {
  bool to_capture = false;
  if (!tg_stream_is_here(&g->scope, stream))
    return blame(g, "stream", stream, "is no stream of %s:%d", TG_VENDOR, g->device);
  TRY(gpu_status(g, tg_is_capturing(stream, &to_capture), "asking for the stream's state"));
  if ((to_capture || gpu_is_capturing(g)) && g->busy) {
    g->machine.why->argument = "stream";
    return gpu_refuse(g, TRIGON_NOT_SUPPORTED,
                      "calls made before a capture cannot be ordered with it: call trigon_finish before");
  }
  if (to_capture || gpu_is_capturing(g)) return TRIGON_OK;
  TRY(gpu_status(g, cudaEventRecord(g->handover, g->queue.stream), "marking the old stream"));
  return gpu_status(g, cudaStreamWaitEvent(stream, g->handover, 0), "ordering the new stream behind the old one");
}

/* The next product hands the new stream to the BLAS. */
static trigon_status change_stream(gpu *g, cudaStream_t stream) {
  TRY(order_streams(g, stream));
  g->queue.stream = stream;
  g->ready = false;
  return TRIGON_OK;
}

static trigon_status gpu_set_stream(machine *m, void *stream) {
  gpu *g = gpu_on(m);
  TRY(gpu_enter(g));
  return left(g, change_stream(g, stream ? (cudaStream_t)stream : g->own_stream));
}

static trigon_status allocate(gpu *g, int64_t bytes, void **data) {
  if (gpu_is_capturing(g))
    return gpu_refuse(g, TRIGON_NOT_SUPPORTED, "the stream is being captured: nothing can be allocated");
  return gpu_allocate(g, bytes, data, "memory");
}

static trigon_status gpu_alloc(machine *m, int64_t bytes, void **data) {
  gpu *g = gpu_on(m);
  TRY(gpu_enter(g));
  return left(g, allocate(g, bytes, data));
}

static trigon_status release(gpu *g, void *data) {
  TRY(gpu_check_memory(g, "data", data, 1, 1));
  TRY(gpu_wait(g));
  cudaError_t error = cudaFree(data);
  if (error != cudaErrorInvalidValue) return gpu_status(g, error, "freeing memory");
  (void)cudaGetLastError();
  return blame(g, "data", data, "is not what trigon_alloc gave");
}

static trigon_status gpu_release(machine *m, void *data) {
  gpu *g = gpu_on(m);
  TRY(gpu_enter(g));
  return left(g, release(g, data));
}

/* A matrix without gaps goes in one call, and so does one whose columns are no further apart than the device's
 * two-dimensional copies allow (CUDA: 2^31 - 1 bytes). Others go column by column. */
static cudaError_t copy_matrix(gpu *g, view from, view to, enum cudaMemcpyKind kind) {
  const size_t element = (size_t)type_size(from.type), column = (size_t)from.m * element;
  const int64_t longest = from.ld > to.ld ? from.ld : to.ld;
  if (from.n == 1 || (from.ld == from.m && to.ld == to.m))
    return cudaMemcpyAsync(to.base, from.base, column * (size_t)from.n, kind, g->queue.stream);
  if (longest <= g->most_pitch / (int64_t)element)
    return cudaMemcpy2DAsync(to.base, (size_t)to.ld * element, from.base, (size_t)from.ld * element, column,
                             (size_t)from.n, kind, g->queue.stream);
  for (int64_t j = 0; j < from.n; j++) {
    cudaError_t error =
        cudaMemcpyAsync((char *)to.base + (size_t)(j * to.ld) * element,
                        (char *)from.base + (size_t)(j * from.ld) * element, column, kind, g->queue.stream);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

static trigon_status check_host(gpu *g, const char *argument, const void *address) {
  if (tg_pointer_on_host(address)) return TRIGON_OK;
  return blame(g, argument, address, "is memory of %s:%d, must be host memory", TG_VENDOR, tg_pointer_device(address));
}

static trigon_status transfer(gpu *g, view from, view to, enum cudaMemcpyKind kind) {
  const bool up = kind == cudaMemcpyHostToDevice;
  TRY(up ? check_host(g, "from", from.base) : gpu_check_view(g, "from", from));
  TRY(up ? gpu_check_view(g, "to", to) : check_host(g, "to", to.base));
  TRY(gpu_wait(g));
  TRY(gpu_status(g, copy_matrix(g, from, to, kind), "a copy"));
  return gpu_wait(g);
}

/* Nothing waits. */
static trigon_status copy(gpu *g, view from, view to) {
  TRY(gpu_check_view(g, "from", from));
  TRY(gpu_check_view(g, "to", to));
  g->busy = g->busy || !gpu_is_capturing(g);
  return gpu_status(g, copy_matrix(g, from, to, cudaMemcpyDeviceToDevice), "a copy");
}

static trigon_status gpu_copy(machine *m, view from, view to) {
  gpu *g = gpu_on(m);
  TRY(gpu_enter(g));
  return left(g, copy(g, from, to));
}

static int64_t gpu_memory(machine *m) {
  const gpu *g = gpu_on(m);
  const int64_t taken = g->workspace.own ? g->workspace.bytes : 0;
  return leaf_buffer_bytes + taken + g->retired_bytes + gpu_solver_memory(g->solver);
}

static trigon_status gpu_upload(machine *m, view from, view to) {
  gpu *g = gpu_on(m);
  TRY(gpu_enter(g));
  return left(g, transfer(g, from, to, cudaMemcpyHostToDevice));
}

static trigon_status gpu_download(machine *m, view from, view to) {
  gpu *g = gpu_on(m);
  TRY(gpu_enter(g));
  return left(g, transfer(g, from, to, cudaMemcpyDeviceToHost));
}

static trigon_status take_kept(gpu *g, int64_t *info) {
  int64_t kept = 0;
  TRY(gpu_wait(g));
  TRY(gpu_status(g, cudaMemcpyAsync(&kept, &g->control->kept, sizeof kept, cudaMemcpyDeviceToHost, g->queue.stream),
                 "reading info"));
  TRY(gpu_wait(g));
  if (info) *info = kept;
  if (kept != 0) {
    TRY(gpu_status(g, cudaMemsetAsync(&g->control->kept, 0, sizeof kept, g->queue.stream), "the reset of info"));
    TRY(gpu_wait(g)); /* a capture that follows is not ordered behind it */
  }
  return TRIGON_OK;
}

static trigon_status gpu_finish(machine *m, int64_t *info) {
  gpu *g = gpu_on(m);
  TRY(gpu_enter(g));
  return left(g, take_kept(g, info));
}

static const char *gpu_describe(machine *m) { return gpu_on(m)->described; }

static const char *gpu_advice(machine *m) {
  (void)m;
  return "";
}

const machine_ops gpu_ops = {
    .on_host = false,
    .alloc = gpu_alloc,
    .release = gpu_release,
    .upload = gpu_upload,
    .download = gpu_download,
    .set_workspace = gpu_set_workspace,
    .reserve = gpu_reserve,
    .set_stream = gpu_set_stream,
    .copy = gpu_copy,
    .memory = gpu_memory,
    .finish = gpu_finish,
    .describe = gpu_describe,
    .advice = gpu_advice,
    .start_timer = gpu_start_timer,
    .stop_timer = gpu_stop_timer,
};

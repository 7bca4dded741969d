/* device.c - one GPU as a machine: its errors, its memory and transfers, its streams, the wait for results. */
#include "device.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/fold.h"

/* ----------------------------------------------------------------------------------------- errors, devices -- */

trigon_status gpu_status(gpu *g, cudaError_t error, const char *what) {
  if (error == cudaSuccess) return TRIGON_OK;
  (void)cudaGetLastError(); /* clears the error: the caller's next cudaGetLastError must not find our failure */
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

/* Refuses an argument. The reason is the address and the format: "ADDRESS is ...". */
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

trigon_status gpu_enter(gpu *g) { return gpu_status(g, tg_enter(&g->guard), "making the device the current one"); }

void gpu_leave(gpu *g) { tg_leave(&g->guard); }

trigon_status gpu_leave_with(gpu *g, trigon_status status) {
  gpu_leave(g);
  return status;
}

/* Whether kernels of this device may use the address: it is memory of this device, or memory that host and devices
 * share. */
static bool is_usable(gpu *g, const void *address) {
  const int device = tg_pointer_device(address);
  return device == g->device || (device >= 0 && tg_pointer_on_host(address));
}

/* A kernel that reads other memory costs the process its device, so the first byte and the last are checked. The bytes
 * in between are checked on the simulated GPU alone: on a real GPU they may be several allocations that are mapped side
 * by side. */
trigon_status gpu_check_memory(gpu *g, const char *argument, const void *address, int64_t bytes, int64_t alignment) {
  const int device = tg_pointer_device(address);
  if (device < 0)
    return blame(g, argument, address, "is not device memory, must be memory of %s:%d", TG_VENDOR, g->device);
  if (!is_usable(g, address))
    return blame(g, argument, address, "is memory of %s:%d, must be memory of %s:%d", TG_VENDOR, device, TG_VENDOR,
                 g->device);
  if ((intptr_t)address % alignment != 0)
    return blame(g, argument, address, "is not aligned to %d bytes", (int)alignment);
  if (!is_usable(g, (const char *)address + bytes - 1))
    return blame(g, argument, address, "is memory of %s:%d, but the last of %lld bytes is not", TG_VENDOR, g->device,
                 (long long)bytes);
  if (!tg_is_one_allocation(address, (size_t)bytes))
    return blame(g, argument, address, "is memory of %s:%d, but its allocation ends before the last of %lld bytes",
                 TG_VENDOR, g->device, (long long)bytes);
  return TRIGON_OK;
}

trigon_status gpu_check_view(gpu *g, const char *argument, view A) {
  if (A.m == 0 || A.n == 0) return TRIGON_OK;
  const int64_t element = type_size(A.type), inc = increment_of(A), last = (A.m - 1) * inc;
  const char *first = (const char *)A.base + (inc < 0 ? last * element : 0);
  return gpu_check_memory(g, argument, first, ((A.n - 1) * A.ld + (inc < 0 ? -last : last) + 1) * element, element);
}

bool gpu_is_capturing(gpu *g) {
  unsigned long long capture = 0;
  if (g->queue.stream == g->own_stream) return false; /* nobody else has a handle of this stream */
  if (tg_capture_of(g->queue.stream, &capture) == cudaSuccess) return capture != 0;
  (void)cudaGetLastError(); /* the next use of the stream reports the error */
  return false;
}

trigon_status gpu_wait(gpu *g) {
  if (gpu_is_capturing(g))
    return gpu_refuse(g, TRIGON_NOT_SUPPORTED, "the stream is being captured: nothing can be waited for");
  TRY(gpu_status(g, cudaStreamSynchronize(g->queue.stream), "waiting for the stream"));
  g->busy = false;
  condition_free(&g->conditions, false);
  return TRIGON_OK;
}

/* ------------------------------------------------------------------------------------------------- storage -- */

/* Orders later calls behind the work in the old stream, because they share the leaf buffer and the workspace. A stream
 * that is being captured cannot wait for work outside its graph, and other streams cannot wait for it. */
static trigon_status order_streams(gpu *g, cudaStream_t stream) {
  unsigned long long to_capture = 0;
  if (!tg_stream_is_here(&g->guard, stream))
    return blame(g, "stream", stream, "is not a stream of %s:%d", TG_VENDOR, g->device);
  TRY(gpu_status(g, tg_capture_of(stream, &to_capture), "asking for the stream's state"));
  if ((to_capture || gpu_is_capturing(g)) && g->busy) {
    g->machine.why->argument = "stream";
    return gpu_refuse(g, TRIGON_NOT_SUPPORTED,
                      "calls before a capture cannot be ordered with the capture: call trigon_finish in between");
  }
  if (to_capture || gpu_is_capturing(g)) return TRIGON_OK;
  TRY(gpu_status(g, cudaEventRecord(g->handover, g->queue.stream), "marking the old stream"));
  return gpu_status(g, cudaStreamWaitEvent(stream, g->handover, 0), "ordering the new stream behind the old one");
}

/* Clears `ready`, so that the next call that computes gives the new stream to the BLAS. */
static trigon_status change_stream(gpu *g, cudaStream_t stream) {
  TRY(order_streams(g, stream));
  g->queue.stream = stream;
  g->ready = false;
  return TRIGON_OK;
}

static trigon_status gpu_set_stream(machine *m, void *stream) {
  gpu *g = gpu_on(m);
  TRY(gpu_enter(g));
  return gpu_leave_with(g, change_stream(g, stream ? (cudaStream_t)stream : g->own_stream));
}

static trigon_status allocate(gpu *g, int64_t bytes, void **data) {
  if (gpu_is_capturing(g))
    return gpu_refuse(g, TRIGON_NOT_SUPPORTED, "the stream is being captured: nothing can be allocated");
  return gpu_allocate(g, bytes, data, "memory");
}

static trigon_status gpu_alloc(machine *m, int64_t bytes, void **data) {
  gpu *g = gpu_on(m);
  TRY(gpu_enter(g));
  const trigon_status status = allocate(g, bytes, data);
  if (status == TRIGON_NO_MEMORY) m->why->argument = "bytes";
  return gpu_leave_with(g, status);
}

static trigon_status keep(gpu *g, int64_t bytes, void **data) {
  if (!g->kept.data) {
    TRY(allocate(g, bytes, &g->kept.data));
    g->kept.bytes = bytes;
  }
  *data = g->kept.data;
  return TRIGON_OK;
}

static trigon_status gpu_keep(machine *m, int64_t bytes, void **data) {
  gpu *g = gpu_on(m);
  TRY(gpu_enter(g));
  return gpu_leave_with(g, keep(g, bytes, data));
}

static trigon_status release(gpu *g, void *data) {
  TRY(gpu_check_memory(g, "data", data, 1, 1));
  TRY(gpu_wait(g));
  cudaError_t error = cudaFree(data);
  if (error != cudaErrorInvalidValue) return gpu_status(g, error, "freeing memory");
  (void)cudaGetLastError();
  return blame(g, "data", data, "was not allocated by trigon_alloc");
}

static trigon_status gpu_release(machine *m, void *data) {
  gpu *g = gpu_on(m);
  TRY(gpu_enter(g));
  return gpu_leave_with(g, release(g, data));
}

/* A matrix without gaps takes one copy. So does a matrix whose columns are near enough for the device's two-dimensional
 * copies (CUDA: 2^31 - 1 bytes apart). Other matrices are copied column by column. */
static cudaError_t copy_matrix(gpu *g, view from, view to, enum cudaMemcpyKind kind, cudaStream_t stream) {
  const size_t element = (size_t)type_size(from.type), column = (size_t)from.m * element;
  const int64_t longest = from.ld > to.ld ? from.ld : to.ld;
  if (from.n == 1 || (from.ld == from.m && to.ld == to.m))
    return cudaMemcpyAsync(to.base, from.base, column * (size_t)from.n, kind, stream);
  if (longest <= g->most_pitch / (int64_t)element)
    return cudaMemcpy2DAsync(to.base, (size_t)to.ld * element, from.base, (size_t)from.ld * element, column,
                             (size_t)from.n, kind, stream);
  for (int64_t j = 0; j < from.n; j++) {
    cudaError_t error = cudaMemcpyAsync((char *)to.base + (size_t)(j * to.ld) * element,
                                        (char *)from.base + (size_t)(j * from.ld) * element, column, kind, stream);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

trigon_status gpu_copy_in_stream(gpu *g, view from, view to, enum cudaMemcpyKind kind, cudaStream_t stream) {
  return gpu_status(g, copy_matrix(g, from, to, kind, stream), "a copy");
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
  TRY(gpu_copy_in_stream(g, from, to, kind, g->queue.stream));
  return gpu_wait(g);
}

/* Does not wait for the copy. */
static trigon_status copy(gpu *g, view from, view to) {
  TRY(gpu_check_view(g, "from", from));
  TRY(gpu_check_view(g, "to", to));
  g->busy = g->busy || !gpu_is_capturing(g);
  return gpu_copy_in_stream(g, from, to, cudaMemcpyDeviceToDevice, g->queue.stream);
}

static trigon_status gpu_copy(machine *m, view from, view to) {
  gpu *g = gpu_on(m);
  TRY(gpu_enter(g));
  return gpu_leave_with(g, copy(g, from, to));
}

/* Does not wait for the copy. */
static trigon_status copy_triangle(gpu *g, const triangle_move *t) {
  const triangle_copy folded = fold_triangle_copy(t->uplo, t->op, t->other, t->from, t->to);
  TRY(gpu_check_view(g, "from", t->from));
  TRY(gpu_check_view(g, "to", t->to));
  g->busy = g->busy || !gpu_is_capturing(g);
  return gpu_status(g, launch_copy_triangle(g->queue, t->to.type, &folded), "the copy of a triangle");
}

static trigon_status gpu_copy_triangle(machine *m, const triangle_move *t) {
  gpu *g = gpu_on(m);
  TRY(gpu_enter(g));
  return gpu_leave_with(g, copy_triangle(g, t));
}

static int64_t gpu_memory(machine *m) {
  const gpu *g = gpu_on(m);
  const int64_t taken = (g->workspace.own ? g->workspace.bytes : 0) + (g->lent.own ? g->lent.bytes : 0) +
                        (g->eigen_memory.own ? g->eigen_memory.bytes : 0);
  return leaf_buffer_bytes + taken + g->kept.bytes + g->retired_bytes + gpu_solver_memory(g->solver) +
         gpu_vendor_batch_memory(g);
}

static trigon_status gpu_upload(machine *m, view from, view to) {
  gpu *g = gpu_on(m);
  TRY(gpu_enter(g));
  return gpu_leave_with(g, transfer(g, from, to, cudaMemcpyHostToDevice));
}

static trigon_status gpu_download(machine *m, view from, view to) {
  gpu *g = gpu_on(m);
  TRY(gpu_enter(g));
  return gpu_leave_with(g, transfer(g, from, to, cudaMemcpyDeviceToHost));
}

static trigon_status take_kept(gpu *g, int64_t *info) {
  int64_t kept = 0;
  TRY(gpu_wait(g));
  TRY(gpu_status(g, cudaMemcpyAsync(&kept, &g->info_block->kept, sizeof kept, cudaMemcpyDeviceToHost, g->queue.stream),
                 "reading info"));
  TRY(gpu_wait(g));
  if (info) *info = kept;
  if (kept != 0) {
    TRY(gpu_status(g, cudaMemsetAsync(&g->info_block->kept, 0, sizeof kept, g->queue.stream), "the reset of info"));
    TRY(gpu_wait(g)); /* a capture that follows would not be ordered behind the reset */
  }
  return TRIGON_OK;
}

static trigon_status gpu_finish(machine *m, int64_t *info) {
  gpu *g = gpu_on(m);
  TRY(gpu_enter(g));
  return gpu_leave_with(g, take_kept(g, info));
}

const machine_ops gpu_machine_ops = {
    .on_host = false,
    .alloc = gpu_alloc,
    .release = gpu_release,
    .keep = gpu_keep,
    .memory = gpu_memory,
    .upload = gpu_upload,
    .download = gpu_download,
    .copy = gpu_copy,
    .copy_triangle = gpu_copy_triangle,
    .pin = gpu_pin,
    .unpin = gpu_unpin,
    .finish = gpu_finish,
    .set_stream = gpu_set_stream,
    .start_timer = gpu_start_timer,
    .stop_timer = gpu_stop_timer,
    .set_workspace = gpu_set_workspace,
    .reserve = gpu_reserve,
    .lend = gpu_lend,
};

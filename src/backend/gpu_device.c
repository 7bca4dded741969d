/* gpu_device.c - one GPU: its part's entry, its memory, its streams. */
#include "gpu.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build.h"
#include "part.h"

/* The leaf buffer: the control block, and behind it memory that the vendor's BLAS has under every cap. */
enum { control_bytes = 256, leaf_buffer_bytes = 2 << 20 };

enum { workspace_alignment = 256 }; /* cuBLAS asks for it */

/* ----------------------------------------------------------------------------------------- errors, devices -- */

trigon_status gpu_status(gpu *g, cudaError_t error, const char *what) {
  if (error == cudaSuccess) return TRIGON_OK;
  (void)cudaGetLastError(); /* the caller's next look at it must not find our failure */
  snprintf(g->seam.why->text, sizeof g->seam.why->text, "%s:%d: %s failed: %s", TG_VENDOR, g->device, what,
           cudaGetErrorString(error));
  return TRIGON_DEVICE_FAILED;
}

static trigon_status allocate_memory(gpu *g, int64_t bytes, void **data, const char *what) {
  char text[96];
  snprintf(text, sizeof text, "the allocation of %s, %lld bytes,", what, (long long)bytes);
  cudaError_t error = cudaMalloc(data, (size_t)bytes);
  trigon_status status = gpu_status(g, error, text);
  return error == cudaErrorMemoryAllocation ? TRIGON_NO_MEMORY : status;
}

trigon_status gpu_refuse(gpu *g, trigon_status status, const char *text) {
  snprintf(g->seam.why->text, sizeof g->seam.why->text, "%s:%d: %s", TG_VENDOR, g->device, text);
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
  g->seam.why->argument = argument;
  snprintf(g->seam.why->text, sizeof g->seam.why->text, "%p %s", address, what);
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
  const int64_t element = gpu_element_size(A.type);
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
  if (g->blas) TRY(gpu_blas_attach(g->blas, g->queue.stream, data, bytes, g->seam.why));
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
  TRY(allocate_memory(g, bytes, &g->workspace.data, "the workspace"));
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

trigon_status gpu_prepare(gpu *g, bool multiplies) {
  const bool capturing = gpu_is_capturing(g);
  if (multiplies) {
    TRY(take_workspace(g));
    TRY(attach(g));
    g->captured = g->captured || capturing;
  }
  g->busy = g->busy || !capturing;
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

static trigon_status gpu_set_workspace(backend *b, void *buffer, int64_t bytes) {
  gpu *g = gpu_of(b);
  TRY(gpu_enter(g));
  return left(g, change_workspace(g, buffer, bytes));
}

static trigon_status reserve(gpu *g) {
  trigon_status status = allocate_workspace(g);
  g->full = status == TRIGON_NO_MEMORY && !gpu_is_capturing(g);
  return status == TRIGON_OK ? attach(g) : status;
}

static trigon_status gpu_reserve(backend *b, int64_t bytes) {
  gpu *g = gpu_of(b);
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
    g->seam.why->argument = "stream";
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

static trigon_status gpu_set_stream(backend *b, void *stream) {
  gpu *g = gpu_of(b);
  TRY(gpu_enter(g));
  return left(g, change_stream(g, stream ? (cudaStream_t)stream : g->own_stream));
}

static trigon_status allocate(gpu *g, int64_t bytes, void **data) {
  if (gpu_is_capturing(g))
    return gpu_refuse(g, TRIGON_NOT_SUPPORTED, "the stream is being captured: nothing can be allocated");
  return allocate_memory(g, bytes, data, "memory");
}

static trigon_status gpu_alloc(backend *b, int64_t bytes, void **data) {
  gpu *g = gpu_of(b);
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

static trigon_status gpu_release(backend *b, void *data) {
  gpu *g = gpu_of(b);
  TRY(gpu_enter(g));
  return left(g, release(g, data));
}

/* A matrix without gaps goes in one call, and so does one whose columns are no further apart than the device's
 * two-dimensional copies allow (CUDA: 2^31 - 1 bytes). Others go column by column. */
static cudaError_t copy_matrix(gpu *g, view from, view to, enum cudaMemcpyKind kind) {
  const size_t element = (size_t)gpu_element_size(from.type), column = (size_t)from.m * element;
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

static trigon_status gpu_copy(backend *b, view from, view to) {
  gpu *g = gpu_of(b);
  TRY(gpu_enter(g));
  return left(g, copy(g, from, to));
}

static int64_t gpu_memory(backend *b) {
  const gpu *g = gpu_of(b);
  const int64_t taken = g->workspace.own ? g->workspace.bytes : 0;
  return leaf_buffer_bytes + taken + g->retired_bytes + gpu_solver_memory(g->solver);
}

static trigon_status gpu_upload(backend *b, view from, view to) {
  gpu *g = gpu_of(b);
  TRY(gpu_enter(g));
  return left(g, transfer(g, from, to, cudaMemcpyHostToDevice));
}

static trigon_status gpu_download(backend *b, view from, view to) {
  gpu *g = gpu_of(b);
  TRY(gpu_enter(g));
  return left(g, transfer(g, from, to, cudaMemcpyDeviceToHost));
}

const storage_ops gpu_storage = {
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
    .start_timer = gpu_start_timer,
    .stop_timer = gpu_stop_timer,
};

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

trigon_status gpu_finish(backend *b, int64_t *info) {
  gpu *g = gpu_of(b);
  TRY(gpu_enter(g));
  return left(g, take_kept(g, info));
}

/* --------------------------------------------------------------------------------------- birth and end of it -- */

/* All kernels, so that the first call can be captured. */
static cudaError_t load_kernels(gpu *g) {
  static const trigon_type types[] = {TRIGON_S, TRIGON_D, TRIGON_C, TRIGON_Z};
  static const factorization all[] = {FACTOR_POTRF, FACTOR_TRTRI, FACTOR_LAUUM};
  queue q = {g->queue.stream, true};
  cudaError_t error = launch_outcome(q, &(outcome){0});
  if (error == cudaSuccess) error = launch_delay(q, &(delay){0});
  if (error == cudaSuccess) error = launch_vendor_info(q, &(vendor_info){0});
  for (int t = 0; t < 4 && error == cudaSuccess; t++) {
    error = launch_product(q, types[t], &(product){0});
    if (error == cudaSuccess) error = launch_triangular(q, types[t], &(triangular){0});
    if (error == cudaSuccess) error = launch_zero_diagonal(q, types[t], &(square){0});
    if (error == cudaSuccess) error = launch_logdet(q, types[t], &(log_sum){0});
    for (int f = 0; f < 3 && error == cudaSuccess; f++) error = launch_square(q, types[t], &(square){.what = all[f]});
  }
  return error;
}

static trigon_status find_device(gpu *g) {
  char text[160] = "the machine has fewer";
  int count = 0;
  cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaSuccess && g->device < count) return TRIGON_OK;
  if (error != cudaSuccess) tg_no_devices(error, text, sizeof text);
  snprintf(g->seam.why->text, sizeof g->seam.why->text, "there is no device %s:%d: %s", TG_VENDOR, g->device, text);
  (void)cudaGetLastError();
  return TRIGON_NOT_FOUND;
}

static trigon_status open_device(gpu *g) {
  TRY(gpu_status(g, cudaStreamCreateWithFlags(&g->own_stream, cudaStreamDefault), "making a stream"));
  g->queue.stream = g->own_stream;
  TRY(gpu_status(g, cudaEventCreateWithFlags(&g->handover, cudaEventDisableTiming), "making an event"));
  void *leaf = NULL;
  TRY(allocate_memory(g, leaf_buffer_bytes, &leaf, "the leaf buffer"));
  g->control = leaf;
  TRY(gpu_open_timer(g));
  TRY(gpu_status(g, cudaMemsetAsync(&g->control->failure, 0xff, sizeof g->control->failure, g->own_stream),
                 "the start of the control block"));
  TRY(gpu_status(g, cudaMemsetAsync(&g->control->kept, 0, sizeof g->control->kept, g->own_stream),
                 "the start of the control block"));
  TRY(gpu_status(g, cudaDeviceGetAttribute(&g->most_pitch, cudaDevAttrMaxPitch, g->device),
                 "asking for the longest pitch of a copy"));
  TRY(gpu_status(g, load_kernels(g), "loading the kernels (of the devices that the build named: see README.md)"));
  return gpu_status(g, cudaStreamSynchronize(g->own_stream), "starting");
}

static trigon_status open_blas(gpu *g) {
  if (g->options.native) TRY(gpu_native_open(g->seam.why));
  if (g->options.own_gemm && !g->options.native) return TRIGON_OK;
  trigon_status status = gpu_blas_create(&g->blas, g->seam.why);
  return status == TRIGON_NOT_FOUND && !g->options.native ? TRIGON_OK : status;
}

static trigon_status describe(gpu *g) {
  char name[96];
  int processors = 0;
  size_t available = 0, total = 0;
  TRY(gpu_status(g, tg_device_name(g->device, name, sizeof name), "asking for the device's name"));
  TRY(gpu_status(g, cudaMemGetInfo(&available, &total), "asking for the device's memory"));
  TRY(gpu_status(g, cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, g->device),
                 "asking for the number of multiprocessors"));
  snprintf(g->described, sizeof g->described, "%s, %d multiprocessors, %zu MiB, %s", name, processors, total >> 20,
           g->blas ? gpu_blas_name(g->blas) : "products by kernels of our own");
  return TRIGON_OK;
}

static trigon_status start(gpu *g, const char *extra) {
  char *text = g->seam.why->text;
  TRY(find_device(g));
  if (tg_configure(g->device, extra, text, sizeof g->seam.why->text) != 0) return TRIGON_BAD_ARGUMENT;
  TRY(gpu_status(g, tg_open(g->device, &g->scope), "starting the device"));
  g->open = true;
  TRY(gpu_enter(g));
  trigon_status status = open_device(g);
  if (status == TRIGON_OK) status = open_blas(g);
  if (status == TRIGON_OK) status = describe(g);
  return left(g, status);
}

static void free_all(gpu *g) {
  gpu_solver_destroy(g->solver);
  gpu_blas_destroy(g->blas);
  if (g->workspace.own) cudaFree(g->workspace.data);
  for (int i = 0; i < g->retired_count; i++) cudaFree(g->retired[i]);
  if (g->control) cudaFree(g->control);
  if (g->handover) cudaEventDestroy(g->handover);
  gpu_close_timer(g);
  if (g->own_stream) cudaStreamDestroy(g->own_stream);
}

/* Frees what is there, in any state; there is nobody left to tell of failures. */
void gpu_destroy(backend *b) {
  gpu *g = gpu_of(b);
  const bool entered = g->open && gpu_enter(g) == TRIGON_OK;
  free_all(g);
  if (entered) gpu_leave(g);
  if (g->open) tg_close(&g->scope);
  free(g->retired);
  free(g);
}

const char PART_BUILD[] = TG_VENDOR " " TRIGON_BUILD;

trigon_status PART_CREATE(const part_request *request, reason *why, backend **out) {
  gpu *g = calloc(1, sizeof *g);
  if (!g) {
    snprintf(why->text, sizeof why->text, "out of memory");
    return TRIGON_NO_MEMORY;
  }
  g->seam = gpu_seam;
  g->seam.why = why;
  g->options = request->options;
  g->device = request->device;
  g->cap = -1;
  trigon_status status = start(g, request->extra);
  if (status == TRIGON_OK) {
    *out = &g->seam;
  } else {
    reason first = *why;
    gpu_destroy(&g->seam);
    *why = first;
  }
  return status;
}

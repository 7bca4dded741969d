/* gpu_device.c - one GPU: its part's entry, its memory, its streams. */
#include "gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
  return error == cudaErrorMemoryAllocation ? TRIGON_NO_MEMORY : TRIGON_DEVICE_FAILED;
}

static trigon_status refuse(gpu *g, trigon_status status, const char *text) {
  snprintf(g->seam.why->text, sizeof g->seam.why->text, "%s:%d: %s", TG_VENDOR, g->device, text);
  return status;
}

trigon_status gpu_enter(gpu *g) {
  TRY(gpu_status(g, cudaGetDevice(&g->previous), "asking for the current device"));
  if (g->previous == g->device) return TRIGON_OK;
  return gpu_status(g, cudaSetDevice(g->device), "setting the current device");
}

void gpu_leave(gpu *g) {
  if (g->previous != g->device) cudaSetDevice(g->previous);
}

static bool is_capturing(gpu *g) {
  bool capturing = false;
  if (g->queue.stream == g->own_stream) return false; /* nobody else has a handle on it */
  return tg_is_capturing(g->queue.stream, &capturing) == cudaSuccess && capturing;
}

static trigon_status wait_for(gpu *g) {
  if (is_capturing(g))
    return refuse(g, TRIGON_NOT_SUPPORTED, "the stream is being captured: nothing can be waited for");
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
  char *leaf = (char *)g->control + control_bytes;
  g->ready = false;
  if (g->blas && g->workspace.data)
    TRY(gpu_blas_attach(g->blas, g->queue.stream, g->workspace.data, g->workspace.bytes, g->seam.why));
  else if (g->blas)
    TRY(gpu_blas_attach(g->blas, g->queue.stream, leaf, leaf_buffer_bytes - control_bytes, g->seam.why));
  g->ready = true;
  return TRIGON_OK;
}

static trigon_status allocate_workspace(gpu *g) {
  int64_t bytes = workspace_bytes(g);
  if (bytes > 0 && !g->workspace.data) {
    if (is_capturing(g))
      return refuse(g, TRIGON_NO_MEMORY,
                    "memory would have to be allocated while the stream is captured: "
                    "call trigon_reserve before");
    TRY(gpu_status(g, cudaMalloc(&g->workspace.data, (size_t)bytes), "the allocation of the workspace"));
    g->workspace.bytes = bytes, g->workspace.own = true;
  }
  return attach(g);
}

trigon_status gpu_prepare(gpu *g) {
  if (!g->ready) TRY(allocate_workspace(g));
  if (is_capturing(g))
    g->captured = true;
  else
    g->busy = true;
  if (!g->stale) return TRIGON_OK;
  TRY(gpu_status(g, cudaMemsetAsync(&g->control->failure, 0xff, sizeof g->control->failure, g->queue.stream),
                 "the reset of the failure"));
  g->stale = is_capturing(g); /* a captured reset happens in replays alone */
  return TRIGON_OK;
}

/* Gives up the present workspace: now, or with the context where a graph may use it. */
static trigon_status drop_workspace(gpu *g) {
  void *data = g->workspace.data;
  if (g->workspace.own && g->captured) {
    void **more = realloc(g->retired, sizeof *more * (size_t)(g->retired_count + 1));
    if (!more) return refuse(g, TRIGON_NO_MEMORY, "out of host memory");
    g->retired = more;
    g->retired[g->retired_count++] = data;
  } else if (g->workspace.own) {
    TRY(gpu_status(g, cudaFree(data), "freeing the workspace"));
  }
  g->workspace = (workspace){0};
  g->ready = g->captured = false;
  return TRIGON_OK;
}

static trigon_status change_workspace(gpu *g, void *buffer, int64_t bytes) {
  if (buffer && bytes > 0 && tg_pointer_device(buffer) != g->device)
    return refuse(g, TRIGON_BAD_ARGUMENT, "argument 1 (buffer) is not this device's memory");
  if ((uintptr_t)buffer % workspace_alignment != 0)
    return refuse(g, TRIGON_BAD_ARGUMENT, "argument 1 (buffer) is not aligned to 256 bytes");
  TRY(wait_for(g));
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

static trigon_status gpu_reserve(backend *b, int64_t bytes) {
  gpu *g = gpu_of(b);
  (void)bytes; /* the workspace has one size */
  TRY(gpu_enter(g));
  return left(g, g->ready ? TRIGON_OK : allocate_workspace(g));
}

/* An event is recorded by the streams of its device alone. */
static trigon_status check_stream(gpu *g, cudaStream_t stream) {
  cudaError_t error = cudaEventRecord(g->handover, stream);
  if (error == cudaErrorInvalidResourceHandle)
    return refuse(g, TRIGON_BAD_ARGUMENT, "argument 1 (stream) is no stream of this device");
  return gpu_status(g, error, "marking the new stream");
}

/* Work in the old stream comes before later calls: they share the leaf buffer and the workspace. A stream that is being
 * captured can neither wait for work outside its graph nor be waited for. */
static trigon_status order_streams(gpu *g, cudaStream_t stream) {
  bool to_capture = false;
  TRY(gpu_status(g, tg_is_capturing(stream, &to_capture), "asking for the stream's state"));
  if (!to_capture) TRY(check_stream(g, stream));
  if ((to_capture || is_capturing(g)) && g->busy)
    return refuse(g, TRIGON_NOT_SUPPORTED,
                  "argument 1 (stream): calls made before a capture cannot be ordered with it: "
                  "call trigon_finish before");
  if (to_capture || is_capturing(g)) return TRIGON_OK;
  TRY(gpu_status(g, cudaEventRecord(g->handover, g->queue.stream), "marking the old stream"));
  return gpu_status(g, cudaStreamWaitEvent(stream, g->handover, 0), "ordering the new stream behind the old one");
}

/* Where the new stream is refused, the old one stays: the next call hands it to the BLAS again. */
static trigon_status change_stream(gpu *g, cudaStream_t stream) {
  cudaStream_t old = g->queue.stream;
  TRY(order_streams(g, stream));
  g->queue.stream = stream;
  trigon_status status = g->ready ? attach(g) : TRIGON_OK;
  if (status != TRIGON_OK) g->queue.stream = old;
  return status;
}

static trigon_status gpu_set_stream(backend *b, void *stream) {
  gpu *g = gpu_of(b);
  TRY(gpu_enter(g));
  return left(g, change_stream(g, stream ? (cudaStream_t)stream : g->own_stream));
}

static trigon_status gpu_alloc(backend *b, int64_t bytes, void **data) {
  gpu *g = gpu_of(b);
  TRY(gpu_enter(g));
  return left(g, gpu_status(g, cudaMalloc(data, (size_t)bytes), "the allocation"));
}

static trigon_status gpu_release(backend *b, void *data) {
  gpu *g = gpu_of(b);
  TRY(gpu_enter(g));
  if (tg_pointer_device(data) != g->device)
    return left(g, refuse(g, TRIGON_BAD_ARGUMENT, "argument 1 (data) is not this device's memory"));
  trigon_status status = wait_for(g);
  return left(g, status == TRIGON_OK ? gpu_status(g, cudaFree(data), "freeing memory") : status);
}

/* Columns of at most 2^31 - 1 bytes apart go in one call (a limit of CUDA's two-dimensional copies), as does a matrix
 * without gaps; others column by column. */
static cudaError_t copy_matrix(gpu *g, view from, view to, enum cudaMemcpyKind kind) {
  const size_t element = (size_t)gpu_element_size(from.type), column = (size_t)from.m * element;
  const int64_t longest = from.ld > to.ld ? from.ld : to.ld;
  if (from.n == 1 || (from.ld == from.m && to.ld == to.m))
    return cudaMemcpyAsync(to.base, from.base, column * (size_t)from.n, kind, g->queue.stream);
  if (longest <= INT32_MAX / (int64_t)element)
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

static trigon_status transfer(gpu *g, view from, view to, enum cudaMemcpyKind kind) {
  const bool up = kind == cudaMemcpyHostToDevice;
  if (from.m == 0 || from.n == 0) return TRIGON_OK;
  if (tg_pointer_device(up ? to.base : from.base) != g->device)
    return refuse(g, TRIGON_BAD_ARGUMENT,
                  up ? "argument 2 (to) is not this device's memory" : "argument 1 (from) is not this device's memory");
  TRY(wait_for(g));
  TRY(gpu_status(g, copy_matrix(g, from, to, kind), "a copy"));
  return wait_for(g);
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
};

static trigon_status take_kept(gpu *g, int64_t *info) {
  int64_t kept = 0;
  TRY(wait_for(g));
  TRY(gpu_status(g, cudaMemcpyAsync(&kept, &g->control->kept, sizeof kept, cudaMemcpyDeviceToHost, g->queue.stream),
                 "reading info"));
  TRY(wait_for(g));
  if (kept != 0)
    TRY(gpu_status(g, cudaMemsetAsync(&g->control->kept, 0, sizeof kept, g->queue.stream), "the reset of info"));
  if (info) *info = kept;
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
  queue q = {g->queue.stream, g->queue.processors, true};
  cudaError_t error = launch_outcome(q, &(outcome){0});
  for (int t = 0; t < 4 && error == cudaSuccess; t++) {
    error = launch_product(q, types[t], &(product){0});
    if (error == cudaSuccess) error = launch_triangular(q, types[t], &(triangular){0});
    if (error == cudaSuccess) error = launch_zero_diagonal(q, types[t], &(square){0});
    for (int f = 0; f < 3 && error == cudaSuccess; f++) error = launch_square(q, types[t], &(square){.what = all[f]});
  }
  return error;
}

static trigon_status find_device(gpu *g) {
  int count = 0;
  cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess || g->device >= count) {
    snprintf(g->seam.why->text, sizeof g->seam.why->text, "there is no device %s:%d: %s", TG_VENDOR, g->device,
             error == cudaSuccess ? "the machine has fewer" : cudaGetErrorString(error));
    return TRIGON_NOT_FOUND;
  }
  return TRIGON_OK;
}

static trigon_status open_device(gpu *g) {
  TRY(gpu_enter(g));
  int processors = 0;
  TRY(gpu_status(g, cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, g->device),
                 "asking for the number of multiprocessors"));
  g->queue.processors = processors;
  TRY(gpu_status(g, cudaStreamCreateWithFlags(&g->own_stream, cudaStreamDefault), "making a stream"));
  g->queue.stream = g->own_stream;
  TRY(gpu_status(g, cudaEventCreateWithFlags(&g->handover, cudaEventDisableTiming), "making an event"));
  void *leaf = NULL;
  TRY(gpu_status(g, cudaMalloc(&leaf, leaf_buffer_bytes), "the allocation of the leaf buffer"));
  g->control = leaf;
  TRY(gpu_status(g, cudaMemsetAsync(&g->control->failure, 0xff, sizeof g->control->failure, g->own_stream),
                 "the start of the control block"));
  TRY(gpu_status(g, cudaMemsetAsync(&g->control->kept, 0, sizeof g->control->kept, g->own_stream),
                 "the start of the control block"));
  TRY(gpu_status(g, load_kernels(g), "loading the kernels"));
  return gpu_status(g, cudaStreamSynchronize(g->own_stream), "starting");
}

static trigon_status open_blas(gpu *g) {
  if (g->options.native) TRY(gpu_native_supported(g->seam.why));
  if (g->options.own_gemm && !g->options.native) return TRIGON_OK;
  trigon_status status = gpu_blas_create(&g->blas, g->seam.why);
  return status == TRIGON_NOT_FOUND && !g->options.native ? TRIGON_OK : status;
}

static trigon_status describe(gpu *g) {
  char name[96];
  size_t available = 0, total = 0;
  TRY(gpu_status(g, tg_device_name(g->device, name, sizeof name), "asking for the device's name"));
  TRY(gpu_status(g, cudaMemGetInfo(&available, &total), "asking for the device's memory"));
  snprintf(g->described, sizeof g->described, "%s, %d multiprocessors, %zu MiB, %s", name, g->queue.processors,
           total >> 20, g->blas ? gpu_blas_name(g->blas) : "products by kernels of our own");
  return TRIGON_OK;
}

static trigon_status start(gpu *g, const char *extra) {
  char *text = g->seam.why->text;
  TRY(find_device(g));
  if (tg_configure(g->device, extra, text, sizeof g->seam.why->text) != 0) return TRIGON_BAD_ARGUMENT;
  TRY(open_device(g));
  TRY(open_blas(g));
  return describe(g);
}

/* Frees what is there, in any state; there is nobody left to tell of failures. */
void gpu_destroy(backend *b) {
  gpu *g = gpu_of(b);
  bool entered = gpu_enter(g) == TRIGON_OK;
  gpu_blas_destroy(g->blas);
  if (g->workspace.own) cudaFree(g->workspace.data);
  for (int i = 0; i < g->retired_count; i++) cudaFree(g->retired[i]);
  if (g->control) cudaFree(g->control);
  if (g->handover) cudaEventDestroy(g->handover);
  if (g->own_stream) cudaStreamDestroy(g->own_stream);
  if (entered) gpu_leave(g);
  free(g->retired);
  free(g);
}

#define TEXT(x) #x
#define VERSION(major, minor, patch) TEXT(major) "." TEXT(minor) "." TEXT(patch)

/* The caller's device is the same behind it, as with every call. */
trigon_status PART_CREATE(const part_request *request, reason *why, backend **out) {
  static const char own[] = VERSION(TRIGON_VERSION_MAJOR, TRIGON_VERSION_MINOR, TRIGON_VERSION_PATCH);
  if (strcmp(request->version, own) != 0 || strcmp(request->kind, TG_VENDOR) != 0) {
    snprintf(why->text, sizeof why->text, "this part is for %s of version %s, not %s of %s", TG_VENDOR, own,
             request->kind, request->version);
    return TRIGON_NOT_FOUND;
  }
  gpu *g = calloc(1, sizeof *g);
  if (!g) {
    snprintf(why->text, sizeof why->text, "out of memory");
    return TRIGON_NO_MEMORY;
  }
  g->seam = gpu_seam;
  g->seam.why = why;
  g->options = request->options;
  g->device = g->previous = request->device;
  g->cap = -1;
  int before = 0;
  bool known = cudaGetDevice(&before) == cudaSuccess;
  trigon_status status = start(g, request->extra);
  if (status == TRIGON_OK) {
    *out = &g->seam;
  } else {
    reason first = *why;
    gpu_destroy(&g->seam);
    *why = first;
  }
  if (known) cudaSetDevice(before);
  return status;
}

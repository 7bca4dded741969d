/* gpu_queues.c - the queues of one GPU, for an engine that moves data while work runs: see core/queues.h. */
#include "device.h"

/* A moment is an event of the device. */
static cudaEvent_t event_of(moment *m) { return (cudaEvent_t)m; }

/* The streams of copies are made when they are needed first. The stream of work waits for its own work alone. */
static trigon_status stream_of(gpu *g, queue_of_device q, cudaStream_t *stream) {
  if (q != QUEUE_COMPUTE && !g->copying[q])
    TRY(gpu_status(g, cudaStreamCreateWithFlags(&g->copying[q], cudaStreamNonBlocking), "making a stream for copies"));
  *stream = q == QUEUE_COMPUTE ? g->queue.stream : g->copying[q];
  return TRIGON_OK;
}

void gpu_close_queues(gpu *g) {
  for (int q = 0; q < QUEUES; q++)
    if (g->copying[q]) cudaStreamDestroy(g->copying[q]);
}

/* --------------------------------------------------------------------------------------------------- moments -- */

static trigon_status make_event(gpu *g, moment **out) {
  cudaEvent_t event = NULL;
  TRY(gpu_status(g, cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "making an event"));
  *out = (moment *)event;
  return TRIGON_OK;
}

static trigon_status make_moment(machine *m, moment **out) {
  gpu *g = gpu_on(m);
  TRY(gpu_enter(g));
  return gpu_leave_with(g, make_event(g, out));
}

/* The event is destroyed even if the device cannot be made the current one. */
static void drop_moment(machine *m, moment *dropped) {
  gpu *g = gpu_on(m);
  if (!dropped) return;
  const bool entered = gpu_enter(g) == TRIGON_OK;
  cudaEventDestroy(event_of(dropped));
  if (entered) gpu_leave(g);
}

static trigon_status record_event(gpu *g, queue_of_device q, moment *m) {
  cudaStream_t stream;
  TRY(stream_of(g, q, &stream));
  return gpu_status(g, cudaEventRecord(event_of(m), stream), "marking a place in a queue");
}

static trigon_status record(machine *m, queue_of_device q, moment *at) {
  gpu *g = gpu_on(m);
  TRY(gpu_enter(g));
  return gpu_leave_with(g, record_event(g, q, at));
}

static trigon_status await_event(gpu *g, queue_of_device q, moment *m) {
  cudaStream_t stream;
  TRY(stream_of(g, q, &stream));
  return gpu_status(g, cudaStreamWaitEvent(stream, event_of(m), 0), "making a queue wait");
}

static trigon_status await(machine *m, queue_of_device q, moment *awaited) {
  gpu *g = gpu_on(m);
  TRY(gpu_enter(g));
  return gpu_leave_with(g, await_event(g, q, awaited));
}

static trigon_status wait_for(machine *m, moment *awaited) {
  gpu *g = gpu_on(m);
  TRY(gpu_enter(g));
  return gpu_leave_with(g, gpu_status(g, cudaEventSynchronize(event_of(awaited)), "waiting for a queue"));
}

/* After a failure nothing is waited for. */
static bool is_past(machine *m, moment *asked) {
  gpu *g = gpu_on(m);
  if (gpu_enter(g) != TRIGON_OK) return true;
  const bool is = cudaEventQuery(event_of(asked)) != cudaErrorNotReady;
  (void)cudaGetLastError(); /* "not ready" is no failure */
  gpu_leave(g);
  return is;
}

/* ---------------------------------------------------------------------------------------------------- copies -- */

static trigon_status copy_matrix(gpu *g, queue_of_device q, view from, view to) {
  cudaStream_t stream;
  TRY(stream_of(g, q, &stream));
  return gpu_copy_in_stream(g, from, to, cudaMemcpyDefault, stream);
}

static trigon_status copy(machine *m, queue_of_device q, view from, view to) {
  gpu *g = gpu_on(m);
  TRY(gpu_enter(g));
  return gpu_leave_with(g, copy_matrix(g, q, from, to));
}

/* A device that has access already answers with an error. */
static bool enable_access(gpu *g, int other) {
  int can = 0;
  if (cudaDeviceCanAccessPeer(&can, g->device, other) != cudaSuccess) can = 0;
  if (can) (void)cudaDeviceEnablePeerAccess(other, 0);
  (void)cudaGetLastError();
  return can != 0;
}

static bool reaches(machine *m, machine *other) {
  gpu *g = gpu_on(m);
  if (gpu_enter(g) != TRIGON_OK) return false;
  const bool does = enable_access(g, gpu_on(other)->device);
  gpu_leave(g);
  return does;
}

/* ---------------------------------------------------------------------------------------------------- memory -- */

/* A device that shares the host's page tables reads all of its memory by itself, as if it were pinned. */
static memory_kind kind(machine *m, const void *address) {
  if (!tg_pointer_on_host(address)) return MEMORY_DEVICE;
  return gpu_on(m)->coherent || tg_pointer_is_pinned(address) ? MEMORY_PINNED : MEMORY_PAGEABLE;
}

static trigon_status alloc_host(gpu *g, int64_t bytes, void **data) {
  const cudaError_t error = cudaHostAlloc(data, (size_t)bytes, cudaHostAllocPortable);
  const trigon_status status = gpu_status(g, error, "the allocation of host memory");
  return error == cudaErrorMemoryAllocation ? TRIGON_NO_MEMORY : status;
}

static trigon_status alloc_pinned(machine *m, int64_t bytes, void **data) {
  gpu *g = gpu_on(m);
  TRY(gpu_enter(g));
  return gpu_leave_with(g, alloc_host(g, bytes, data));
}

/* The memory is freed even if the device is lost. */
static trigon_status free_pinned(machine *m, void *data) {
  gpu *g = gpu_on(m);
  const bool entered = gpu_enter(g) == TRIGON_OK;
  const bool is_unknown = cudaFreeHost(data) == cudaErrorInvalidValue;
  (void)cudaGetLastError();
  if (entered) gpu_leave(g);
  return is_unknown ? TRIGON_BAD_ARGUMENT : TRIGON_OK;
}

static trigon_status pin_memory(gpu *g, void *data, int64_t bytes) {
  if (gpu_is_capturing(g))
    return gpu_refuse(g, TRIGON_NOT_SUPPORTED, "the stream is being captured: nothing can be pinned");
  const cudaError_t error = cudaHostRegister(data, (size_t)bytes, cudaHostRegisterPortable);
  const trigon_status status = gpu_status(g, error, "pinning host memory");
  const bool is_pinned = error == cudaErrorHostMemoryAlreadyRegistered;
  if (is_pinned || error == cudaErrorInvalidValue) g->machine.why->argument = "data";
  if (is_pinned || error == cudaErrorInvalidValue) return TRIGON_BAD_ARGUMENT;
  return error == cudaErrorMemoryAllocation ? TRIGON_NO_MEMORY : status;
}

trigon_status gpu_pin(machine *m, void *data, int64_t bytes) {
  gpu *g = gpu_on(m);
  TRY(gpu_enter(g));
  return gpu_leave_with(g, pin_memory(g, data, bytes));
}

static trigon_status unpin_memory(gpu *g, void *data) {
  TRY(gpu_wait(g));
  const cudaError_t error = cudaHostUnregister(data);
  const trigon_status status = gpu_status(g, error, "unpinning host memory");
  if (error != cudaErrorHostMemoryNotRegistered && error != cudaErrorInvalidValue) return status;
  g->machine.why->argument = "data";
  return TRIGON_BAD_ARGUMENT;
}

trigon_status gpu_unpin(machine *m, void *data) {
  gpu *g = gpu_on(m);
  TRY(gpu_enter(g));
  return gpu_leave_with(g, unpin_memory(g, data));
}

static trigon_status alloc_window(machine *m, int64_t bytes, void **data) {
  gpu *g = gpu_on(m);
  TRY(gpu_enter(g));
  return gpu_leave_with(g, gpu_allocate(g, bytes, data, "the window of device memory"));
}

static void free_window(machine *m, void *data) {
  gpu *g = gpu_on(m);
  const bool entered = gpu_enter(g) == TRIGON_OK;
  cudaFree(data);
  if (entered) gpu_leave(g);
}

static trigon_status memory_left(machine *m, int64_t *bytes) {
  gpu *g = gpu_on(m);
  size_t left = 0, all = 0;
  TRY(gpu_enter(g));
  const trigon_status status = gpu_status(g, cudaMemGetInfo(&left, &all), "asking for the device's free memory");
  *bytes = (int64_t)left;
  return gpu_leave_with(g, status);
}

const queue_ops gpu_queue_ops = {.make_moment = make_moment,
                                 .drop_moment = drop_moment,
                                 .record = record,
                                 .await = await,
                                 .wait = wait_for,
                                 .is_past = is_past,
                                 .copy = copy,
                                 .reaches = reaches,
                                 .kind = kind,
                                 .alloc_pinned = alloc_pinned,
                                 .free_pinned = free_pinned,
                                 .pin = gpu_pin,
                                 .unpin = gpu_unpin,
                                 .alloc_window = alloc_window,
                                 .free_window = free_window,
                                 .memory_left = memory_left,
                                 .limit_products = gpu_limit_products};

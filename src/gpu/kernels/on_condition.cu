/* on_condition.cu - conditional nodes of CUDA's graphs (on_condition.h). */
#include "on_condition.h"

#include <stdlib.h>

#if defined(TRIGON_VENDOR_CUDA) && CUDART_VERSION >= 12040
struct conditional {
  cudaGraph_t graph;
  cudaGraphExec_t ready; /* NULL until it is launched */
  cudaStream_t recording;
  cudaEvent_t over;
  conditional *next;
};

__global__ static void set_condition_kernel(cudaGraphConditionalHandle condition, const int32_t *number) {
  cudaGraphSetConditional(condition, *number == 0);
}

/* While a thread captures a stream, calls that could wait are forbidden, some to all threads, and break the capture.
 * None of the calls here touches such a stream. */
struct permitted {
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  permitted() { (void)cudaThreadExchangeStreamCaptureMode(&mode); }
  ~permitted() { (void)cudaThreadExchangeStreamCaptureMode(&mode); }
};

static void free_one(conditional *c) {
  if (c->ready) cudaGraphExecDestroy(c->ready);
  if (c->graph) cudaGraphDestroy(c->graph);
  if (c->over) cudaEventDestroy(c->over);
  free(c);
}

/* Adds a node behind the first one, and returns its body. */
static cudaError_t add_conditional(cudaGraph_t graph, cudaGraphConditionalHandle condition, cudaGraph_t *body) {
  cudaGraphNode_t first, node;
  size_t count = 1;
  cudaGraphNodeParams params = {};
  params.type = cudaGraphNodeTypeConditional;
  params.conditional.handle = condition;
  params.conditional.type = cudaGraphCondTypeIf;
  params.conditional.size = 1;
  cudaError_t error = cudaGraphGetNodes(graph, &first, &count);
#if CUDART_VERSION >= 13000
  if (error == cudaSuccess) error = cudaGraphAddNode(&node, graph, &first, NULL, 1, &params);
#else
  if (error == cudaSuccess) error = cudaGraphAddNode(&node, graph, &first, 1, &params);
#endif
  if (error == cudaSuccess) *body = params.conditional.phGraph_out[0];
  return error;
}

static cudaError_t begin(cudaStream_t recording, cudaGraph_t into) {
  return cudaStreamBeginCaptureToGraph(recording, into, NULL, NULL, 0, cudaStreamCaptureModeRelaxed);
}

static cudaError_t end(cudaStream_t recording) {
  cudaGraph_t same;
  return cudaStreamEndCapture(recording, &same);
}

static cudaError_t make(conditional *c, const int32_t *number, cudaStream_t recording) {
  cudaGraphConditionalHandle condition;
  cudaGraph_t body;
  cudaError_t error = cudaEventCreateWithFlags(&c->over, cudaEventDisableTiming);
  if (error == cudaSuccess) error = cudaGraphCreate(&c->graph, 0);
  if (error == cudaSuccess)
    error = cudaGraphConditionalHandleCreate(&condition, c->graph, 0, cudaGraphCondAssignDefault);
  if (error == cudaSuccess) error = begin(recording, c->graph);
  if (error != cudaSuccess) return error;
  set_condition_kernel<<<1, 1, 0, recording>>>(condition, number);
  error = cudaGetLastError();
  const cudaError_t ended = end(recording);
  if (error == cudaSuccess) error = ended;
  if (error == cudaSuccess) error = add_conditional(c->graph, condition, &body);
  return error == cudaSuccess ? begin(recording, body) : error;
}

cudaError_t condition_record(conditional **out, const int32_t *number, cudaStream_t recording) {
  const permitted here;
  conditional *c = static_cast<conditional *>(calloc(1, sizeof *c));
  *out = NULL;
  if (!c) return cudaErrorMemoryAllocation;
  c->recording = recording;
  const cudaError_t error = make(c, number, recording);
  if (error == cudaSuccess) {
    *out = c;
    return error;
  }
  free_one(c);
  if (error != cudaErrorCallRequiresNewerDriver && error != cudaErrorNotSupported) return error;
  (void)cudaGetLastError(); /* it is no failure of the call */
  return cudaSuccess;
}

bool has_conditions() { return true; }

cudaError_t condition_launch(conditional *c, cudaStream_t stream, bool wanted) {
  const permitted here;
  cudaError_t error = end(c->recording);
  if (!wanted || error != cudaSuccess) return error;
  error = cudaGraphInstantiate(&c->ready, c->graph, 0);
  if (error == cudaSuccess) error = cudaGraphLaunch(c->ready, stream);
  return error == cudaSuccess ? cudaEventRecord(c->over, stream) : error;
}

void condition_keep(conditional **list, conditional *c) { c->next = *list, *list = c; }

void condition_free(conditional **list, bool all) {
  const permitted here;
  while (*list) {
    conditional *const c = *list;
    if (all || cudaEventQuery(c->over) != cudaErrorNotReady)
      *list = c->next, free_one(c);
    else
      list = &c->next;
  }
  (void)cudaGetLastError(); /* "not ready" is no failure */
}
#else
bool has_conditions() { return false; }
cudaError_t condition_record(conditional **out, const int32_t *, cudaStream_t) {
  *out = NULL;
  return cudaSuccess;
}
cudaError_t condition_launch(conditional *, cudaStream_t, bool) { return cudaErrorInvalidValue; }
void condition_keep(conditional **, conditional *) {}
void condition_free(conditional **, bool) {}
#endif

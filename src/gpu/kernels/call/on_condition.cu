/* on_condition.cu - conditional nodes of CUDA's graphs (on_condition.h). */
#include "on_condition.h"

#include <stdlib.h>

#include "gpu/kernels/registry.h"

#if defined(TRIGON_VENDOR_CUDA) && CUDART_VERSION >= 12040
struct conditional {
  cudaGraph_t graph;
  cudaGraphExec_t ready; /* NULL until it is launched */
  cudaStream_t recording;
  cudaEvent_t over;
  conditional *next;
};

struct condition_task {
  cudaGraphConditionalHandle condition;
  const int32_t *number;
};

__global__ static void set_condition_kernel(condition_task t) { cudaGraphSetConditional(t.condition, *t.number == 0); }

static cudaError_t launch_set_condition(cudaStream_t stream, condition_task task) {
  queue q = {};
  q.stream = stream;
  return launch_kernel(q, registered<set_condition_kernel, 0, NEEDS_CONDITIONS>(), 1, 1, task);
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
  error = launch_set_condition(recording, {condition, number});
  const cudaError_t ended = end(recording);
  if (error == cudaSuccess) error = ended;
  if (error == cudaSuccess) error = add_conditional(c->graph, condition, &body);
  return error == cudaSuccess ? begin(recording, body) : error;
}

conditional *condition_record(const int32_t *number, cudaStream_t recording) {
  const permitted here;
  conditional *c = static_cast<conditional *>(calloc(1, sizeof *c));
  if (!c) return NULL;
  c->recording = recording;
  if (make(c, number, recording) == cudaSuccess) return c;
  free_one(c);
  (void)cudaGetLastError();
  return NULL;
}

bool has_conditions() {
  enum { FIRST = 12040 };
  int version = 0;
  if (cudaDriverGetVersion(&version) == cudaSuccess) return version >= FIRST;
  (void)cudaGetLastError();
  return false;
}

bool condition_end(conditional *c, bool wanted) {
  const permitted here;
  cudaError_t error = end(c->recording);
  if (error == cudaSuccess && wanted) error = cudaGraphInstantiate(&c->ready, c->graph, 0);
  if (error != cudaSuccess) (void)cudaGetLastError();
  return error == cudaSuccess && wanted;
}

cudaError_t condition_launch(conditional *c, cudaStream_t stream) {
  const permitted here;
  const cudaError_t error = cudaGraphLaunch(c->ready, stream);
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

int condition_count(const conditional *list) {
  int count = 0;
  for (; list; list = list->next) count++;
  return count;
}
#else
bool has_conditions() { return false; }
conditional *condition_record(const int32_t *, cudaStream_t) { return NULL; }
bool condition_end(conditional *, bool) { return false; }
cudaError_t condition_launch(conditional *, cudaStream_t) { return cudaErrorInvalidValue; }
void condition_keep(conditional **, conditional *) {}
void condition_free(conditional **, bool) {}
int condition_count(const conditional *) { return 0; }
#endif

/* capture.c - captures of streams into graphs, and their replay. A graph runs its work in the order in which it was
 * captured, in all streams of the capture together. */
#include "work.h"

simError_t sim_fail_capture(simStream_t s, simError_t error) {
  for (simStream_t other = sim.streams; other; other = other->next)
    if (other->capture == s->capture) other->capture_failed = true;
  return error;
}

static simGraph_t new_graph(sim_device *d) {
  simGraph_t graph = malloc(sizeof *graph);
  if (!graph) return NULL;
  *graph = (struct simGraph){.device = d, .id = ++sim.ids};
  d->handles++;
  return graph;
}

void sim_free_graph(simGraph_t graph) {
  free_works(&graph->works);
  graph->device->handles--;
  free(graph);
}

bool sim_leave_capture(simGraph_t graph) {
  bool joined = true;
  for (simStream_t s = sim.streams; s; s = s->next) {
    if (s->capture != graph) continue;
    joined = joined && !s->loose;
    s->capture = NULL, s->joined = s->loose = false;
  }
  return joined;
}

simError_t sim_join_capture(simStream_t s, uint64_t graph) {
  simStream_t origin = sim.streams;
  while (origin && !(origin->capture && origin->capture->id == graph && !origin->joined)) origin = origin->next;
  if (!origin) return simErrorCapturedEvent;
  if (s == &s->device->legacy) return sim_fail_capture(origin, simErrorStreamCaptureImplicit);
  s->capture = origin->capture, s->joined = s->loose = true;
  s->capture_failed = origin->capture_failed;
  s->capture_mode = origin->capture_mode, s->capture_thread = origin->capture_thread;
  return simSuccess;
}

/* Fails each capture whose mode forbids such calls. */
simError_t sim_unsafe_call(void) {
  simError_t error = simSuccess;
  for (simStream_t s = sim.streams; s; s = s->next) {
    bool mine = s->capture && pthread_equal(s->capture_thread, pthread_self());
    if (!s->capture || s->capture_mode == simStreamCaptureModeRelaxed) continue;
    if (mine || s->capture_mode == simStreamCaptureModeGlobal)
      error = sim_fail_capture(s, simErrorStreamCaptureUnsupported);
  }
  return error;
}

simError_t simStreamBeginCapture(simStream_t s, simStreamCaptureMode mode) {
  HOLD;
  if (!s) return sim_report(simErrorStreamCaptureUnsupported);
  if (s->capture) return sim_report(simErrorIllegalState);
  s->joined = s->loose = false;
  s->capture = s->device->error ? NULL : new_graph(s->device);
  s->capture_failed = false;
  s->capture_mode = mode;
  s->capture_thread = pthread_self();
  return sim_report(s->device->error ? s->device->error : s->capture ? simSuccess : simErrorMemoryAllocation);
}

simError_t simStreamEndCapture(simStream_t s, simGraph_t *graph) {
  HOLD;
  if (!s || !s->capture) return sim_report(simErrorIllegalState);
  if (s->joined) return sim_report(sim_fail_capture(s, simErrorStreamCaptureUnmatched));
  if (s->capture_mode != simStreamCaptureModeRelaxed && !pthread_equal(s->capture_thread, pthread_self()))
    return sim_report(sim_fail_capture(s, simErrorStreamCaptureWrongThread));
  simGraph_t all = s->capture;
  const bool joined = sim_leave_capture(all), failed = s->capture_failed || !joined;
  *graph = failed ? NULL : all;
  if (failed) sim_free_graph(all);
  return sim_report(s->capture_failed ? simErrorStreamCaptureInvalidated
                    : joined          ? s->device->error
                                      : simErrorStreamCaptureUnjoined);
}

simError_t simStreamCaptureOf(simStream_t stream, unsigned long long *id) {
  HOLD;
  const struct simStream *s = sim_stream(stream);
  *id = !s->capture ? 0 : s->capture_failed ? ~0ull : s->capture->id;
  return simSuccess;
}

simError_t simGraphInstantiate(simGraphExec_t *exec, simGraph_t graph, unsigned long long flags) {
  HOLD;
  if (!graph || flags) return sim_report(simErrorInvalidValue);
  simGraph_t copy = new_graph(graph->device);
  if (!copy) return sim_report(simErrorMemoryAllocation);
  for (work *w = graph->works.first; w; w = w->next) {
    work *same = new_work(w->run, w->argument, w->size, NULL, 0);
    if (!same) {
      sim_free_graph(copy);
      return sim_report(simErrorMemoryAllocation);
    }
    append(&copy->works, same);
  }
  *exec = copy;
  return sim_report(graph->device->error);
}

simError_t simGraphLaunch(simGraphExec_t exec, simStream_t stream) {
  HOLD;
  simStream_t s = sim_stream(stream);
  if (!exec || exec->device != s->device) return sim_report(simErrorInvalidResourceHandle);
  simError_t error = sim_attempt(s->device, LAUNCH);
  for (work *w = exec->works.first; w && !error; w = w->next)
    error = sim_push(s, w->run, w->argument, w->size, NULL, 0);
  return sim_report(error);
}

simError_t simGraphDestroy(simGraph_t graph) {
  HOLD;
  if (!graph) return sim_report(simErrorInvalidValue);
  sim_device *d = graph->device;
  sim_free_graph(graph);
  return sim_report(d->error);
}

simError_t simGraphExecDestroy(simGraphExec_t exec) { return simGraphDestroy(exec); }

/* streams.c - keeps and runs deferred work: streams, events, capture and replay. */
#define _GNU_SOURCE /* clock_gettime */
#include "machine.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A moment of a stream: the work that has been handed over by then. {0} is no moment. A moment has the stream's id and
 * not its address, because the stream may be destroyed first. */
typedef struct moment {
  uint64_t stream, position;
} moment;

struct simEvent {
  sim_device *device;
  bool timed;
  moment recorded;
  uint64_t captured; /* the graph into which the event was recorded last, or 0 */
  struct timespec time;
};

/* ---------------------------------------------------------------------------------------------------- work -- */

static void append(work_list *list, work *w) {
  if (list->last)
    list->last->next = w;
  else
    list->first = w;
  list->last = w;
}

static work *take_first(work_list *list) {
  work *w = list->first;
  list->first = w->next;
  if (!list->first) list->last = NULL;
  return w;
}

static void free_works(work_list *list) {
  while (list->first) free(take_first(list));
}

static work *new_work(work_fn *run, const void *head, size_t head_size, const void *tail, size_t tail_size) {
  work *w = malloc(sizeof *w + head_size + tail_size);
  if (!w) return NULL;
  *w = (work){.run = run, .size = head_size + tail_size};
  memcpy(w->argument, head, head_size);
  if (tail_size > 0) memcpy(w->argument + head_size, tail, tail_size);
  return w;
}

/* Runs a stream up to a position. The work may run other streams (run_wait). No other stream then asks this stream to
 * run again, because work waits only for work that was handed over earlier. */
static void run_to(simStream_t s, uint64_t position) {
  if (s->done >= position) return;
  sim_device *d = s->device;
  sim_open(d);
  while (s->done < position) {
    work *w = take_first(&s->works);
    if (!d->error) w->run(d, w->argument);
    free(w);
    s->done++;
  }
  sim_check_guards(d);
  sim_close(d);
}

static simStream_t find_stream(uint64_t id) {
  for (int d = 0; d < sim_devices; d++)
    if (sim.device[d].legacy.id == id) return &sim.device[d].legacy;
  simStream_t s = sim.streams;
  while (s && s->id != id) s = s->next;
  return s;
}

static moment now(const struct simStream *s) { return (moment){s->id, s->pushed}; }

static bool reached(moment m) {
  const struct simStream *s = m.stream ? find_stream(m.stream) : NULL;
  return !s || s->done >= m.position;
}

static void reach(moment m) {
  simStream_t s = m.stream ? find_stream(m.stream) : NULL;
  if (s) run_to(s, m.position);
}

static void run_wait(sim_device *d, void *argument) {
  (void)d;
  reach(*(const moment *)argument);
}

static simError_t push_work(simStream_t s, work *w) {
  if (!w) return simErrorMemoryAllocation;
  append(s->capture ? &s->capture->works : &s->works, w);
  if (!s->capture) s->pushed++;
  return simSuccess;
}

static simError_t wait_for(simStream_t s, moment m) {
  return reached(m) || m.stream == s->id ? simSuccess : push_work(s, new_work(run_wait, &m, sizeof m, NULL, 0));
}

static simError_t fail_capture(simStream_t s, simError_t error) {
  s->capture_failed = true;
  return error;
}

/* The legacy stream and the blocking streams of a device wait for each other's earlier work. */
static simError_t keep_order(simStream_t s) {
  simStream_t legacy = &s->device->legacy;
  if (s->capture || !s->blocking) return simSuccess;
  if (s != legacy) return wait_for(s, now(legacy));
  simError_t error = simSuccess;
  for (simStream_t other = sim.streams; other && !error; other = other->next)
    if (other->device == s->device && other->blocking)
      error = other->capture ? fail_capture(other, simErrorStreamCaptureImplicit) : wait_for(s, now(other));
  return error;
}

simError_t sim_push(simStream_t s, work_fn *run, const void *head, size_t head_size, const void *tail,
                    size_t tail_size) {
  if (s->capture && s->capture_failed) return simErrorStreamCaptureInvalidated;
  simError_t error = keep_order(s);
  return error ? error : push_work(s, new_work(run, head, head_size, tail, tail_size));
}

void sim_finish(sim_device *d) {
  run_to(&d->legacy, d->legacy.pushed);
  for (simStream_t s = sim.streams; s; s = s->next)
    if (s->device == d) run_to(s, s->pushed);
}

/* ------------------------------------------------------------------------------------------------- streams -- */

simStream_t sim_stream(simStream_t s) { return s ? s : &sim_current()->legacy; }

simError_t simStreamCreateWithFlags(simStream_t *stream, unsigned flags) {
  HOLD;
  sim_device *d = sim_current();
  simError_t error = flags > simStreamNonBlocking ? simErrorInvalidValue : sim_attempt(d, STREAM);
  simStream_t s = error ? NULL : malloc(sizeof *s);
  if (!s) return sim_report(error ? error : simErrorMemoryAllocation);
  *s = (struct simStream){.next = sim.streams, .device = d, .id = ++sim.ids, .blocking = flags == simStreamDefault};
  sim.streams = s;
  d->handles++;
  *stream = s;
  return simSuccess;
}

static void free_graph(simGraph_t graph) {
  free_works(&graph->works);
  graph->device->handles--;
  free(graph);
}

/* In CUDA, the stream's work ends later by itself. Here the work runs now. */
simError_t simStreamDestroy(simStream_t s) {
  HOLD;
  if (!s) return sim_report(simErrorInvalidResourceHandle);
  sim_device *d = s->device;
  run_to(s, s->pushed);
  if (s->capture) free_graph(s->capture);
  simStream_t *link = &sim.streams;
  while (*link != s) link = &(*link)->next;
  *link = s->next;
  d->handles--;
  free(s);
  return sim_report(d->error);
}

int simStreamDevice(simStream_t stream) {
  HOLD;
  return (int)(sim_stream(stream)->device - sim.device);
}

simError_t simStreamSynchronize(simStream_t stream) {
  HOLD;
  simStream_t s = sim_stream(stream);
  simError_t error = s->capture ? fail_capture(s, simErrorStreamCaptureUnsupported) : keep_order(s);
  if (!error) run_to(s, s->pushed);
  return sim_report(error ? error : sim_attempt(s->device, WAIT));
}

simError_t simStreamQuery(simStream_t stream) {
  HOLD;
  simStream_t s = sim_stream(stream);
  simError_t error = s->capture ? fail_capture(s, simErrorStreamCaptureUnsupported) : keep_order(s);
  if (error || s->device->error) return sim_report(error ? error : s->device->error);
  if (s->done == s->pushed) return simSuccess;
  run_to(s, s->done + 1);
  return simErrorNotReady;
}

simError_t simDeviceSynchronize(void) {
  HOLD;
  sim_device *d = sim_current();
  for (simStream_t s = sim.streams; s; s = s->next)
    if (s->device == d && s->capture) return sim_report(fail_capture(s, simErrorStreamCaptureUnsupported));
  sim_finish(d);
  return sim_report(d->error);
}

/* -------------------------------------------------------------------------------------------------- events -- */

simError_t simEventCreateWithFlags(simEvent_t *event, unsigned flags) {
  HOLD;
  sim_device *d = sim_current();
  simError_t error = sim_attempt(d, EVENT);
  simEvent_t e = error ? NULL : malloc(sizeof *e);
  if (!e) return sim_report(error ? error : simErrorMemoryAllocation);
  *e = (struct simEvent){.device = d, .timed = !(flags & simEventDisableTiming)};
  d->handles++;
  *event = e;
  return simSuccess;
}

simError_t simEventDestroy(simEvent_t e) {
  HOLD;
  if (!e) return sim_report(simErrorInvalidResourceHandle);
  sim_device *d = e->device;
  d->handles--;
  free(e);
  return sim_report(d->error);
}

simError_t simEventRecord(simEvent_t e, simStream_t stream) {
  HOLD;
  simStream_t s = sim_stream(stream);
  if (!e || e->device != s->device) return sim_report(simErrorInvalidResourceHandle);
  simError_t error = sim_attempt(s->device, EVENT);
  if (!error) error = s->capture && s->capture_failed ? simErrorStreamCaptureInvalidated : keep_order(s);
  if (error) return sim_report(error);
  e->captured = s->capture ? s->capture->id : 0;
  e->recorded = s->capture ? (moment){0} : now(s);
  clock_gettime(CLOCK_MONOTONIC, &e->time);
  return simSuccess;
}

/* A captured stream needs no wait for an event of its own graph, because a graph runs its work in order. */
simError_t simStreamWaitEvent(simStream_t stream, simEvent_t e, unsigned flags) {
  HOLD;
  simStream_t s = sim_stream(stream);
  if (!e) return sim_report(simErrorInvalidResourceHandle);
  simError_t error = flags ? simErrorInvalidValue : sim_attempt(s->device, EVENT);
  if (error || (!e->recorded.stream && !e->captured)) return sim_report(error);
  if (!s->capture) return sim_report(e->captured ? simErrorCapturedEvent : wait_for(s, e->recorded));
  if (s->capture_failed) return sim_report(simErrorStreamCaptureInvalidated);
  return sim_report(e->captured == s->capture->id ? simSuccess : fail_capture(s, simErrorStreamCaptureIsolation));
}

simError_t simEventSynchronize(simEvent_t e) {
  HOLD;
  if (!e) return sim_report(simErrorInvalidResourceHandle);
  if (e->captured) return sim_report(simErrorCapturedEvent);
  reach(e->recorded);
  return sim_report(e->device->error);
}

simError_t simEventElapsedTime(float *ms, simEvent_t from, simEvent_t to) {
  HOLD;
  if (!from || !to || !from->timed || !to->timed || !from->recorded.stream || !to->recorded.stream)
    return sim_report(simErrorInvalidResourceHandle);
  if (!reached(from->recorded) || !reached(to->recorded)) return sim_report(simErrorNotReady);
  double s = (double)(to->time.tv_sec - from->time.tv_sec), ns = (double)(to->time.tv_nsec - from->time.tv_nsec);
  *ms = (float)(s * 1e3 + ns * 1e-6);
  return simSuccess;
}

/* ------------------------------------------------------------------------------------------------- capture -- */

/* A call that may wait or take memory fails each capture whose mode forbids such calls. */
simError_t sim_unsafe_call(void) {
  simError_t error = simSuccess;
  for (simStream_t s = sim.streams; s; s = s->next) {
    bool mine = s->capture && pthread_equal(s->capture_thread, pthread_self());
    if (!s->capture || s->capture_mode == simStreamCaptureModeRelaxed) continue;
    if (mine || s->capture_mode == simStreamCaptureModeGlobal)
      error = fail_capture(s, simErrorStreamCaptureUnsupported);
  }
  return error;
}

static simGraph_t new_graph(sim_device *d) {
  simGraph_t graph = malloc(sizeof *graph);
  if (!graph) return NULL;
  *graph = (struct simGraph){.device = d, .id = ++sim.ids};
  d->handles++;
  return graph;
}

simError_t simStreamBeginCapture(simStream_t s, simStreamCaptureMode mode) {
  HOLD;
  if (!s) return sim_report(simErrorStreamCaptureUnsupported);
  if (s->capture) return sim_report(simErrorIllegalState);
  s->capture = s->device->error ? NULL : new_graph(s->device);
  s->capture_failed = false;
  s->capture_mode = mode;
  s->capture_thread = pthread_self();
  return sim_report(s->device->error ? s->device->error : s->capture ? simSuccess : simErrorMemoryAllocation);
}

simError_t simStreamEndCapture(simStream_t s, simGraph_t *graph) {
  HOLD;
  if (!s || !s->capture) return sim_report(simErrorIllegalState);
  if (s->capture_mode != simStreamCaptureModeRelaxed && !pthread_equal(s->capture_thread, pthread_self()))
    return sim_report(fail_capture(s, simErrorStreamCaptureWrongThread));
  *graph = s->capture_failed ? NULL : s->capture;
  if (s->capture_failed) free_graph(s->capture);
  s->capture = NULL;
  return sim_report(s->capture_failed ? simErrorStreamCaptureInvalidated : s->device->error);
}

simError_t simStreamIsCapturing(simStream_t stream, bool *capturing) {
  HOLD;
  *capturing = sim_stream(stream)->capture;
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
      free_graph(copy);
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
  free_graph(graph);
  return sim_report(d->error);
}

simError_t simGraphExecDestroy(simGraphExec_t exec) { return simGraphDestroy(exec); }

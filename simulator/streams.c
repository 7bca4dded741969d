/* streams.c - keeps and runs deferred work: streams and events. */
#define _GNU_SOURCE /* clock_gettime */
#include <time.h>

#include "work.h"

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
  moment source;     /* the stream that it was recorded in, and the pieces of work captured there by then */
  struct timespec time;
};

/* ---------------------------------------------------------------------------------------------------- work -- */

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
  s->capture ? s->captured++ : s->pushed++;
  s->loose = s->joined;
  return simSuccess;
}

static simError_t wait_for(simStream_t s, moment m) {
  return reached(m) || m.stream == s->id ? simSuccess : push_work(s, new_work(run_wait, &m, sizeof m, NULL, 0));
}

/* The legacy stream and the blocking streams of a device wait for each other's earlier work. */
static simError_t keep_order(simStream_t s) {
  simStream_t legacy = &s->device->legacy;
  if (s->capture || !s->blocking) return simSuccess;
  if (s != legacy) return wait_for(s, now(legacy));
  simError_t error = simSuccess;
  for (simStream_t other = sim.streams; other && !error; other = other->next)
    if (other->device == s->device && other->blocking)
      error = other->capture ? sim_fail_capture(other, simErrorStreamCaptureImplicit) : wait_for(s, now(other));
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

/* In CUDA, the stream's work ends later by itself. Here the work runs now. A capture that the stream has joined goes on
 * in vain. */
simError_t simStreamDestroy(simStream_t s) {
  HOLD;
  if (!s) return sim_report(simErrorInvalidResourceHandle);
  sim_device *d = s->device;
  run_to(s, s->pushed);
  if (s->joined) sim_fail_capture(s, simSuccess);
  simGraph_t own = s->joined ? NULL : s->capture;
  if (own) sim_leave_capture(own), sim_free_graph(own);
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

/* Runs what the other streams of the device may run already, as a GPU may. So a missing wait for this stream shows. */
static void run_others(const struct simStream *s) {
  for (simStream_t other = sim.streams; other; other = other->next)
    if (other != s && other->device == s->device) run_to(other, other->pushed);
}

simError_t simStreamSynchronize(simStream_t stream) {
  HOLD;
  simStream_t s = sim_stream(stream);
  simError_t error = s->capture ? sim_fail_capture(s, simErrorStreamCaptureUnsupported) : keep_order(s);
  if (!error && s->device->set.seed % 3 == 0) run_others(s);
  if (!error) run_to(s, s->pushed);
  return sim_report(error ? error : sim_attempt(s->device, WAIT));
}

simError_t simStreamQuery(simStream_t stream) {
  HOLD;
  simStream_t s = sim_stream(stream);
  simError_t error = s->capture ? sim_fail_capture(s, simErrorStreamCaptureUnsupported) : keep_order(s);
  if (error || s->device->error) return sim_report(error ? error : s->device->error);
  if (s->done == s->pushed) return simSuccess;
  run_to(s, s->done + 1);
  return simErrorNotReady;
}

simError_t simDeviceSynchronize(void) {
  HOLD;
  sim_device *d = sim_current();
  for (simStream_t s = sim.streams; s; s = s->next)
    if (s->device == d && s->capture) return sim_report(sim_fail_capture(s, simErrorStreamCaptureUnsupported));
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
  e->captured = s->capture ? s->capture->id : 0, e->source = (moment){s->id, s->captured};
  e->recorded = s->capture ? (moment){0} : now(s);
  clock_gettime(CLOCK_MONOTONIC, &e->time);
  return simSuccess;
}

/* A captured stream needs no wait for an event of its own graph, because a graph runs its work in order. But the wait
 * counts as captured: another stream of the capture must wait for what this stream has waited for. */
simError_t simStreamWaitEvent(simStream_t stream, simEvent_t e, unsigned flags) {
  HOLD;
  simStream_t s = sim_stream(stream);
  if (!e) return sim_report(simErrorInvalidResourceHandle);
  simError_t error = flags ? simErrorInvalidValue : sim_attempt(s->device, EVENT);
  if (error || (!e->recorded.stream && !e->captured)) return sim_report(error);
  if (!s->capture) return sim_report(e->captured ? sim_join_capture(s, e->captured) : wait_for(s, e->recorded));
  if (s->capture_failed) return sim_report(simErrorStreamCaptureInvalidated);
  if (e->captured != s->capture->id) return sim_report(sim_fail_capture(s, simErrorStreamCaptureIsolation));
  simStream_t source = find_stream(e->source.stream);
  if (source == s) return sim_report(simSuccess);
  if (source && source->captured == e->source.position) source->loose = false;
  s->captured++, s->loose = s->joined;
  return sim_report(simSuccess);
}

simError_t simEventSynchronize(simEvent_t e) {
  HOLD;
  if (!e) return sim_report(simErrorInvalidResourceHandle);
  if (e->captured) return sim_report(simErrorCapturedEvent);
  reach(e->recorded);
  return sim_report(e->device->error);
}

/* A question lets a piece of the stream's work run, as the question about a stream does. */
simError_t simEventQuery(simEvent_t e) {
  HOLD;
  if (!e) return sim_report(simErrorInvalidResourceHandle);
  if (e->captured) return sim_report(simErrorCapturedEvent);
  if (e->device->error) return sim_report(e->device->error);
  if (reached(e->recorded)) return simSuccess;
  simStream_t s = find_stream(e->recorded.stream);
  if (s) run_to(s, s->done + 1);
  return simErrorNotReady;
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

/* timer.c - the timer of a context on a GPU: two events in the context's stream.
 *
 * A delay kernel before the first event lets the host get ahead of the stream. */
#include "device.h"

#include <stdio.h>

trigon_status gpu_open_timer(gpu *g) {
  for (int i = 0; i < 2; i++)
    TRY(gpu_status(g, cudaEventCreateWithFlags(&g->mark[i], cudaEventDefault), "making an event of the timer"));
  return TRIGON_OK;
}

void gpu_close_timer(gpu *g) {
  for (int i = 0; i < 2; i++)
    if (g->mark[i]) cudaEventDestroy(g->mark[i]);
}

/* The delay comes before the event, so that the host has made its calls before the event is recorded. */
static trigon_status start(gpu *g, double hold) {
  const delay p = {(unsigned long long)(1e9 * hold)};
  if (gpu_is_capturing(g))
    return gpu_refuse(g, TRIGON_NOT_SUPPORTED, "a stream that is being captured cannot be timed");
  g->busy = true;
  if (hold > 0) TRY(gpu_status(g, launch_delay(g->queue, &p), "the delay before a timed call"));
  return gpu_status(g, cudaEventRecord(g->mark[0], g->queue.stream), "marking the start of the time");
}

trigon_status gpu_start_timer(machine *m, double hold) {
  gpu *g = gpu_on(m);
  TRY(gpu_enter(g));
  trigon_status status = start(g, hold);
  gpu_leave(g);
  return status;
}

static trigon_status stop(gpu *g, double *seconds) {
  float ms = 0;
  if (gpu_is_capturing(g))
    return gpu_refuse(g, TRIGON_NOT_SUPPORTED, "a stream that is being captured cannot be timed");
  TRY(gpu_status(g, cudaEventRecord(g->mark[1], g->queue.stream), "marking the end of the time"));
  TRY(gpu_wait(g));
  TRY(gpu_status(g, cudaEventElapsedTime(&ms, g->mark[0], g->mark[1]), "reading the time"));
  *seconds = 1e-3 * (double)ms;
  return TRIGON_OK;
}

trigon_status gpu_stop_timer(machine *m, double *seconds) {
  gpu *g = gpu_on(m);
  TRY(gpu_enter(g));
  trigon_status status = stop(g, seconds);
  gpu_leave(g);
  return status;
}

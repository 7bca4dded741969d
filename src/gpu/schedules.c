/* schedules.c - POTRF of a batch by the schedule that the context's name asks for, instead of the default way. */
#include "gpu_leaves.h"

/* ----------------------------------------------------------------------------------- launches from the device -- */

#if TG_DEVICE_LAUNCHES
/* The device keeps pending launches in memory of a fixed size. Beyond the limit a launch fails. At one time a matrix
 * has up to two launches there: the next panel, and perhaps the present one, whose place may still be taken. */
static trigon_status open_launches(gpu *g) {
  enum { LAUNCHES_OF_MATRIX = 2 };
  size_t limit = (size_t)g->options.schedule.pending;
  if (limit > 0)
    TRY(gpu_status(g, cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, limit),
                   "setting the limit of pending launches (option pending)"));
  TRY(gpu_status(g, cudaDeviceGetLimit(&limit, cudaLimitDevRuntimePendingLaunchCount),
                 "asking for the limit of pending launches"));
  if (limit < LAUNCHES_OF_MATRIX)
    return gpu_refuse(g, TRIGON_NOT_SUPPORTED, "schedule=device: the limit of pending launches is below 2");
  g->together = (int64_t)(limit / LAUNCHES_OF_MATRIX);
  return TRIGON_OK;
}

static cudaError_t run_launches(gpu *g, queue q, trigon_type type, const batch_task *t) {
  return launch_potrf_from_device(q, type, t, g->options.schedule.parents, g->together);
}
#else
static trigon_status open_launches(gpu *g) {
  return gpu_refuse(g, TRIGON_NOT_SUPPORTED,
                    "schedule=device: kernels launch kernels on NVIDIA's GPUs alone (cuda:N, without arch=portable)");
}

static cudaError_t run_launches(gpu *g, queue q, trigon_type type, const batch_task *t) {
  (void)g, (void)q, (void)type, (void)t;
  return cudaErrorInvalidValue; /* no such context exists */
}
#endif

/* -------------------------------------------------------------------------------------------------- schedules -- */

static cudaError_t run_schedule(gpu *g, queue q, trigon_type type, const batch_task *t, int64_t most) {
  const schedule_policy policy = g->options.schedule.policy;
  if (policy == SCHEDULE_DEVICE) return run_launches(g, q, type, t);
  return launch_potrf_panels(q, type, t, policy == SCHEDULE_SSDE ? ANCHOR_START : ANCHOR_END, most);
}

trigon_status gpu_open_schedule(gpu *g) {
  return g->options.schedule.policy == SCHEDULE_DEVICE ? open_launches(g) : TRIGON_OK;
}

/* Without a bound of the orders the host launches for the largest order that a schedule takes. With DSSE the first
 * iterations are then empty, with SSDE the last ones. Higher orders go the default way. */
trigon_status gpu_factor_by_schedule(gpu *g, const batch_task *t, trigon_type type, const dataflow_setup *setup) {
  const matrix_batch *b = &t->of;
  const int64_t limit = g->options.schedule.policy == SCHEDULE_DEVICE ? potrf_device_rows : potrf_panel_rows,
                bound = b->n.of ? b->max_n : b->n.all;
  const bool is_bounded = bound > 0 && bound <= limit;
  TRY(gpu_status(g, run_schedule(g, g->queue, type, t, is_bounded ? bound : limit), "POTRF of a batch"));
  if (is_bounded) return TRIGON_OK;
  batch_task larger = *t;
  larger.done = limit;
  return gpu_status(g, launch_potrf_batch(g->queue, type, &larger, setup), "POTRF of a batch");
}

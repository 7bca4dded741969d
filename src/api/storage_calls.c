/* storage_calls.c - the public functions for memory, transfers, workspace, stream and timer: check, then ask the
 * machine. */
#include <stdio.h>
#include <time.h>

#include "checks.h"
#include "core/options.h"
#include "decorators/fp64/fp64_decorator.h" /* fp64_reserve */

int trigon_on_host(const trigon_context *ctx) { return ctx && ctx->machine->ops->on_host; }

/* Ends a call with the machine's status. */
static trigon_status answer(call *c, trigon_status status) {
  return status == TRIGON_OK ? TRIGON_OK : refused_call(c, status);
}

trigon_status trigon_alloc(trigon_context *ctx, int64_t bytes, void **data) {
  call c = enter_call(ctx, "trigon_alloc", "bytes data");
  if (data) *data = NULL;
  check_size(&c, "bytes", "", bytes);
  if (!data) bad_argument(&c, "data", "is NULL, must point to a pointer that gets the address");
  if (c.status != TRIGON_OK || bytes == 0) return c.status;
  return answer(&c, ctx->machine->ops->alloc(ctx->machine, bytes, data));
}

trigon_status trigon_free(trigon_context *ctx, void *data) {
  call c = enter_call(ctx, "trigon_free", "data");
  if (c.status != TRIGON_OK || !data) return c.status;
  return answer(&c, ctx->machine->ops->release(ctx->machine, data));
}

/* Checks the matrices of a transfer: both must have one type and one shape. Returns whether there are elements to
 * copy. */
static bool check_transfer(call *c, trigon_matrix from, trigon_matrix to) {
  check_size(c, "rows", "from", from.rows);
  check_size(c, "cols", "from", from.cols);
  check_matrix(c, "from", "ld", from, from.type, from.rows, from.cols);
  check_matrix(c, "to", "ld", to, from.type, from.rows, from.cols);
  return c->status == TRIGON_OK && from.rows > 0 && from.cols > 0;
}

trigon_status trigon_upload(trigon_context *ctx, trigon_matrix from, trigon_matrix to) {
  call c = enter_call(ctx, "trigon_upload", "from to");
  if (!check_transfer(&c, from, to)) return c.status;
  return answer(&c, ctx->machine->ops->upload(ctx->machine, view_of(from), view_of(to)));
}

trigon_status trigon_download(trigon_context *ctx, trigon_matrix from, trigon_matrix to) {
  call c = enter_call(ctx, "trigon_download", "from to");
  if (!check_transfer(&c, from, to)) return c.status;
  return answer(&c, ctx->machine->ops->download(ctx->machine, view_of(from), view_of(to)));
}

trigon_status trigon_copy(trigon_context *ctx, trigon_matrix from, trigon_matrix to) {
  call c = enter_call(ctx, "trigon_copy", "from to");
  if (!check_transfer(&c, from, to)) return c.status;
  return answer(&c, ctx->machine->ops->copy(ctx->machine, view_of(from), view_of(to)));
}

trigon_status trigon_copy_triangle(trigon_context *ctx, trigon_uplo uplo, trigon_op op, trigon_other other,
                                   trigon_matrix from, trigon_matrix to) {
  call c = enter_call(ctx, "trigon_copy_triangle", "uplo op other from to");
  const triangle_move t = {uplo, op, other, view_of(from), view_of(to)};
  check_flags(&c, &(routine_spec){.takes = TAKES_UPLO | TAKES_OP}, &(operation){.uplo = uplo, .op = op});
  if ((int)other < TRIGON_KEEP || other > TRIGON_MIRROR)
    bad_argument(&c, "other", "is %d, must be TRIGON_KEEP, TRIGON_CLEAR or TRIGON_MIRROR", (int)other);
  check_size(&c, "rows", "from", from.rows);
  check_matrix(&c, "from", "ld", from, from.type, from.rows, from.rows);
  check_matrix(&c, "to", "ld", to, from.type, from.rows, from.rows);
  if (c.status == TRIGON_OK && from.data == to.data && from.rows > 0 && (op != TRIGON_NOTRANS || from.ld != to.ld))
    bad_argument(&c, "to", "is at %p as from is: the same matrix needs TRIGON_NOTRANS and the same ld", to.data);
  if (c.status != TRIGON_OK || from.rows == 0) return c.status;
  return answer(&c, ctx->machine->ops->copy_triangle(ctx->machine, &t));
}

trigon_status trigon_pin(trigon_context *ctx, void *data, int64_t bytes) {
  call c = enter_call(ctx, "trigon_pin", "data bytes");
  if (!data) bad_argument(&c, "data", "is NULL, must be host memory");
  if (bytes <= 0) bad_argument(&c, "bytes", "is %lld, must be > 0", (long long)bytes);
  if (c.status != TRIGON_OK || !ctx->machine->ops->pin) return c.status;
  return answer(&c, ctx->machine->ops->pin(ctx->machine, data, bytes));
}

trigon_status trigon_unpin(trigon_context *ctx, void *data) {
  call c = enter_call(ctx, "trigon_unpin", "data");
  if (!data) bad_argument(&c, "data", "is NULL, must be host memory");
  if (c.status != TRIGON_OK || !ctx->machine->ops->unpin) return c.status;
  return answer(&c, ctx->machine->ops->unpin(ctx->machine, data));
}

trigon_status trigon_traffic(trigon_context *ctx, int64_t *in, int64_t *out, int64_t *between) {
  call c = enter_call(ctx, "trigon_traffic", "in out between");
  if (!in) bad_argument(&c, "in", "is NULL, must point to a number that gets the bytes");
  if (!out) bad_argument(&c, "out", "is NULL, must point to a number that gets the bytes");
  if (!between) bad_argument(&c, "between", "is NULL, must point to a number that gets the bytes");
  if (!in || !out || !between || c.status != TRIGON_OK) return c.status;
  *in = *out = *between = 0;
  if (ctx->machine->ops->traffic) ctx->machine->ops->traffic(ctx->machine, in, out, between);
  return TRIGON_OK;
}

/* Leaves the message alone, because another thread may be using the context. */
double trigon_progress(const trigon_context *ctx) {
  return ctx && ctx->machine->ops->progress ? ctx->machine->ops->progress(ctx->machine) : 1;
}

/* The context is const because the call changes nothing but the message. trigon_create made it as an object that can be
 * written. */
trigon_status trigon_memory(const trigon_context *ctx, int64_t *bytes) {
  call c = enter_call((trigon_context *)ctx, "trigon_memory", "bytes");
  if (!bytes) bad_argument(&c, "bytes", "is NULL, must point to a number that gets the bytes");
  if (!bytes || c.status != TRIGON_OK) return c.status;
  *bytes = ctx->machine->ops->memory(ctx->machine);
  return TRIGON_OK;
}

trigon_status trigon_set_workspace(trigon_context *ctx, void *buffer, int64_t bytes) {
  call c = enter_call(ctx, "trigon_set_workspace", "buffer bytes");
  check_size(&c, "bytes", "", bytes);
  if (c.status != TRIGON_OK) return c.status;
  return answer(&c, ctx->machine->ops->set_workspace(ctx->machine, buffer, bytes));
}

trigon_status trigon_reserve(trigon_context *ctx, int64_t bytes) {
  call c = enter_call(ctx, "trigon_reserve", "bytes");
  check_size(&c, "bytes", "", bytes);
  if (c.status != TRIGON_OK) return c.status;
  if (ctx->machine->ops->reserve) answer(&c, ctx->machine->ops->reserve(ctx->machine, bytes));
  if (c.status == TRIGON_OK && ctx->fp64) answer(&c, fp64_reserve(ctx->fp64, bytes));
  return c.status;
}

trigon_status trigon_set_stream(trigon_context *ctx, void *stream) {
  call c = enter_call(ctx, "trigon_set_stream", "stream");
  if (c.status != TRIGON_OK) return c.status;
  if (ctx->machine->ops->set_stream) return answer(&c, ctx->machine->ops->set_stream(ctx->machine, stream));
  if (!stream) return TRIGON_OK;
  bad_argument(&c, "stream", "is %p, must be NULL: matrices in host memory have no stream", stream);
  return TRIGON_NOT_SUPPORTED;
}

trigon_status trigon_set_threads(trigon_context *ctx, int threads) {
  call c = enter_call(ctx, "trigon_set_threads", "threads");
  if (threads < 0 || threads > most_threads)
    bad_argument(&c, "threads", "is %d, must be from 0 to %d", threads, (int)most_threads);
  if (c.status != TRIGON_OK) return c.status;
  if (ctx->machine->ops->set_threads) {
    ctx->machine->ops->set_threads(ctx->machine, threads);
    return TRIGON_OK;
  }
  if (threads == 0) return TRIGON_OK;
  bad_argument(&c, "threads", "is %d, must be 0: a device has no threads of the host", threads);
  return TRIGON_NOT_SUPPORTED;
}

/* Whole seconds are subtracted first, because a double for the whole time would round to a quarter of a microsecond. */
static double seconds_between(struct timespec from, struct timespec to) {
  return (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
}

trigon_status trigon_timer_start(trigon_context *ctx, double hold) {
  call c = enter_call(ctx, "trigon_timer_start", "hold");
  if (!(hold >= 0 && hold <= 1)) bad_argument(&c, "hold", "is %g, must be from 0 to 1 second", hold);
  if (c.status != TRIGON_OK) return c.status;
  const machine_ops *ops = ctx->machine->ops;
  trigon_status status = ops->start_timer ? ops->start_timer(ctx->machine, hold) : TRIGON_OK;
  ctx->timing = status == TRIGON_OK;
  clock_gettime(CLOCK_MONOTONIC, &ctx->timer_begun);
  return answer(&c, status);
}

trigon_status trigon_timer_stop(trigon_context *ctx, double *seconds) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  call c = enter_call(ctx, "trigon_timer_stop", "seconds");
  if (!seconds) bad_argument(&c, "seconds", "is NULL, must point to a double that gets the time");
  if (c.status != TRIGON_OK) return c.status;
  if (!ctx->timing) {
    snprintf(ctx->why.text, sizeof ctx->why.text, "trigon_timer_start was not called before");
    return refused_call(&c, TRIGON_NOT_SUPPORTED);
  }
  ctx->timing = false;
  if (ctx->machine->ops->stop_timer) return answer(&c, ctx->machine->ops->stop_timer(ctx->machine, seconds));
  /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): bad_argument, in another file, has set the status */
  *seconds = seconds_between(ctx->timer_begun, now);
  return TRIGON_OK;
}

/* memory.c - memory where a context computes, transfers to and from it, and what a context takes for itself: checks the
 * arguments and asks the machine. */
#include "api_checks.h"

int trigon_on_host(const trigon_context *ctx) { return ctx && ctx->machine->storage->on_host; }

/* What the machine answered, where it was asked. */
static trigon_status answer(call *c, trigon_status status) {
  return status == TRIGON_OK ? TRIGON_OK : refused_call(c, status);
}

trigon_status trigon_alloc(trigon_context *ctx, int64_t bytes, void **data) {
  call c = enter_call(ctx, "trigon_alloc", "bytes data");
  if (data) *data = NULL;
  check_size(&c, "bytes", "", bytes);
  if (!data) bad_argument(&c, "data", "is NULL, must point to where the address goes");
  if (c.status != TRIGON_OK || bytes == 0) return c.status;
  return answer(&c, ctx->machine->storage->alloc(ctx->machine, bytes, data));
}

trigon_status trigon_free(trigon_context *ctx, void *data) {
  call c = enter_call(ctx, "trigon_free", "data");
  if (c.status != TRIGON_OK || !data) return c.status;
  return answer(&c, ctx->machine->storage->release(ctx->machine, data));
}

/* Both matrices of a transfer: one type, one shape. Returns whether there is something to move. */
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
  return answer(&c, ctx->machine->storage->upload(ctx->machine, view_of(from), view_of(to)));
}

trigon_status trigon_download(trigon_context *ctx, trigon_matrix from, trigon_matrix to) {
  call c = enter_call(ctx, "trigon_download", "from to");
  if (!check_transfer(&c, from, to)) return c.status;
  return answer(&c, ctx->machine->storage->download(ctx->machine, view_of(from), view_of(to)));
}

trigon_status trigon_set_workspace(trigon_context *ctx, void *buffer, int64_t bytes) {
  call c = enter_call(ctx, "trigon_set_workspace", "buffer bytes");
  check_size(&c, "bytes", "", bytes);
  if (c.status != TRIGON_OK || !ctx->machine->storage->set_workspace) return c.status;
  return answer(&c, ctx->machine->storage->set_workspace(ctx->machine, buffer, bytes));
}

trigon_status trigon_reserve(trigon_context *ctx, int64_t bytes) {
  call c = enter_call(ctx, "trigon_reserve", "bytes");
  check_size(&c, "bytes", "", bytes);
  if (c.status != TRIGON_OK || !ctx->machine->storage->reserve) return c.status;
  return answer(&c, ctx->machine->storage->reserve(ctx->machine, bytes));
}

trigon_status trigon_set_stream(trigon_context *ctx, void *stream) {
  call c = enter_call(ctx, "trigon_set_stream", "stream");
  if (c.status != TRIGON_OK) return c.status;
  if (ctx->machine->storage->set_stream) return answer(&c, ctx->machine->storage->set_stream(ctx->machine, stream));
  if (!stream) return TRIGON_OK;
  bad_argument(&c, "stream", "is %p, must be NULL: the CPU has no streams", stream);
  return TRIGON_NOT_SUPPORTED;
}

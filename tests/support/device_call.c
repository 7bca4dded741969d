/* device_call.c - makes calls over guarded matrices on any context (device_call.h). */
#include "device_call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void demand(call_target *p, trigon_status status) {
  if (status == TRIGON_OK) return;
  fprintf(stderr, "memory of a test: %s: %s\n", trigon_status_string(status), trigon_message(p->ctx));
  exit(2);
}

/* Returns bytes as a matrix of one column. Every block is a whole number of floats. */
static trigon_matrix bytes_at(void *data, int64_t bytes) {
  const int64_t rows = bytes / (int64_t)sizeof(float);
  return (trigon_matrix){data, TRIGON_S, rows, 1, rows};
}

/* Makes the block at least this large. A block that grows becomes at least twice as large. */
static void grow(call_target *p, device_block *b, int64_t bytes) {
  if (b->bytes >= bytes) return;
  const int64_t wanted = bytes > 2 * b->bytes ? bytes : 2 * b->bytes;
  demand(p, trigon_free(p->ctx, b->data));
  demand(p, trigon_alloc(p->ctx, wanted, &b->data));
  b->bytes = b->written = wanted;
}

/* Copies `bytes` bytes of the host to the begin of the block, and writes NaN behind these bytes, because an earlier
 * call may have left numbers there. */
static void store(call_target *p, device_block *b, void *from, int64_t bytes) {
  static unsigned char nan[64 << 10];
  if (!nan[0]) memset(nan, 0xff, sizeof nan);
  grow(p, b, bytes);
  demand(p, trigon_upload(p->ctx, bytes_at(from, bytes), bytes_at(b->data, bytes)));
  for (int64_t at = bytes; at < b->written; at += (int64_t)sizeof nan) {
    const int64_t left = b->written - at, now = left < (int64_t)sizeof nan ? left : (int64_t)sizeof nan;
    demand(p, trigon_upload(p->ctx, bytes_at(nan, now), bytes_at((char *)b->data + at, now)));
  }
  b->written = bytes;
}

static trigon_status make(call_target *p, const call *c, bool blas) {
  const trigon_status status = blas ? call_blas(p->ctx, c) : call_matrix(p->ctx, c);
  snprintf(p->message, sizeof p->message, "%s", trigon_message(p->ctx));
  return status;
}

/* A call on matrices of the host may return before a device has computed it. An upload waits, and unlike trigon_finish
 * does not take the info. */
static trigon_status make_and_wait(call_target *p, const call *c, bool blas) {
  const double from = 0;
  double to;
  const trigon_status status = make(p, c, blas);
  demand(p, trigon_upload(p->ctx, bytes_at((void *)&from, sizeof from), bytes_at(&to, sizeof to)));
  return status;
}

trigon_status call_on(call_target *p, const call *c, const guarded stored[3], bool blas) {
  if (trigon_on_host(p->ctx)) return make_and_wait(p, c, blas);
  const int count = operands(c->routine);
  call there = *c;
  for (int i = 0; i < count; i++) {
    store(p, &p->block[i], stored[i].block, (int64_t)stored[i].bytes);
    there.stored[i].data = (char *)p->block[i].data + ((unsigned char *)c->stored[i].data - stored[i].block);
  }
  if (c->info) {
    store(p, &p->info, c->info, sizeof *c->info);
    there.info = p->info.data;
  }
  const trigon_status status = make(p, &there, blas);
  for (int i = 0; i < count; i++) {
    const int64_t bytes = (int64_t)stored[i].bytes;
    demand(p, trigon_download(p->ctx, bytes_at(p->block[i].data, bytes), bytes_at(stored[i].block, bytes)));
  }
  if (c->info)
    demand(p, trigon_download(p->ctx, bytes_at(p->info.data, sizeof *c->info), bytes_at(c->info, sizeof *c->info)));
  return status;
}

void call_target_free(call_target *p) {
  for (int i = 0; i < 3; i++) demand(p, trigon_free(p->ctx, p->block[i].data));
  demand(p, trigon_free(p->ctx, p->info.data));
  *p = (call_target){.ctx = p->ctx};
}

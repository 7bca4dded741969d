#include "device_call.h"

#include <stdio.h>
#include <stdlib.h>

static void demand(call_place *p, trigon_status status) {
  if (status == TRIGON_OK) return;
  fprintf(stderr, "memory of a test: %s: %s\n", trigon_status_string(status), trigon_message(p->ctx));
  exit(2);
}

/* Bytes as a matrix of one column; every block is a whole number of floats. */
static trigon_matrix bytes_at(void *data, int64_t bytes) {
  const int64_t rows = bytes / (int64_t)sizeof(float);
  return (trigon_matrix){data, TRIGON_S, rows, 1, rows};
}

/* At least `bytes` bytes of the device at *data; twice as many as before where it grows. */
static void grow(call_place *p, void **data, int64_t *had, int64_t bytes) {
  if (*had >= bytes) return;
  const int64_t wanted = bytes > 2 * *had ? bytes : 2 * *had;
  demand(p, trigon_free(p->ctx, *data));
  demand(p, trigon_alloc(p->ctx, wanted, data));
  *had = wanted;
}

static trigon_status make(call_place *p, const call *c, bool blas) {
  const trigon_status status = blas ? call_blas(p->ctx, c) : call_matrix(p->ctx, c);
  snprintf(p->message, sizeof p->message, "%s", trigon_message(p->ctx));
  return status;
}

trigon_status call_on(call_place *p, const call *c, const guarded stored[3], bool blas) {
  if (trigon_on_host(p->ctx)) return make(p, c, blas);
  const int count = operands(c->routine);
  call there = *c;
  for (int i = 0; i < count; i++) {
    const int64_t bytes = (int64_t)stored[i].bytes;
    grow(p, &p->block[i].data, &p->block[i].bytes, bytes);
    demand(p, trigon_upload(p->ctx, bytes_at(stored[i].block, bytes), bytes_at(p->block[i].data, bytes)));
    there.stored[i].data = (char *)p->block[i].data + ((unsigned char *)c->stored[i].data - stored[i].block);
  }
  if (c->info) {
    grow(p, &p->info.data, &p->info.bytes, sizeof *c->info);
    demand(p, trigon_upload(p->ctx, bytes_at(c->info, sizeof *c->info), bytes_at(p->info.data, sizeof *c->info)));
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

void call_place_free(call_place *p) {
  for (int i = 0; i < 3; i++) demand(p, trigon_free(p->ctx, p->block[i].data));
  demand(p, trigon_free(p->ctx, p->info.data));
  *p = (call_place){.ctx = p->ctx};
}

/* staging.c - moves tiles through pinned chunks, column after column. */
#include "staging.h"

#include <string.h>

#include "core/sizes.h"

static const queue_ops *queues_of(const staging *s) { return s->device->queues; }

/* ---------------------------------------------------------------------------------------------- pinned or not -- */

static bool is_pageable(machine *device, const void *address) {
  return device->queues->kind(device, address) == MEMORY_PAGEABLE;
}

bool staging_is_needed(machine *device, view A) {
  enum { most_looks = 64 }; /* a question takes 0.3 µs */
  const int64_t looks = A.count == 0 ? 0 : least(A.n, most_looks);
  for (int64_t i = 0; i < looks; i++) {
    const int64_t j = looks == 1 ? 0 : i * (A.n - 1) / (looks - 1);
    const char *column = (const char *)A.base + j * A.ld * type_size(A.type);
    if (is_pageable(device, column) || is_pageable(device, column + A.m * type_size(A.type) - 1)) return true;
  }
  return false;
}

/* --------------------------------------------------------------------------------------------------- threads -- */

/* Columns that threads copy. */
typedef struct columns_copy {
  view from, to;
  int64_t parts;
} columns_copy;

static void copy_columns(int64_t number, void *of) {
  const columns_copy *c = of;
  const int64_t element = type_size(c->from.type), begin = c->from.n * number / c->parts;
  for (int64_t j = begin; j < c->from.n * (number + 1) / c->parts; j++)
    memcpy((char *)c->to.base + j * c->to.ld * element, (const char *)c->from.base + j * c->from.ld * element,
           (size_t)(c->from.m * element));
}

static void copy_by_threads(const staging *s, view from, view to) {
  enum { least_part = 1 << 20 }; /* bytes: less is copied before another thread has begun */
  const int64_t bytes = from.m * from.n * type_size(from.type);
  columns_copy c = {from, to, least(machine_threads(s->threads), parts_of(bytes, least_part))};
  if (c.parts > from.n) c.parts = from.n;
  machine_parallel_for(s->threads, c.parts, copy_columns, &c);
}

/* ---------------------------------------------------------------------------------------------------- chunks -- */

/* Columns j .. j + n - 1 of a matrix at an address. */
static view columns_of(view A, int64_t j, int64_t n) {
  A.base = (char *)A.base + j * A.ld * type_size(A.type);
  A.n = n;
  return A;
}

/* The same columns, side by side in a chunk. */
static view in_chunk(const staging_chunk *c, view A) {
  A.base = c->data, A.ld = A.m;
  return A;
}

static int64_t columns_of_chunk(const staging *s, view A) { return s->bytes / (A.m * type_size(A.type)); }

static staging_chunk *take_chunk(staging_ring *r) {
  staging_chunk *c = &r->chunk[r->next];
  r->next = (r->next + 1) % staging_chunks;
  return c;
}

/* Stores what a chunk has brought from the device. */
static trigon_status settle_chunk(const staging *s, staging_chunk *c) {
  if (c->to.count == 0) return TRIGON_OK;
  TRY(queues_of(s)->wait(s->device, c->done));
  copy_by_threads(s, in_chunk(c, c->to), c->to);
  c->to.count = 0;
  return TRIGON_OK;
}

static trigon_status move_in(staging *s, view from, view to) {
  staging_chunk *c = take_chunk(&s->in);
  TRY(queues_of(s)->wait(s->device, c->done));
  copy_by_threads(s, from, in_chunk(c, from));
  TRY(queues_of(s)->copy(s->device, QUEUE_IN, in_chunk(c, from), to));
  return queues_of(s)->record(s->device, QUEUE_IN, c->done);
}

trigon_status staging_in(staging *s, view from, view to) {
  const int64_t width = columns_of_chunk(s, from);
  for (int64_t j = 0; j < from.n; j += width) {
    const int64_t n = least(width, from.n - j);
    TRY(move_in(s, columns_of(from, j, n), columns_of(to, j, n)));
  }
  return TRIGON_OK;
}

static trigon_status move_out(staging *s, view from, view to, tile_run tiles) {
  staging_chunk *c = take_chunk(&s->out);
  TRY(settle_chunk(s, c));
  TRY(queues_of(s)->copy(s->device, QUEUE_OUT, from, in_chunk(c, to)));
  TRY(queues_of(s)->record(s->device, QUEUE_OUT, c->done));
  c->to = to, c->tiles = tiles;
  return TRIGON_OK;
}

trigon_status staging_out(staging *s, view from, view to, tile_run tiles) {
  const int64_t width = columns_of_chunk(s, from);
  for (int64_t j = 0; j < from.n; j += width) {
    const int64_t n = least(width, from.n - j);
    TRY(move_out(s, columns_of(from, j, n), columns_of(to, j, n), tiles));
  }
  return TRIGON_OK;
}

bool staging_has_room(const staging *s, view from) {
  const int64_t needed = least(parts_of(from.n, columns_of_chunk(s, from)), staging_chunks);
  for (int64_t i = 0; i < needed; i++) {
    const staging_chunk *c = &s->out.chunk[(s->out.next + i) % staging_chunks];
    if (c->to.count > 0 && !queues_of(s)->is_past(s->device, c->done)) return false;
  }
  return true;
}

static bool is_among(int64_t tile, tile_run r) { return tile >= r.first && tile < r.first + r.count; }

/* The oldest chunk comes first, because the device fills them in turn. */
trigon_status staging_settle(staging *s, int64_t tile) {
  for (int i = 0; i < staging_chunks; i++) {
    staging_chunk *c = &s->out.chunk[(s->out.next + i) % staging_chunks];
    if (tile < 0 || is_among(tile, c->tiles)) TRY(settle_chunk(s, c));
  }
  return TRIGON_OK;
}

void staging_drop(staging *s) {
  for (int i = 0; i < staging_chunks; i++) s->out.chunk[i].to.count = 0;
}

/* ---------------------------------------------------------------------------------------------------- memory -- */

static void free_ring(const staging *s, staging_ring *r) {
  for (int i = 0; i < staging_chunks; i++) {
    staging_chunk *c = &r->chunk[i];
    if (c->data) queues_of(s)->free_pinned(s->device, c->data);
    if (c->done) queues_of(s)->drop_moment(s->device, c->done);
  }
  *r = (staging_ring){0};
}

void staging_free(staging *s) {
  free_ring(s, &s->in);
  free_ring(s, &s->out);
  s->bytes = 0;
}

static trigon_status make_ring(const staging *s, staging_ring *r, int64_t bytes) {
  for (int i = 0; i < staging_chunks; i++) {
    TRY(queues_of(s)->make_moment(s->device, &r->chunk[i].done));
    TRY(queues_of(s)->alloc_pinned(s->device, bytes, &r->chunk[i].data));
  }
  return TRIGON_OK;
}

static trigon_status make_rings(staging *s, int64_t bytes) {
  TRY(make_ring(s, &s->in, bytes));
  TRY(make_ring(s, &s->out, bytes));
  s->bytes = bytes;
  return TRIGON_OK;
}

/* Tiles that travel together are two chunks at least, so that the first part crosses the link while threads copy the
 * second one, and at most four unless they are large: then no chunk is waited for in the middle. A chunk holds a column
 * of all of them. */
trigon_status staging_prepare(staging *s, int64_t together) {
  const int64_t most = 32 << 20, bytes = least(together / 2, most);
  if (bytes <= s->bytes) return TRIGON_OK;
  staging_free(s);
  const trigon_status status = make_rings(s, bytes);
  if (status != TRIGON_OK) staging_free(s);
  return status;
}

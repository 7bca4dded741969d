/* staging.h - copies between a device and pageable host memory, by pinned chunks.
 *
 * A device reads pinned memory by itself. Pageable memory is copied into a chunk by the threads of the CPU, and from
 * the chunk to the device by its queue, while the threads fill the next chunk; and the other way round. Registering the
 * caller's memory instead would take five times as long as the transfer. */
#ifndef TRIGON_STAGING_H
#define TRIGON_STAGING_H

#include "call_plan.h"
#include "core/queues.h"

enum { staging_chunks = 4 };

typedef struct staging_chunk {
  void *data;   /* pinned; NULL: none yet */
  moment *done; /* the device has read the chunk, or filled it */
  view to;      /* on the way out, where in host memory the chunk goes; count 0: nowhere */
  tile_run tiles;
} staging_chunk;

/* The chunks of one direction, which are taken in turn. */
typedef struct staging_ring {
  staging_chunk chunk[staging_chunks];
  int next;
} staging_ring;

/* The chunks of a device. `threads` is the machine whose threads copy. */
typedef struct staging {
  machine *device, *threads;
  int64_t bytes; /* of a chunk; 0: no chunk exists */
  staging_ring in, out;
} staging;

/* Whether a matrix in host memory is pageable, in whole or in part. Not every column is looked at. */
bool staging_is_needed(machine *device, view A);

/* Makes chunks for parts of tiles that together take so many bytes. All chunks are unused. */
trigon_status staging_prepare(staging *, int64_t together);
void staging_free(staging *);

/* Copies tiles to the device, or from the device: then staging_settle stores the rest of them. The copies take their
 * place in the queues of the device. */
trigon_status staging_in(staging *, view from, view to);
trigon_status staging_out(staging *, view from, view to, tile_run tiles);

/* Whether staging_out of such a matrix would not wait. */
bool staging_has_room(const staging *, view from);

/* Waits until the tile is in host memory; -1: until all tiles are. */
trigon_status staging_settle(staging *, int64_t tile);

/* Forgets what is on the way, after a failure. */
void staging_drop(staging *);

#endif

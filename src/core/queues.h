/* queues.h - what a device offers to an engine that moves data while work runs: queues, moments, host memory that the
 * device reads by itself, and windows of device memory.
 *
 * A device has four queues, and the work of each runs in order. A moment is a place in a queue. Another queue, of this
 * device or of another device of the same vendor, can wait for the moment, and so can the host. */
#ifndef TRIGON_QUEUES_H
#define TRIGON_QUEUES_H

#include "machine.h"

typedef enum queue_of_device {
  QUEUE_COMPUTE, /* the stream of the machine's engine */
  QUEUE_IN,      /* copies from the host */
  QUEUE_OUT,     /* copies to the host */
  QUEUE_BETWEEN, /* copies from other devices */
  QUEUES
} queue_of_device;

typedef struct moment moment;

typedef enum memory_kind {
  MEMORY_PAGEABLE, /* host memory that a device reads with the host's help */
  MEMORY_PINNED,   /* host memory that a device reads by itself */
  MEMORY_DEVICE
} memory_kind;

/* A status other than TRIGON_OK has its reason in the machine. */
typedef struct queue_ops {
  trigon_status (*make_moment)(machine *, moment **);
  void (*drop_moment)(machine *, moment *); /* NULL is no moment, too */

  /* Puts the moment behind all work of the queue. The moment was made by this machine. */
  trigon_status (*record)(machine *, queue_of_device, moment *);

  /* Later work of the queue waits for the moment as it was recorded last. A moment that was never recorded is past. The
   * moment may be another device's. */
  trigon_status (*await)(machine *, queue_of_device, moment *);
  trigon_status (*wait)(machine *, moment *); /* the host waits */
  bool (*is_past)(machine *, moment *);       /* whether `wait` would return at once */

  /* Copies a matrix: from host memory, another device or this device to this device, or from this device to host
   * memory. If the host memory is pageable, the call may wait for the copy. */
  trigon_status (*copy)(machine *, queue_of_device, view from, view to);

  /* Whether the device copies from the memory of the other one without the host. The answer lasts. */
  bool (*reaches)(machine *, machine *other);

  memory_kind (*kind)(machine *, const void *address);
  trigon_status (*alloc_pinned)(machine *, int64_t bytes, void **data);
  trigon_status (*free_pinned)(machine *, void *data); /* TRIGON_BAD_ARGUMENT: alloc_pinned did not give it */

  /* Makes memory of the caller pinned, and pageable again. */
  trigon_status (*pin)(machine *, void *data, int64_t bytes);
  trigon_status (*unpin)(machine *, void *data);

  /* Device memory. free_window does not wait for the queues. memory_left stores how many bytes the device has left. */
  trigon_status (*alloc_window)(machine *, int64_t bytes, void **data);
  void (*free_window)(machine *, void *data);
  trigon_status (*memory_left)(machine *, int64_t *bytes);

  /* Caps what emulated products may take of the device's memory. A negative cap stands for the device's default. What
   * they have taken is freed. Waits for all work. */
  trigon_status (*limit_products)(machine *, int64_t bytes);
} queue_ops;

#endif

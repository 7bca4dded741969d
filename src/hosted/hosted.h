/* hosted.h - the struct of the engine for matrices in host memory, and what its files share.
 *
 * The calling thread checks and records a call (hosted_call.c, call_plan.c, residence.c). The worker, a thread of the
 * context, plays the plans one after the other on the devices (worker.c, player.c). A call that has little work is
 * computed by the engine of the CPU, when the worker has nothing left to do. */
#ifndef TRIGON_HOSTED_H
#define TRIGON_HOSTED_H

#include <pthread.h>
#include <stddef.h>
#include <sys/types.h>
#include <time.h>

#include "core/engine.h"
#include "core/options.h"
#include "core/queues.h"
#include "residence.h"
#include "staging.h"

/* The moments of a slot: its tile has arrived, the last step that writes it has run, the last step that uses it, it has
 * been stored, each device has fetched it. */
typedef struct slot_moments {
  moment *ready, *written, *used, *stored, *fetched[most_devices];
} slot_moments;

enum { marks = 8 };

typedef struct hosted_device {
  engine *engine;
  machine *machine;
  const queue_ops *queues;
  char *window; /* device memory, of h->window_bytes; NULL: none yet */
  slot_moments *slots;
  int slot_count;
  moment *mark[marks]; /* the host does not get farther ahead */
  staging staging;     /* for matrices in pageable memory */
  int64_t share;       /* what emulated products may take of the cap; -1: there is no cap, or no such product */
  int64_t runs;        /* steps of the present plan so far, or of the last one */
} hosted_device;

/* A plan in the worker's queue. */
typedef struct hosted_job {
  struct hosted_job *next;
  plan plan;
  residence residence;
} hosted_job;

typedef struct hosted {
  engine engine; /* first: an engine * is a hosted * */
  machine machine;
  engine_options options;
  hosted_device device[most_devices];
  int devices;
  bool peers;    /* the devices can copy from each other */
  engine *cpu;   /* computes what has little work */
  bool on_cpu;   /* the present call is the CPU's */
  bool emulates; /* the devices emulate products, which are faster the larger they are */
  bool lends;    /* products may take memory of the devices */
  int64_t cap;   /* the most bytes of device memory, of each device; -1: what the device has */
  int64_t limit; /* what each device may give for windows; -1: not asked yet */
  int64_t window_bytes;
  reason worker_why; /* of the devices; the worker writes it, and who has waited for the worker reads it */
  traffic traffic;   /* of the plans since the last question */
  struct timespec timer_begun;
  char described[512];

  pid_t process; /* which made the context: a child of fork has no worker */
  pthread_t worker;
  bool running;         /* the worker exists */
  pthread_mutex_t lock; /* of what follows */
  pthread_cond_t changed;
  hosted_job *first, *last; /* the plans that are not done; the worker plays the first */
  bool stop;
  trigon_status failure;  /* the first one since the last `finish` */
  int64_t kept;           /* the info that `finish` will return */
  double planned, played; /* flops of the plans since the last time that none was left, and of their steps so far */
} hosted;

static inline hosted *hosted_of(engine *e) { return (hosted *)e; }
static inline hosted *hosted_on(machine *m) { return (hosted *)((char *)m - offsetof(hosted, machine)); }

extern const engine hosted_engine;
extern const machine_ops hosted_machine_ops;

/* Returns the status, with this text as its reason. */
__attribute__((format(printf, 3, 4))) trigon_status hosted_refuse(hosted *, trigon_status, const char *format, ...);

/* hosted_call.c. Refuses an operand in the memory of a device. */
trigon_status hosted_check_host(hosted *, const char *argument, view);

/* hosted_window.c. Chooses the block of a call, and makes device memory ready for it: p->block, p->room. */
trigon_status hosted_prepare(hosted *, const operation *, plan *p);
void hosted_free_windows(hosted *);

/* hosted_window.c. Divides the cap between windows and emulated products, and frees the windows. Waits for all calls.
 */
trigon_status hosted_divide_cap(hosted *);
bool hosted_cap_is_divided(const hosted *);
static inline int64_t hosted_slot_bytes(int64_t block, trigon_type type) {
  enum { alignment = 256 };
  return up_to_multiple(block * block * type_size(type), alignment);
}

/* player.c. Plays a plan, waits for it, and stores its info in *info. */
trigon_status hosted_play(hosted *, hosted_job *, int64_t *info);

/* Whether the context belongs to a process of which this one is a child. */
bool hosted_is_forked(const hosted *);

/* worker.c. hosted_submit takes the job over. hosted_drain waits until no plan is left. hosted_progress: see
 * trigon_progress. */
trigon_status hosted_start_worker(hosted *);
void hosted_stop_worker(hosted *);
void hosted_submit(hosted *, hosted_job *);
void hosted_drain(hosted *);
void hosted_count(hosted *, const operation *step); /* has been handed to a device */
double hosted_progress(machine *);
void hosted_free_job(hosted_job *);

#endif

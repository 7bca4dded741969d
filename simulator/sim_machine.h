/* sim_machine.h - the state of the simulated GPU, and the functions that its files share. One mutex guards the whole
 * state. Every public function holds the mutex from its begin to its end, also while it runs kernels. */
#ifndef TRIGON_SIM_MACHINE_H
#define TRIGON_SIM_MACHINE_H

#include "sim.h"

#include <pthread.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SIM_ASAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define SIM_ASAN 1
#endif
#ifndef SIM_ASAN
#define SIM_ASAN 0
#endif

/* Shared memory of a launch, as on Hopper, and of a kernel that was loaded without asking for more. */
enum { sim_most_shared = 227 << 10, sim_unasked_shared = 48 << 10 };

enum { sim_devices = 4, sim_most_threads = 1024, sim_most_resident = 64, sim_alignment = 256, sim_unwritten = 0xFF };

/* Blocks of the largest cluster, as on Hopper. */
enum { sim_most_cluster = 16 };

/* Lanes of the widest warp, and bytes that a lane hands over in a gathering. */
enum { sim_most_lanes = 64, sim_most_gathered = 256 };

typedef enum sim_operation {
  ALLOC,
  COPY,
  LAUNCH,
  BLAS,
  BLAS_MEMORY,
  EVENT,
  PIN,
  STREAM,
  WAIT,
  QUERY,
  LOST,
  OPERATIONS
} sim_operation;

/* A piece of work in a stream: calls run(device, argument). */
typedef struct sim_device sim_device;
typedef void work_fn(sim_device *, void *argument);
typedef struct work {
  struct work *next;
  work_fn *run;
  size_t size;
  _Alignas(16) unsigned char argument[];
} work;
typedef struct work_list {
  work *first, *last;
} work_list;

struct simGraph {
  sim_device *device;
  uint64_t id;
  work_list works;
};

struct simStream {
  struct simStream *next;
  sim_device *device;
  uint64_t id, pushed, done; /* ids begin at 1; pieces of work handed over; pieces of work done */
  work_list works;
  bool blocking; /* ordered with the legacy stream */
  simGraph_t capture;
  uint64_t captured; /* pieces of work that captures have taken, and waits of the stream in captures */
  bool joined;       /* another stream began the capture */
  bool loose;        /* joined: no other stream of the capture waits for the last work or wait yet */
  bool capture_failed;
  simStreamCaptureMode capture_mode;
  pthread_t capture_thread;
};

typedef struct allocation {
  struct allocation *next; /* in the order of addresses */
  unsigned char *data;
  size_t size;
} allocation;

/* Host memory that devices read by themselves. */
typedef struct host_range {
  struct host_range *next;
  const unsigned char *data;
  size_t size;
} host_range;

/* A kernel that was loaded, and the shared memory that it asked for. */
typedef struct loaded_kernel {
  const void *kernel;
  size_t shared;
} loaded_kernel;

typedef struct settings {
  int warp;
  size_t memory, pitch;
  bool no_blas, solver; /* solver: the device has cuSOLVER */
  bool no_peers;        /* the device cannot access the memory of others */
  bool coherent;        /* the device reads and writes all host memory by itself */
  uint64_t seed;
  int resident; /* blocks at once; 0: the seed draws the number */
  int together; /* blocks of a launch of blocks together */
  sim_operation fail;
  int64_t fail_at; /* 0: nothing fails */
} settings;

struct sim_device {
  settings set;
  int64_t count[OPERATIONS]; /* [LOST] counts all operations but queries */
  int64_t handles;
  simError_t error; /* sticky */
  char report[240]; /* details of the error, or "" */
  uint64_t launches;
  unsigned char *arena; /* mapped at the first allocation */
  size_t used;          /* bytes of the arena that allocations have reached, in whole pages */
  int open;             /* sim_open minus sim_close: the arena is accessible if > 0 */
  allocation *allocations;
  size_t allocated;
  loaded_kernel *loaded; /* in the order of addresses */
  int loaded_count, loaded_room;
  struct simStream legacy;
};

typedef struct sim_machine {
  sim_device device[sim_devices];
  host_range *pinned;
  simStream_t streams; /* the newest first, without the legacy streams */
  uint64_t ids;
} sim_machine;
extern sim_machine sim;

/* HOLD takes the mutex until the end of the scope. */
int sim_take(void);
void sim_drop(const int *);
#define HOLD const int held __attribute__((cleanup(sim_drop), unused)) = sim_take()

simError_t sim_report(simError_t); /* returns its argument; simGetLastError will return an error, too */
sim_device *sim_current(void);
bool sim_is_device(int device);

/* Counts an operation. Returns the error with which the operation fails, or the error of a device that has failed
 * before. */
simError_t sim_attempt(sim_device *, sim_operation);

/* Counts a query. Returns the error with which the query fails. A lost device still answers queries. */
simError_t sim_attempt_query(sim_device *);

/* kernels.c. What was loaded is NULL for a kernel that was not. */
const loaded_kernel *sim_loaded(const sim_device *, const void *kernel);
void sim_unload(sim_device *);

/* memory.c. sim_owner returns the device with a live allocation that contains p .. p + size, or NULL. */
sim_device *sim_owner(const void *p, size_t size);
bool sim_in_arena(const void *p);
bool sim_unwritten_bytes(const unsigned char *p, size_t size);
void sim_open(sim_device *); /* does nothing for NULL */
void sim_close(sim_device *);
void sim_check_guards(sim_device *);

/* pinned.c */
bool sim_is_pinned(const void *p);

/* streams.c */
simStream_t sim_stream(simStream_t);
simError_t sim_push(simStream_t, work_fn *, const void *head, size_t head_size, const void *tail, size_t tail_size);
void sim_finish(sim_device *); /* runs all work of the device */

/* capture.c */
simError_t sim_unsafe_call(void);                         /* a call that may wait or take memory */
simError_t sim_fail_capture(simStream_t, simError_t);     /* in all its streams; returns the error */
simError_t sim_join_capture(simStream_t, uint64_t graph); /* the stream waits for an event of the capture */
bool sim_leave_capture(simGraph_t); /* whether all work of the streams that joined is waited for */
void sim_free_graph(simGraph_t);

#endif

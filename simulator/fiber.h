/* fiber.h - a fiber is one thread of a simulated kernel, with a stack of its own. The kernel runs on this stack until
 * the thread waits or ends. */
#ifndef TRIGON_SIMULATOR_FIBER_H
#define TRIGON_SIMULATOR_FIBER_H

#include <stdbool.h>
#include <stddef.h>

/* A YIELDED fiber goes on in the next turn of its block. An AWAITING fiber goes on when its flag has the value. */
typedef enum fiber_state { READY, YIELDED, AT_BARRIER, AT_CLUSTER, AT_SHUFFLE, AWAITING, ENDED } fiber_state;

/* A place in a kernel's source. */
typedef struct site {
  const char *file;
  int line;
} site;

/* The members that the scheduler reads in every turn come first. */
typedef struct fiber {
  fiber_state state;
  int thread; /* number in the block */
  site site;  /* of the barrier or shuffle in which the fiber waits */
  void *at;
  unsigned char *stack;
  void *fake_stack;
  void (*run)(void);
  void *result;
  const void *x;
  size_t size;
  int lane;
  unsigned value; /* the fiber awaits *flag >= value */
  const unsigned *flag;
  struct async_copy *copies; /* unfinished: copies_begin .. copies_end - 1 */
  int copies_begin, copies_end, copies_capacity;
  unsigned groups; /* of copies, that the thread has ended */
} fiber;

/* Maps stacks for fibers; false if there is no memory. */
bool sim_fiber_provide(fiber *, int count);

/* Prepares a fiber that will call run(). */
void sim_fiber_start(fiber *, int thread, void (*run)(void));

/* Lets a fiber run until it suspends itself or ends. */
void sim_fiber_resume(fiber *);

/* The running fiber; NULL between fibers. */
fiber *sim_fiber_running(void);

/* Suspends the running fiber: sim_fiber_resume returns to its caller. */
void sim_fiber_suspend(fiber_state);

#endif

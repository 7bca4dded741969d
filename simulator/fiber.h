/* fiber.h - a thread of a simulated kernel: a stack of its own, on which the kernel runs until the thread waits or
 * ends. */
#ifndef TRIGON_SIMULATOR_FIBER_H
#define TRIGON_SIMULATOR_FIBER_H

#include <stdbool.h>
#include <stddef.h>

/* A YIELDED fiber goes on when its block has its next turn, an AWAITING one when its flag has the value. */
typedef enum fiber_state { READY, YIELDED, AT_BARRIER, AT_SHUFFLE, AWAITING, ENDED } fiber_state;

/* A place in a kernel's source. */
typedef struct site {
  const char *file;
  int line;
} site;

/* What the scheduler looks at in every turn comes first. */
typedef struct fiber {
  fiber_state state;
  int thread; /* of the block */
  site site;  /* of the barrier or shuffle */
  void *at;
  unsigned char *stack;
  void *fake_stack;
  void (*run)(void);
  void *result;
  const void *x;
  size_t size;
  int lane;
  unsigned value; /* the least that the fiber awaits, in `flag` */
  const unsigned *flag;
} fiber;

/* Maps stacks for fibers; false if there is no memory. */
bool sim_fiber_provide(fiber *, int count);

/* Prepares a fiber that will call run(). */
void sim_fiber_start(fiber *, int thread, void (*run)(void));

/* Lets a fiber run until it suspends itself or ends. */
void sim_fiber_resume(fiber *);

/* The running fiber; NULL between fibers. */
fiber *sim_fiber_running(void);

/* The running fiber gives way to who resumed it. */
void sim_fiber_suspend(fiber_state);

#endif

/* execute.c - runs kernels: the threads of a block are fibers. A fiber runs until it waits in a barrier or a shuffle, or
 * ends; then the scheduler goes on with the next. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "machine.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#if SIM_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
enum { stack_size = 256 << 10 }; /* red zones take room */
#else
enum { stack_size = 64 << 10 };
#endif
enum { guard_size = 64 << 10 }; /* a whole page anywhere */

/* ------------------------------------------------------------------------------------------------ switches -- */

/* Saves the callee-saved registers on this stack and the stack's pointer in *from, goes to the stack `to`, and returns
 * there: by a jump, where a return to another stack than it was called from is never predicted. */
void sim_switch(void **from, void *to);

#if defined(__x86_64__)
__asm__(".text\n.p2align 4\n.hidden sim_switch\n.globl sim_switch\n.type sim_switch, @function\nsim_switch:\n"
        "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
        "  movq %rsp, (%rdi)\n  movq %rsi, %rsp\n"
        "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
        "  popq %rcx\n  jmp *%rcx\n.size sim_switch, . - sim_switch\n");
enum { saved_words = 8, return_word = 6 }; /* six registers, where to return to, and a word that aligns the stack */
#elif defined(__aarch64__)
__asm__(".text\n.p2align 4\n.hidden sim_switch\n.globl sim_switch\n.type sim_switch, %function\nsim_switch:\n"
        "  stp x29, x30, [sp, -160]!\n  stp x19, x20, [sp, 16]\n  stp x21, x22, [sp, 32]\n  stp x23, x24, [sp, 48]\n"
        "  stp x25, x26, [sp, 64]\n  stp x27, x28, [sp, 80]\n  stp d8, d9, [sp, 96]\n  stp d10, d11, [sp, 112]\n"
        "  stp d12, d13, [sp, 128]\n  stp d14, d15, [sp, 144]\n  mov x9, sp\n  str x9, [x0]\n  mov sp, x1\n"
        "  ldp x19, x20, [sp, 16]\n  ldp x21, x22, [sp, 32]\n  ldp x23, x24, [sp, 48]\n  ldp x25, x26, [sp, 64]\n"
        "  ldp x27, x28, [sp, 80]\n  ldp d8, d9, [sp, 96]\n  ldp d10, d11, [sp, 112]\n  ldp d12, d13, [sp, 128]\n"
        "  ldp d14, d15, [sp, 144]\n  ldp x29, x30, [sp], 160\n"
        "  ret\n.size sim_switch, . - sim_switch\n");
enum { saved_words = 20, return_word = 1 };
#else
#error                                                                                                                 \
    "the simulated GPU switches stacks in assembly: write sim_switch for this processor, or build without the simulator"
#endif

typedef enum fiber_state { READY, AT_BARRIER, AT_SHUFFLE, ENDED } fiber_state;

typedef struct fiber {
  unsigned char *stack;
  void *at, *fake_stack;
  fiber_state state;
  int line; /* of the barrier or shuffle */
  void *result;
  const void *x;
  size_t size;
  int lane;
} fiber;

typedef struct launch {
  _Alignas(16) sim_kernel *call; /* its argument stands behind this */
  int64_t blocks;
  int threads;
  size_t shared;
} launch;

typedef struct scheduler {
  fiber fibers[sim_most_threads], *running;
  const launch *launch;
  uint64_t seed, random;
  void *at, *fake_stack;
  const void *stack; /* of the scheduler, for the sanitizer */
  size_t stack_size;
} scheduler;
scheduler sim_scheduler;

simIndex simThreadIdx, simBlockIdx, simBlockDim, simGridDim;
int simWarpSize;
void *simShared;

#if SIM_ASAN
#define LEAVE_STACK(fake, stack, size) __sanitizer_start_switch_fiber(fake, stack, size)
#define ENTER_STACK(fake, stack, size) __sanitizer_finish_switch_fiber(fake, stack, size)
#define FORGET_STACK(stack) __asan_unpoison_memory_region(stack, stack_size)
#else
#define LEAVE_STACK(fake, stack, size) ((void)0)
#define ENTER_STACK(fake, stack, size) ((void)0)
#define FORGET_STACK(stack) ((void)0)
#endif

/* The scheduler lets a fiber run. */
static void resume(fiber *f) {
  scheduler *s = &sim_scheduler;
  s->running = f;
  simThreadIdx.x = (unsigned)(f - s->fibers);
  LEAVE_STACK(&s->fake_stack, f->stack, stack_size);
  sim_switch(&s->at, f->at);
  ENTER_STACK(s->fake_stack, NULL, NULL);
}

/* The running fiber gives way to the scheduler. */
static void suspend(fiber_state state) {
  scheduler *s = &sim_scheduler;
  fiber *f = s->running;
  f->state = state;
  LEAVE_STACK(state == ENDED ? NULL : &f->fake_stack, s->stack, s->stack_size);
  sim_switch(&f->at, s->at);
  ENTER_STACK(f->fake_stack, &s->stack, &s->stack_size);
}

static void fiber_main(void) {
  ENTER_STACK(NULL, &sim_scheduler.stack, &sim_scheduler.stack_size);
  sim_scheduler.launch->call(sim_scheduler.launch + 1);
  suspend(ENDED);
}

/* Stacks are mapped once, and stay. */
static bool provide_stacks(int count) {
  for (fiber *f = sim_scheduler.fibers; f < sim_scheduler.fibers + count; f++) {
    if (f->stack) continue;
    void *area = mmap(NULL, guard_size + stack_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (area == MAP_FAILED) return false;
    mprotect(area, guard_size, PROT_NONE);
    f->stack = (unsigned char *)area + guard_size;
  }
  return true;
}

/* The tops of stacks are staggered: equal distances would put them all into one set of the cache. */
static void start(fiber *f) {
  enum { colors = 64, color_size = 5 * 64 };
  if (f->state != ENDED) FORGET_STACK(f->stack); /* a failed kernel left it as it was */
  const ptrdiff_t color = (f - sim_scheduler.fibers) % colors;
  void **top = (void **)(void *)(f->stack + stack_size - color * color_size) - saved_words;
  void (*begin)(void) = fiber_main;
  memset(top, 0, saved_words * sizeof *top);
  memcpy(top + return_word, &begin, sizeof begin);
  f->at = top;
  f->state = READY;
}

void simBarrier(int line) {
  sim_scheduler.running->line = line;
  suspend(AT_BARRIER);
}

void simShuffle(void *result, const void *x, size_t size, int lane, int line) {
  fiber *f = sim_scheduler.running;
  f->result = result, f->x = x, f->size = size, f->lane = lane, f->line = line;
  suspend(AT_SHUFFLE);
}

/* --------------------------------------------------------------------------------------------------- order -- */

/* Visits 0 .. n-1, beginning anywhere in steps that have no divisor in common with n: ascending, descending, mixed. */
typedef struct order {
  uint64_t at, step, n;
} order;

static uint64_t next_random(void) { /* splitmix64 */
  uint64_t x = sim_scheduler.random += UINT64_C(0x9E3779B97F4A7C15);
  x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
  return x ^ (x >> 31);
}

static uint64_t common_divisor(uint64_t a, uint64_t b) { return b == 0 ? a : common_divisor(b, a % b); }

static order new_order(int64_t count) {
  uint64_t n = (uint64_t)count;
  if (sim_scheduler.seed == 1) return (order){0, 1, n};
  if (sim_scheduler.seed == 2) return (order){n - 1, n - 1, n};
  order o = {next_random() % n, 1 + next_random() % n, n};
  while (common_divisor(o.step, n) != 1) o.step++;
  return o;
}

static int64_t next_of(order *o) {
  uint64_t at = o->at;
  o->at = (at + o->step) % o->n;
  return (int64_t)at;
}

/* --------------------------------------------------------------------------------------------------- kernel -- */

/* All lanes wait in a shuffle: hands out the values. */
static simError_t exchange(fiber *warp, int lanes) {
  for (fiber *f = warp; f < warp + lanes; f++) {
    if (f->line != warp->line || f->size != warp->size) return simErrorShuffle;
    if (f->lane < 0 || f->lane >= lanes) return simErrorLane;
    memcpy(f->result, warp[f->lane].x, f->size);
  }
  for (fiber *f = warp; f < warp + lanes; f++) f->state = READY;
  return simSuccess;
}

/* Runs a warp until all of its lanes wait in barriers or have ended. */
static simError_t run_warp(fiber *warp, int lanes) {
  for (;;) {
    order o = new_order(lanes);
    int shuffling = 0;
    for (int i = 0; i < lanes; i++) {
      fiber *f = &warp[next_of(&o)];
      if (f->state == READY) resume(f);
      shuffling += f->state == AT_SHUFFLE;
    }
    if (shuffling == 0) return simSuccess;
    simError_t error = shuffling < lanes ? simErrorShuffle : exchange(warp, lanes);
    if (error) return error;
  }
}

/* All threads wait in barriers or have ended: lets go of those that wait. */
static simError_t pass_barrier(int threads, bool *ended) {
  const fiber *first = NULL;
  for (fiber *f = sim_scheduler.fibers; f < sim_scheduler.fibers + threads; f++) {
    if (f->state == ENDED) continue;
    if (!first) first = f;
    if (f->line != first->line) return simErrorBarrier;
    f->state = READY;
  }
  *ended = !first;
  return simSuccess;
}

static simError_t run_block(int threads, int warp) {
  fiber *fibers = sim_scheduler.fibers;
  simError_t error = simSuccess;
  for (int i = 0; i < threads; i++) start(&fibers[i]);
  for (bool ended = false; !ended && !error;) {
    int warps = (threads + warp - 1) / warp;
    order o = new_order(warps);
    for (int i = 0; i < warps && !error; i++) {
      int first = (int)next_of(&o) * warp;
      error = run_warp(fibers + first, threads - first < warp ? threads - first : warp);
    }
    if (!error) error = pass_barrier(threads, &ended);
  }
  return error;
}

/* Without the sanitizer unwritten bytes behind shared memory show who writes too far. */
static void run_launch(sim_device *d, void *argument) {
  const launch *l = argument;
  const size_t canary = SIM_ASAN ? 0 : 64;
  unsigned char *shared = malloc(l->shared + canary);
  if (!shared || !provide_stacks(l->threads)) d->error = simErrorLaunchFailure;
  sim_scheduler.launch = l;
  sim_scheduler.seed = d->set.seed;
  sim_scheduler.random = d->set.seed ^ (++d->launches << 32);
  simShared = shared;
  simWarpSize = d->set.warp;
  simBlockDim.x = (unsigned)l->threads;
  simGridDim.x = (unsigned)l->blocks;
  order o = new_order(l->blocks);
  for (int64_t i = 0; i < l->blocks && !d->error; i++) {
    simBlockIdx.x = (unsigned)next_of(&o);
    memset(shared, sim_unwritten, l->shared + canary);
    d->error = run_block(l->threads, simWarpSize);
    if (!d->error && !sim_unwritten_bytes(shared + l->shared, canary)) d->error = simErrorSharedOverrun;
  }
  free(shared);
}

simError_t simLaunch(simStream_t stream, sim_kernel *call, const void *argument, size_t size, int64_t blocks,
                     int threads, size_t shared) {
  HOLD;
  simStream_t s = sim_stream(stream);
  launch l = {.call = call, .blocks = blocks, .threads = threads, .shared = shared};
  if (s->device != sim_current()) return sim_report(simErrorInvalidResourceHandle);
  if (blocks < 1 || blocks > INT32_MAX || threads < 1 || threads > sim_most_threads || shared > 48 << 10)
    return sim_report(simErrorInvalidValue);
  simError_t error = sim_attempt(s->device, LAUNCH);
  return sim_report(error ? error : sim_push(s, run_launch, &l, sizeof l, argument, size));
}

/* fiber.c - fibers, the threads of simulated kernels: their stacks, and the switch from one stack to another. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "fiber.h"

#include "sim_machine.h"

#include <string.h>
#include <sys/mman.h>

#if SIM_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
enum { stack_size = 256 << 10 }; /* the sanitizer's red zones take room */
#define LEAVE_STACK(fake, stack, size) __sanitizer_start_switch_fiber(fake, stack, size)
#define ENTER_STACK(fake, stack, size) __sanitizer_finish_switch_fiber(fake, stack, size)
#define FORGET_STACK(stack) __asan_unpoison_memory_region(stack, stack_size)
#else
enum { stack_size = 64 << 10 };
#define LEAVE_STACK(fake, stack, size) ((void)0)
#define ENTER_STACK(fake, stack, size) ((void)0)
#define FORGET_STACK(stack) ((void)0)
#endif
enum { guard_size = 64 << 10 }; /* at least one page on every system */

/* Saves the callee-saved registers on this stack, and the stack's pointer in *from. Then restores the registers from
 * the stack `to`, and goes on with that stack's caller. On x86 the last instruction is a jump: a return instruction to
 * another stack than that of the call is always predicted wrongly. */
void sim_switch(void **from, void *to);

#if defined(__x86_64__)
__asm__(".text\n.p2align 4\n.hidden sim_switch\n.globl sim_switch\n.type sim_switch, @function\nsim_switch:\n"
        "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
        "  movq %rsp, (%rdi)\n  movq %rsi, %rsp\n"
        "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
        "  popq %rcx\n  jmp *%rcx\n.size sim_switch, . - sim_switch\n");
enum { saved_words = 8, return_word = 6 }; /* six registers, the return address, and a word that aligns the stack */
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

/* The stack of the caller of sim_fiber_resume. */
static struct {
  void *at, *fake_stack;
  const void *stack; /* for the sanitizer */
  size_t stack_size;
} host;

/* Of the thread that runs kernels: the race detector asks in all threads, without the mutex, whose accesses are a
 * kernel's. */
static _Thread_local fiber *running __attribute__((tls_model("initial-exec")));

void sim_fiber_resume(fiber *f) {
  running = f;
  LEAVE_STACK(&host.fake_stack, f->stack, stack_size);
  sim_switch(&host.at, f->at);
  ENTER_STACK(host.fake_stack, NULL, NULL);
  running = NULL;
}

fiber *sim_fiber_running(void) { return running; }

void sim_fiber_suspend(fiber_state state) {
  fiber *f = running;
  f->state = state;
  LEAVE_STACK(state == ENDED ? NULL : &f->fake_stack, host.stack, host.stack_size);
  sim_switch(&f->at, host.at);
  ENTER_STACK(f->fake_stack, &host.stack, &host.stack_size);
}

static void fiber_main(void) {
  ENTER_STACK(NULL, &host.stack, &host.stack_size);
  running->run();
  sim_fiber_suspend(ENDED);
}

/* Stacks are mapped once, and are never unmapped. */
bool sim_fiber_provide(fiber *fibers, int count) {
  for (fiber *f = fibers; f < fibers + count; f++) {
    if (f->stack) continue;
    void *area = mmap(NULL, guard_size + stack_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (area == MAP_FAILED) return false;
    if (mprotect(area, guard_size, PROT_NONE) != 0) {
      munmap(area, guard_size + stack_size);
      return false;
    }
    f->stack = (unsigned char *)area + guard_size;
  }
  return true;
}

/* The tops of the stacks are staggered, because equal distances would put all tops into one set of the cache. */
void sim_fiber_start(fiber *f, int thread, void (*run)(void)) {
  enum { colors = 64, color_size = 5 * 64 };
  if (f->state != ENDED) FORGET_STACK(f->stack); /* a failed kernel has left its red zones */
  void **top = (void **)(void *)(f->stack + stack_size - thread % colors * color_size) - saved_words;
  void (*begin)(void) = fiber_main;
  memset(top, 0, saved_words * sizeof *top);
  memcpy(top + return_word, &begin, sizeof begin);
  f->at = top;
  f->run = run;
  f->thread = thread;
  f->copies_begin = f->copies_end = 0;
  f->groups = 0;
  f->state = READY;
}

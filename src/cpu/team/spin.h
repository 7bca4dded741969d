/* spin.h - a thread waits for another one: for a short time it looks again and again, then it offers its processor to
 * others between looks. */
#ifndef TRIGON_SPIN_H
#define TRIGON_SPIN_H

#include <sched.h>

typedef struct spin {
  int looks;
} spin;

/* Lets the other hardware thread of the core compute. */
static inline void spin_pause(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/* Between two looks. The thread that is waited for may need this thread's processor. */
static inline void spin_once(spin *s) {
  enum { patient_looks = 1000 };
  if (s->looks < patient_looks)
    s->looks++, spin_pause();
  else
    sched_yield();
}

#endif

/* spin.h - a thread waits for another one: for a short time it looks again and again, then it offers its processor to
 * others between looks, and in the end it sleeps between them, because a thread of a lower priority may need the
 * processor. */
#ifndef TRIGON_SPIN_H
#define TRIGON_SPIN_H

#include <sched.h>
#include <time.h>

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
  enum { patient_looks = 1000, offers = 5000, nap_ns = 50 * 1000 };
  if (s->looks < patient_looks)
    s->looks++, spin_pause();
  else if (s->looks < patient_looks + offers)
    s->looks++, sched_yield();
  else
    nanosleep(&(struct timespec){.tv_nsec = nap_ns}, NULL);
}

#endif

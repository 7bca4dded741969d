/* signal_guard.c - a handler that removes one file. Any thread may run the handler, at any moment, beside the thread that
 * writes the file. What the two threads share is atomic, and each thread stores its own part before it loads the other's. */
#define _GNU_SOURCE /* signals that POSIX does not have */
#include "signal_guard.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

/* Signals that end no process by default, that cannot be handled, or that say that an instruction failed: the handler
 * would return to it. All others end the process. */
static const int left_alone[] = {SIGCHLD, SIGCONT, SIGURG, SIGWINCH, SIGTSTP, SIGTTIN, SIGTTOU, SIGSTOP,
                                 SIGKILL, SIGSEGV, SIGBUS, SIGFPE,   SIGILL,  SIGTRAP, SIGSYS};

static struct sigaction before[NSIG];
static char temporary[PATH_MAX]; /* a longer name cannot be opened */
static atomic_bool exists;       /* `temporary` names a file of ours */
static atomic_bool creating;     /* whether the file exists is not known */
static atomic_int arrived;       /* the signal that is to end the process, or 0 */

/* Removes the file and ends the process by the signal, here or, in its handler, on return from it. */
static void end_process(int number) {
  if (atomic_load(&exists)) unlink(temporary);
  struct sigaction fatal = {.sa_handler = SIG_DFL};
  sigaction(number, &fatal, NULL);
  raise(number);
}

static void handle(int number) {
  int error = errno;
  atomic_store(&arrived, number);
  if (!atomic_load(&creating)) end_process(number);
  errno = error;
}

static bool is_guarded(int number) {
  for (size_t i = 0; i < sizeof left_alone / sizeof *left_alone; i++)
    if (left_alone[i] == number) return false;
  return true;
}

void guard_begin(void) {
  struct sigaction guarding = {.sa_handler = handle, .sa_flags = SA_RESTART};
  sigfillset(&guarding.sa_mask);
  atomic_store(&arrived, 0);
  atomic_store(&creating, true);
  for (int number = 1; number < NSIG; number++) { /* sigaction refuses the two that the C library keeps for itself */
    if (is_guarded(number) && sigaction(number, NULL, &before[number]) == 0 && before[number].sa_handler == SIG_DFL)
      sigaction(number, &guarding, NULL);
  }
}

/* A handler that found the file being created has left the rest to us; and one that ends the process now does it on
 * another thread, while this one must not report that the file has gone. */
static void obey(void) {
  int number = atomic_load(&arrived);
  if (number != 0) end_process(number);
}

void guard_created(const char *path) {
  if (path != NULL) snprintf(temporary, sizeof temporary, "%s", path);
  atomic_store(&exists, path != NULL);
  atomic_store(&creating, false);
  obey();
}

void guard_end(void) {
  atomic_store(&exists, false);
  obey();
  for (int number = 1; number < NSIG; number++) {
    struct sigaction now;
    if (sigaction(number, NULL, &now) == 0 && now.sa_handler == handle) sigaction(number, &before[number], NULL);
  }
}

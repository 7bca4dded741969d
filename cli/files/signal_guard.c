/* signal_guard.c - a signal handler that removes one file.
 *
 * Any thread may run the handler at any moment, also while another thread writes the file. The variables that both
 * use are atomic, and each thread stores its own variable before it loads that of the other. */
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

/* Signals that do not end the process by default, that cannot be handled, or that report a failed instruction, to which
 * the handler would return. All other signals end the process. */
static const int left_alone[] = {SIGCHLD, SIGCONT, SIGURG, SIGWINCH, SIGTSTP, SIGTTIN, SIGTTOU, SIGSTOP,
                                 SIGKILL, SIGSEGV, SIGBUS, SIGFPE,   SIGILL,  SIGTRAP, SIGSYS};

static struct sigaction before[NSIG];
static char temporary[PATH_MAX]; /* a longer name cannot be opened */
static atomic_bool exists;       /* the file `temporary` exists, and is ours */
static atomic_bool creating;     /* the file is being created: it may exist or not */
static atomic_int arrived;       /* the signal that must end the process, or 0 */

/* Removes the file and ends the process by the signal: at once or, in the handler, when the handler returns. */
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
  for (int number = 1; number < NSIG; number++) { /* sigaction refuses the two signals that the C library reserves */
    if (is_guarded(number) && sigaction(number, NULL, &before[number]) == 0 && before[number].sa_handler == SIG_DFL)
      sigaction(number, &guarding, NULL);
  }
}

/* Ends the process if a signal has arrived. If the handler ran while the file was created, it left that to this
 * function. If the handler is ending the process in another thread, this thread must not go on and report that the file
 * is missing. */
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

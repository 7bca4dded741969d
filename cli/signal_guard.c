/* signal_guard.c - a handler that removes one file. Any thread may run it, at any moment, beside the thread that writes
 * the file: what the two share is atomic, and each looks at what the other says after it has said its own. */
#define _XOPEN_SOURCE 700
#include "signal_guard.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

static const int signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU, SIGXFSZ};
enum { SIGNALS = sizeof signals / sizeof *signals };

static struct sigaction before[SIGNALS];
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

void guard_begin(void) {
  struct sigaction guarding = {.sa_handler = handle, .sa_flags = SA_RESTART};
  sigfillset(&guarding.sa_mask);
  atomic_store(&arrived, 0);
  atomic_store(&creating, true);
  for (int i = 0; i < SIGNALS; i++) {
    if (sigaction(signals[i], NULL, &before[i]) == 0 && before[i].sa_handler == SIG_DFL)
      sigaction(signals[i], &guarding, NULL);
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
  for (int i = 0; i < SIGNALS; i++) {
    struct sigaction now;
    if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler == handle) sigaction(signals[i], &before[i], NULL);
  }
}

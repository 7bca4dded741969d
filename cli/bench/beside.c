/* beside.c - starts processes that only compute, and ends them. */
#define _GNU_SOURCE /* fork, prctl */
#include "beside.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

bool beside_parse(const char *text, beside *b) {
  char *end;
  const long count = strtol(text, &end, 10);
  long nice_value = 0;
  bool good = end > text && *text >= '0' && *text <= '9' && count >= 1 && count <= MOST_BESIDE;
  if (good && *end == ',') {
    const char *at = end + 1;
    nice_value = strtol(at, &end, 10);
    good = end > at && *at >= '0' && *at <= '9' && nice_value <= MOST_NICE;
  }
  if (good) b->count = (int)count, b->nice = (int)nice_value;
  return good && !*end;
}

/* Never returns. If the parent has ended before prctl, nobody would end this process. */
static void compute(pid_t parent, int nice_value) {
  volatile double x = 1;
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent || setpriority(PRIO_PROCESS, 0, nice_value) != 0)
    _exit(1);
  for (;;) x = x * 0.999 + 0.001;
}

bool beside_begin(beside *b) {
  const pid_t parent = getpid();
  for (int i = 0; i < b->count; i++) {
    b->pid[i] = fork();
    if (b->pid[i] == 0) compute(parent, b->nice);
    if (b->pid[i] > 0) continue;
    const int error = errno;
    b->count = i;
    beside_end(b);
    errno = error;
    return false;
  }
  return true;
}

void beside_end(beside *b) {
  for (int i = 0; i < b->count; i++) {
    kill(b->pid[i], SIGKILL);
    while (waitpid(b->pid[i], NULL, 0) < 0 && errno == EINTR) {
    }
  }
  b->count = 0;
}

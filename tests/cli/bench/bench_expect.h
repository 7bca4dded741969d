/* bench_expect.h - for tests of parts of `trigon bench`: counts checks, and prints those that fail with a number. It is
 * the clock that the command has, too. */
#ifndef TRIGON_BENCH_EXPECT_H
#define TRIGON_BENCH_EXPECT_H

#include "command.h"

#include <stdbool.h>
#include <stdio.h>
#include <time.h>

static int checks, failures;

static void expect(bool held, const char *what, double found) {
  checks++;
  if (held) return;
  failures++;
  printf("FAILED: %s (%g)\n", what, found);
}

/* Prints the program's last line. Returns the program's exit status. */
static int expected(void) {
  printf("%d checks, %d failed\n", checks, failures);
  return failures > 0;
}

double seconds_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif

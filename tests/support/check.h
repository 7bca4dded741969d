/* check.h - counts the checks that hold, and prints those that fail. */
#ifndef TRIGON_CHECK_H
#define TRIGON_CHECK_H

#include <stdbool.h>
#include <stdio.h>

static int passed, failed;

static void check(bool held, const char *what) {
  if (held) {
    passed++;
    return;
  }
  failed++;
  printf("FAILED: %s\n", what);
}

/* Prints the program's last line. Returns the program's exit status. */
static int checked(void) {
  printf("%d passed, %d failed\n", passed, failed);
  return failed > 0;
}

#endif

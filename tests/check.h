/* check.h - counts what held and says what did not. */
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

/* The program's last line, and its exit status. */
static int checked(void) {
  printf("%d passed, %d failed\n", passed, failed);
  return failed > 0;
}

#endif

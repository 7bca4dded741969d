/* check.h - counts the checks that hold, and prints those that fail. */
#ifndef TRIGON_CHECK_H
#define TRIGON_CHECK_H

#include <stdarg.h>
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

/* The same with a text that is made only for a check that fails. */
__attribute__((format(printf, 2, 3))) static inline void check_that(bool held, const char *format, ...) {
  char text[400] = "";
  va_list values;
  va_start(values, format);
  if (!held) vsnprintf(text, sizeof text, format, values);
  va_end(values);
  check(held, text);
}

/* Prints the program's last line. Returns the program's exit status. */
static int checked(void) {
  printf("%d passed, %d failed\n", passed, failed);
  return failed > 0;
}

#endif

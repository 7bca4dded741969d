/* messages.c - prints errors and notes on standard error, with names made safe for a terminal; reads the clock. */
#include "command.h"
#include "report.h"
#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { LONGEST_MESSAGE = WHY_SIZE + 512 }; /* a reason and the text around it; a longer message is cut */

size_t print_character(FILE *to, const char *at) {
  char escaped[ESCAPE_LENGTH];
  size_t length = text_character(at);
  if (length == 0) {
    fwrite(escaped, 1, (size_t)(text_escape(escaped, (unsigned char)*at) - escaped), to);
    return 1;
  }
  fwrite(at, 1, length, to);
  return length;
}

void vprint_safe(FILE *to, const char *format, va_list values) {
  char message[LONGEST_MESSAGE];
  size_t format_length = strlen(format);
  bool ends_line = format_length > 0 && format[format_length - 1] == '\n';
  vsnprintf(message, sizeof message, format, values);
  if (ends_line && *message) message[strlen(message) - 1] = '\0';
  for (const char *at = message; *at;) at += print_character(to, at);
  if (ends_line) fputc('\n', to);
}

void print_safe(FILE *to, const char *format, ...) {
  va_list values;
  va_start(values, format);
  vprint_safe(to, format, values);
  va_end(values);
}

static void say(const char *command, const char *kind, const char *format, va_list values) {
  fprintf(stderr, "trigon%s%s: %s", *command ? " " : "", command, kind);
  vprint_safe(stderr, format, values);
  fputc('\n', stderr);
}

int failed(const char *command, const char *format, ...) {
  va_list values;
  va_start(values, format);
  say(command, "", format, values);
  va_end(values);
  return EXIT_FAILED;
}

int usage_error(const char *command, const char *format, ...) {
  va_list values;
  va_start(values, format);
  say(command, "", format, values);
  va_end(values);
  fprintf(stderr, "try 'trigon%s%s --help'\n", *command ? " " : "", command);
  return EXIT_USAGE;
}

void note(const char *command, const char *format, ...) {
  va_list values;
  va_start(values, format);
  say(command, "note: ", format, values);
  va_end(values);
}

double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* messages.c - errors and notes on standard error, and the small questions to the system that precede them. */
#include "command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void say(const char *command, const char *kind, const char *format, va_list values) {
  fprintf(stderr, "trigon%s%s: %s", *command ? " " : "", command, kind);
  vfprintf(stderr, format, values);
  fputc('\n', stderr);
}

int failed(const char *command, const char *format, ...) {
  va_list values;
  va_start(values, format);
  say(command, "", format, values);
  va_end(values);
  return EXIT_FAILED;
}

int misused(const char *command, const char *format, ...) {
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

int check_output_folder(const char *command, const char *path) {
  struct stat there;
  if (stat(path, &there) == 0 && S_ISDIR(there.st_mode)) return failed(command, "%s: is a folder", path);
  const char *slash = strrchr(path, '/');
  size_t length = slash ? (size_t)(slash - path) + (slash == path) : 1;
  char *folder = calloc(length + 1, 1);
  if (!folder) return failed(command, "out of memory");
  memcpy(folder, slash ? path : ".", length);
  int status = EXIT_DONE;
  if (access(folder, W_OK | X_OK) != 0)
    status = failed(command, "%s: cannot write into the folder %s: %s", path, folder, strerror(errno));
  free(folder);
  return status;
}

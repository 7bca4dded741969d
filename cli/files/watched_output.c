/* watched_output.c - replaces stdout by a stream of our own over the same descriptor. */
#define _GNU_SOURCE /* fopencookie */
#include "watched_output.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

/* The C library calls this for each buffer. Returns 0 on failure, as fopencookie demands. */
static ssize_t write_all(void *cookie, const char *data, size_t bytes) {
  watched_output *w = cookie;
  for (size_t done = 0; done < bytes;) {
    ssize_t some = write(STDOUT_FILENO, data + done, bytes - done);
    if (some > 0) done += (size_t)some;
    if (some < 0 && errno != EINTR) {
      if (!w->error) w->error = errno;
      return 0;
    }
  }
  return (ssize_t)bytes;
}

static int close_output(void *cookie) {
  watched_output *w = cookie;
  if (close(STDOUT_FILENO) == 0) return 0;
  if (!w->error) w->error = errno;
  return -1;
}

void output_watch(watched_output *w) {
  *w = (watched_output){0};
  FILE *stream = fopencookie(w, "w", (cookie_io_functions_t){.write = write_all, .close = close_output});
  if (!stream) return; /* then stdout remains, and a failure is reported with less detail */
  setvbuf(stream, NULL, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, BUFSIZ);
  stdout = stream;
}

int output_finish(watched_output *w) {
  int lost = ferror(stdout);
  errno = 0;
  lost |= fclose(stdout);
  if (!lost) return 0;
  return w->error ? w->error : errno ? errno : EIO;
}

/* byte_stream.c - reads a file through zlib, which recognizes by itself whether the file is compressed. */
#define _POSIX_C_SOURCE 200809L
#include "byte_stream.h"

#include "path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  ZLIB_BUFFER = 64 * 1024,  /* bytes; with zlib's default, each 8 KiB take a system call */
  LINE_BUFFER = 128 * 1024, /* bytes at first; a longer line makes the buffer grow */
  LARGEST_READ =
      1024 * 1024, /* bytes in one call: gzread counts in int, and a short file ends before much memory is used */
};

bool stream_open(byte_stream *in, const char *path, char *why, size_t why_size) {
  *in = (byte_stream){.report = {input_name(path), why, why_size}, .capacity = LINE_BUFFER};
  int fd = is_standard(path) ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return report_cannot(&in->report, "open", errno);
  in->file = gzdopen(fd, "rb");
  if (in->file == NULL)
    close(fd);
  else
    gzbuffer(in->file, ZLIB_BUFFER);
  in->buffer = malloc(in->capacity + 1); /* one more for the NUL after the last line */
  return (in->file != NULL && in->buffer != NULL) || report_no_memory(&in->report);
}

void stream_close(byte_stream *in) {
  if (in->file != NULL) gzclose(in->file);
  free(in->buffer);
}

/* Calls gzread, and reports each of zlib's errors. gzread itself does not report that a compressed file is cut off. */
static bool read_some(byte_stream *in, void *to, size_t count, size_t *taken) {
  *taken = 0;
  errno = 0;
  int got = gzread(in->file, to, (unsigned)count);
  int system_error = errno, code;
  const char *message = gzerror(in->file, &code);
  if (got >= 0 && code == Z_OK) {
    *taken = (size_t)got;
    return true;
  }
  if (code == Z_MEM_ERROR) return report_no_memory(&in->report);
  if (code == Z_ERRNO) return report_cannot(&in->report, "read", system_error);
  if (code == Z_BUF_ERROR) return report_file(&in->report, "the gzip data are cut off: unexpected end of the file");
  const char *bare = strstr(message, ">: "); /* the text before it is of no use: <fd:3>: */
  return report_file(&in->report, "the gzip data are broken: %s", bare != NULL ? bare + 3 : message);
}

/* Reads more bytes, after those in the buffer. The buffer has room for a NUL after them. */
static bool fill(byte_stream *in) {
  if (in->start > 0) {
    memmove(in->buffer, in->buffer + in->start, in->end - in->start);
    in->end -= in->start;
    in->start = 0;
  }
  if (in->end == in->capacity) {
    char *larger = realloc(in->buffer, 2 * in->capacity + 1);
    if (larger == NULL) return report_no_memory(&in->report);
    in->buffer = larger;
    in->capacity *= 2;
  }
  size_t room = in->capacity - in->end, taken;
  if (room > LARGEST_READ) room = LARGEST_READ;
  if (!read_some(in, in->buffer + in->end, room, &taken)) return false;
  in->end += taken;
  in->at_end = taken < room;
  return true;
}

bool stream_peek(byte_stream *in, int *byte) {
  if (in->start == in->end && !in->at_end && !fill(in)) return false;
  *byte = in->start < in->end ? (unsigned char)in->buffer[in->start] : -1;
  return true;
}

bool stream_skip_blanks(byte_stream *in) {
  do {
    for (; in->start < in->end; in->start++) {
      char c = in->buffer[in->start];
      if (c != '\n' && c != '\r' && !is_blank(c)) return true;
      in->line += c == '\r' || (c == '\n' && !in->after_return);
      in->after_return = c == '\r';
    }
    if (!in->at_end && !fill(in)) return false;
  } while (in->start < in->end);
  return true;
}

/* Takes a newline that belongs to the carriage return before it. */
static bool end_pair(byte_stream *in) {
  int next;
  if (!in->after_return) return true;
  if (!stream_peek(in, &next)) return false;
  if (next == '\n') in->start++;
  in->after_return = false;
  return true;
}

/* Returns the first newline or carriage return, or `stop`. Searches in windows: else, in a file without newlines, the
 * search for one would run through the whole buffer for each line. */
static char *find_end(char *at, char *stop) {
  enum { WINDOW = 256 };
  while (at < stop) {
    size_t some = stop - at < WINDOW ? (size_t)(stop - at) : WINDOW;
    char *newline = memchr(at, '\n', some);
    char *carriage_return = memchr(at, '\r', newline != NULL ? (size_t)(newline - at) : some);
    if (carriage_return != NULL || newline != NULL) return carriage_return != NULL ? carriage_return : newline;
    at += some;
  }
  return stop;
}

bool stream_line(byte_stream *in, text *line) {
  if (!end_pair(in)) return false;
  in->line++;
  for (size_t searched = 0;;) {
    char *from = in->buffer + in->start, *stop = in->buffer + in->end, *end = from + searched;
    end = find_end(end, stop);
    if (end - from > LINE_LIMIT)
      return report_line(&in->report, in->line, "expected a line of at most %d bytes, found a longer one", LINE_LIMIT);
    if (end < stop || in->at_end) {
      *line = end == from && end == stop ? (text){NULL, NULL} : (text){from, end};
      in->after_return = end < stop && *end == '\r';
      in->start += (size_t)(end - from) + (end < stop);
      *end = '\0';
      return true;
    }
    searched = (size_t)(end - from);
    if (!fill(in)) return false;
  }
}

bool stream_read(byte_stream *in, void *to, size_t count, size_t *taken) {
  size_t buffered = in->end - in->start;
  *taken = buffered < count ? buffered : count;
  if (*taken > 0) memcpy(to, in->buffer + in->start, *taken);
  in->start += *taken;
  while (*taken < count && !in->at_end) {
    size_t some = count - *taken, got;
    if (some > LARGEST_READ) some = LARGEST_READ;
    if (!read_some(in, (char *)to + *taken, some, &got)) return false;
    *taken += got;
    in->at_end = got < some;
  }
  in->byte += (int64_t)*taken;
  return true;
}

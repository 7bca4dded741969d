/* byte_stream.h - reads a file from front to back, plain or compressed by gzip, by lines or by bytes. */
#ifndef TRIGON_CLI_FILES_BYTE_STREAM_H
#define TRIGON_CLI_FILES_BYTE_STREAM_H

#include "../report.h"
#include "../text.h"

#include <zlib.h>

/* Counts refer to the uncompressed bytes. Members below the first three are private. */
typedef struct byte_stream {
  report report; /* where failures are reported */
  int64_t line;  /* number of the line that stream_line gave last, from 1; at the end, of the line that is missing */
  int64_t byte;  /* number of bytes that stream_read has given */
  bool after_return; /* the byte taken last was a carriage return: a newline that follows belongs to it */
  gzFile file;
  char *buffer;
  size_t capacity, start, end; /* the bytes of the buffer that were not yet given: start <= end <= capacity */
  bool at_end;                 /* the file has no more bytes than those in the buffer */
} byte_stream;

/* All functions but stream_close return false, and report why, if the file cannot be read, if its gzip data are broken or
 * cut off, or if memory runs out. After a failure only stream_close may be called; it must be called even if stream_open
 * failed. The path "-" is standard input. */
bool stream_open(byte_stream *in, const char *path, char *why, size_t why_size);
void stream_close(byte_stream *in);

/* The next byte without taking it; -1 at the end. */
bool stream_peek(byte_stream *in, int *byte);

/* Takes blanks and ends of lines, as many as there are: gigabytes of them cost little time and no memory. What is left of
 * a line whose front was taken is the next line. */
bool stream_skip_blanks(byte_stream *in);

/* Takes the next line without its end, which the last line may lack: a newline, a carriage return, or the two in this
 * order. A line of more than LINE_LIMIT bytes is an error: a file that expands to gigabytes does not fill the memory.
 * line->at is NULL at the end. The text is valid until the next call. */
enum { LINE_LIMIT = 1 << 20 }; /* Matrix Market's own limit is 1024 */
bool stream_line(byte_stream *in, text *line);

/* Takes the next `count` bytes; *taken < count only where the file ends. */
bool stream_read(byte_stream *in, void *to, size_t count, size_t *taken);

#endif

/* byte_stream.h - reads a file from front to back, plain or compressed by gzip, by lines or by bytes. */
#ifndef TRIGON_CLI_FILES_BYTE_STREAM_H
#define TRIGON_CLI_FILES_BYTE_STREAM_H

#include "../report.h"
#include "../text.h"

#include <zlib.h>

/* All counts are of uncompressed bytes. Fields after the first three are private. */
typedef struct byte_stream {
  report report;     /* takes the messages of failures */
  int64_t line;      /* the number of the last line taken, from 1; at the end of the file, of the missing line */
  int64_t byte;      /* how many bytes stream_read has taken */
  bool after_return; /* the last byte taken was a carriage return: a newline after it belongs to it */
  gzFile file;
  char *buffer;
  size_t capacity, start, end; /* the bytes of the buffer that have not been taken: start <= end <= capacity */
  bool at_end;                 /* the file has no more bytes than those in the buffer */
} byte_stream;

/* All functions but stream_close return false, and report why, if the file cannot be read, if its gzip data are broken
 * or cut off, or if memory runs out. After a failure only stream_close may be called; it must be called even if
 * stream_open failed. The path "-" is standard input. */
bool stream_open(byte_stream *in, const char *path, char *why, size_t why_size);
void stream_close(byte_stream *in);

/* Stores the next byte without taking it; -1 at the end. */
bool stream_peek(byte_stream *in, int *byte);

/* Takes all blanks and ends of lines up to the next other byte: gigabytes of them take little time and no memory. If
 * blanks were taken from the front of a line, the next line is the rest of that line. */
bool stream_skip_blanks(byte_stream *in);

/* Takes the next line. A line ends in a newline, a carriage return, or a carriage return and a newline, none of which
 * is in *line; the last line may lack its end. A line of more than LINE_LIMIT bytes is an error, so that a file that
 * expands to gigabytes does not fill the memory. At the end of the file line->at is NULL. The text is valid until the
 * next call. */
enum { LINE_LIMIT = 1 << 20 }; /* Matrix Market's own limit is 1024 */
bool stream_line(byte_stream *in, text *line);

/* Takes the next `count` bytes, or fewer at the end of the file; stores how many in *taken. */
bool stream_read(byte_stream *in, void *to, size_t count, size_t *taken);

#endif

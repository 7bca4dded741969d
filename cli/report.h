/* report.h - how readers and writers of files report what went wrong: one message, in the caller's buffer. */
#ifndef TRIGON_CLI_REPORT_H
#define TRIGON_CLI_REPORT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room for a message with two of the longest paths that the system allows, and a reason. */
enum { WHY_SIZE = 2 * PATH_MAX + 512 };

/* The path of the file, and the buffer for the message; a longer message is cut. The caller owns both. */
typedef struct report {
  const char *path;
  char *why;
  size_t size;
} report;

#define REPORT_FORMAT(string, first) __attribute__((format(printf, string, first)))

/* Each stores its message and returns false, so that a function that fails can end with `return report_...`. */
bool report_file(const report *to, const char *format, ...) REPORT_FORMAT(2, 3);               /* PATH: ... */
bool report_line(const report *to, int64_t line, const char *format, ...) REPORT_FORMAT(3, 4); /* PATH:LINE: ... */
bool report_byte(const report *to, int64_t byte, const char *format, ...) REPORT_FORMAT(3, 4); /* PATH: byte N: ... */
bool report_no_memory(const report *to);
bool report_cannot(const report *to, const char *work, int error); /* PATH: cannot WORK: the text of that errno */

/* Text of a file in quotation marks, safe for a terminal: bytes that do not print become \xNN, and a text longer than
 * QUOTED_LENGTH is cut and ends in dots. Returned by value, so that `quote(...).text` lives until the end of the
 * statement. */
enum { QUOTED_LENGTH = 40 };
typedef struct quoted {
  char text[4 * QUOTED_LENGTH + sizeof "\"\"..."]; /* 4: ESCAPE_LENGTH of text.h */
} quoted;
quoted quote(const char *found, size_t length);

/* A number for a message, "1.5" or, if complex, "1.5-2i", with this many digits, at most 17. Also returned by value. */
typedef struct shown_number {
  char text[64]; /* two numbers of 17 digits, at most 24 bytes each */
} shown_number;
shown_number show_number(double re, double im, bool complex, int digits);

#endif

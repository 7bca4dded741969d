/* report.c - stores the messages of readers and writers of files. */
#include "report.h"

#include "text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool report_at(const report *to, const char *prefix, const char *format, va_list arguments) {
  /* A path longer than the system allows is cut, so that there is room for the reason. */
  int length = snprintf(to->why, to->size, "%.*s%s", PATH_MAX, to->path, prefix);
  if (length >= 0 && (size_t)length < to->size) {
    vsnprintf(to->why + length, to->size - (size_t)length, format, arguments);
  }
  return false;
}

bool report_file(const report *to, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  report_at(to, ": ", format, arguments);
  va_end(arguments);
  return false;
}

bool report_line(const report *to, int64_t line, const char *format, ...) {
  char prefix[32];
  snprintf(prefix, sizeof prefix, ":%" PRId64 ": ", line);
  va_list arguments;
  va_start(arguments, format);
  report_at(to, prefix, format, arguments);
  va_end(arguments);
  return false;
}

bool report_byte(const report *to, int64_t byte, const char *format, ...) {
  char prefix[40];
  snprintf(prefix, sizeof prefix, ": byte %" PRId64 ": ", byte);
  va_list arguments;
  va_start(arguments, format);
  report_at(to, prefix, format, arguments);
  va_end(arguments);
  return false;
}

bool report_no_memory(const report *to) { return report_file(to, "out of memory"); }

bool report_cannot(const report *to, const char *work, int error) {
  if (error == ENOMEM) return report_no_memory(to);
  return report_file(to, "cannot %s: %s", work, strerror(error));
}

quoted quote(const char *found, size_t length) {
  quoted result;
  char *at = result.text;
  *at++ = '"';
  for (size_t i = 0; i < length && i < QUOTED_LENGTH; i++) {
    unsigned char byte = (unsigned char)found[i];
    if (byte >= ' ' && byte <= '~')
      *at++ = found[i];
    else
      at = text_escape(at, byte);
  }
  *at++ = '"';
  for (int i = 0; length > QUOTED_LENGTH && i < 3; i++) *at++ = '.';
  *at = '\0';
  return result;
}

shown_number show_number(double re, double im, bool complex, int digits) {
  shown_number shown;
  if (complex)
    snprintf(shown.text, sizeof shown.text, "%.*g%+.*gi", digits, re, digits, im);
  else
    snprintf(shown.text, sizeof shown.text, "%.*g", digits, re);
  return shown;
}

/* table.c - adds text and comments to a table. */
#include "table.h"

#include <stdarg.h>
#include <string.h>

static void vadd(table *t, const char *format, va_list values) {
  const size_t left = sizeof t->text - t->length;
  const int length = vsnprintf(t->text + t->length, left, format, values);
  if (length >= 0 && (size_t)length < left)
    t->length += (size_t)length;
  else
    t->text[t->length] = '\0';
}

void table_add(table *t, const char *format, ...) {
  va_list values;
  va_start(values, format);
  vadd(t, format, values);
  va_end(values);
}

void table_comment(table *t, const char *format, ...) {
  char line[MOST_LINE - 4];
  va_list values;
  va_start(values, format);
  vsnprintf(line, sizeof line, format, values);
  va_end(values);
  for (char *at = line; *at; at++)
    if (*at < ' ' || *at > '~') *at = '?';
  table_add(t, "# %s\n", line);
}

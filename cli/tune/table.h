/* table.h - the text of a tuning table in the making (docs/tuning.md has the format). */
#ifndef TRIGON_CLI_TUNE_TABLE_H
#define TRIGON_CLI_TUNE_TABLE_H

#include "../command.h"

enum { MOST_TEXT = 64 * 1024, MOST_LINE = 200 }; /* longer tables and lines are refused by the library */

typedef struct table {
  char text[MOST_TEXT];
  size_t length;
} table;

/* Adds text. What does not fit is left out. */
void table_add(table *t, const char *format, ...) PRINTF_LIKE(2, 3);

/* Adds a comment of one line. Other bytes than printable ASCII become question marks, and a long comment is cut. */
void table_comment(table *t, const char *format, ...) PRINTF_LIKE(2, 3);

#endif

/* tuning_file.h - the file whose lines change an engine's built-in tuning table, and where this file is. */
#ifndef TRIGON_TUNING_FILE_H
#define TRIGON_TUNING_FILE_H

#include "tuning.h"

enum { tuning_path_size = 1024 }; /* of the longest path of a table, with its NUL; longer paths are refused */

/* What an engine knows about the file of its table. */
typedef struct tuning_source {
  char file[tuning_path_size];            /* where the engine looks for the table; "" if it looks nowhere */
  bool used;                              /* the file has changed the built-in table */
  char broken[sizeof((reason *)0)->text]; /* why the file is ignored, with its path and line, escaped; or "" */
} tuning_source;

/* What the file changes: the rows of a table, and what the reader makes of lines for GPUs. NULL: such lines are
 * ignored. */
typedef struct changed_by_file {
  tuning *table;
  const line_reader *others;
} changed_by_file;

/* Changes the rows of a built-in table that a file names. The file is the first of these, and `none` means no file:
 *
 * 1. `asked`, the value of the option tuning, unless it is "";
 * 2. the environment variable TRIGON_TUNING, unless it is empty;
 * 3. $XDG_CONFIG_HOME/trigon/LIBRARY-CPU.table, if this file exists. $HOME/.config stands for an XDG_CONFIG_HOME that
 *    is not an absolute path. LIBRARY is `library`, CPU is the processor's name for itself. Of both names, small
 *    letters, digits, dots and underscores remain, capitals become small, and all between becomes a hyphen.
 *
 * A file that cannot be read, is larger than 64 KiB, or holds a bad line does not change the table. (The reader may
 * have got lines of it.) If the option has named the file, the status is TRIGON_NOT_FOUND (the file cannot be opened)
 * or TRIGON_BAD_ARGUMENT. Else the status is TRIGON_OK, and `broken` tells. TRIGON_NO_MEMORY if memory is short. A
 * program with more rights than its user ignores the environment. */
trigon_status tuning_load(const char *asked, const char *library, const changed_by_file *, tuning_source *,
                          reason *why);

/* Writes "table: built in for MACHINES", or "table: " and the path of the file, escaped. */
void tuning_describe(const tuning_source *, const char *machines, char *text, size_t size);

#endif

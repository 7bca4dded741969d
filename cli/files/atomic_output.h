/* atomic_output.h - writes a file that appears complete under its name or not at all; or standard output, as "-". */
#ifndef TRIGON_CLI_FILES_ATOMIC_OUTPUT_H
#define TRIGON_CLI_FILES_ATOMIC_OUTPUT_H

#include "../report.h"

#include <zlib.h>

/* All fields but `report` are private. */
typedef struct atomic_output {
  report report;   /* takes the messages of failures */
  char *name;      /* the path with all symbolic links followed; NULL for standard output */
  char *temporary; /* the temporary file in the same folder, or NULL. A signal that ends the process removes it */
  int fd;          /* of the temporary file, or -1 */
  gzFile file;     /* over a duplicate of fd, so that fd can be synchronized after the file is closed */
} atomic_output;

/* All functions but output_close return false, and report why, if they fail. output_close must be called after each
 * output_open, even if that failed. If output_commit was not called or failed, output_close removes the temporary file,
 * and the old file remains. */
bool output_open(atomic_output *out, const char *path, bool compress, char *why, size_t why_size);
bool output_write(atomic_output *out, const void *data, size_t bytes);
bool output_commit(atomic_output *out);
void output_close(atomic_output *out);

#endif

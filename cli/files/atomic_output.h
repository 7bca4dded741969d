/* atomic_output.h - a file that appears whole under its name or not at all; or standard output, as "-". */
#ifndef TRIGON_CLI_FILES_ATOMIC_OUTPUT_H
#define TRIGON_CLI_FILES_ATOMIC_OUTPUT_H

#include "../report.h"

#include <zlib.h>

/* Only `report` is for others. */
typedef struct atomic_output {
  report report;   /* where failures are reported */
  char *name;      /* the path with symbolic links resolved; NULL for standard output */
  char *temporary; /* beside it; NULL while there is none. A signal that ends the process removes it */
  int fd;          /* of the temporary file, or -1 */
  gzFile file;     /* over a duplicate of fd, which so outlives it and can be synchronized */
} atomic_output;

/* All of these but output_close return false where that fails and say so in the report. output_close must be called
 * after each output_open, even a failed one; without a successful output_commit before, it leaves no trace. */
bool output_open(atomic_output *out, const char *path, bool compress, char *why, size_t why_size);
bool output_write(atomic_output *out, const void *data, size_t bytes);
bool output_commit(atomic_output *out);
void output_close(atomic_output *out);

#endif

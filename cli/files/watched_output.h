/* watched_output.h - standard output that remembers why writing to it failed. */
#ifndef TRIGON_CLI_FILES_WATCHED_OUTPUT_H
#define TRIGON_CLI_FILES_WATCHED_OUTPUT_H

/* `error` is the error number of the first write that failed, or 0. */
typedef struct watched_output {
  int error;
} watched_output;

/* From now on, everything that stdio writes to standard output passes through `w`, which must outlive stdout. stdio
 * itself remembers that a write failed, but not why, and other calls change errno before the command ends. */
void output_watch(watched_output *w);

/* Closes standard output. Returns 0, or the error number of the first write that failed. */
int output_finish(watched_output *w);

#endif

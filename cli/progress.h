/* progress.h - a line on the terminal that says what long work is doing, and since when. */
#ifndef TRIGON_CLI_PROGRESS_H
#define TRIGON_CLI_PROGRESS_H

#include "command.h"

typedef struct progress progress;

/* Starts a phase: from a moment later on, standard error shows the text and the time passed. Returns NULL, which
 * progress_end accepts, where that is not wanted, standard error is no terminal, or no thread can be had. */
progress *progress_begin(bool wanted, const char *format, ...) PRINTF_LIKE(2, 3);

/* Ends the phase and erases its line; nothing else may be printed to the terminal before. */
void progress_end(progress *p);

#endif

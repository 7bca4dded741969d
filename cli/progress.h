/* progress.h - a line on the terminal that says what long work is doing, and how long it has taken. */
#ifndef TRIGON_CLI_PROGRESS_H
#define TRIGON_CLI_PROGRESS_H

#include "command.h"

#include <trigon.h>

typedef struct progress progress;

/* Starts to show the text and the time since this call on standard error, after a quarter of a second. Returns NULL,
 * which progress_end accepts, if `wanted` is false, standard error is not a terminal, or no thread can be created. */
progress *progress_begin(bool wanted, const char *format, ...) PRINTF_LIKE(2, 3);

/* Shows a percentage behind the text, too, while the context's calls are under way and tell it (trigon_progress). The
 * context must live until progress_end. */
void progress_follow(progress *p, const trigon_context *ctx);

/* Erases the line. Nothing else may be printed to the terminal between the two calls. */
void progress_end(progress *p);

#endif

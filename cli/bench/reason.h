/* reason.h - why a benchmark could not be run: the text that functions store when they fail. */
#ifndef TRIGON_CLI_BENCH_REASON_H
#define TRIGON_CLI_BENCH_REASON_H

#include <stdbool.h>
#include <stddef.h>
#include <trigon.h>

/* The buffer for the reason; a longer reason is cut. */
typedef struct reason {
  char *text;
  size_t size;
} reason;

/* Whether a call succeeded. If not, stores "WORK: " and the context's message. */
bool succeeded(const reason *to, const char *work, const trigon_context *ctx, trigon_status status);

/* Stores that memory is short; returns false. */
bool no_memory(const reason *to);

#endif

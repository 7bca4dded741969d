/* verdict.h - what functions of a benchmark store when they fail: why it could not be run. */
#ifndef TRIGON_VERDICT_H
#define TRIGON_VERDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <trigon.h>

/* The buffer for the text; a longer text is cut. */
typedef struct verdict {
  char *text;
  size_t size;
} verdict;

/* Whether a call succeeded. If not, stores "WORK: " and the context's message. */
bool succeeded(const verdict *to, const char *work, const trigon_context *ctx, trigon_status status);

/* Stores that memory is short; returns false. */
bool no_memory(const verdict *to);

#endif

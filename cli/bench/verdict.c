/* verdict.c - why a benchmark could not be run. */
#include "verdict.h"

#include <stdio.h>

bool succeeded(const verdict *to, const char *work, const trigon_context *ctx, trigon_status status) {
  if (status == TRIGON_OK) return true;
  const char *message = trigon_message(ctx);
  snprintf(to->text, to->size, "%s: %s", work, *message ? message : trigon_status_string(status));
  return false;
}

bool no_memory(const verdict *to) {
  snprintf(to->text, to->size, "out of memory");
  return false;
}

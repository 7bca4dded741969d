/* opened_context.h - contexts that the tests of eigensolvers take in turns. */
#ifndef TRIGON_TESTS_OPENED_CONTEXT_H
#define TRIGON_TESTS_OPENED_CONTEXT_H

#include <trigon.h>

#include "support/check.h"

/* Creates a context. Returns false if there is none: a device, a library or instructions that are missing are told as
 * skipped, and all else is a failure. */
static inline bool opens_context(const char *name, trigon_context **ctx) {
  char why[400] = "";
  const trigon_status status = trigon_create(name, ctx, why, sizeof why);
  if (status == TRIGON_NOT_SUPPORTED || status == TRIGON_NOT_FOUND)
    printf("skipped: \"%s\": %s\n", name, why);
  else
    check_that(status == TRIGON_OK, "trigon_create(\"%s\"): %s", name, why);
  return status == TRIGON_OK;
}

#endif

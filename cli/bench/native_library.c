/* native_library.c - finds the BLAS that native calls (native_library.h). */
#include "native_library.h"
#include "../command.h"
#include "../command_line.h"

#include <stdio.h>
#include <string.h>

/* How contexts name libraries whose integers have 32 and 64 bits. */
static const char narrow_word[] = "cpu:", wide_word[] = "cpu64:";

/* The libraries that are looked for, the fastest one first. */
static const char *const usual[] = {"libopenblas.so.0", "libblis.so.4"};

static bool begins_with(const char *text, const char *word) { return strncmp(text, word, strlen(word)) == 0; }

static bool names_library(const char *context) {
  return begins_with(context, narrow_word) || begins_with(context, wide_word);
}

bool native_on_host(const char *backend) {
  return names_library(backend) || strcmp(backend, "cpu") == 0 || begins_with(backend, "cpu?");
}

int native_check(const native_choice *choice) {
  const char *library = choice->library;
  if (!library) return PARSED;
  if (!native_on_host(choice->backend))
    return usage_error("bench", "--native names a BLAS for the CPU, not for the backend %s", choice->backend);
  if (*library && !strchr(library, '?') && library[strlen(library) - 1] != ':') return PARSED;
  return usage_error("bench", "--native: LIBRARY, cpu:LIBRARY or cpu64:LIBRARY is expected, without options, not '%s'",
                     library);
}

/* Makes the context of this library with native=1. */
static trigon_status create(const char *library, native_library *found, trigon_context **ctx, char *why,
                            size_t why_size) {
  snprintf(found->name, sizeof found->name, "%s%s", names_library(library) ? "" : narrow_word, library);
  snprintf(found->context, sizeof found->context, "%s?native=1", found->name);
  return trigon_create(found->context, ctx, why, why_size);
}

/* A library that cannot be loaded counts as one that is not installed. */
static trigon_status create_installed(native_library *found, trigon_context **ctx, char *why, size_t why_size) {
  trigon_status status = TRIGON_NOT_FOUND;
  for (size_t i = 0; i < sizeof usual / sizeof *usual && status == TRIGON_NOT_FOUND; i++)
    status = create(usual[i], found, ctx, why, why_size);
  if (status == TRIGON_NOT_FOUND)
    snprintf(why, why_size, "neither %s nor %s can be loaded; --native LIBRARY names another BLAS", usual[0], usual[1]);
  return status;
}

/* The backend's own name, with native=1 behind its options. */
static trigon_status create_backends(const char *backend, native_library *found, trigon_context **ctx, char *why,
                                     size_t why_size) {
  found->is_backends = true;
  snprintf(found->name, sizeof found->name, "%.*s", (int)strcspn(backend, "?"), backend);
  snprintf(found->context, sizeof found->context, "%s%cnative=1", backend, strchr(backend, '?') ? '&' : '?');
  return trigon_create(found->context, ctx, why, why_size);
}

trigon_status native_create(const native_choice *choice, native_library *found, trigon_context **ctx, char *why,
                            size_t why_size) {
  *found = (native_library){.is_backends = false};
  if (choice->library) return create(choice->library, found, ctx, why, why_size);
  if (!native_on_host(choice->backend) || names_library(choice->backend))
    return create_backends(choice->backend, found, ctx, why, why_size);
  return create_installed(found, ctx, why, why_size);
}

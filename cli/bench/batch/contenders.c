/* contenders.c - makes the contexts of the contenders for a batch, and calls them (contenders.h). */
#include "contenders.h"

#include <stdio.h>
#include <string.h>

#include "../../command.h"

/* ---------------------------------------------------------------------------------------------------- making -- */

/* Adds a contender with the context of its name. Returns the exit status. */
static int add_context(contenders *w, contender who) {
  char why[WHY_SIZE];
  if (w->count == MOST_CONTENDERS)
    return usage_error("bench", "at most %d rows for each of the sizes: fewer schedules, please", MOST_CONTENDERS);
  if (trigon_create(who.backend, &who.ctx, why, sizeof why) != TRIGON_OK) return failed("bench", "%s", why);
  w->contender[w->count++] = who;
  return EXIT_DONE;
}

/* Adds a contender: the backend with these options in its name, which may be "". Returns the exit status. */
static int add_contender(contenders *w, const batch_choice *choice, contender who, const char *options) {
  const char *const backend = choice->native.backend, *const mark = !*options ? "" : strchr(backend, '?') ? "&" : "?";
  const int length = snprintf(who.backend, sizeof who.backend, "%s%s%s", backend, mark, options);
  if (length >= (int)sizeof who.backend) return usage_error("bench", "--backend: the name is too long");
  return add_context(w, who);
}

/* A schedule, or device:N, which stands for the schedule `device` with N parents. */
static int add_schedule(contenders *w, const batch_choice *choice, const char *at, int length) {
  char options[2 * MOST_SCHEDULE];
  contender who = {.kind = LIBRARY_KIND};
  if (length >= MOST_SCHEDULE) return usage_error("bench", "--schedule: '%.*s' is no schedule", length, at);
  snprintf(who.schedule, sizeof who.schedule, "%.*s", length, at);
  const char *const colon = strchr(who.schedule, ':');
  const int name = (int)strcspn(who.schedule, ":");
  snprintf(options, sizeof options, "schedule=%.*s%s%s", name, who.schedule, colon ? "&parents=" : "",
           colon ? colon + 1 : "");
  return add_contender(w, choice, who, options);
}

static int add_schedules(contenders *w, const batch_choice *choice) {
  int status = EXIT_DONE;
  if (!choice->schedules) return add_contender(w, choice, (contender){.kind = LIBRARY_KIND}, "");
  if (!choice->batch->factors) return usage_error("bench", "--schedule: %s_batch does not factor", choice->batch->name);
  for (const char *at = choice->schedules; at && status == EXIT_DONE;) {
    const int length = (int)strcspn(at, ",");
    status = add_schedule(w, choice, at, length);
    at = at[length] ? at + length + 1 : NULL;
  }
  return status;
}

/* Finds the library that native calls on the host. If there is none, w->no_native says why. */
static int find_library(contenders *w, const batch_choice *choice) {
  if (w->native || *w->no_native) return EXIT_DONE;
  const trigon_status status =
      native_create(&choice->native, &w->library, &w->native, w->no_native, sizeof w->no_native);
  if (status == TRIGON_OK) *w->no_native = '\0';
  const bool done = status == TRIGON_OK || status == TRIGON_NOT_FOUND;
  return done ? EXIT_DONE : failed("bench", "--vs native: %s", w->no_native);
}

static int add_lapack(contenders *w, const batch_choice *choice) {
  char why[WHY_SIZE];
  const int status = find_library(w, choice);
  if (status != EXIT_DONE || !w->native) return status;
  if (!w->direct && !(w->direct = direct_open(w->library.name, why, sizeof why)))
    return failed("bench", "--vs native: %s", why);
  if (!w->loop && !(w->loop = lapack_loop_start(w->direct, lapack_loop_threads(choice->native.backend))))
    return failed("bench", "out of memory");
  return add_contender(w, choice, (contender){.kind = LAPACK_KIND}, "");
}

static int add_native(contenders *w, const batch_choice *choice) {
  if (native_on_host(choice->native.backend)) return add_lapack(w, choice);
  if (!choice->batch->apart)
    return usage_error("bench",
                       "--vs native: a vendor has no %s_batch that can be called; native-loop calls the routine of one "
                       "matrix",
                       choice->batch->name);
  return add_contender(w, choice, (contender){.kind = VENDOR_KIND}, "native=1");
}

static int add_loop(contenders *w, const batch_choice *choice) {
  contender who = {.kind = LOOP_KIND};
  if (routine_is_eigen(choice->routine))
    return usage_error("bench", "--vs native-loop: no context hands %s to a library", choice->routine->name);
  if (!native_on_host(choice->native.backend)) return add_contender(w, choice, who, "native=1");
  const int status = find_library(w, choice);
  if (status != EXIT_DONE || !w->native) return status;
  snprintf(who.backend, sizeof who.backend, "%s", w->library.context);
  return add_context(w, who);
}

static int add_rival(contenders *w, const batch_choice *choice, const char *name, int length) {
  static const char loop[] = "native-loop";
  if (strncmp(name, "native", (size_t)length) == 0 && length == 6) return add_native(w, choice);
  if (strncmp(name, loop, (size_t)length) == 0 && length == (int)sizeof loop - 1) return add_loop(w, choice);
  return usage_error("bench", "--vs: native, native-loop or none is expected, not '%.*s'", length, name);
}

int contenders_make(const batch_choice *choice, contenders *w) {
  int status = add_schedules(w, choice);
  const char *at = choice->rivals && strcmp(choice->rivals, "none") != 0 ? choice->rivals : NULL;
  while (at && status == EXIT_DONE) {
    const int length = (int)strcspn(at, ",");
    status = add_rival(w, choice, at, length);
    at = at[length] ? at + length + 1 : NULL;
  }
  return status;
}

void contenders_free(contenders *w) {
  lapack_loop_stop(w->loop);
  trigon_destroy(w->native);
  for (int i = 0; i < w->count; i++) trigon_destroy(w->contender[i].ctx);
}

/* ----------------------------------------------------------------------------------------------------- calls -- */

const char *contender_impl(const contender *who) {
  return who->kind == LIBRARY_KIND ? "trigon" : who->kind == LOOP_KIND ? "native-loop" : "native";
}

int contenders_prepare(contenders *w, const batch_operands *on) {
  for (int i = 0; i < w->count; i++)
    if (w->contender[i].kind == LAPACK_KIND && !(w->contender[i].lapack = batch_lapack_find(w->direct, on)))
      return failed("bench", "--vs native: %s has no %c%s_", w->library.name, (char)on->type, on->routine->name);
  return EXIT_DONE;
}

bool contender_takes(const contender *who, const batch_operands *on) {
  return who->kind != VENDOR_KIND || on->batch->is_blas || batch_operands_are_alike(on);
}

bool contender_stores_infos(const contender *who, const batch_operands *on) {
  return who->kind != LOOP_KIND && (who->kind != VENDOR_KIND || on->batch->apart_has_infos);
}

trigon_status contender_call(const contenders *w, const contender *who, const batch_operands *on, int64_t largest) {
  switch (who->kind) {
  case LAPACK_KIND: lapack_loop_run(w->loop, who->lapack, on); return TRIGON_OK;
  case VENDOR_KIND:
    return batch_operands_are_alike(on) ? batch_operands_call_strided(on, who->ctx)
                                        : batch_operands_call_by_host(on, who->ctx);
  case LOOP_KIND: return batch_operands_call_each(on, who->ctx);
  default: return batch_operands_call(on, who->ctx, largest);
  }
}

/* context.c - creates contexts by name, with their engine and its decorators, and keeps their last message. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trigon_cluster.h>

#include "build.h"
#include "checks.h"
#include "context_name.h"
#include "core/escape.h"
#include "core/tuning/tuning.h"
#include "cpu/cpu_create.h"
#include "decorators/narrow.h"
#include "decorators/trace.h"
#include "hosted/hosted_create.h"
#include "plugins/load_plugin.h"
#include "process/static_program.h"

/* The decorator `narrow` cuts sizes that a BLAS with 32-bit integers cannot take. */
static trigon_status make_cpu_engine(trigon_context *ctx, const parsed_name *name) {
  int64_t int_max = 0;
  const char *library = name->library[0] ? name->library : NULL;
  TRY(cpu_create(library, name->wide, &name->options, &ctx->why, &ctx->engine, &int_max));
  return int_max < INT64_MAX ? narrow_create(ctx->engine, int_max, &ctx->engine) : TRIGON_OK;
}

/* An engine inside of the engine for matrices in host memory. That one has the options `stop` and `trace`. */
static trigon_status make_inner(void *from, int device, reason *why, engine **out) {
  const parsed_name *name = from;
  plugin_request request = {kind_word(name->kind), device, name->options, name->extra};
  request.options.stop = 0, request.options.trace = false;
  int64_t int_max = 0;
  const engine_options on_cpu = {.dirty = name->options.dirty, .stop = name->options.stop};
  return device < 0 ? cpu_create(NULL, false, &on_cpu, why, out, &int_max) : plugin_load(&request, why, out);
}

static trigon_status make_hosted_engine(trigon_context *ctx, parsed_name *name) {
  const hosted_request request = {.first = name->device,
                                  .last = name->last_device,
                                  .kind = kind_word(name->kind),
                                  .options = name->options,
                                  .make = make_inner,
                                  .from = name};
  TRY(hosted_create(&request, &ctx->why, &ctx->engine));
  ctx->hosted = ctx->engine;
  return TRIGON_OK;
}

static trigon_status make_engine(trigon_context *ctx, parsed_name *name) {
  const bool on_cpu = name->kind == CONTEXT_CPU;
  if ((!on_cpu || name->library[0]) && program_is_static()) {
    snprintf(ctx->why.text, sizeof ctx->why.text,
             "this program is linked statically and cannot load libraries: it has the context \"cpu\" alone");
    return TRIGON_NOT_SUPPORTED;
  }
  if (on_cpu) return make_cpu_engine(ctx, name);
  if (name->kind == CONTEXT_CLUSTER) {
    const plugin_request request = {kind_word(name->kind), name->device, name->options, name->library};
    return plugin_load(&request, &ctx->why, &ctx->engine);
  }
  if (name->on_host) return make_hosted_engine(ctx, name);
  plugin_request request = {kind_word(name->kind), name->device, name->options, name->extra};
  return plugin_load(&request, &ctx->why, &ctx->engine);
}

/* A cluster needs a grid, and nothing else can have one. */
static trigon_status place_in_grid(parsed_name *parsed, const int *place, reason *why) {
  const bool distributed = parsed->kind == CONTEXT_CLUSTER;
  if (distributed == (place != NULL)) {
    if (place) parsed->device = *place;
    return TRIGON_OK;
  }
  snprintf(why->text, sizeof why->text, "%s",
           distributed ? "a cluster needs a BLACS context: trigon_cluster_create" : "cluster:LIBRARY expected");
  return TRIGON_BAD_ARGUMENT;
}

/* Makes the engine that the name asks for, and stores the engine in the context. */
static trigon_status fill(trigon_context *ctx, const char *name, const int *place) {
  parsed_name parsed;
  TRY(parse_name(name, &parsed, &ctx->why));
  TRY(place_in_grid(&parsed, place, &ctx->why));
  TRY(make_engine(ctx, &parsed));
  ctx->machine = ctx->engine->machine;
  if (parsed.options.trace && trace_create(ctx->engine, &ctx->engine) != TRIGON_OK) {
    snprintf(ctx->why.text, sizeof ctx->why.text, "out of memory");
    return TRIGON_NO_MEMORY;
  }
  ctx->traced = parsed.options.trace, ctx->stop = parsed.options.stop;
  return TRIGON_OK;
}

/* Stores why the function failed, or "". The text may quote names of files and messages of the loader. */
static void explain(const char *function, trigon_status status, const char *text, char *why, size_t why_size) {
  char message[sizeof((reason *)0)->text + 32];
  if (!why || why_size == 0) return;
  if (status == TRIGON_OK)
    snprintf(message, sizeof message, "%s", text);
  else
    snprintf(message, sizeof message, "%s: %s", function, text);
  escape_text(message, why, why_size);
}

/* `place` is the grid of a cluster, else NULL. */
static trigon_status create(const char *function, const char *name, const int *place, trigon_context **ctx, char *why,
                            size_t why_size) {
  const char *text = "";
  trigon_status status = TRIGON_OK;
  trigon_context *made = NULL;
  if (!ctx || !name) {
    status = TRIGON_BAD_ARGUMENT;
    text = !name ? "argument 1 (name) is NULL" : place ? "argument 3 (ctx) is NULL" : "argument 2 (ctx) is NULL";
  } else if (!(made = calloc(1, sizeof *made))) {
    status = TRIGON_NO_MEMORY;
    text = "out of memory";
  } else {
    status = fill(made, name, place);
    text = made->why.text;
  }
  explain(function, status, text, why, why_size);
  if (status != TRIGON_OK && made) {
    trigon_destroy(made);
    made = NULL;
  }
  if (ctx) *ctx = made;
  return status;
}

trigon_status trigon_create(const char *name, trigon_context **ctx, char *why, size_t why_size) {
  return create(__func__, name, NULL, ctx, why, why_size);
}

trigon_status trigon_cluster_create(const char *name, int grid, trigon_context **ctx, char *why, size_t why_size) {
  return create(__func__, name, &grid, ctx, why, why_size);
}

void trigon_destroy(trigon_context *ctx) {
  if (!ctx) return;
  if (ctx->engine) {
    machine *m = ctx->engine->machine; /* ctx->machine is NULL if trigon_create has failed */
    m->ops->finish(m, NULL);
    ctx->engine->destroy(ctx->engine);
  }
  free(ctx->rows);
  free(ctx);
}

/* Clears the message. Returns false if the context is NULL: then no message can be kept, and the status alone tells. */
static bool enter(trigon_context *ctx) {
  if (ctx) ctx->message[0] = '\0';
  return ctx != NULL;
}

trigon_status trigon_finish(trigon_context *ctx, int64_t *info) {
  if (!enter(ctx)) return TRIGON_BAD_ARGUMENT;
  trigon_status status = ctx->machine->ops->finish(ctx->machine, info);
  if (status != TRIGON_OK) snprintf(ctx->message, sizeof ctx->message, "trigon_finish: %s", ctx->why.text);
  return status;
}

trigon_status trigon_trace(trigon_context *ctx, trigon_count *counts, int64_t count) {
  call c = enter_call(ctx, "trigon_trace", "counts count");
  check_size(&c, "count", "", count);
  if (!counts && count > 0) bad_argument(&c, "counts", "is NULL, must point to %lld elements", (long long)count);
  if (c.status != TRIGON_OK) return c.status;
  if (!ctx->traced) {
    snprintf(ctx->why.text, sizeof ctx->why.text, "the context was created without trace=1");
    return refused_call(&c, TRIGON_NOT_SUPPORTED);
  }
  trace_take(ctx->engine, counts, count);
  return TRIGON_OK;
}

const char *trigon_message(const trigon_context *ctx) { return ctx ? ctx->message : "the context is NULL"; }

const char *trigon_describe(const trigon_context *ctx) {
  return ctx ? ctx->machine->description : "the context is NULL";
}

const char *trigon_tuning_file(const trigon_context *ctx) { return ctx ? ctx->machine->tuning_file : ""; }

/* Most programs never ask. So the text is made when a program asks. */
const char *trigon_rows(trigon_context *ctx) {
  if (!ctx) return "";
  if (ctx->rows) return ctx->rows;
  const machine *m = ctx->machine;
  const size_t table = m->tuning ? tuning_write(m->tuning, NULL, 0) : 0, size = table + strlen(m->rows) + 1;
  if (!(ctx->rows = malloc(size))) return "";
  if (m->tuning) tuning_write(m->tuning, ctx->rows, size);
  memcpy(ctx->rows + table, m->rows, size - table);
  return ctx->rows;
}

const char *trigon_advice(const trigon_context *ctx) { return ctx ? ctx->machine->advice : ""; }

const char *trigon_status_string(trigon_status status) {
  switch (status) {
  case TRIGON_OK: return "success";
  case TRIGON_BAD_ARGUMENT: return "bad argument";
  case TRIGON_NO_MEMORY: return "out of memory";
  case TRIGON_NOT_SUPPORTED: return "not supported by this backend";
  case TRIGON_NOT_FOUND: return "backend, library or device not found";
  case TRIGON_DEVICE_FAILED: return "device failed";
  case TRIGON_INCOMPLETE: return "stopped half done";
  }
  return "unknown status";
}

const char *trigon_version(void) { return TRIGON_VERSION; }

int trigon_version_number(void) { return TRIGON_VERSION_NUMBER; }

/* context.c - contexts by name: reads the name, makes the backend and its decorators, keeps the last message. */
#include "context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backends.h"

/* Sizes of the parts of a name that are copied; longer ones are refused. */
enum { library_size = 1024, option_size = 64 };

/* A name taken apart: KIND[:LIBRARY][?KEY=VALUE[&KEY=VALUE]...] */
typedef struct parsed_name {
  char library[library_size]; /* "" where none is named */
  bool wide;
  backend_options options;
} parsed_name;

static trigon_status refuse(reason *why, trigon_status status, const char *format, const char *what) {
  snprintf(why->text, sizeof why->text, format, what);
  return status;
}

static trigon_status parse_flag(const char *text, bool *flag, reason *why) {
  if (strcmp(text, "0") != 0 && strcmp(text, "1") != 0)
    return refuse(why, TRIGON_BAD_ARGUMENT, "an option is \"%.40s\", must be 0 or 1", text);
  *flag = text[0] == '1';
  return TRIGON_OK;
}

static trigon_status parse_stop(const char *text, int64_t *stop, reason *why) {
  char *end;
  long long value = strtoll(text, &end, 10);
  if (end == text || *end || value < 1 || value > INT32_MAX)
    return refuse(why, TRIGON_BAD_ARGUMENT, "option stop is \"%.40s\", must be an integer from 1 to 2147483647", text);
  *stop = value;
  return TRIGON_OK;
}

static trigon_status parse_rule(const char *text, split_rule *rule, reason *why) {
  if (strcmp(text, "halves") != 0 && strcmp(text, "power") != 0)
    return refuse(why, TRIGON_BAD_ARGUMENT, "option split is \"%.40s\", must be halves or power", text);
  *rule = text[0] == 'h' ? SPLIT_HALVES : SPLIT_POWER;
  return TRIGON_OK;
}

static trigon_status parse_option(const char *text, backend_options *options, reason *why) {
  const char *value = strchr(text, '=');
  size_t length = value ? (size_t)(value - text) : 0;
  if (!value) return refuse(why, TRIGON_BAD_ARGUMENT, "option \"%.40s\" has no value: KEY=VALUE expected", text);
  value++;
  if (length == 4 && strncmp(text, "stop", 4) == 0) return parse_stop(value, &options->stop, why);
  if (length == 5 && strncmp(text, "split", 5) == 0) return parse_rule(value, &options->rule, why);
  if (length == 6 && strncmp(text, "native", 6) == 0) return parse_flag(value, &options->native, why);
  if (length == 5 && strncmp(text, "trace", 5) == 0) return parse_flag(value, &options->trace, why);
  return refuse(why, TRIGON_BAD_ARGUMENT, "unknown option \"%.40s\": stop, split, native and trace are known", text);
}

static trigon_status parse_options(const char *text, backend_options *options, reason *why) {
  for (;;) {
    size_t length = strcspn(text, "&");
    char option[option_size];
    if (length >= sizeof option) return refuse(why, TRIGON_BAD_ARGUMENT, "option \"%.40s...\" is too long", text);
    snprintf(option, sizeof option, "%.*s", (int)length, text);
    TRY(parse_option(option, options, why));
    if (!text[length]) return TRIGON_OK;
    text += length + 1;
  }
}

static trigon_status parse_name(const char *name, parsed_name *out, reason *why) {
  *out = (parsed_name){0};
  size_t length = strcspn(name, "?"), kind = strcspn(name, ":?");
  out->wide = kind == 5 && strncmp(name, "cpu64", 5) == 0;
  if (!out->wide && (kind != 3 || strncmp(name, "cpu", 3) != 0)) {
    static const char *const later[] = {"cuda", "hip", "sim"};
    for (size_t i = 0; i < sizeof later / sizeof later[0]; i++)
      if (kind == strlen(later[i]) && strncmp(name, later[i], kind) == 0)
        return refuse(why, TRIGON_NOT_FOUND, "this build has no part for \"%.40s\": it was made for the CPU", name);
    return refuse(why, TRIGON_BAD_ARGUMENT, "\"%.40s\" names no backend: cpu, cpu:LIBRARY or cpu64:LIBRARY expected",
                  name);
  }
  if (out->wide && length == kind)
    return refuse(why, TRIGON_BAD_ARGUMENT, "\"%.40s\" names no library: cpu64:LIBRARY expected", name);
  if (length > kind) {
    if (length == kind + 1)
      return refuse(why, TRIGON_BAD_ARGUMENT, "\"%.40s\" names no library behind the colon", name);
    if (length - kind > sizeof out->library)
      return refuse(why, TRIGON_BAD_ARGUMENT, "the library's name in \"%.40s...\" is too long", name);
    snprintf(out->library, sizeof out->library, "%.*s", (int)(length - kind - 1), name + kind + 1);
  }
  return name[length] ? parse_options(name + length + 1, &out->options, why) : TRIGON_OK;
}

/* Makes the backend that the name asks for inside a context that is otherwise ready. */
static trigon_status make_backend(trigon_context *ctx, const char *name) {
  parsed_name parsed;
  TRY(parse_name(name, &parsed, &ctx->why));
  TRY(cpu_create(parsed.library[0] ? parsed.library : NULL, parsed.wide, parsed.options, &ctx->why, &ctx->backend));
  if (parsed.options.trace && trace_create(ctx->backend, &ctx->backend) != TRIGON_OK)
    return refuse(&ctx->why, TRIGON_NO_MEMORY, "%s", "out of memory");
  ctx->traced = parsed.options.trace;
  return TRIGON_OK;
}

trigon_status trigon_create(const char *name, trigon_context **ctx, char *why, size_t why_size) {
  const char *text = "";
  trigon_status status = TRIGON_OK;
  trigon_context *made = NULL;
  if (!ctx || !name) {
    status = TRIGON_BAD_ARGUMENT;
    text = name ? "argument 2 (ctx) is NULL" : "argument 1 (name) is NULL";
  } else if (!(made = calloc(1, sizeof *made))) {
    status = TRIGON_NO_MEMORY;
    text = "out of memory";
  } else {
    status = make_backend(made, name);
    text = made->why.text;
  }
  if (why && why_size > 0) snprintf(why, why_size, "%s%s", status == TRIGON_OK ? "" : "trigon_create: ", text);
  if (status != TRIGON_OK && made) {
    trigon_destroy(made);
    made = NULL;
  }
  if (ctx) *ctx = made;
  return status;
}

void trigon_destroy(trigon_context *ctx) {
  if (!ctx) return;
  if (ctx->backend) {
    ctx->backend->finish(ctx->backend, NULL);
    ctx->backend->destroy(ctx->backend);
  }
  free(ctx);
}

/* A NULL context has nowhere to keep a message, so the status alone tells. */
static bool enter(trigon_context *ctx) {
  if (ctx) ctx->message[0] = '\0';
  return ctx != NULL;
}

trigon_status trigon_finish(trigon_context *ctx, int64_t *info) {
  if (!enter(ctx)) return TRIGON_BAD_ARGUMENT;
  return ctx->backend->finish(ctx->backend, info);
}

/* The CPU takes no memory: there is a cap to check, and nothing to keep. */
trigon_status trigon_set_workspace(trigon_context *ctx, void *buffer, int64_t bytes) {
  (void)buffer;
  if (!enter(ctx)) return TRIGON_BAD_ARGUMENT;
  if (bytes >= 0) return TRIGON_OK;
  snprintf(ctx->message, sizeof ctx->message, "trigon_set_workspace: argument 2 (bytes) is %lld, must be at least 0",
           (long long)bytes);
  return TRIGON_BAD_ARGUMENT;
}

trigon_status trigon_trace(trigon_context *ctx, trigon_count counts[TRIGON_ROUTINES]) {
  if (!enter(ctx)) return TRIGON_BAD_ARGUMENT;
  const char *problem = !counts ? "argument 1 (counts) is NULL" : "the context was created without trace=1";
  if (counts && ctx->traced) {
    trace_take(ctx->backend, counts);
    return TRIGON_OK;
  }
  snprintf(ctx->message, sizeof ctx->message, "trigon_trace: %s", problem);
  return counts ? TRIGON_NOT_SUPPORTED : TRIGON_BAD_ARGUMENT;
}

const char *trigon_message(const trigon_context *ctx) { return ctx ? ctx->message : "the context is NULL"; }

const char *trigon_describe(const trigon_context *ctx) {
  return ctx ? ctx->backend->describe(ctx->backend) : "the context is NULL";
}

const char *trigon_status_string(trigon_status status) {
  switch (status) {
  case TRIGON_OK: return "success";
  case TRIGON_BAD_ARGUMENT: return "bad argument";
  case TRIGON_NO_MEMORY: return "out of memory";
  case TRIGON_NOT_SUPPORTED: return "not supported by this backend";
  case TRIGON_NOT_FOUND: return "backend, library or device not found";
  case TRIGON_DEVICE_FAILED: return "device failed";
  }
  return "unknown status";
}

#define TEXT(x) #x
#define VERSION(major, minor, patch) TEXT(major) "." TEXT(minor) "." TEXT(patch)

const char *trigon_version(void) { return VERSION(TRIGON_VERSION_MAJOR, TRIGON_VERSION_MINOR, TRIGON_VERSION_PATCH); }

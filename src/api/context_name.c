/* context_name.c - parses a context's name: the kind of machine, the library or device, the options. */
#include "context_name.h"

#include <stdio.h>
#include <string.h>

/* The words with which a name can begin. kind_word returns the first word of a kind. */
static const struct {
  const char *word;
  context_kind kind;
  bool wide;
} kinds[] = {{"cpu", CONTEXT_CPU, false},
             {"cuda", CONTEXT_CUDA, false},
             {"hip", CONTEXT_HIP, false},
             {"sim", CONTEXT_SIM, false},
             {"cpu64", CONTEXT_CPU, true}};

static trigon_status refuse(reason *why, trigon_status status, const char *format, const char *what) {
  snprintf(why->text, sizeof why->text, format, what);
  return status;
}

/* ------------------------------------------------------------------------------------------------- options -- */

/* `format` is the message about a bad value, and names the option. */
static trigon_status parse_flag(const char *text, const char *format, bool *flag, reason *why) {
  if (strcmp(text, "0") != 0 && strcmp(text, "1") != 0) return refuse(why, TRIGON_BAD_ARGUMENT, format, text);
  *flag = text[0] == '1';
  return TRIGON_OK;
}

/* The value of `length` digits, or -1 if there is another character or the value is above INT32_MAX. (strtoll would
 * accept blanks and signs.) */
static int64_t number(const char *text, size_t length) {
  int64_t value = length > 0 && strspn(text, "0123456789") >= length ? 0 : -1;
  for (size_t i = 0; i < length && value >= 0; i++) {
    value = 10 * value + (text[i] - '0');
    if (value > INT32_MAX) value = -1;
  }
  return value;
}

static trigon_status parse_stop(const char *text, int64_t *stop, reason *why) {
  int64_t value = number(text, strlen(text));
  if (value < 1)
    return refuse(why, TRIGON_BAD_ARGUMENT, "option stop is \"%.40s\", must be an integer from 1 to 2147483647", text);
  *stop = value;
  return TRIGON_OK;
}

static trigon_status parse_rule(const char *text, cut_rule *rule, reason *why) {
  if (strcmp(text, "halves") != 0 && strcmp(text, "power") != 0)
    return refuse(why, TRIGON_BAD_ARGUMENT, "option split is \"%.40s\", must be halves or power", text);
  *rule = text[0] == 'h' ? CUT_HALVES : CUT_POWER;
  return TRIGON_OK;
}

static trigon_status parse_gemm(const char *text, bool *own, reason *why) {
  if (strcmp(text, "vendor") != 0 && strcmp(text, "own") != 0)
    return refuse(why, TRIGON_BAD_ARGUMENT, "option gemm is \"%.40s\", must be vendor or own", text);
  *own = text[0] == 'o';
  return TRIGON_OK;
}

static trigon_status parse_leaf(const char *text, engine_options *options, reason *why) {
  for (int v = 0; v < VARIANTS; v++) {
    if (strcmp(text, variant_names[v]) != 0) continue;
    options->forced = true;
    options->leaf = (variant)v;
    return TRIGON_OK;
  }
  return refuse(why, TRIGON_BAD_ARGUMENT, "option leaf is \"%.40s\", must be vendor, step, packed or dataflow", text);
}

static trigon_status parse_tile(const char *text, tile_shape *tile, reason *why) {
  static const struct {
    const char *name;
    tile_shape shape;
  } tiles[] = {{"64x8", {64, 8}},     {"64x16", {64, 16}},   {"64x32", {64, 32}},
               {"64x64", {64, 64}},   {"128x8", {128, 8}},   {"128x16", {128, 16}},
               {"128x32", {128, 32}}, {"128x64", {128, 64}}, {"128x128", {128, 128}}};
  for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++)
    if (strcmp(text, tiles[i].name) == 0) {
      *tile = tiles[i].shape;
      return TRIGON_OK;
    }
  return refuse(why, TRIGON_BAD_ARGUMENT,
                "option tile is \"%.40s\", must be 64x8, 64x16, 64x32, 64x64, 128x8, 128x16, 128x32, 128x64 or 128x128",
                text);
}

static trigon_status parse_schedule(const char *text, schedule_policy *policy, reason *why) {
  static const char *const names[] = {"auto", "ssde", "dsse", "device"}; /* in the order of schedule_policy */
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcmp(text, names[i]) != 0) continue;
    *policy = (schedule_policy)i;
    return TRIGON_OK;
  }
  return refuse(why, TRIGON_BAD_ARGUMENT, "option schedule is \"%.40s\", must be auto, ssde, dsse or device", text);
}

/* `format` is the message about a bad value, and names the option. */
static trigon_status parse_count(const char *text, const char *format, int *count, reason *why) {
  const int64_t value = number(text, strlen(text));
  if (value < 0) return refuse(why, TRIGON_BAD_ARGUMENT, format, text);
  *count = (int)value;
  return TRIGON_OK;
}

static trigon_status parse_threads(const char *text, int *threads, reason *why) {
  enum { most_threads = 1024 };
  const int64_t value = number(text, strlen(text));
  if (value < 1 || value > most_threads)
    return refuse(why, TRIGON_BAD_ARGUMENT, "option threads is \"%.40s\", must be an integer from 1 to 1024", text);
  *threads = (int)value;
  return TRIGON_OK;
}

static trigon_status parse_kernels(const char *text, engine_options *options, reason *why) {
  static const char *const names[] = {"portable", "avx2", "avx512", "neon"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcmp(text, names[i]) != 0) continue;
    snprintf(options->kernels, sizeof options->kernels, "%s", text);
    return TRIGON_OK;
  }
  return refuse(why, TRIGON_BAD_ARGUMENT, "option kernels is \"%.40s\", must be portable, avx2, avx512 or neon", text);
}

/* The path has room: an option is no longer than a path. */
static trigon_status parse_tuning(const char *text, engine_options *options, reason *why) {
  if (!*text)
    return refuse(why, TRIGON_BAD_ARGUMENT, "option tuning names no file%s: tuning=FILE or tuning=none", text);
  snprintf(options->tuning, sizeof options->tuning, "%s", text);
  return TRIGON_OK;
}

/* Only the simulated GPU has further options. Its plugin reads them. */
static trigon_status keep_extra(const char *text, parsed_name *out, reason *why) {
  size_t used = strlen(out->extra);
  if (out->kind != CONTEXT_SIM)
    return refuse(
        why, TRIGON_BAD_ARGUMENT,
        out->kind == CONTEXT_CPU
            ? "unknown option \"%.40s\": stop split leaf tuning kernels threads native trace dirty are known"
            : "unknown option \"%.40s\": stop split leaf tuning native trace dirty gemm tile schedule parents "
              "pending are known",
        text);
  if (used + 1 + strlen(text) >= sizeof out->extra)
    return refuse(why, TRIGON_BAD_ARGUMENT, "too many options: \"%.40s\" does not fit any more", text);
  snprintf(out->extra + used, sizeof out->extra - used, "%s%s", used ? "&" : "", text);
  return TRIGON_OK;
}

static trigon_status parse_option(const char *text, parsed_name *out, reason *why) {
  engine_options *options = &out->options;
  const char *value = strchr(text, '=');
  size_t length = value ? (size_t)(value - text) : 0;
  if (!value || length == 0)
    return refuse(why, TRIGON_BAD_ARGUMENT, "option \"%.40s\" is not of the form KEY=VALUE", text);
  value++;
  if (length == 4 && strncmp(text, "stop", 4) == 0) return parse_stop(value, &options->stop, why);
  if (length == 5 && strncmp(text, "split", 5) == 0) return parse_rule(value, &options->rule, why);
  if (length == 6 && strncmp(text, "native", 6) == 0)
    return parse_flag(value, "option native is \"%.40s\", must be 0 or 1", &options->native, why);
  if (length == 5 && strncmp(text, "trace", 5) == 0)
    return parse_flag(value, "option trace is \"%.40s\", must be 0 or 1", &options->trace, why);
  if (length == 5 && strncmp(text, "dirty", 5) == 0)
    return parse_flag(value, "option dirty is \"%.40s\", must be 0 or 1", &options->dirty, why);
  if (length == 4 && strncmp(text, "leaf", 4) == 0) return parse_leaf(value, options, why);
  if (length == 6 && strncmp(text, "tuning", 6) == 0) return parse_tuning(value, options, why);
  if (out->kind == CONTEXT_CPU && length == 7 && strncmp(text, "kernels", 7) == 0)
    return parse_kernels(value, options, why);
  if (out->kind == CONTEXT_CPU && length == 7 && strncmp(text, "threads", 7) == 0)
    return parse_threads(value, &options->threads, why);
  if (out->kind != CONTEXT_CPU && length == 4 && strncmp(text, "gemm", 4) == 0)
    return parse_gemm(value, &options->own_gemm, why);
  if (out->kind != CONTEXT_CPU && length == 4 && strncmp(text, "tile", 4) == 0)
    return parse_tile(value, &options->tile, why);
  if (out->kind != CONTEXT_CPU && length == 8 && strncmp(text, "schedule", 8) == 0)
    return parse_schedule(value, &options->schedule.policy, why);
  if (out->kind != CONTEXT_CPU && length == 7 && strncmp(text, "parents", 7) == 0)
    return parse_count(value, "option parents is \"%.40s\", must be an integer from 0 to 2147483647",
                       &options->schedule.parents, why);
  if (out->kind != CONTEXT_CPU && length == 7 && strncmp(text, "pending", 7) == 0)
    return parse_count(value, "option pending is \"%.40s\", must be an integer from 0 to 2147483647",
                       &options->schedule.pending, why);
  return keep_extra(text, out, why);
}

static trigon_status parse_options(const char *text, parsed_name *out, reason *why) {
  for (;;) {
    size_t length = strcspn(text, "&");
    char option[option_size];
    if (length >= sizeof option) return refuse(why, TRIGON_BAD_ARGUMENT, "option \"%.40s...\" is too long", text);
    snprintf(option, sizeof option, "%.*s", (int)length, text);
    TRY(parse_option(option, out, why));
    if (!text[length]) return TRIGON_OK;
    text += length + 1;
  }
}

/* ------------------------------------------------------------------------------------------------ machines -- */

const char *kind_word(context_kind kind) {
  size_t i = 0;
  while (kinds[i].kind != kind) i++;
  return kinds[i].word;
}

/* `rest` is the text between the kind and the options, with its colon. The text has `length` characters. */
static trigon_status parse_library(const char *name, const char *rest, size_t length, parsed_name *out, reason *why) {
  if (out->wide && length == 0)
    return refuse(why, TRIGON_BAD_ARGUMENT, "\"%.40s\" names no library: cpu64:LIBRARY expected", name);
  if (length == 1) return refuse(why, TRIGON_BAD_ARGUMENT, "\"%.40s\" names no library behind the colon", name);
  if (length > sizeof out->library)
    return refuse(why, TRIGON_BAD_ARGUMENT, "the library's name in \"%.40s...\" is too long", name);
  if (length > 0) snprintf(out->library, sizeof out->library, "%.*s", (int)(length - 1), rest + 1);
  return TRIGON_OK;
}

static trigon_status parse_device(const char *name, const char *rest, size_t length, parsed_name *out, reason *why) {
  size_t digits = length > 0 ? strspn(rest + 1, "0123456789") : 0;
  if (digits == 0)
    return refuse(why, TRIGON_BAD_ARGUMENT, "\"%.40s\" names no device: cuda:N, hip:N or sim:N expected, N from 0",
                  name);
  if (rest[1 + digits] == '-' || strncmp(rest + 1 + digits, ":host", 5) == 0)
    return refuse(why, TRIGON_NOT_SUPPORTED,
                  "\"%.40s\" is not supported yet: several devices, or matrices in host memory", name);
  int64_t device = number(rest + 1, length - 1);
  if (device < 0)
    return refuse(why, TRIGON_BAD_ARGUMENT, "the device in \"%.40s\" must be a number from 0 to 2147483647", name);
  out->device = (int)device;
  return TRIGON_OK;
}

trigon_status parse_name(const char *name, parsed_name *out, reason *why) {
  size_t length = strcspn(name, "?"), end = strcspn(name, ":?"), kind = 0;
  const size_t count = sizeof kinds / sizeof kinds[0];
  while (kind < count && (strlen(kinds[kind].word) != end || strncmp(name, kinds[kind].word, end) != 0)) kind++;
  if (kind == count)
    return refuse(why, TRIGON_BAD_ARGUMENT,
                  "\"%.40s\" names no backend: cpu, cpu:LIBRARY, cpu64:LIBRARY, cuda:N or hip:N expected", name);
  *out = (parsed_name){.kind = kinds[kind].kind, .wide = kinds[kind].wide};
  TRY((out->kind == CONTEXT_CPU ? parse_library : parse_device)(name, name + end, length - end, out, why));
  return name[length] ? parse_options(name + length + 1, out, why) : TRIGON_OK;
}

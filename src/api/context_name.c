/* context_name.c - parses a context's name: the kind of machine, the library or device, the options. */
#include "context_name.h"

#include "core/escape.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* The words with which a name can begin. kind_word returns the first word of a kind. */
static const struct {
  const char *word;
  context_kind kind;
  bool wide;
} kinds[] = {{"cpu", CONTEXT_CPU, false}, {"cuda", CONTEXT_CUDA, false}, {"hip", CONTEXT_HIP, false},
             {"sim", CONTEXT_SIM, false}, {"cpu64", CONTEXT_CPU, true},  {"cluster", CONTEXT_CLUSTER, false}};

/* How many bytes of a text the messages quote. trigon_create escapes control characters. */
static int quoted_bytes(const char *what) {
  enum { most_quoted = 40 };
  return (int)whole_characters(what, most_quoted);
}

static trigon_status refuse(reason *why, trigon_status status, const char *format, const char *what) {
  char quoted[64];
  snprintf(quoted, sizeof quoted, "%.*s", quoted_bytes(what), what);
  snprintf(why->text, sizeof why->text, format, quoted);
  return status;
}

/* ------------------------------------------------------------------------------------------------- options -- */

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

enum {
  ON_CPU = 1 << CONTEXT_CPU,
  ON_DEVICES = 1 << CONTEXT_CUDA | 1 << CONTEXT_HIP | 1 << CONTEXT_SIM,
  ON_CLUSTER = 1 << CONTEXT_CLUSTER
};

/* An option of a context's name: the kinds of contexts that have the option, and the member of engine_options that
 * `parse` sets. `test` marks switches for tests and comparisons. scripts/options reads the table. */
typedef struct option_spec option_spec;
struct option_spec {
  const char *name;
  int kinds;
  bool test;
  trigon_status (*parse)(const option_spec *, const char *value, parsed_name *, reason *why);
  size_t at;
  const char *help;
};

static void *member_of(const option_spec *o, parsed_name *out) { return (char *)&out->options + o->at; }

/* `due` says what the value must be. */
static trigon_status refuse_value(const option_spec *o, const char *value, const char *due, reason *why) {
  snprintf(why->text, sizeof why->text, "option %s is \"%.*s\", must be %s", o->name, quoted_bytes(value), value, due);
  return TRIGON_BAD_ARGUMENT;
}

static trigon_status parse_flag(const option_spec *o, const char *value, parsed_name *out, reason *why) {
  if (strcmp(value, "0") != 0 && strcmp(value, "1") != 0) return refuse_value(o, value, "0 or 1", why);
  *(bool *)member_of(o, out) = value[0] == '1';
  return TRIGON_OK;
}

static trigon_status parse_stop(const option_spec *o, const char *value, parsed_name *out, reason *why) {
  const int64_t stop = number(value, strlen(value));
  if (stop < 1) return refuse_value(o, value, "an integer from 1 to 2147483647", why);
  out->options.stop = stop;
  return TRIGON_OK;
}

static trigon_status parse_count(const option_spec *o, const char *value, parsed_name *out, reason *why) {
  const int64_t count = number(value, strlen(value));
  if (count < 0) return refuse_value(o, value, "an integer from 0 to 2147483647", why);
  *(int *)member_of(o, out) = (int)count;
  return TRIGON_OK;
}

static trigon_status parse_stages(const option_spec *o, const char *value, parsed_name *out, reason *why) {
  if (strcmp(value, "1") != 0 && strcmp(value, "2") != 0) return refuse_value(o, value, "1 or 2", why);
  out->options.stages = value[0] - '0';
  return TRIGON_OK;
}

static trigon_status parse_threads(const option_spec *o, const char *value, parsed_name *out, reason *why) {
  const int64_t threads = number(value, strlen(value));
  if (threads < 1 || threads > most_threads) return refuse_value(o, value, "an integer from 1 to 1024", why);
  out->options.threads = (int)threads;
  return TRIGON_OK;
}

static trigon_status parse_blas(const option_spec *o, const char *value, parsed_name *out, reason *why) {
  if (strcmp(value, "none") != 0) return refuse_value(o, value, "none; cpu:LIBRARY names a BLAS", why);
  if (*out->library) return refuse(why, TRIGON_BAD_ARGUMENT, "option blas=none contradicts cpu:%.40s", out->library);
  out->options.no_blas = true;
  return TRIGON_OK;
}

/* The index of a value among `count` words, or -1. */
static int index_among(const char *const *words, int count, const char *value) {
  int i = 0;
  while (i < count && strcmp(words[i], value) != 0) i++;
  return i < count ? i : -1;
}

static trigon_status parse_split(const option_spec *o, const char *value, parsed_name *out, reason *why) {
  if (strcmp(value, "halves") != 0 && strcmp(value, "power") != 0)
    return refuse_value(o, value, "halves or power", why);
  out->options.rule = value[0] == 'h' ? CUT_HALVES : CUT_POWER;
  return TRIGON_OK;
}

/* The CPU has no dataflow, and devices have no packed leaves. */
static trigon_status parse_leaf(const option_spec *o, const char *value, parsed_name *out, reason *why) {
  const bool on_cpu = out->kind == CONTEXT_CPU;
  const int leaf = index_among(variant_names, VARIANTS, value);
  if (leaf < 0 || leaf == (int)(on_cpu ? VARIANT_DATAFLOW : VARIANT_PACKED))
    return refuse_value(o, value, on_cpu ? "vendor, step or packed on the CPU" : "vendor, step or dataflow on devices",
                        why);
  out->options.forced = true;
  out->options.leaf = (variant)leaf;
  return TRIGON_OK;
}

static trigon_status parse_gemm(const option_spec *o, const char *value, parsed_name *out, reason *why) {
  if (strcmp(value, "vendor") != 0 && strcmp(value, "own") != 0) return refuse_value(o, value, "vendor or own", why);
  out->options.own_gemm = value[0] == 'o';
  return TRIGON_OK;
}

static trigon_status parse_tile(const option_spec *o, const char *value, parsed_name *out, reason *why) {
  static const char *const names[] = {"64x8",   "64x16",  "64x32",  "64x64",  "128x8",
                                      "128x16", "128x32", "128x64", "128x128"};
  static const tile_shape shapes[] = {{64, 8},   {64, 16},  {64, 32},  {64, 64},  {128, 8},
                                      {128, 16}, {128, 32}, {128, 64}, {128, 128}};
  const int i = index_among(names, (int)(sizeof names / sizeof *names), value);
  if (i < 0) return refuse_value(o, value, "64x8, 64x16, 64x32, 64x64, 128x8, 128x16, 128x32, 128x64 or 128x128", why);
  out->options.tile = shapes[i];
  return TRIGON_OK;
}

static trigon_status parse_schedule(const option_spec *o, const char *value, parsed_name *out, reason *why) {
  static const char *const names[] = {"auto", "ssde", "dsse", "device"}; /* in the order of schedule_policy */
  const int i = index_among(names, (int)(sizeof names / sizeof *names), value);
  if (i < 0) return refuse_value(o, value, "auto, ssde, dsse or device", why);
  out->options.schedule.policy = (schedule_policy)i;
  return TRIGON_OK;
}

/* A plugin knows the kinds of its GPUs, and refuses other names. */
static trigon_status parse_arch(const option_spec *o, const char *value, parsed_name *out, reason *why) {
  static const char *const names[] = {"portable", "avx2", "avx512", "neon"};
  if (out->kind == CONTEXT_CPU && index_among(names, (int)(sizeof names / sizeof *names), value) < 0)
    return refuse_value(o, value, "portable, avx2, avx512 or neon", why);
  if (!*value || strlen(value) >= sizeof out->options.arch)
    return refuse_value(o, value, "a kind of GPU, with at most 15 characters", why);
  snprintf(out->options.arch, sizeof out->options.arch, "%s", value);
  return TRIGON_OK;
}

/* The path has room: an option is no longer than a path. */
static trigon_status parse_tuning(const option_spec *o, const char *value, parsed_name *out, reason *why) {
  if (!*value) return refuse(why, TRIGON_BAD_ARGUMENT, "option %s names no file: tuning=FILE or tuning=none", o->name);
  snprintf(out->options.tuning, sizeof out->options.tuning, "%s", value);
  return TRIGON_OK;
}

#define AT(member) offsetof(engine_options, member)
static const option_spec known_options[] = {
    {"stop", ON_CPU | ON_DEVICES, false, parse_stop, AT(stop), "the order at which the recursion stops"},
    {"split", ON_CPU | ON_DEVICES, false, parse_split, AT(rule), "where the recursion cuts: halves or power"},
    {"leaf", ON_CPU | ON_DEVICES, false, parse_leaf, AT(leaf), "how leaves are computed"},
    {"tuning", ON_CPU | ON_DEVICES, false, parse_tuning, AT(tuning), "the file of the tuning table, or none"},
    {"threads", ON_CPU, false, parse_threads, AT(threads), "how many threads share a batch or a leaf"},
    {"blas", ON_CPU, false, parse_blas, AT(no_blas), "none: load no installed BLAS, on any processor"},
    {"arch", ON_CPU | ON_DEVICES, true, parse_arch, AT(arch), "the kernels and rows of another kind of CPU or GPU"},
    {"gemm", ON_DEVICES, false, parse_gemm, AT(own_gemm), "products by the vendor or by Trigon's own kernels"},
    {"tile", ON_DEVICES, true, parse_tile, AT(tile), "the tiles of B in dataflow leaves for doubles"},
    {"stages", ON_DEVICES, true, parse_stages, AT(stages), "how an eigenproblem is reduced to tridiagonal form"},
    {"schedule", ON_DEVICES, true, parse_schedule, AT(schedule.policy), "how POTRF of a batch orders its work"},
    {"parents", ON_DEVICES, true, parse_count, AT(schedule.parents), "with schedule=device: threads that launch"},
    {"pending", ON_DEVICES, true, parse_count, AT(schedule.pending), "with schedule=device: pending launches"},
    {"native", ON_CPU | ON_DEVICES | ON_CLUSTER, true, parse_flag, AT(native),
     "every routine whole to the BLAS or LAPACK"},
    {"trace", ON_CPU | ON_DEVICES | ON_CLUSTER, false, parse_flag, AT(trace), "count what the recursion does"},
    {"dirty", ON_CPU | ON_DEVICES, true, parse_flag, AT(dirty), "NaN in the leaf buffer and in the workspace"},
};
#undef AT
enum { option_count = sizeof known_options / sizeof *known_options };

static bool has_option(const option_spec *o, context_kind kind) { return o->kinds >> kind & 1; }

static trigon_status refuse_unknown(const char *text, context_kind kind, reason *why) {
  int used = snprintf(why->text, sizeof why->text, "unknown option \"%.40s\":", text);
  for (int i = 0; i < option_count; i++)
    if (has_option(&known_options[i], kind))
      used += snprintf(why->text + used, sizeof why->text - (size_t)used, " %s", known_options[i].name);
  snprintf(why->text + used, sizeof why->text - (size_t)used, " are known");
  return TRIGON_BAD_ARGUMENT;
}

/* Only the simulated GPU has further options. Its plugin reads them. */
static trigon_status keep_extra(const char *text, parsed_name *out, reason *why) {
  const size_t used = strlen(out->extra);
  if (out->kind != CONTEXT_SIM) return refuse_unknown(text, out->kind, why);
  if (used + 1 + strlen(text) >= sizeof out->extra)
    return refuse(why, TRIGON_BAD_ARGUMENT, "too many options: \"%.40s\" does not fit any more", text);
  snprintf(out->extra + used, sizeof out->extra - used, "%s%s", used ? "&" : "", text);
  return TRIGON_OK;
}

static trigon_status parse_option(const char *text, parsed_name *out, reason *why) {
  const char *value = strchr(text, '=');
  const size_t length = value ? (size_t)(value - text) : 0;
  if (length == 0) return refuse(why, TRIGON_BAD_ARGUMENT, "option \"%.40s\" is not of the form KEY=VALUE", text);
  for (int i = 0; i < option_count; i++)
    if (has_option(&known_options[i], out->kind) && strlen(known_options[i].name) == length &&
        strncmp(text, known_options[i].name, length) == 0)
      return known_options[i].parse(&known_options[i], value + 1, out, why);
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

/* Reads the digits at *text, and moves *text behind them. */
static int64_t read_device(const char **text) {
  const size_t digits = strspn(*text, "0123456789");
  const int64_t device = number(*text, digits);
  *text += digits;
  return device;
}

/* :N, or for matrices in host memory :N:host and :N-M. */
static trigon_status parse_device(const char *name, const char *rest, size_t length, parsed_name *out, reason *why) {
  const char *at = rest + (length > 0), *end = rest + length;
  if (length == 0 || strspn(at, "0123456789") == 0)
    return refuse(why, TRIGON_BAD_ARGUMENT, "\"%.40s\" names no device: cuda:N, hip:N or sim:N expected, N from 0",
                  name);
  const int64_t first = read_device(&at), last = *at == '-' ? (at++, read_device(&at)) : first;
  out->on_host = memchr(rest, '-', length) != NULL;
  if (end - at == 5 && strncmp(at, ":host", 5) == 0) out->on_host = true, at += 5;
  if (first < 0 || last < 0 || at != end)
    return refuse(why, TRIGON_BAD_ARGUMENT,
                  "the device in \"%.40s\" must be a number from 0 to 2147483647, or N:host, or N-M", name);
  if (last < first || last - first >= most_devices)
    return refuse(why, TRIGON_BAD_ARGUMENT, "the devices in \"%.40s\" must ascend, and be 16 at most", name);
  out->device = (int)first, out->last_device = (int)last;
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
  const bool on_device = ON_DEVICES >> out->kind & 1;
  TRY((on_device ? parse_device : parse_library)(name, name + end, length - end, out, why));
  return name[length] ? parse_options(name + length + 1, out, why) : TRIGON_OK;
}

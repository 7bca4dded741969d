/* tune_options.c - the help of tune; reads and checks its command line. */
#include "tune_options.h"
#include "../command.h"
#include "../command_line.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: trigon tune [OPTIONS]\n"
    "\n"
    "Measures a tuning table for this machine: which leaves compute (kernels of Trigon's own or the backend's BLAS), "
    "at\n"
    "which orders the recursion stops, and from which work on threads share a leaf; on a GPU also which tiles leaves\n"
    "compute, and which kernels take which matrices of batches. Rows that are faster than the built-in table go to a\n"
    "file, which contexts read from then on. Nothing else should compute meanwhile.\n"
    "\n"
    "  --backend NAME      tune this backend (default: cpu), for example cpu:libblis.so.4 or cuda:0\n"
    "  --time SECONDS      how long to measure, about (default: 600); in a minute type d is done on a CPU. A "
    "measurement\n"
    "                      that has begun is finished, and what was found is compared once more\n"
    "  --routine LIST      of gemm, syrk, symm, syr2k, trsm, trmm, potrf, trtri, lauum; and, on a GPU, tiles "
    "(trsm_vectors,\n"
    "                      trsm_tiles, trmm_tiles, trtri_tiles, lauum_tiles) and classes of batches (potrf_batch,\n"
    "                      trsm_batch, posv_batch, trtri_batch); for matrices in host memory, on a backend such as\n"
    "                      cuda:0:host, host_order, host_columns, host_tiles and host_link alone (default: all but\n"
    "                      host_link)\n"
    "  --type T            of s, d, c, z; several as d,z or sdcz (default: all)\n"
    "  --largest N         tiles, batches and matrices in host memory: the largest order to measure (default: 4096; "
    "of\n"
    "                      batches at most 1024)\n"
    "  --batch COUNT       batches: the most matrices (default: 2000; fewer if they are large)\n"
    "  -o, --output FILE   write the table to this file (default: where contexts look for it, see 'trigon info');\n"
    "                      '-' is standard output\n"
    "  -q, --quiet         print errors only\n"
    "  -h, --help          this text\n"
    "\n"
    "The file appears whole or not at all, at the end. Rows of an older file that were not measured this time are\n"
    "kept; if nothing was measured, the older file stays. TRIGON_TUNING=none or a backend such as 'cpu?tuning=none'\n"
    "computes without the file.\n"
    "Exit status: 0 done; 1 it failed, or nothing was measured; 2 wrong usage.\n"
    "\n"
    "examples:\n"
    "  trigon tune\n"
    "  trigon tune --time 60 --type d\n"
    "  trigon tune --routine trsm,potrf -o trial.table\n"
    "  trigon bench trsm --backend 'cpu?tuning=trial.table'\n";

/* The most important type comes first, whatever the order on the command line is. */
static int parse_type(const char *text, tune_options *o) {
  static const char by_importance[] = "dscz";
  char given[MOST_TYPES];
  int count = 0;
  const int status = parse_types("tune", text, given, &count);
  for (const char *c = by_importance; *c && status == PARSED; c++)
    if (memchr(given, *c, (size_t)count)) o->type[o->types++] = *c;
  return status;
}

static bool is_name(const char *text, size_t length, const char *name) {
  return strlen(name) == length && memcmp(name, text, length) == 0;
}

/* Marks what has this name. Returns false if nothing has it. */
static bool want(const char *name, size_t length, tune_options *o) {
  for (int i = 0; i < TUNED; i++)
    if (is_name(name, length, tuned_routines[i].measured)) return o->wanted[i] = true;
  for (int i = 0; i < TUNED_TILES; i++)
    if (is_name(name, length, tuned_tiles[i].option)) return o->wanted_tiles[i] = true;
  for (int i = 0; i < TUNED_BATCHES; i++)
    if (is_name(name, length, tuned_batches[i].option)) return o->wanted_batches[i] = true;
  for (int i = 0; i < TUNED_HOSTS; i++)
    if (is_name(name, length, tuned_hosts[i].option)) return o->wanted_hosts[i] = true;
  return false;
}

static int parse_routines(const char *text, tune_options *o) {
  for (int i = 0; i < TUNED && !text; i++) o->wanted[i] = true;
  for (int i = 0; i < TUNED_TILES && !text; i++) o->wanted_tiles[i] = true;
  for (int i = 0; i < TUNED_BATCHES && !text; i++) o->wanted_batches[i] = true;
  for (int i = 0; i < HOST_LINK_ROW && !text; i++) o->wanted_hosts[i] = true; /* the link must be named */
  for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
    const size_t length = strcspn(at, ",");
    if (!want(at, length, o)) return usage_error("tune", "--routine: '%.*s' has no row in a table", (int)length, at);
  }
  return PARSED;
}

/* A whole number in a range. */
static int parse_number(const char *name, const char *text, int64_t least, int64_t most, int64_t *number) {
  char *end;
  *number = strtoll(text, &end, 10);
  if (isdigit((unsigned char)*text) && !*end && *number >= least && *number <= most) return PARSED;
  return usage_error("tune", "--%s: a number from %" PRId64 " to %" PRId64 " is expected, not '%s'", name, least, most,
                     text);
}

static int parse_seconds(const char *text, tune_options *o) {
  static const double longest = 86400;
  char *end;
  o->seconds = strtod(text, &end);
  if (isdigit((unsigned char)*text) && !*end && o->seconds > 0 && o->seconds <= longest) return PARSED;
  return usage_error("tune", "--time: seconds are expected, up to %.0f, not '%s'", longest, text);
}

/* Options of the backend that decide what tune is to find. */
static int check_backend(const tune_options *o) {
  static const char *const deciding[] = {"leaf=", "stop=", "native=", "tuning="};
  const char *options = strchr(o->backend, '?');
  for (size_t i = 0; options && i < sizeof deciding / sizeof *deciding; i++)
    if (strstr(options, deciding[i]))
      return usage_error("tune", "--backend: tune finds what '%s' decides", deciding[i]);
  return PARSED;
}

enum { LEAST_LARGEST = 16, MOST_LARGEST = 1 << 16, MOST_BATCH = 1 << 20 };

int tune_parse(int argc, char **argv, tune_options *o) {
  const char *seconds = "600", *routines = NULL, *types = "dscz", *largest = "4096", *batch = "2000";
  *o = (tune_options){.backend = "cpu"};
  const option options[] = {
      {"backend", 0, &o->backend, NULL}, {"time", 0, &seconds, NULL},     {"routine", 0, &routines, NULL},
      {"type", 0, &types, NULL},         {"largest", 0, &largest, NULL},  {"batch", 0, &batch, NULL},
      {"output", 'o', &o->output, NULL}, {"quiet", 'q', NULL, &o->quiet}, {NULL, 0, NULL, NULL}};
  const syntax s = {"tune", help, options, NULL, 0, 0, NULL};
  int status = parse_arguments(&s, argc, argv);
  if (status == PARSED) status = parse_seconds(seconds, o);
  if (status == PARSED) status = parse_routines(routines, o);
  if (status == PARSED) status = parse_type(types, o);
  if (status == PARSED) status = parse_number("largest", largest, LEAST_LARGEST, MOST_LARGEST, &o->largest);
  if (status == PARSED) status = parse_number("batch", batch, 1, MOST_BATCH, &o->batch);
  return status == PARSED ? check_backend(o) : status;
}

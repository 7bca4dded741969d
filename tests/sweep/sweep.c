/* sweep.c - checks every routine × type × flags × awkward size × backend against the reference.
 *
 * For every routine the sweep prints how many calls were checked, and the residual that came nearest to its
 * threshold. For every failure it prints all that is needed to repeat the call. At the end it prints the sums. The
 * exit status is 1 if a check failed, and 2 if the sweep could not run. */
#include "sweep.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The default recursion, and a recursion that is forced on small matrices, with both ways to split. */
static const char *const default_backends[] = {"cpu", "cpu?stop=8", "cpu?stop=16&split=power", "cpu?stop=32"};
enum { DEFAULT_BACKENDS = sizeof default_backends / sizeof *default_backends };
enum { QUICK = 5 };           /* --quick takes one of this many cases */
enum { LARGEST_SIZE = 640 };  /* largest size for --sizes */
enum { SCRATCH = 160 << 20 }; /* bytes: a dozen times the largest call's matrices in twice the precision */

static void usage(FILE *to) {
  fputs(
      "usage: sweep [--backend NAME]... [--share N] [--quick] [--types sdcz] [--routine NAME] [--seed N]\n"
      "             [--sizes N,N...] [--fp64 MODE:ACCURACY] [--workspace BYTES]\n"
      "--share N takes one of N cases, drawn with the seed; --quick is --share 5;\n"
      "--sizes sweeps the grid of these alone; --fp64 emulates products: int8, auto or double-float, and the accuracy\n"
      "of trigon_set_fp64; --workspace caps the workspace;\n"
      "a NAME without the option dirty gets dirty=1\n",
      to);
}

static int routine_named(const char *name) {
  for (int r = 0; r < TESTED_ROUTINES; r++)
    if (strcmp(name, routines[r].name) == 0) return r;
  return -1;
}

/* Parses numbers separated by commas. */
static bool parse_sizes(sweep *s, const char *text) {
  char *end = NULL;
  for (s->size_count = 0; s->size_count < MOST_SIZES; text = end + 1) {
    const int64_t size = strtoll(text, &end, 10);
    if (size < 0 || size > LARGEST_SIZE || end == text) return false;
    s->sizes[s->size_count++] = size;
    if (*end != ',') return !*end;
  }
  return false;
}

/* Parses a mode of trigon_set_fp64 and an accuracy. */
static bool parse_fp64(sweep *s, const char *text) {
  char *end;
  static const struct {
    const char *name;
    trigon_fp64 mode;
  } modes[] = {{"int8:", TRIGON_FP64_INT8}, {"auto:", TRIGON_FP64_AUTO}, {"double-float:", TRIGON_FP64_DOUBLE_FLOAT}};
  for (int i = 0; i < 3; i++) {
    const size_t length = strlen(modes[i].name);
    if (strncmp(text, modes[i].name, length) != 0) continue;
    s->fp64 = modes[i].mode, s->accuracy = (int)strtol(text + length, &end, 10);
    return text[length] && !*end;
  }
  return false;
}

/* Adds a backend. The default is memory that calls find dirty. */
static bool add_backend(sweep *s, const char *name) {
  const char *more = strstr(name, "dirty=") ? "" : strchr(name, '?') ? "&dirty=1" : "?dirty=1";
  if (s->backends == MOST_BACKENDS) return false;
  return snprintf(s->names[s->backends++], NAME_TEXT, "%s%s", name, more) < NAME_TEXT;
}

/* Reads the command line. Returns false if the command line makes no sense. */
static bool parse(sweep *s, int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    const char *value = i + 1 < argc ? argv[i + 1] : NULL;
    if (strcmp(argv[i], "--quick") == 0) {
      s->share = QUICK;
      continue;
    }
    if (!value) return false;
    if (strcmp(argv[i], "--sizes") == 0) {
      if (!parse_sizes(s, value)) return false;
    } else if (strcmp(argv[i], "--fp64") == 0) {
      if (!parse_fp64(s, value)) return false;
    } else if (strcmp(argv[i], "--backend") == 0) {
      if (!add_backend(s, value)) return false;
    } else if (strcmp(argv[i], "--types") == 0 && strspn(value, "sdcz") == strlen(value))
      s->types = value;
    else if (strcmp(argv[i], "--routine") == 0 && routine_named(value) >= 0)
      s->only = routine_named(value);
    else if (strcmp(argv[i], "--share") == 0 && strtoll(value, NULL, 10) > 0)
      s->share = strtoll(value, NULL, 10);
    else if (strcmp(argv[i], "--workspace") == 0)
      s->workspace = strtoll(value, NULL, 10);
    else if (strcmp(argv[i], "--seed") == 0)
      s->seed = strtoull(value, NULL, 0);
    else
      return false;
    i++;
  }
  if (s->backends == 0)
    for (int b = 0; b < DEFAULT_BACKENDS; b++) add_backend(s, default_backends[b]);
  return true;
}

/* Sets what the command line has asked for. */
static bool set_up(const sweep *s, trigon_context *ctx) {
  const bool native = s->fp64 == TRIGON_FP64_NATIVE, capped = s->workspace >= 0;
  if ((native || trigon_set_fp64(ctx, s->fp64, s->accuracy) == TRIGON_OK) &&
      (!capped || trigon_set_workspace(ctx, NULL, s->workspace) == TRIGON_OK))
    return true;
  fprintf(stderr, "sweep: %s\n", trigon_message(ctx));
  return false;
}

static bool open_backends(sweep *s) {
  for (int b = 0; b < s->backends; b++) {
    char why[256] = "";
    if (trigon_create(s->names[b], &s->targets[b].ctx, why, sizeof why) != TRIGON_OK) {
      fprintf(stderr, "sweep: backend \"%s\": %s\n", s->names[b], why);
      return false;
    }
    printf("backend \"%s\": %s\n", s->names[b], trigon_describe(s->targets[b].ctx));
    if (!set_up(s, s->targets[b].ctx)) return false;
  }
  return true;
}

static void sweep_routine(sweep *s, enum tested_routine routine) {
  static void (*const parts[])(sweep *, call *) = {sweep_grid,   sweep_families, sweep_nonfinite, sweep_ones,
                                                   sweep_pivots, sweep_singular, sweep_divisions, sweep_late_info};
  for (const char *type = s->types; *type; type++)
    for (size_t i = 0; i < (s->size_count ? 1 : sizeof parts / sizeof *parts); i++)
      sweep_flags(s, routine, (trigon_type)*type, parts[i]);
  const tally *t = &s->tally[routine];
  printf("%-6s %8" PRId64 " checks, %" PRId64 " failed; worst %.3f of %g u: %s\n", routines[routine].name, t->checks,
         t->failures, t->worst.residual, t->worst.threshold, t->worst_call);
  fflush(stdout);
}

int main(int argc, char **argv) {
  static sweep s = {.types = "sdcz", .only = -1, .workspace = -1, .share = 1, .seed = 1};
  if (!parse(&s, argc, argv)) {
    usage(stderr);
    return 2;
  }
  if (!open_backends(&s)) return 2;
  s.scratch = arena_make(SCRATCH);
  int64_t checks = 0, failures = 0;
  for (int r = 0; r < TESTED_ROUTINES; r++) {
    if (s.only >= 0 && s.only != r) continue;
    sweep_routine(&s, (enum tested_routine)r);
    checks += s.tally[r].checks;
    failures += s.tally[r].failures;
  }
  for (int b = 0; b < s.backends; b++) {
    call_target_free(&s.targets[b]);
    trigon_destroy(s.targets[b].ctx);
  }
  for (int i = 0; i < 3; i++) guarded_free(&s.stored[i]), guarded_free(&s.other[i]);
  arena_free(&s.scratch);
  const bool always = s.fp64 == TRIGON_FP64_INT8 || s.fp64 == TRIGON_FP64_DOUBLE_FLOAT;
  if (always) printf("%" PRId64 " of %" PRId64 " products were emulated\n", s.emulated, s.products);
  if (always && !s.emulated) failures++;
  printf("%" PRId64 " passed, %" PRId64 " failed\n", checks - failures, failures);
  return failures || !checks ? 1 : 0;
}

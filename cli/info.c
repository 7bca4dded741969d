/* info.c - the command info: version, the BLAS in use, the backends that are there and why others are not. */
#include "bench/picture/plot.h"
#include "command.h"
#include "command_line.h"
#include "printer.h"
#include "report.h"

#include <stdio.h>
#include <trigon.h>
#include <zlib.h>

static const char help[] =
    "usage: trigon info [--backend NAME] [--json]\n"
    "\n"
    "Prints the version, what each backend computes with (library, version, threads, width of its integers), why a\n"
    "backend is not available, and which files can be read and drawn. Looks for cpu, and for GPUs: cuda:0, cuda:1 and\n"
    "so on, hip:0 and so on. Advises what to set if OpenBLAS leaves vector instructions of the CPU unused.\n"
    "\n"
    "  --backend NAME      look for this backend too, for example cpu:libblis.so.4\n"
    "  --json              print the same as one JSON object\n"
    "  -h, --help          this text\n";

enum { MOST_DEVICES = 64 }; /* looked for, should one that is not there be said to be broken */

static trigon_status show_backend(results *r, const char *name, bool missing_too) {
  char why[WHY_SIZE] = "";
  trigon_context *ctx;
  trigon_status status = trigon_create(name, &ctx, why, sizeof why);
  bool there = status == TRIGON_OK;
  if (there || missing_too || status != TRIGON_NOT_FOUND) {
    const char *words = there ? trigon_describe(ctx) : *why ? why : trigon_status_string(status);
    results_open(r, NULL, '{');
    results_member(r, "name", text_value(name));
    results_member(r, "available", truth_value(there));
    results_add(r, there ? "description" : "reason", text_value(words), name, "%s%s",
                there ? "" : "not available: ", words);
    const char *advice = trigon_advice(ctx); /* "" for no context */
    results_add(r, "advice", text_value(*advice ? advice : NULL), *advice ? "" : NULL, "advice: %s", advice);
    results_close(r, '}');
  }
  trigon_destroy(ctx);
  return status;
}

/* All devices of a kind; where there is none, why. */
static void show_devices(results *r, const char *kind) {
  char name[32];
  trigon_status status = TRIGON_OK;
  for (int i = 0; i < MOST_DEVICES && status != TRIGON_NOT_FOUND; i++) {
    snprintf(name, sizeof name, "%s:%d", kind, i);
    status = show_backend(r, name, i == 0);
  }
}

int info_command(int argc, char **argv) {
  const char *backend = NULL;
  results r = {.to = stdout, .width = 10};
  const option options[] = {{"backend", 0, &backend, NULL}, {"json", 0, NULL, &r.json}, {NULL, 0, NULL, NULL}};
  const syntax s = {"info", help, options, NULL, 0, 0, NULL};
  int status = parse_arguments(&s, argc, argv);
  if (status != PARSED) return status;
  results_add(&r, "version", text_value(trigon_version()), "trigon", "%s", trigon_version());
  results_open(&r, "backends", '[');
  show_backend(&r, "cpu", true);
  show_devices(&r, "cuda");
  show_devices(&r, "hip");
  bool there = !backend || show_backend(&r, backend, true) == TRIGON_OK;
  results_close(&r, ']');
  results_add(&r, "zlib", text_value(zlibVersion()), "files", "Matrix Market (.mtx, .mtx.gz by zlib %s), NumPy (.npy)",
              zlibVersion());
  bool plots = program_found("gnuplot");
  results_add(&r, "plots", truth_value(plots), "plots", "%s",
              plots ? "SVG by gnuplot" : "not available: gnuplot is not installed");
  results_end(&r);
  return there ? EXIT_DONE : EXIT_FAILED;
}

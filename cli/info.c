/* info.c - the command info: prints the version, and the backends, or why they are not available. */
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
    "       trigon info --rows NAME [--json]\n"
    "\n"
    "Prints the version, what each backend computes with (Trigon's kernels or a library, its version, threads, width\n"
    "of its integers), why a backend is not available, and which files can be read and drawn. Looks for cpu, and for\n"
    "GPUs: cuda:0, cuda:1 and so on, hip:0 and so on. Advises what to set if OpenBLAS leaves vector instructions of\n"
    "the CPU unused. Says which tuning table is in force, and what is wrong with a table that is ignored.\n"
    "\n"
    "  --backend NAME      look for this backend too, for example cpu:libblis.so.4\n"
    "  --rows NAME         print by which rows this backend chooses what computes a call, and nothing else: the "
    "tuning\n"
    "                      table, the kind of CPU or GPU, and on a GPU the tiles, the classes of batches, limits,\n"
    "                      and what rows can name\n"
    "  --json              print the same as one JSON object\n"
    "  -h, --help          this text\n";

enum { MOST_DEVICES = 64 }; /* the search ends here if no device is reported as TRIGON_NOT_FOUND */

static trigon_status show_backend(printer *p, const char *name, bool missing_too) {
  char why[WHY_SIZE] = "";
  trigon_context *ctx;
  trigon_status status = trigon_create(name, &ctx, why, sizeof why);
  bool available = status == TRIGON_OK;
  if (available || missing_too || status != TRIGON_NOT_FOUND) {
    const char *words = available ? trigon_describe(ctx) : *why ? why : trigon_status_string(status);
    printer_open(p, NULL, '{');
    printer_member(p, "name", text_value(name));
    printer_member(p, "available", truth_value(available));
    printer_entry(p, available ? "description" : "reason", text_value(words), name, "%s%s",
                  available ? "" : "not available: ", words);
    const char *file = trigon_tuning_file(ctx), *advice = trigon_advice(ctx); /* "" if ctx is NULL */
    printer_member(p, "tuning_file", text_value(*file ? file : NULL));
    printer_entry(p, "advice", text_value(*advice ? advice : NULL), *advice ? "" : NULL, "advice: %s", advice);
    printer_close(p, '}');
  }
  trigon_destroy(ctx);
  return status;
}

/* Prints all devices of a kind, or why there is no device 0. */
static void show_devices(printer *p, const char *kind) {
  char name[32];
  trigon_status status = TRIGON_OK;
  for (int i = 0; i < MOST_DEVICES && status != TRIGON_NOT_FOUND; i++) {
    snprintf(name, sizeof name, "%s:%d", kind, i);
    status = show_backend(p, name, i == 0);
  }
}

/* Prints the rows of a backend (docs/tuning.md). */
static int show_rows(printer *p, const char *name) {
  char why[WHY_SIZE] = "";
  trigon_context *ctx;
  if (trigon_create(name, &ctx, why, sizeof why) != TRIGON_OK) return failed("info", "%s: %s", name, why);
  const char *rows = trigon_rows(ctx);
  const int status = *rows ? EXIT_DONE : failed("info", "out of memory");
  if (p->json && *rows) printer_member(p, "rows", text_value(rows));
  if (!p->json) fputs(rows, p->to);
  printer_end(p);
  trigon_destroy(ctx);
  return status;
}

int info_command(int argc, char **argv) {
  const char *backend = NULL, *rows = NULL;
  printer p = {.to = stdout, .width = 10};
  const option options[] = {
      {"backend", 0, &backend, NULL}, {"rows", 0, &rows, NULL}, {"json", 0, NULL, &p.json}, {NULL, 0, NULL, NULL}};
  const syntax s = {"info", help, options, NULL, 0, 0, NULL};
  int status = parse_arguments(&s, argc, argv);
  if (status != PARSED) return status;
  if (backend && rows) return usage_error("info", "--rows: give the backend here, without --backend");
  if (rows) return show_rows(&p, rows);
  printer_entry(&p, "version", text_value(trigon_version()), "trigon", "%s", trigon_version());
  printer_open(&p, "backends", '[');
  show_backend(&p, "cpu", true);
  show_devices(&p, "cuda");
  show_devices(&p, "hip");
  bool created = !backend || show_backend(&p, backend, true) == TRIGON_OK;
  printer_close(&p, ']');
  printer_entry(&p, "zlib", text_value(zlibVersion()), "files",
                "Matrix Market (.mtx, .mtx.gz by zlib %s), NumPy (.npy)", zlibVersion());
  bool plots = program_found("gnuplot");
  printer_entry(&p, "plots", truth_value(plots), "plots", "%s",
                plots ? "SVG by gnuplot" : "not available: gnuplot is not installed");
  printer_end(&p);
  return created ? EXIT_DONE : EXIT_FAILED;
}

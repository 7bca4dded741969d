/* info.c - the command info: version, the BLAS in use, the backends that are there and why others are not. */
#include "command.h"
#include "options.h"
#include "plot.h"

#include <stdio.h>
#include <string.h>
#include <trigon.h>
#include <zlib.h>

static const char help[] =
    "usage: trigon info [--backend NAME]\n"
    "\n"
    "Prints the version, what each backend computes with (library, version, threads, width of its integers), why a\n"
    "backend is not available, and which files can be read and drawn. Looks for cpu, and for GPUs: cuda:0, cuda:1 and\n"
    "so on, hip:0 and so on.\n"
    "\n"
    "  --backend NAME      look for this backend too, for example cpu:libblis.so.4\n"
    "  -h, --help          this text\n";

enum { MOST_DEVICES = 64 }; /* looked for, should one that is not there be said to be broken */

static trigon_status show_backend(const char *name, bool missing_too) {
  char why[1024] = "";
  trigon_context *ctx;
  trigon_status status = trigon_create(name, &ctx, why, sizeof why);
  if (status == TRIGON_OK)
    printf("%-10s %s\n", name, trigon_describe(ctx));
  else if (missing_too || status != TRIGON_NOT_FOUND)
    printf("%-10s not available: %s\n", name, *why ? why : trigon_status_string(status));
  trigon_destroy(ctx);
  return status;
}

/* All devices of a kind; where there is none, why. */
static void show_devices(const char *kind) {
  char name[32];
  trigon_status status = TRIGON_OK;
  for (int i = 0; i < MOST_DEVICES && status != TRIGON_NOT_FOUND; i++) {
    snprintf(name, sizeof name, "%s:%d", kind, i);
    status = show_backend(name, i == 0);
  }
}

int info_command(int argc, char **argv) {
  const char *backend = NULL;
  const option options[] = {{"backend", 0, &backend, NULL}, {NULL, 0, NULL, NULL}};
  const syntax s = {"info", help, options, NULL, 0, 0, NULL};
  int status = parse_arguments(&s, argc, argv);
  if (status != PARSED) return status;
  printf("trigon     %s\n", trigon_version());
  show_backend("cpu", true);
  show_devices("cuda");
  show_devices("hip");
  bool there = !backend || show_backend(backend, true) == TRIGON_OK;
  printf("files      Matrix Market (.mtx, .mtx.gz by zlib %s), NumPy (.npy)\n", zlibVersion());
  printf("plots      %s\n", program_found("gnuplot") ? "SVG by gnuplot" : "not available: gnuplot is not installed");
  return there ? EXIT_DONE : EXIT_FAILED;
}

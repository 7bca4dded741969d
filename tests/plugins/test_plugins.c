/* test_plugins.c - plugins that cannot be loaded, and values of TRIGON_BACKEND_PATH: a message gives the reason. */
#define _GNU_SOURCE /* mkdtemp, setenv */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "trigon.h"

/* Creates the context `name`, whose plugin cannot be loaded. TRIGON_BACKEND_PATH is `folder`, or unset if `folder`
 * is NULL. The message must contain `path`, which belongs to the plugin, and `words`, which give the reason. */
static void expect_no_plugin(const char *folder, const char *name, const char *path, const char *words) {
  char why[400];
  trigon_context *ctx = (trigon_context *)why;
  if (folder ? setenv("TRIGON_BACKEND_PATH", folder, 1) : unsetenv("TRIGON_BACKEND_PATH")) abort();
  check(trigon_create(name, &ctx, why, sizeof why) == TRIGON_NOT_FOUND && !ctx,
        "a plugin that cannot be loaded is refused");
  if (!strstr(why, path) || !strstr(why, words)) printf("\"%s\" and \"%s\" expected in: %s\n", path, words, why);
  check(strstr(why, path) && strstr(why, words), "the message has the path and a reason");
}

int main(void) {
  static const char *const none = "(TRIGON_BACKEND_PATH is set)";
  static char deep[8000];
  char folder[] = "/tmp/test_plugins.XXXXXX", file[64];
  if (!mkdtemp(folder)) abort();
  snprintf(file, sizeof file, "%s/libtrigon-hip.so", folder);
  FILE *text = fopen(file, "w");
  if (!text || fputs("this is no shared object", text) < 0 || fclose(text) != 0) abort();
  expect_no_plugin(folder, "hip:0", file, "file too short");
  expect_no_plugin(folder, "cuda:3", "no plugin for cuda:3: there is no /tmp/test_plugins.", none);
  expect_no_plugin(folder, "cuda:3?arch=portable", "/libtrigon-cuda-ptx80.so (TRIGON_BACKEND_PATH is set); ",
                   "arch=portable needs it: build with -DTRIGON_CUDA_PTX80=ON");
  expect_no_plugin(folder, "cuda:3?arch=ada", "/libtrigon-cuda-ptx80.so (TRIGON_BACKEND_PATH is set); ",
                   "arch=ada needs it: build with -DTRIGON_CUDA_PTX80=ON");
  expect_no_plugin(NULL, "cuda:0?arch=portable", "/trigon/libtrigon-cuda-ptx80.so",
                   "arch=portable needs it: build with -DTRIGON_CUDA_PTX80=ON");
  expect_no_plugin(folder, "cuda:3?arch=hopper", "/libtrigon-cuda.so", none);
  expect_no_plugin(folder, "hip:0?arch=portable", file, "file too short"); /* the ordinary plugin */
  expect_no_plugin("/no/such/folder", "sim:0?arch=portable", "/no/such/folder/libtrigon-sim.so", none);
  expect_no_plugin("/no/such/folder", "sim:0?warp=64", "/no/such/folder/libtrigon-sim.so", none);
  expect_no_plugin(file, "hip:0", "/libtrigon-hip.so/libtrigon-hip.so", none);
  expect_no_plugin(NULL, "sim:0", "there is no ",
                   "/trigon/libtrigon-sim.so"); /* the build does not install this plugin */
  expect_no_plugin("plugins", "sim:0", "no plugin for sim:0: TRIGON_BACKEND_PATH is \"plugins\"",
                   "must be an absolute path");
  memset(deep, 'x', 3000);
  deep[0] = '/';
  expect_no_plugin(deep, "cuda:0", "cannot load ...xxx", "File name too long");
  memset(deep + 1, 'x', sizeof deep - 2);
  expect_no_plugin(deep, "cuda:0", "cannot load ...xxx", "File name too long");
  remove(file);
  remove(folder);
  return checked();
}

/* load_library.c - a program that loads libtrigon at run time, as an interpreter does.
 *
 *   load_library LIBRARY FOLDER NAME [TIMES]
 *
 * Each time the program loads LIBRARY, goes to FOLDER, creates the context NAME, prints the context's description or
 * the reason of the failure, and destroys the context. If TIMES is more than 1, the program unloads LIBRARY each
 * time. If TIMES is 0, the program does this once, in a namespace of LIBRARY's own. */
#define _GNU_SOURCE /* dlmopen */
#include <sys/auxv.h>
#include <trigon.h>
#include <unistd.h>

#include "loaded_library.h"

static void *library;

static void create(const char *name) {
  trigon_status (*trigon_create_)(const char *, trigon_context **, char *, size_t);
  void (*trigon_destroy_)(trigon_context *);
  const char *(*trigon_describe_)(const trigon_context *);
  char why[400];
  trigon_context *ctx;
  find(library, "trigon_create", &trigon_create_);
  find(library, "trigon_destroy", &trigon_destroy_);
  find(library, "trigon_describe", &trigon_describe_);
  trigon_create_(name, &ctx, why, sizeof why);
  printf("%s\n", ctx ? trigon_describe_(ctx) : why);
  trigon_destroy_(ctx);
}

int main(int count, char **words) {
  if (count < 4) return 2;
  if (getauxval(AT_SECURE)) puts("this program has more rights than its user");
  int times = count > 4 ? atoi(words[4]) : 1;
  const Lmid_t space = times == 0 ? LM_ID_NEWLM : LM_ID_BASE;
  do {
    library = dlmopen(space, words[1], RTLD_NOW | RTLD_LOCAL);
    if (!library || chdir(words[2]) != 0) {
      printf("cannot load %s or go to %s: %s\n", words[1], words[2], library ? "" : dlerror());
      return 1;
    }
    create(words[3]);
    if (times > 1) dlclose(library);
  } while (--times > 0);
  return 0;
}

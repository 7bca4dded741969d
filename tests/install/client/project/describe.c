/* describe.c - prints the description of a context, for the programs of test_subproject.sh. */
#include <stdio.h>
#include <trigon.h>

void describe(const char *name); /* prints what computes in the context, or why there is no context */

void describe(const char *name) {
  char why[400];
  trigon_context *ctx;
  int there = trigon_create(name, &ctx, why, sizeof why) == TRIGON_OK;
  puts(there ? trigon_describe(ctx) : why);
  trigon_destroy(ctx);
}

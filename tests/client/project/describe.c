#include <stdio.h>
#include <trigon.h>

void describe(const char *name); /* what computes there, or why nothing does */

void describe(const char *name) {
  char why[400];
  trigon_context *ctx;
  int there = trigon_create(name, &ctx, why, sizeof why) == TRIGON_OK;
  puts(there ? trigon_describe(ctx) : why);
  trigon_destroy(ctx);
}

/* test_forked.c - forked children of a parent that has computed with a team compute the same bits, with the parent's
 * context and with one of their own. */
#define _GNU_SOURCE /* fork, alarm */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cpu/processors.h"
#include "support/check.h"
#include "support/results.h"

enum { children = 100, calls_each = 3 };

static const uint64_t seed = 5;

static trigon_context *make_context(void) {
  trigon_context *ctx = NULL;
  if (trigon_create("cpu?threads=4&blas=none", &ctx, NULL, 0) != TRIGON_OK) abort();
  return ctx;
}

/* The calls of child `i`: together the children make every call. */
static bool computes(trigon_context *ctx, int i, const uint64_t *expected) {
  for (int k = 0; k < calls_each; k++) {
    const int at = (i * calls_each + k) % tested_calls;
    uint64_t found;
    if (!result_of(ctx, at, 1, seed, &found) || found != expected[at]) return false;
  }
  return true;
}

/* A child that hangs is ended by the alarm. */
static bool child_computes(trigon_context *ctx, int i, const uint64_t *expected) {
  const pid_t child = fork();
  int status = -1;
  if (child == 0) {
    alarm(60);
    _exit(computes(i % 2 ? make_context() : ctx, i, expected) ? 0 : 1);
  }
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int main(void) {
  uint64_t expected[tested_calls];
  trigon_context *ctx = make_context();
  for (int at = 0; at < tested_calls; at++)
    check(result_of(ctx, at, 1, seed, &expected[at]), "a parent computes before it forks");
  for (int i = 0; i < children; i++) {
    check(child_computes(ctx, i, expected), "a forked child computes its parent's bits");
    check(computes(ctx, i, expected), "the parent computes the same bits between forks");
  }
  trigon_destroy(ctx);
  return checked();
}

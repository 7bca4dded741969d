/* test_edges.c - no routine reads or writes beyond its matrices.
 *
 * Each matrix is at the begin or at the end of its memory, between two pages that cannot be accessed. The test
 * prints a call that faults. Usage: test_edges [CONTEXT]... */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "support/check.h"
#include "support/matrices.h"

enum { largest = 130, region_bytes = (largest * largest * 16 / 4096 + 1) * 4096, page = 1 << 16 };

static unsigned char *regions[3];
static char present[320]; /* the call, for the signal handler */

static void faulted(int signal) {
  (void)signal;
  static const char words[] = "FAILED: an access beyond a matrix: ";
  const bool written = write(1, words, sizeof words - 1) > 0 && write(1, present, strlen(present)) > 0;
  _exit(written ? 1 : 3);
}

static void make_regions(void) {
  for (int i = 0; i < 3; i++) {
    unsigned char *all = mmap(NULL, region_bytes + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED || mprotect(all + page, region_bytes, PROT_READ | PROT_WRITE) != 0) abort();
    regions[i] = all + page;
  }
}

static void call_at_edge(trigon_context *ctx, const char *name, call *c, bool at_end) {
  random_stream r = {7};
  int64_t info = -1;
  for (int i = 0; i < operands(c->routine); i++) {
    int64_t rows, cols;
    operand_shape(c, i, &rows, &cols);
    const size_t bytes = (size_t)(rows * cols) * element_size(c->type);
    c->stored[i] = (trigon_matrix){regions[i] + (at_end ? region_bytes - bytes : 0), c->type, rows, cols, rows};
    matrix_fill(c->stored[i], routines[c->routine].operand[i].storage, c->uplo, c->diag, RANDOM, &r);
  }
  call_print(c, present, sizeof present - 80);
  snprintf(present + strlen(present), 80, ", on %.40s, at the %s\n", name, at_end ? "end" : "begin");
  c->info = &info;
  check(call_matrix(ctx, c) == TRIGON_OK && (!takes(c->routine, "info") || info == 0), present);
}

/* Calls one routine with these flags at all sizes. The matrices are as long or as wide as possible. */
static void call_sizes(trigon_context *ctx, const char *name, call c) {
  static const int64_t sizes[] = {1, 2, 3, 5, 17, 33, 64, largest};
  enum { count = sizeof sizes / sizeof *sizes };
  for (int s = 0; s < count; s++)
    for (int other = 0; other < 2; other++) {
      c.m = sizes[s], c.n = takes(c.routine, "m") ? sizes[(s + 5 * other) % count] : c.m;
      c.k = sizes[(s + 3 * other + 1) % count];
      for (int at_end = 0; at_end < 2; at_end++) call_at_edge(ctx, name, &c, at_end);
    }
}

static void call_flags(trigon_context *ctx, const char *name, enum tested_routine routine, trigon_type type) {
  static const trigon_op ops[] = {TRIGON_NOTRANS, TRIGON_TRANS, TRIGON_CONJTRANS};
  const bool two_ops = takes(routine, "opA"), has_op = two_ops || takes(routine, "op");
  for (int flags = 0; flags < 8; flags++)
    for (int op = 0; op < (two_ops ? 9 : has_op ? 3 : 1); op++) {
      const bool right = flags & 1, upper = flags & 2, unit = flags & 4;
      if ((right && !takes(routine, "side")) || (upper && !takes(routine, "uplo")) ||
          (unit && !takes(routine, "diag")) || !op_allowed(routine, type, ops[op % 3]))
        continue;
      call_sizes(ctx, name,
                 (call){.routine = routine,
                        .type = type,
                        .side = right ? TRIGON_RIGHT : TRIGON_LEFT,
                        .uplo = upper ? TRIGON_UPPER : TRIGON_LOWER,
                        .diag = unit ? TRIGON_UNIT : TRIGON_NONUNIT,
                        .op = ops[op % 3],
                        .opB = ops[op / 3],
                        .alpha = {0.7, 0},
                        .beta = {0.3, 0}});
    }
}

/* The log-determinant is not a routine of calls.h. Its result is at the edge, too. */
static void logdet_at_edge(trigon_context *ctx, const char *name, trigon_type type) {
  random_stream r = {7};
  for (int64_t n = 1; n <= largest; n += n < 5 ? 1 : 25)
    for (int at_end = 0; at_end < 2; at_end++) {
      const size_t bytes = (size_t)(n * n) * element_size(type);
      const trigon_matrix A = {regions[0] + (at_end ? region_bytes - bytes : 0), type, n, n, n};
      double *logdet = (void *)(regions[1] + (at_end ? region_bytes - sizeof *logdet : 0));
      matrix_fill(A, FACTOR, TRIGON_LOWER, TRIGON_NONUNIT, RANDOM, &r);
      snprintf(present, sizeof present, "logdet, n = %d, on %.40s, at the %s\n", (int)n, name,
               at_end ? "end" : "begin");
      check(trigon_logdet(ctx, A, logdet) == TRIGON_OK, present);
    }
}

/* BLIS 0.9 itself reads beyond its operands. If the user names no context, the test uses only OpenBLAS. */
static void test_context(const char *name, bool any) {
  char why[300];
  trigon_context *ctx;
  if (trigon_create(name, &ctx, why, sizeof why) != TRIGON_OK) {
    printf("skipped: %s: %s\n", name, why);
    return;
  }
  const bool tried = any || strstr(trigon_describe(ctx), "OpenBLAS");
  if (!tried) printf("skipped: %s is %s\n", name, trigon_describe(ctx));
  for (const char *type = "sdcz"; tried && *type; type++) {
    for (int r = 0; r < TESTED_ROUTINES; r++) call_flags(ctx, name, (enum tested_routine)r, (trigon_type)*type);
    logdet_at_edge(ctx, name, (trigon_type)*type);
  }
  trigon_destroy(ctx);
}

int main(int argc, char **argv) {
  static const char *const usual[] = {"cpu", "cpu?stop=16", "cpu64:libopenblas64.so.0"};
  make_regions();
  sigaction(SIGSEGV, &(struct sigaction){.sa_handler = faulted}, NULL);
  for (int i = 0; argc == 1 && i < 3; i++) test_context(usual[i], false);
  for (int i = 1; i < argc; i++) test_context(argv[i], true);
  return checked();
}

/* device_leaves.c - leaves that the option leaf= forces: where the recursion stops. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device_job.h"

enum { KINDS = TRIGON_LAUUM + 1 };

/* Counts the work of one call of the order n. The context must be traced. */
static void count(trigon_context *ctx, enum tested_routine routine, int64_t n, trigon_count counts[KINDS]) {
  job j;
  job_make_sized(&j, ctx, routine, TRIGON_D, n, n, n, 3);
  job_send(&j);
  job_call(&j);
  job_check(&j, "with a forced leaf");
  accepted(ctx, trigon_trace(ctx, counts, KINDS), "trace");
  job_free(&j);
}

/* A table that is made for dataflow leaves and takes everything whole. */
static bool write_table(char *path) {
  static const char text[] = "trsm sdcz * * dataflow *\ntrmm sdcz * * dataflow *\npotrf sdcz * * dataflow *\n"
                             "invert sdcz * * dataflow *\nlauum sdcz * * dataflow *\n";
  const int fd = mkstemp(path);
  const bool written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
  if (fd >= 0) close(fd);
  return written;
}

/* With leaf=step the recursion stops where the built-in table says so for steps, and not where a table says so for
 * another variant: one step of a large order takes very long. */
static void stops(const device *d) {
  static const enum tested_routine subjects[] = {TRSM, TRMM, POTRF, TRTRI, LAUUM};
  const int64_t order = d->simulated ? 70 : 700;
  char path[] = "/tmp/trigon-leaves-XXXXXX", options[120];
  check(write_table(path), "a tuning table");
  snprintf(options, sizeof options, "trace=1&tuning=%s", path);
  trigon_context *whole = device_open(d, options);
  snprintf(options, sizeof options, "trace=1&leaf=step&tuning=%s", path);
  trigon_context *step = device_open(d, options);
  trigon_context *builtin = device_open(d, "trace=1&leaf=step&tuning=none");
  for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
    trigon_count counts[3][KINDS];
    const char *name = routines[subjects[i]].name;
    count(whole, subjects[i], order, counts[0]);
    count(step, subjects[i], order, counts[1]);
    count(builtin, subjects[i], order, counts[2]);
    check(counts[0][TRIGON_GEMM].calls == 0, "%s: the table takes the call whole", name);
    check(counts[2][TRIGON_GEMM].calls > 0, "%s: the built-in table cuts steps", name);
    for (int k = 0; k < KINDS; k++)
      check(counts[1][k].calls == counts[2][k].calls && counts[1][k].most == counts[2][k].most,
            "%s: %lld leaves of kind %d, up to %g flops, must be %lld, up to %g", name, (long long)counts[1][k].calls,
            k, counts[1][k].most, (long long)counts[2][k].calls, counts[2][k].most);
  }
  trigon_destroy(builtin);
  trigon_destroy(step);
  trigon_destroy(whole);
  unlink(path);
}

void test_leaves(const device *d) { stops(d); }

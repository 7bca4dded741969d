/* test_hosted_context.c - what a context with its matrices in host memory tells and refuses: progress, coherent memory,
 * the rules of its tuning table, a child of fork. */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hosted_support.h"

/* Pageable memory goes through pinned chunks, unless the device reads all memory by itself. */
static void check_coherent(void) {
  for (int coherent = 0; coherent < 2; coherent++) {
    trigon_context *ctx =
        create(coherent ? "sim:0:host?stop=16&coherent=1&fail=pin:1" : "sim:0:host?stop=16&fail=pin:1");
    pair *p = malloc(sizeof *p);
    if (ctx && p) {
      fill(p);
      trigon_status status = compute(ctx, p);
      const trigon_status finished = trigon_finish(ctx, NULL);
      if (status == TRIGON_OK) status = finished;
      check_that((status == TRIGON_OK) == (coherent == 1), "coherent=%d, no pinned memory: %s", coherent,
                 trigon_status_string(status));
    }
    free(p);
    trigon_destroy(ctx);
  }
}

/* The calls return long before the simulated GPUs are done, unless this thread gets no processor. */
static void check_progress(void) {
  enum { calls = 40, attempts = 20 };
  trigon_context *ctx = create("sim:0-1?stop=16"), *cpu = create("cpu");
  pair *p = malloc(sizeof *p);
  double before = 0;
  bool rises = true;
  check_that(trigon_progress(NULL) == 1 && (!cpu || trigon_progress(cpu) == 1), "progress without a call");
  double first = 1;
  for (int attempt = 0; ctx && p && first == 1 && attempt < attempts; attempt++) {
    check_that(trigon_progress(ctx) == 1, "progress without a call is %g", trigon_progress(ctx));
    fill(p);
    for (int i = 0; i < calls; i++)
      check_that(trigon_dtrmm(ctx, TRIGON_LEFT, TRIGON_LOWER, TRIGON_NOTRANS, TRIGON_UNIT, N, COLUMNS, 1, p->A, LD,
                              p->B, LD) == TRIGON_OK,
                 "%s", trigon_message(ctx));
    first = trigon_progress(ctx);
    for (double now = before = first; now < 1; now = trigon_progress(ctx)) rises = rises && now >= before, before = now;
    check_that(first >= 0 && rises, "progress began at %g and falls", first);
    check_that(trigon_finish(ctx, NULL) == TRIGON_OK && trigon_progress(ctx) == 1, "%s", trigon_message(ctx));
  }
  check_that(first < 1, "progress is %g, and 40 calls are on their way", first);
  free(p);
  trigon_destroy(ctx);
  trigon_destroy(cpu);
}

/* Copies are for host memory. The memory of a device is refused, whichever operand it is, and nothing is copied. */
static void check_copies(void) {
  trigon_context *ctx = create("sim:0:host"), *device = create("sim:0");
  double A[4 * 4] = {1}, B[4 * 4] = {2};
  void *data = NULL;
  if (ctx && device && trigon_alloc(device, sizeof A, &data) == TRIGON_OK && data) {
    const trigon_matrix on_host = {A, TRIGON_D, 4, 4, 4}, on_device = {data, TRIGON_D, 4, 4, 4};
    for (int from = 0; from < 2; from++) {
      const trigon_matrix source = from ? on_device : on_host, target = from ? on_host : on_device;
      const char *name = from ? "from" : "to";
      check_that(trigon_copy(ctx, source, target) == TRIGON_BAD_ARGUMENT && strstr(trigon_message(ctx), name),
                 "a copy with %s on a device: %s", name, trigon_message(ctx));
      check_that(trigon_copy_triangle(ctx, TRIGON_LOWER, TRIGON_NOTRANS, TRIGON_MIRROR, source, target) ==
                         TRIGON_BAD_ARGUMENT &&
                     strstr(trigon_message(ctx), name),
                 "a copy of a triangle with %s on a device: %s", name, trigon_message(ctx));
    }
    const trigon_matrix other = {B, TRIGON_D, 4, 4, 4};
    check_that(trigon_copy_triangle(ctx, TRIGON_LOWER, TRIGON_NOTRANS, TRIGON_KEEP, on_host, other) == TRIGON_OK, "%s",
               trigon_message(ctx));
    check_that(B[0] == 1, "the first element of the copy is %g", B[0]);
  }
  if (device) trigon_free(device, data);
  trigon_destroy(ctx);
  trigon_destroy(device);
}

/* A child of fork is refused, and nothing hangs. */
static void check_fork(void) {
  trigon_context *ctx = create("sim:0:host?stop=16");
  pair *p = malloc(sizeof *p);
  int status = 1;
  if (ctx && p) {
    fill(p);
    check_that(compute(ctx, p) == TRIGON_OK && trigon_finish(ctx, NULL) == TRIGON_OK, "%s", trigon_message(ctx));
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      const bool refused = compute(ctx, p) == TRIGON_NOT_SUPPORTED && strstr(trigon_message(ctx), "fork") != NULL;
      trigon_destroy(ctx);
      _exit(refused ? 0 : 1);
    }
    check_that(child > 0 && waitpid(child, &status, 0) == child && status == 0, "the child ends with %d", status);
    fill(p);
    check_that(compute(ctx, p) == TRIGON_OK && trigon_finish(ctx, NULL) == TRIGON_OK, "%s", trigon_message(ctx));
  }
  free(p);
  trigon_destroy(ctx);
}

/* Whether GPUs compute what a call does on a context whose tuning table has these lines: then data move. */
static bool gpus_compute(const char *lines, int64_t columns) {
  char path[] = "/tmp/test_hostedXXXXXX", name[100];
  const int file = mkstemp(path);
  FILE *table = file < 0 ? NULL : fdopen(file, "w");
  check_that(table && fprintf(table, "version 2\n%s", lines) > 0 && fclose(table) == 0, "the table %s", path);
  snprintf(name, sizeof name, "sim:0:host?tuning=%s", path);
  trigon_context *ctx = create(name);
  pair *p = malloc(sizeof *p);
  int64_t in = 0, out, between;
  if (ctx && p) {
    fill(p);
    const trigon_status status = columns == 0 ? trigon_dpotrf(ctx, TRIGON_LOWER, N, p->A, LD, NULL)
                                              : trigon_dtrsm(ctx, TRIGON_LEFT, TRIGON_LOWER, TRIGON_NOTRANS,
                                                             TRIGON_NONUNIT, N, columns, 1, p->A, LD, p->B, LD);
    check_that(status == TRIGON_OK && trigon_finish(ctx, NULL) == TRIGON_OK, "%s", trigon_message(ctx));
    check_that(trigon_traffic(ctx, &in, &out, &between) == TRIGON_OK, "%s", trigon_message(ctx));
  }
  free(p);
  trigon_destroy(ctx);
  unlink(path);
  return in > 0;
}

static void check_rules(void) {
  check_that(!gpus_compute("", 0), "GPUs compute a small factorization");
  check_that(gpus_compute("host order 75\n", 0), "the CPU computes an order that is not below the rule's");
  check_that(!gpus_compute("host order 76\n", 0), "GPUs compute an order below the rule's");
  check_that(!gpus_compute("host order 1\n", 31), "GPUs compute few columns");
  check_that(gpus_compute("host order 1\n", 32), "the CPU computes many columns");
  check_that(gpus_compute("host order 1\nhost columns 5\n", 5),
             "the CPU computes columns that are not below the rule's");
  check_that(!gpus_compute("host columns *\nhost order 1\n", 40), "GPUs compute what is all for the CPU");
}

int main(void) {
  check_coherent();
  check_progress();
  check_rules();
  check_copies();
  check_fork();
  return checked();
}

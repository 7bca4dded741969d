/* test_device.c - contexts whose matrices are on a device.
 *
 *   test_device [CONTEXT [TEST]]     default: sim:0, all tests
 *
 * The test runs unchanged on real devices. Checks that only the simulated GPU can make are skipped on real devices
 * with a message. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/device_job.h"

/* ---------------------------------------------------------------------------------------------- without a BLAS -- */

/* AMD's BLAS is loaded at run time, and few systems package it. Without it Trigon's own kernels multiply. */
static void test_without_blas(const device *d) {
  if (!d->simulated) {
    printf("skipped: a device without a BLAS; %s has one\n", d->name);
    return;
  }
  trigon_context *ctx = device_open(d, "blas=0&stop=8");
  check(strstr(trigon_describe(ctx), "products by kernels of our own"), "no BLAS: %s", trigon_describe(ctx));
  accepted(ctx, trigon_reserve(ctx, 1 << 20), "a reservation without a BLAS");
  for (int r = 0; r < TESTED_ROUTINES; r++)
    job_whole(ctx, (enum tested_routine)r, (trigon_type) "sdcz"[r % 4], 40, 3, "without a BLAS");
  check(d->runtime.operations(d->number, "blas") == 0, "a missing BLAS is not called");
  trigon_destroy(ctx);
}

/* -------------------------------------------------------------------------------------------- current device -- */

static void still_current(const device *d, int current, const char *what) {
  int now = -1;
  check(d->runtime.get_device(&now) == 0 && now == current, "%s leaves device %d current (it is %d)", what, current,
        now);
}

static void failing_creations(const device *d, int current) {
  static const char *const endings[] = {"stop=0",        "tuning=/dev/null/none", "native=1",   "fail=alloc:1",
                                        "fail=stream:1", "fail=blas:1",           "fail=lost:2"};
  char name[256], why[200];
  trigon_context *ctx;
  for (size_t i = 0; i < (d->simulated ? sizeof endings / sizeof *endings : 2); i++) {
    check(trigon_create(device_name(d, endings[i], name, sizeof name), &ctx, why, sizeof why) != TRIGON_OK && *why,
          "no context %s", name);
    still_current(d, current, name);
  }
  check(trigon_create(d->simulated ? "sim:99" : "cuda:99", &ctx, why, sizeof why) == TRIGON_NOT_FOUND && *why,
        "a missing device: %s", why);
  still_current(d, current, "a creation that fails");
}

void test_current_device(const device *d) {
  const int current = (d->number + 1) % d->count;
  void *memory = NULL, *stream = NULL;
  double host[4] = {4, 1, 1, 4};
  check(d->runtime.stream_create(&stream, RUNTIME_UNORDERED) == 0, "a stream");
  check(d->runtime.set_device(current) == 0, "another current device");
#define UNCHANGED(call, expected)                                                                                      \
  do {                                                                                                                 \
    check((call) == (expected), #call);                                                                                \
    still_current(d, current, #call);                                                                                  \
  } while (0)
  failing_creations(d, current);
  trigon_context *ctx = device_open(d, "");
  still_current(d, current, "trigon_create");
  UNCHANGED(trigon_alloc(ctx, INT64_C(1) << 50, &memory), TRIGON_NO_MEMORY);
  UNCHANGED(trigon_alloc(ctx, sizeof host, &memory), TRIGON_OK);
  const trigon_matrix on_host = {host, TRIGON_D, 2, 2, 2}, on_device = {memory, TRIGON_D, 2, 2, 2};
  UNCHANGED(trigon_upload(ctx, on_host, on_device), TRIGON_OK);
  UNCHANGED(trigon_upload(ctx, on_host, on_host), TRIGON_BAD_ARGUMENT);
  UNCHANGED(trigon_potrf(ctx, TRIGON_LOWER, on_device, NULL), TRIGON_OK);
  UNCHANGED(trigon_potrf(ctx, TRIGON_LOWER, on_host, NULL), TRIGON_BAD_ARGUMENT);
  UNCHANGED(trigon_finish(ctx, NULL), TRIGON_OK);
  UNCHANGED(trigon_download(ctx, on_device, on_host), TRIGON_OK);
  UNCHANGED(trigon_download(ctx, on_host, on_host), TRIGON_BAD_ARGUMENT);
  UNCHANGED(trigon_set_fp64(ctx, TRIGON_FP64_INT8, 14), TRIGON_OK);
  UNCHANGED(trigon_gemm(ctx, TRIGON_NOTRANS, TRIGON_NOTRANS, (trigon_scalar){1, 0}, on_device, on_device,
                        (trigon_scalar){0, 0}, on_device),
            TRIGON_OK);
  UNCHANGED(trigon_reserve(ctx, 1 << 20), TRIGON_OK);
  UNCHANGED(trigon_set_stream(ctx, stream), TRIGON_OK);
  UNCHANGED(trigon_set_stream(ctx, NULL), TRIGON_OK);
  UNCHANGED(trigon_set_workspace(ctx, host, 1 << 20), TRIGON_BAD_ARGUMENT);
  UNCHANGED(trigon_set_workspace(ctx, NULL, 4 << 20), TRIGON_OK);
  UNCHANGED(trigon_free(ctx, host), TRIGON_BAD_ARGUMENT);
  UNCHANGED(trigon_free(ctx, memory), TRIGON_OK);
#undef UNCHANGED
  for (int r = 0; r < TESTED_ROUTINES; r++) {
    job_whole(ctx, (enum tested_routine)r, (trigon_type) "sdcz"[(r + 1) % 4], 33, 5, "while another device is current");
    still_current(d, current, routines[r].name);
  }
  trigon_destroy(ctx);
  still_current(d, current, "trigon_destroy");
  check(d->runtime.set_device(d->number) == 0, "back to the device");
  check(d->runtime.stream_destroy(stream) == 0, "the stream's end");
}

int main(int argc, char **argv) {
  static const device_part parts[] = {{"memory", test_memory},
                                      {"pointers", test_pointers},
                                      {"current", test_current_device},
                                      {"blas", test_without_blas},
                                      {"streams", test_streams},
                                      {"failures", test_failures},
                                      {"graphs", test_graphs},
                                      {"workspaces", test_workspaces},
                                      {"dirty", test_dirty},
                                      {"dataflow", test_dataflow},
                                      {"leaves", test_leaves},
                                      {"vendor", test_vendor},
                                      {"kernels", test_kernels},
                                      {"rows", test_rows}};
  return run_parts(argc > 1 ? argv[1] : "sim:0", argc > 2 ? argv[2] : NULL, parts, sizeof parts / sizeof *parts);
}

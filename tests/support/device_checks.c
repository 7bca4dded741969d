/* device_checks.c - counts checks, opens contexts on the device under test, and runs the parts of a test. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device_job.h"

static int64_t passed, failed;

void check(bool held, const char *format, ...) {
  if (held) {
    passed++;
    return;
  }
  if (++failed > 40) return; /* the others are only counted */
  va_list values;
  va_start(values, format);
  printf("FAILED: ");
  vprintf(format, values);
  printf("\n");
  va_end(values);
  fflush(stdout);
}

void accepted(const trigon_context *ctx, trigon_status status, const char *what) {
  check(status == TRIGON_OK, "%s: %s", what, trigon_message(ctx));
}

void expect_finish(trigon_context *ctx, int64_t due, const char *what) {
  int64_t info = -1;
  accepted(ctx, trigon_finish(ctx, &info), what);
  check(info == due, "%s: info is %lld, must be %lld", what, (long long)info, (long long)due);
}

const char *device_name(const device *d, const char *options, char *text, size_t size) {
  snprintf(text, size, "%s%s%s", d->name, !*options ? "" : strchr(d->name, '?') ? "&" : "?", options);
  return text;
}

trigon_context *device_open(const device *d, const char *options) {
  char name[256], why[400];
  trigon_context *ctx;
  if (trigon_create(device_name(d, options, name, sizeof name), &ctx, why, sizeof why) == TRIGON_OK) return ctx;
  printf("no context \"%s\": %s\n", name, why);
  exit(2);
}

static void open_device(device *d) {
  char kind[8] = "";
  snprintf(kind, sizeof kind, "%.*s", (int)strcspn(d->name, ":"), d->name);
  d->simulated = strcmp(kind, "sim") == 0;
  d->number = atoi(d->name + strcspn(d->name, ":") + 1);
  trigon_context *ctx = device_open(d, "");
  printf("%s: %s\n", d->name, trigon_describe(ctx));
  job_whole(ctx, POSV, TRIGON_D, 50, 1, "before this program has touched a device");
  trigon_destroy(ctx);
  const char *missing = runtime_open(&d->runtime, kind);
  if (missing || d->runtime.get_device_count(&d->count) != 0) {
    printf("no runtime for %s: %s\n", d->name, missing ? missing : "it has no such device");
    exit(2);
  }
  const int next = (d->number + 1) % d->count;
  check(runtime_untouched(&d->runtime, &next, next != d->number),
        "the contexts use no other device, and no device is current");
  check(d->runtime.set_device(d->number) == 0, "the current device");
}

int run_parts(const char *name, const char *only, const device_part *parts, size_t count) {
  device d = {.name = name};
  open_device(&d);
  for (size_t i = 0; i < count; i++) {
    if (only && strcmp(only, parts[i].name) != 0) continue;
    const int64_t before = passed + failed;
    const int64_t bytes = d.simulated ? d.runtime.allocated(d.number) : 0;
    const int64_t handles = d.simulated ? d.runtime.handles(d.number) : 0;
    parts[i].run(&d);
    check(!d.simulated || (d.runtime.allocated(d.number) == bytes && d.runtime.handles(d.number) == handles),
          "%s: nothing is left behind", parts[i].name);
    printf("%-10s %8lld checks\n", parts[i].name, (long long)(passed + failed - before));
    fflush(stdout);
  }
  printf("%lld passed, %lld failed\n", (long long)passed, (long long)failed);
  return failed > 0;
}

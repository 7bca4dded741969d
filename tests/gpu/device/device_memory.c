/* device_memory.c - matrices are copied to a device and back, and requests that cannot be met are refused. */
#include <stdio.h>
#include <string.h>

#include "support/device_job.h"

/* Copies a matrix to the device and back. All leading dimensions differ. Nothing around the matrix changes. */
static void round_trip(trigon_context *ctx, trigon_type type, int64_t rows, int64_t cols) {
  guarded from = {0}, to = {0};
  void *memory;
  char stray[128];
  random_stream r = {(uint64_t)(rows + 100 * cols)};
  guarded_shape(&from, type, rows, cols, 1);
  guarded_shape(&to, type, rows, cols, 4);
  matrix_fill(from.matrix, GENERAL, TRIGON_LOWER, TRIGON_NONUNIT, RANDOM, &r);
  guarded_snapshot(&to);
  const int64_t ld = rows + 3, bytes = ld * cols * (int64_t)element_size(type);
  check(trigon_alloc(ctx, bytes, &memory) == TRIGON_OK && (bytes == 0) == !memory, "memory of %lld bytes",
        (long long)bytes);
  check((uintptr_t)memory % 256 == 0, "memory is aligned");
  const trigon_matrix on_device = {memory, type, rows, cols, ld};
  accepted(ctx, trigon_upload(ctx, from.matrix, on_device), "upload");
  accepted(ctx, trigon_download(ctx, on_device, to.matrix), "download");
  check(!guarded_stray(&to, (region){REGION_ALL, false}, stray, sizeof stray), "a download writes the matrix alone");
  for (int64_t j = 0; j < cols; j++)
    check(memcmp((char *)from.matrix.data + (size_t)(j * from.matrix.ld) * element_size(type),
                 (char *)to.matrix.data + (size_t)(j * to.matrix.ld) * element_size(type),
                 (size_t)rows * element_size(type)) == 0,
          "%c %lld × %lld: column %lld comes back", type, (long long)rows, (long long)cols, (long long)j);
  accepted(ctx, trigon_free(ctx, memory), "free");
  guarded_free(&from);
  guarded_free(&to);
}

/* Columns that are too far apart for one copy are copied one by one. No real device has so low a limit. */
static void column_by_column(const device *d) {
  enum { rows = 5, cols = 4, ld = rows + 3, on_device_ld = rows + 1, pitch = ld * (int)sizeof(double) };
  static const struct {
    int64_t pitch, copies;
  } limits[] = {{pitch, 1}, {pitch - 1, cols}, {on_device_ld * (int)sizeof(double), cols}, {1, cols}, {0, cols}};
  double host[ld * cols] = {0}, back[ld * cols];
  char options[64];
  void *memory;
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    snprintf(options, sizeof options, "pitch=%lld", (long long)limits[i].pitch);
    trigon_context *ctx = device_open(d, options);
    check(trigon_alloc(ctx, sizeof host, &memory) == TRIGON_OK, "memory");
    const trigon_matrix from = {host, TRIGON_D, rows, cols, ld}, there = {memory, TRIGON_D, rows, cols, on_device_ld};
    const int64_t before = d->runtime.operations(d->number, "copy");
    check(trigon_upload(ctx, from, there) == TRIGON_OK, "%s: upload: %s", options, trigon_message(ctx));
    const int64_t up = d->runtime.operations(d->number, "copy") - before;
    check(trigon_download(ctx, there, (trigon_matrix){back, TRIGON_D, rows, cols, ld}) == TRIGON_OK, "%s: download: %s",
          options, trigon_message(ctx));
    check(up == limits[i].copies && d->runtime.operations(d->number, "copy") - before == 2 * up,
          "%s: %lld copies up, must be %lld", options, (long long)up, (long long)limits[i].copies);
    for (const char *type = "sdcz"; *type; type++) {
      round_trip(ctx, (trigon_type)*type, 9, 5);
      round_trip(ctx, (trigon_type)*type, 1, 5);
    }
    accepted(ctx, trigon_free(ctx, memory), "free");
    trigon_destroy(ctx);
  }
}

/* One of these copies fails, the last copy or another one. The transfer reports the failure. */
static void failing_columns(const device *d) {
  enum { n = 3, ld = 4 };
  double host[ld * n] = {0};
  char options[64];
  void *memory;
  trigon_context *ctx = device_open(d, "pitch=1");
  const int64_t creation = d->runtime.operations(d->number, "copy");
  trigon_destroy(ctx);
  for (int k = 1; k <= n; k++) {
    snprintf(options, sizeof options, "pitch=1&fail=copy:%lld", (long long)creation + k);
    ctx = device_open(d, options);
    check(trigon_alloc(ctx, sizeof host, &memory) == TRIGON_OK, "memory");
    const trigon_matrix from = {host, TRIGON_D, n, n, ld}, there = {memory, TRIGON_D, n, n, n};
    check(trigon_upload(ctx, from, there) == TRIGON_DEVICE_FAILED && *trigon_message(ctx),
          "column %d of an upload fails", k);
    accepted(ctx, trigon_upload(ctx, from, there), "the upload after a failed upload");
    accepted(ctx, trigon_free(ctx, memory), "free");
    trigon_destroy(ctx);
  }
}

/* An upload does not change the rows between the matrix and the leading dimension. The upload is done after the
 * calls that came before. */
static void upload_in_order(trigon_context *ctx) {
  enum { n = 3, ld = 5, all = n * ld };
  double before[all], block[n * n], after[all];
  void *memory;
  for (int i = 0; i < all; i++) before[i] = i;
  for (int i = 0; i < n * n; i++) block[i] = i % (n + 1) == 0 ? 4 : 100 + i;
  check(trigon_alloc(ctx, sizeof before, &memory) == TRIGON_OK, "memory");
  const trigon_matrix whole = {memory, TRIGON_D, all, 1, all}, part = {memory, TRIGON_D, n, n, ld};
  check(trigon_upload(ctx, (trigon_matrix){before, TRIGON_D, all, 1, all}, whole) == TRIGON_OK, "upload of all");
  check(trigon_potrf(ctx, TRIGON_LOWER, part, NULL) == TRIGON_OK, "a call before the upload");
  check(trigon_upload(ctx, (trigon_matrix){block, TRIGON_D, n, n, n}, part) == TRIGON_OK, "upload of a part");
  check(trigon_download(ctx, whole, (trigon_matrix){after, TRIGON_D, all, 1, all}) == TRIGON_OK, "download of all");
  for (int i = 0; i < all; i++) {
    const int row = i % ld, col = i / ld;
    check(after[i] == (row < n ? block[row + n * col] : before[i]), "element %d after an upload of a part", i);
  }
  check(trigon_finish(ctx, NULL) == TRIGON_OK, "finish");
  check(trigon_free(ctx, memory) == TRIGON_OK, "free");
}

void test_memory(const device *d) {
  static const int64_t sizes[][2] = {{0, 0}, {0, 3}, {3, 0}, {1, 1}, {1, 9}, {9, 1}, {17, 5}, {64, 33}};
  trigon_context *ctx = device_open(d, "");
  check(!trigon_on_host(ctx), "matrices live on the device");
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (const char *type = "sdcz"; *type; type++) round_trip(ctx, (trigon_type)*type, sizes[i][0], sizes[i][1]);
  upload_in_order(ctx);

  void *data = ctx;
  check(trigon_alloc(ctx, 0, &data) == TRIGON_OK && !data, "an allocation of 0 bytes gives NULL");
  check(trigon_free(ctx, NULL) == TRIGON_OK, "trigon_free accepts NULL");
  data = ctx;
  check(trigon_alloc(ctx, -1, &data) == TRIGON_BAD_ARGUMENT && !data, "a negative size is refused");
  data = ctx;
  check(trigon_alloc(ctx, INT64_C(1) << 50, &data) == TRIGON_NO_MEMORY && !data,
        "a request beyond the memory is refused");
  check(strstr(trigon_message(ctx), "trigon_alloc: argument 1 (bytes): ") && strstr(trigon_message(ctx), "memory") &&
            strstr(trigon_message(ctx), "1125899906842624"),
        "the message says memory, and names the argument and its value: %s", trigon_message(ctx));
  job_whole(ctx, POTRI, TRIGON_D, 30, 1, "after an allocation that failed");
  trigon_destroy(ctx);
  if (d->simulated) {
    column_by_column(d);
    failing_columns(d);
  } else {
    printf("skipped: transfers column by column; the columns of %s must be 2 GiB apart\n", d->name);
  }
}

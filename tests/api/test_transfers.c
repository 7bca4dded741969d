/* test_transfers.c - arguments of trigon_alloc, trigon_free, trigon_upload, trigon_download and trigon_copy.
 *
 * Bad arguments come one by one; good arguments come in every shape. */
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/guarded.h"
#include "support/matrices.h"

static trigon_context *ctx;
static guarded stored[2];

typedef trigon_status transfer_fn(trigon_context *, trigon_matrix from, trigon_matrix to);

static const struct {
  const char *name;
  transfer_fn *function;
} transfers[] = {{"trigon_upload", trigon_upload}, {"trigon_download", trigon_download}, {"trigon_copy", trigon_copy}};

static bool untouched(int which, enum region_shape allowed) {
  char where[128];
  return !guarded_stray(&stored[which], (region){allowed, false}, where, sizeof where);
}

/* A bad transfer must be refused. Position 1 is from, and position 2 is to. The message must name the position and
 * hold the value. */
static void expect_refusal(int which, trigon_matrix from, trigon_matrix to, int position, const char *value) {
  char start[64];
  snprintf(start, sizeof start, "%s: argument %d (%s) ", transfers[which].name, position,
           position == 1 ? "from" : "to");
  const trigon_status status = transfers[which].function(ctx, from, to);
  const char *message = trigon_message(ctx);
  check(status == TRIGON_BAD_ARGUMENT && strncmp(message, start, strlen(start)) == 0 && strstr(message, value), start);
  check(untouched(0, REGION_NONE) && untouched(1, REGION_NONE), "a refused transfer changes nothing");
}

static void bad_shapes(int which, trigon_matrix from, trigon_matrix to) {
  static const struct {
    int64_t rows, cols, ld;
    const char *value;
  } bad[] = {{-1, 3, 8, "-1"},
             {5, -2, 8, "-2"},
             {5, 3, 4, "4"},
             {5, 3, 0, "0"},
             {5, 3, INT64_MIN, "-9223372036854775808"},
             {5, 3, INT64_MAX, "9223372036854775807"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    trigon_matrix wrong = {from.data, from.type, bad[i].rows, bad[i].cols, bad[i].ld};
    expect_refusal(which, wrong, to, 1, bad[i].value);
    wrong.data = to.data;
    expect_refusal(which, from, wrong, 2, bad[i].value);
  }
  trigon_matrix wrong = to;
  wrong.rows -= 1;
  expect_refusal(which, from, wrong, 2, "4 × 3, must be 5 × 3");
  wrong = to, wrong.cols += 1;
  expect_refusal(which, from, wrong, 2, "5 × 4, must be 5 × 3");
}

static void bad_transfers(int which, trigon_matrix from, trigon_matrix to) {
  trigon_matrix wrong = from;
  wrong.data = NULL;
  expect_refusal(which, wrong, to, 1, "NULL");
  wrong = to, wrong.data = NULL;
  expect_refusal(which, from, wrong, 2, "NULL");
  wrong = from, wrong.type = (trigon_type)'x';
  expect_refusal(which, wrong, to, 1, "120");
  for (const char *other = "sdczx"; *other; other++) {
    wrong = to, wrong.type = (trigon_type)*other;
    if (*other != (char)from.type) expect_refusal(which, from, wrong, 2, "type");
  }
  check(transfers[which].function(NULL, from, to) == TRIGON_BAD_ARGUMENT, "a transfer without a context");
}

static bool equal(trigon_matrix a, trigon_matrix b) {
  const size_t element = element_size(a.type);
  for (int64_t j = 0; j < a.cols && a.rows > 0; j++)
    if (memcmp((char *)a.data + (size_t)(j * a.ld) * element, (char *)b.data + (size_t)(j * b.ld) * element,
               (size_t)a.rows * element) != 0)
      return false;
  return true;
}

/* The elements are copied, and nothing else changes, whatever the leading dimensions are. */
static void good_transfers(int which, trigon_type type) {
  static const struct {
    int64_t rows, cols, gap, to_gap;
  } shapes[] = {{5, 3, 0, 0}, {5, 3, 2, 7}, {1, 9, 3, 0}, {9, 1, 0, 4}, {0, 4, 1, 2}, {4, 0, 0, 0}, {0, 0, 0, 0}};
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    random_stream r = {i};
    guarded_shape(&stored[0], type, shapes[i].rows, shapes[i].cols, shapes[i].gap);
    guarded_shape(&stored[1], type, shapes[i].rows, shapes[i].cols, shapes[i].to_gap);
    const trigon_matrix from = stored[0].matrix, to = stored[1].matrix;
    matrix_fill(from, GENERAL, TRIGON_LOWER, TRIGON_NONUNIT, RANDOM, &r);
    for (int m = 0; m < 2; m++) guarded_snapshot(&stored[m]);
    check(transfers[which].function(ctx, from, to) == TRIGON_OK && !*trigon_message(ctx), "a good transfer");
    check(equal(from, to), "a transfer copies the elements");
    check(untouched(0, REGION_NONE) && untouched(1, REGION_ALL), "a transfer changes nothing else");
  }
  const trigon_matrix nothing = {NULL, type, 0, 7, 1};
  check(transfers[which].function(ctx, nothing, nothing) == TRIGON_OK, "an empty matrix at NULL");
}

static void all_transfers(void) {
  for (int which = 0; which < 3; which++)
    for (const char *type = "sdcz"; *type; type++) {
      good_transfers(which, (trigon_type)*type);
      for (int m = 0; m < 2; m++) {
        guarded_shape(&stored[m], (trigon_type)*type, 5, 3, m);
        guarded_snapshot(&stored[m]);
      }
      bad_shapes(which, stored[0].matrix, stored[1].matrix);
      bad_transfers(which, stored[0].matrix, stored[1].matrix);
    }
}

static bool says(const char *words) { return strstr(trigon_message(ctx), words) != NULL; }

static void memory_functions(void) {
  void *data = &ctx;
  check(trigon_alloc(NULL, 8, &data) == TRIGON_BAD_ARGUMENT && !data, "trigon_alloc without a context");
  data = &ctx;
  check(trigon_alloc(ctx, -3, &data) == TRIGON_BAD_ARGUMENT && !data, "trigon_alloc of -3 bytes");
  check(says("trigon_alloc: argument 1 (bytes) is -3, must be at least 0"),
        "the message of trigon_alloc names the value");
  check(trigon_alloc(ctx, 8, NULL) == TRIGON_BAD_ARGUMENT, "trigon_alloc without a place for the address");
  check(says("trigon_alloc: argument 2 (data) is NULL"), "the message of trigon_alloc names the argument");
  check(trigon_free(NULL, NULL) == TRIGON_BAD_ARGUMENT, "trigon_free without a context");
  check(trigon_reserve(NULL, 8) == TRIGON_BAD_ARGUMENT, "trigon_reserve without a context");
  check(trigon_reserve(ctx, INT64_MIN) == TRIGON_BAD_ARGUMENT, "trigon_reserve of a negative size");
  check(says("trigon_reserve: argument 1 (bytes) is -9223372036854775808,"),
        "the message of trigon_reserve names the value");
  check(trigon_set_stream(NULL, NULL) == TRIGON_BAD_ARGUMENT, "trigon_set_stream without a context");
}

int main(void) {
  if (trigon_create("cpu", &ctx, NULL, 0) != TRIGON_OK) abort();
  memory_functions();
  all_transfers();
  trigon_destroy(ctx);
  for (int m = 0; m < 2; m++) guarded_free(&stored[m]);
  return checked();
}

/* test_file_rows.c - lines of tiles and of classes in tuning tables (src/gpu/arch/file_rows.h): which rows they
 * replace, and every message about a broken one. */
#include "gpu/arch/file_rows.h"
#include "gpu/arch/row_text.h"
#include "support/check.h"
#include "test_launchers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool a_bin_ends(int64_t order) { return order % 16 == 0; }
static const launcher_lists lists = {a_kernel, a_tile, a_bin_ends};

static const batch_class classes[] = {
    {.most = 64, .kernel = "middle"}, {.most = INT64_MAX, .kernel = "tiles"}, {.kernel = NULL}};
static const batch_class *const all_classes[] = {classes, classes, classes, classes};
static const tile_choice tiles[] = {{.most_order = 8, .tile = {64, 32}}, {.tile = {64, 64}}};
static const tile_choice vectors[] = {{.most_width = 8, .tile = {.cols = 4}}, {.tile = {.cols = 0}}};
static const gpu_features units = {.fp64_mma = true}, none = {.fp64_mma = false};

static gpu_arch a_kind(void) {
  return (gpu_arch){.name = "test",
                    .has = {.fp64_mma = true},
                    .tiles = {vectors, tiles, tiles, tiles, tiles},
                    .batches = {all_classes, all_classes, all_classes, all_classes},
                    .limits = &gpu_limits_measured};
}

static trigon_status read_lines(file_rows *f, gpu_features has, const char *lines, reason *why) {
  const gpu_arch kind = a_kind();
  tuning table;
  file_rows_begin(f, &kind, has, &lists);
  const line_reader reader = file_rows_reader(f);
  tuning_clear(&table);
  return tuning_read_with(lines, &table, &reader, why);
}

static file_rows *new_rows(void) {
  file_rows *f = malloc(sizeof *f);
  if (!f) abort();
  return f;
}

/* The rows as text, which the caller frees. */
static char *text_of(const file_rows *f) {
  const size_t size = gpu_rows_text(&f->arch, f->has, &lists, NULL, 0) + 1;
  char *text = malloc(size);
  if (!text) abort();
  gpu_rows_text(&f->arch, f->has, &lists, text, size);
  return text;
}

/* ------------------------------------------------------------------------------------------------- reading -- */

/* The text of all rows has the words, or not. */
static void expect_text(const char *lines, const char *words, bool there) {
  file_rows *f = new_rows();
  reason why = {0};
  char message[400];
  check(read_lines(f, units, lines, &why) == TRIGON_OK, why.text);
  char *text = text_of(f);
  snprintf(message, sizeof message, "%s: \"%s\" is %s", lines, words, there ? "missing" : "there");
  check((strstr(text, words) != NULL) == there, message);
  free(text);
  free(f);
}

static const char potrf_d[] = "batch potrf d 32 small alone\nbatch potrf d 64 units\nbatch potrf d * tiles\n";

static void test_replaced(void) {
  expect_text("", "batch potrf d 64 middle\nbatch potrf d * tiles\n", true);
  expect_text(potrf_d, potrf_d, true);
  expect_text(potrf_d, "batch potrf d 64 middle", false);
  expect_text(potrf_d, "batch potrf s 64 middle\nbatch potrf s * tiles\n", true);
  expect_text(potrf_d, "batch posv d 64 middle", true);
  expect_text("tile lauum 64x32 least-order=7\ntile lauum 64x64\n",
              "tile lauum 64x32 least-order=7\ntile lauum 64x64\n", true);
  expect_text("tile lauum 64x32\n", "tile lauum 64x64", false);
  expect_text("tile lauum 64x32\n", "tile trmm 64x32 most-order=8\ntile trmm 64x64\n", true);
  expect_text("tile vectors yes mma most-tiles=5\ntile vectors no\n", "tile vectors yes mma most-tiles=5\n", true);
  expect_text("batch trsm z 9 small most-order=12\nbatch trsm z 64 middle\nbatch trsm z * tiles\n",
              "batch trsm z 9 small most-order=12\n", true);
}

/* Every limit, in the order of row_text.c. */
static void test_limits(void) {
  expect_text("tile trsm 64x32 mma layouts=forward,apart least-width=1 most-width=2 least-order=3 most-order=4 "
              "most-area=5 most-matrix=6 least-tiles=7 most-tiles=8 least-products=9\ntile trsm 64x64\n",
              "tile trsm 64x32 mma layouts=forward,apart least-width=1 most-width=2 least-order=3 most-order=4 "
              "most-area=5 most-matrix=6 least-tiles=7 most-tiles=8 least-products=9\n",
              true);
}

/* What is written can be read: all rows of every kind of the build that these launchers have. */
static void test_round_trip(void) {
  static const char lines[] = "tile trsm 64x32 layouts=backward most-width=2\ntile trsm 64x64 mma\ntile trsm 64x64\n"
                              "batch trsm d 9 small\nbatch trsm d 64 middle\nbatch trsm d * tiles\n";
  file_rows *f = new_rows(), *again = new_rows();
  reason why = {0};
  check(read_lines(f, units, lines, &why) == TRIGON_OK, why.text);
  char *text = text_of(f), *end = strstr(text, "limit ");
  char *begin = strchr(text, '\n') + 1; /* behind the kind */
  check(end != NULL, "the rows come before the limits");
  char *rows = strndup(begin, (size_t)(end - begin));
  if (!rows) abort();
  check(read_lines(again, units, rows, &why) == TRIGON_OK, why.text);
  char *second = text_of(again);
  check(strcmp(text, second) == 0, "the rows are the same");
  free(second);
  free(rows);
  free(text);
  free(again);
  free(f);
}

/* A device without matrix units has the classes of the kind for any GPU, and rows of a file replace them. */
static void test_without_units(void) {
  file_rows *f = new_rows();
  reason why = {0};
  read_lines(f, none, "", &why);
  check(gpu_classes_of(&f->arch, none, BATCH_POTRF, TRIGON_D) ==
            gpu_classes_of(&gpu_arch_portable, none, BATCH_POTRF, TRIGON_D),
        "without a file: the portable rows");
  const batch_class *r = NULL;
  const gpu_arch kind = a_kind();
  file_rows_begin(f, &kind, none, &lists);
  const line_reader reader = file_rows_reader(f);
  char tile[] = "tile", name[] = "trsm", shape[] = "64x64", *words[] = {tile, name, shape};
  check(reader.line(reader.to, words, 3, &why) == TRIGON_BAD_ARGUMENT && strstr(why.text, "matrix units"), why.text);
  char batch[] = "batch", posv[] = "posv", d[] = "d", most[] = "16", kernel[] = "small";
  char *row[] = {batch, posv, d, most, kernel}, bad[] = "units";
  check(reader.line(reader.to, row, 5, &why) == TRIGON_OK, why.text);
  row[4] = bad;
  check(reader.line(reader.to, row, 5, &why) == TRIGON_BAD_ARGUMENT && strstr(why.text, "needs matrix units"),
        why.text);
  (void)reader.end(reader.to, &why); /* the portable rows name kernels that these launchers do not have */
  r = gpu_classes_of(&f->arch, none, BATCH_POSV, TRIGON_D);
  check(r->most == 16 && strcmp(r->kernel, "small") == 0 && !r[1].kernel, "with a file: its rows");
  free(f);
}

/* ------------------------------------------------------------------------------------------------- refusals -- */

static void expect_refused(const char *lines, const char *words) {
  file_rows *f = new_rows();
  reason why = {0};
  char message[800];
  const trigon_status status = read_lines(f, units, lines, &why);
  snprintf(message, sizeof message, "%.200s: %s expected, not: %s", lines, words, why.text);
  check(status == TRIGON_BAD_ARGUMENT && strstr(why.text, words), message);
  free(f);
}

static void test_bad_tiles(void) {
  expect_refused("\ntile trsm", "line 2: \"tile\" begins no line of the form tile ROUTINE SHAPE LIMITS");
  expect_refused("tile potrf 64x64", "line 1: \"potrf\" has no tiles");
  expect_refused("tile trsm 64", "\"64\" is no tile");
  expect_refused("tile trsm 064x64", "\"064x64\" is no tile");
  expect_refused("tile trsm 64x64x", "\"64x64x\" is no tile");
  expect_refused("tile trsm 64x16", "\"64x16\": the launcher has no kernel with this tile");
  expect_refused("tile vectors 64x64", "\"64x64\" is neither yes nor no");
  expect_refused("tile trsm 64x64 most-depth=3", "\"most-depth=3\" is no limit");
  expect_refused("tile trsm 64x64 most-width", "\"most-width\" is no limit");
  expect_refused("tile trsm 64x64 mma mma", "\"mma\" is no limit");
  expect_refused("tile trsm 64x64 most-width=0", "\"most-width=0\": a number above 0");
  expect_refused("tile trsm 64x64 most-width=8k", "\"most-width=8k\": a number above 0");
  expect_refused("tile trsm 64x64 most-width=", "\"most-width=\": a number above 0");
  expect_refused("tile trsm 64x64 most-width=8 most-width=9", "\"most-width=9\": the row has this limit already");
  expect_refused("tile trsm 64x64 layouts=up", "\"layouts=up\": forward, backward and apart");
  expect_refused("tile trsm 64x64 layouts=forward,", "\"layouts=forward,\": forward");
  expect_refused("tile trsm 64x64 layouts=apart layouts=apart", "\"layouts=apart\" is no limit");
  expect_refused("tile lauum 64x64 least-tiles=4", "\"least-tiles=4\" is no limit");
  expect_refused("tile invert 64x64 layouts=apart", "\"layouts=apart\" is no limit");
  expect_refused("tile trsm 64x64\ntile trsm 64x32", "line 2: no row of \"trsm\" can follow a row without limits");
  expect_refused("tile trmm 64x64 most-width=8", "end of the table: the last row `tile trmm` must have no limits");
  expect_refused("tile trsm 64x64 1 2 3 4 5 6 7 8 9 10 11 12 13 14", "line 1: the line has more than 16 words");
}

static void test_bad_classes(void) {
  expect_refused("batch potrf d 32", "\"batch\" begins no line of the form batch ROUTINE TYPE MOST KERNEL");
  expect_refused("batch lauum d 32 small", "\"lauum\" has no classes");
  expect_refused("batch potrf sd 32 small", "\"sd\" is no type");
  expect_refused("batch potrf d -1 small", "\"-1\" is no number above 0, nor *");
  expect_refused("batch potrf d 32 smal", "\"smal\": the launcher has no kernel of this name");
  expect_refused("batch potrf d 64 small", "\"batch potrf d 64 small\": the kernel takes no size above 32");
  expect_refused("batch potrf d 64 middle alone", "cannot take a whole batch");
  expect_refused("batch potrf d 64 whole", "can only take a whole batch");
  expect_refused("batch potrf d 32 small lone", "\"lone\": alone or most-order=NUMBER expected");
  expect_refused("batch potrf d 32 small alone alone", "\"alone\": alone or");
  expect_refused("batch trsm d 32 small most-order=9 alnoe", "\"alnoe\": alone or most-order=NUMBER");
  expect_refused("batch trsm d 32 small most-order=9 most-order=7", "\"most-order=7\": alone or");
  expect_refused("batch trsm d 32 small most-order=0", "\"most-order=0\": alone or most-order=NUMBER");
  expect_refused("batch potrf d 32 small most-order=9", "only rows of trsm have most-order");
  expect_refused("batch potrf d 64 middle", "end of the table: the row \"batch potrf d 64 middle\"");
  expect_refused("batch posv d 32 small alone",
                 "end of the table: the row \"batch posv d 32 small alone\" for the kind "
                 "test of GPUs: the table has no rows for mixed orders");
}

/* The tables have room for so many rows. */
static void test_many(void) {
  static const struct {
    const char *line;
    int most;
  } of[] = {{"tile trsm 64x64 most-width=8\n", MOST_FILE_TILES}, {"batch posv d 32 small\n", MOST_FILE_CLASSES}};
  for (int k = 0; k < 2; k++) {
    char *lines = calloc((size_t)of[k].most + 1, strlen(of[k].line) + 1), words[64];
    if (!lines) abort();
    for (int i = 0; i <= of[k].most; i++) strcat(lines, of[k].line);
    snprintf(words, sizeof words, "line %d: there are more than", of[k].most + 1);
    expect_refused(lines, words);
    free(lines);
  }
}

/* Without a reader, as on the CPU, the lines are ignored. */
static void test_no_reader(void) {
  tuning t;
  reason why = {0};
  tuning_clear(&t);
  check(tuning_read("tile nothing\nbatch\ntrsm d * * step 7\n", &t, &why) == TRIGON_OK, why.text);
  check(t.range[ROUTINE_TRSM][type_index(TRIGON_D)][SHAPE_W16][0].stop == 7, "the other lines count");
}

int main(void) {
  test_replaced();
  test_limits();
  test_round_trip();
  test_without_units();
  test_bad_tiles();
  test_bad_classes();
  test_many();
  test_no_reader();
  return checked();
}

/* test_gpu_rows.c - which kernels the rows of a kind of GPU choose for batches (src/gpu/arch/batch_class.h), and which
 * rows are refused because no launcher can do what they say (src/gpu/arch/check_rows.h). */
#include "core/type.h"
#include "gpu/arch/check_rows.h"
#include "support/check.h"
#include "test_launchers.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------- choices -- */

/* Compares the chosen kernels with a list of names. */
static void expect_classes(const batch_class *table, int64_t largest, const char *names) {
  const batch_class *row[MOST_CLASSES];
  char found[200] = "", text[500];
  const int count = gpu_choose_classes(table, largest, row);
  for (int i = 0; i < count; i++)
    snprintf(found + strlen(found), sizeof found - strlen(found), "%s%s", i > 0 ? " " : "", row[i]->kernel);
  snprintf(text, sizeof text, "orders up to %lld: %s, not %s", (long long)largest, found, names);
  check(strcmp(found, names) == 0, text);
}

static const gpu_features hopper = {true, true, true, true}, none = {false, false, false, false};

static const batch_class *classes(const gpu_arch *a, gpu_features has, batch_table table, trigon_type type) {
  return gpu_classes_of(a, has, table, type);
}

/* Batches of small orders alone take one launch. */
static void test_potrf(void) {
  const batch_class *d = classes(&gpu_arch_hopper, hopper, BATCH_POTRF, TRIGON_D);
  expect_classes(d, 32, "mma-strips-32");
  expect_classes(d, 33, "mma-strips-64");
  expect_classes(d, 64, "mma-strips-64");
  expect_classes(d, 65, "mma-strips-32 mma-strips-64 mma-strips-96 mma-strips-128 mma-tiles");
  expect_classes(d, INT64_MAX, "mma-strips-32 mma-strips-64 mma-strips-96 mma-strips-128 mma-tiles");
  const batch_class *c = classes(&gpu_arch_hopper, hopper, BATCH_POTRF, TRIGON_C);
  expect_classes(c, 33, "strips-32 strips-64 strips-128 tiles");
  expect_classes(classes(&gpu_arch_portable, none, BATCH_POTRF, TRIGON_S), 65,
                 "registers-32 strips-64 strips-128 tiles");
}

static void test_posv(void) {
  const batch_class *s = classes(&gpu_arch_hopper, hopper, BATCH_POSV, TRIGON_S);
  expect_classes(s, 48, "registers-48");
  expect_classes(s, 49, "mma-rows-64");
  expect_classes(s, 65, "strips-64 mma-rows-96 strips-128");
  const batch_class *portable = classes(&gpu_arch_portable, none, BATCH_POSV, TRIGON_S);
  expect_classes(portable, 64, "registers-64");
  expect_classes(portable, 65, "strips-64 strips-96 strips-128");
  expect_classes(classes(&gpu_arch_hopper, hopper, BATCH_POSV, TRIGON_C), 8, "strips-72 strips-128");
}

/* The second row of doubles has the widths of the first row, for larger orders. */
static void test_widths(void) {
  expect_classes(classes(&gpu_arch_hopper, hopper, BATCH_TRSM, TRIGON_D), INT64_MAX, "one-column few-1 mma-16 slabs");
  expect_classes(classes(&gpu_arch_hopper, hopper, BATCH_TRSM, TRIGON_Z), INT64_MAX, "few-4 few slabs");
}

/* An A100 as a Hopper has no matrix units for doubles. */
static void test_without_units(void) {
  for (int t = 0; t < BATCH_TABLES; t++)
    for (int i = 0; i < TYPES; i++)
      check(classes(&gpu_arch_hopper, none, (batch_table)t, types_in_order[i]) ==
                classes(&gpu_arch_portable, none, (batch_table)t, types_in_order[i]),
            "a device without matrix units has the portable rows");
}

/* ------------------------------------------------------------------------------------------------- refusals -- */

static bool a_bin_ends(int64_t order) { return order % 16 == 0; }
static const launcher_lists lists = {a_kernel, a_tile, a_bin_ends};

static const batch_class good[] = {{.alone = true, .most = 32, .kernel = "small"},
                                   {.most = 32, .kernel = "small"},
                                   {.most = 64, .kernel = "middle"},
                                   {.most = INT64_MAX, .kernel = "tiles"},
                                   {.kernel = NULL}};
static const batch_class *const all_good[] = {good, good, good, good};
static const tile_choice good_tiles[] = {{.most_width = 8, .tile = {64, 32}}, {.tile = {64, 64}}};

static gpu_arch good_kind(void) {
  return (gpu_arch){.name = "test",
                    .has = {.fp64_mma = true},
                    .tiles = {good_tiles, good_tiles, good_tiles, good_tiles, good_tiles},
                    .batches = {all_good, all_good, all_good, all_good}};
}

/* Whether the kind is refused, with a reason that names the row and has these words. */
static void expect_refused(const gpu_arch *a, const char *row, const char *words) {
  reason why = {0};
  char text[800];
  const trigon_status status = gpu_check_rows(a, hopper, &lists, &why);
  snprintf(text, sizeof text, "%s: %s expected, not: %s", row, words, why.text);
  check(status == TRIGON_BAD_ARGUMENT && strstr(why.text, row) && strstr(why.text, words) &&
            strstr(why.text, "the kind test"),
        text);
}

static void test_good(void) {
  const gpu_arch a = good_kind();
  reason why = {0};
  check(gpu_check_rows(&a, hopper, &lists, &why) == TRIGON_OK, why.text);
}

static void test_bad_tiles(void) {
  static const tile_choice first[] = {{.most_width = 8, .layouts = 5, .tile = {64, 16}}, {.tile = {64, 64}}},
                           last[] = {{.least_order = 8, .tile = {64, 64}}, {.tile = {128, 128}}};
  gpu_arch a = good_kind();
  a.tiles[TILES_TRSM] = first;
  expect_refused(&a, "\"tile trsm 64x16 layouts=forward,apart most-width=8\"", "no kernel with this tile");
  a = good_kind(), a.tiles[TILES_LAUUM] = last;
  expect_refused(&a, "\"tile lauum 128x128\"", "no kernel with this tile");
}

/* A table whose first row is bad, for POTRF of type d. */
static void expect_bad_class(batch_table table, batch_class row, const char *text, const char *words) {
  const batch_class rows[] = {row, good[0], good[1], good[2], good[3], good[4]};
  const batch_class *const types[] = {good, rows, good, good};
  gpu_arch a = good_kind();
  a.batches[table] = types;
  expect_refused(&a, text, words);
}

static void test_bad_classes(void) {
  expect_bad_class(BATCH_POTRF, (batch_class){.most = 16, .kernel = "smal"}, "\"batch potrf d 16 smal\"",
                   "no kernel of this name");
  expect_bad_class(BATCH_POSV, (batch_class){.most = 33, .kernel = "small"}, "\"batch posv d 33 small\"",
                   "takes no size above 32");
  expect_bad_class(BATCH_INVERSE, (batch_class){.most = INT64_MAX, .kernel = "middle"}, "\"batch invert d * middle\"",
                   "takes no size above 64");
  expect_bad_class(BATCH_POTRF, (batch_class){.most = 0, .kernel = "small"}, "\"batch potrf d 0 small\"", "no size");
  expect_bad_class(BATCH_POTRF, (batch_class){.most = 64, .kernel = "middle", .alone = true},
                   "\"batch potrf d 64 middle alone\"", "cannot take a whole batch");
  expect_bad_class(BATCH_POTRF, (batch_class){.most = 64, .kernel = "whole"}, "\"batch potrf d 64 whole\"",
                   "can only take a whole batch");
  expect_bad_class(BATCH_POTRF, (batch_class){.most = 16, .kernel = "small", .most_order = 9},
                   "\"batch potrf d 16 small most-order=9\"", "only rows of trsm");
  expect_bad_class(BATCH_POTRF, (batch_class){.most = 10, .kernel = "small"}, "\"batch potrf d 10 small\"",
                   "no bin ends");
  expect_bad_class(BATCH_POTRF, (batch_class){.most = INT64_MAX, .kernel = "tiles"}, "\"batch potrf d * tiles\"",
                   "takes no size up to 64");
}

static void test_bad_tables(void) {
  static const batch_class alone[] = {{.alone = true, .most = 32, .kernel = "small"}, {.kernel = NULL}},
                           open[] = {{.most = 32, .kernel = "small"}, {.kernel = NULL}},
                           high[] = {{.alone = true, .most = 64, .kernel = "whole"},
                                     {.most = 32, .kernel = "small"},
                                     {.kernel = NULL}},
                           many[] = {{.most = 8, .kernel = "small"},
                                     {.most = 16, .kernel = "small"},
                                     {.most = 24, .kernel = "small"},
                                     {.most = 32, .kernel = "small"},
                                     {.most = 64, .kernel = "units"},
                                     {.most = INT64_MAX, .kernel = "tiles"},
                                     {.kernel = NULL}};
  const batch_class *types[] = {alone, good, good, good};
  gpu_arch a = good_kind();
  a.batches[BATCH_POSV] = types;
  expect_refused(&a, "\"batch posv s 32 small alone\"", "no rows for mixed orders");
  types[0] = open, a = good_kind(), a.batches[BATCH_POTRF] = types;
  expect_refused(&a, "\"batch potrf s 32 small\"", "must take every size");
  types[0] = high, a = good_kind(), a.batches[BATCH_INVERSE] = types;
  expect_refused(&a, "\"batch invert s 64 whole alone\"", "no other row takes such orders");
  types[0] = many, a = good_kind(), a.batches[BATCH_TRSM] = types;
  expect_refused(&a, "\"batch trsm s 32 small\"", "too many classes follow");
}

/* A kind without matrix units must not name their kernels. */
static void test_units(void) {
  static const batch_class rows[] = {{.most = 64, .kernel = "units"}, {.kernel = NULL}};
  const batch_class *const types[] = {rows, good, good, good};
  gpu_arch a = good_kind();
  reason why = {0};
  a.has.fp64_mma = false, a.batches[BATCH_POSV] = types;
  check(gpu_check_rows(&a, none, &lists, &why) == TRIGON_BAD_ARGUMENT &&
            strstr(why.text, "\"batch posv s 64 units\"") && strstr(why.text, "needs matrix units"),
        why.text);
}

int main(void) {
  test_potrf();
  test_posv();
  test_widths();
  test_without_units();
  test_good();
  test_bad_tiles();
  test_bad_classes();
  test_bad_tables();
  test_units();
  return checked();
}

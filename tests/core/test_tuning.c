/* test_tuning.c - tuning tables as text: what a table says, and every message about a broken one.
 *
 * The tests also cover the files of tables: where a context looks for one, and what a broken one does. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/tuning/tuning_file.h"
#include "gpu/arch/arch.h"
#include "tuning_support.h"

/* ----------------------------------------------------------------------------------------- what a table says -- */

static operation multiply(int64_t m, int64_t n, int64_t k) {
  return (operation){.routine = ROUTINE_GEMM,
                     .op = TRIGON_NOTRANS,
                     .A = {.type = TRIGON_D, .m = m, .n = k},
                     .B = {.type = TRIGON_D, .m = k, .n = n},
                     .C = {.type = TRIGON_D, .m = m, .n = n}};
}

static operation update(int64_t n, int64_t k) {
  return (operation){.routine = ROUTINE_SYRK,
                     .op = TRIGON_NOTRANS,
                     .A = {.type = TRIGON_D, .m = n, .n = k},
                     .C = {.type = TRIGON_D, .m = n, .n = n}};
}

static void test_ranges(void) {
  tuning t;
  reason why;
  const char text[] = "# a comment\n"
                      "\n"
                      "trsm d * 32 step *   # another\r\n"
                      "trsm\td\t*\t256  packed  100\n"
                      "   trsm d * * vendor 500";
  expect(read_text(text, &t, &why) == TRIGON_OK, why.text, "a table is read");
  expect_leaf(&t, solve(TRIGON_D, 32, 900, TRIGON_LEFT), VARIANT_STEP, false, "the first range that reaches 32");
  expect_leaf(&t, solve(TRIGON_D, 33, 900, TRIGON_LEFT), VARIANT_PACKED, false, "the second from 33 on");
  expect_leaf(&t, solve(TRIGON_D, 256, 900, TRIGON_LEFT), VARIANT_PACKED, true, "the second reaches 256");
  expect_leaf(&t, solve(TRIGON_D, 257, 900, TRIGON_LEFT), VARIANT_VENDOR, false, "the last from 257 on");
  expect_leaf(&t, solve(TRIGON_D, 501, 900, TRIGON_LEFT), VARIANT_VENDOR, true, "the last cuts above 500");
  expect_leaf(&t, solve(TRIGON_D, 900, 32, TRIGON_RIGHT), VARIANT_STEP, false, "on the right, n is the order");
  expect_leaf(&t, solve(TRIGON_S, 32, 900, TRIGON_LEFT), VARIANT_VENDOR, false, "another type is unchanged");
  expect_leaf(&t, factor(32), VARIANT_VENDOR, false, "another routine is unchanged");
  const operation check_diagonal = {.routine = ROUTINE_CHECK_DIAGONAL}, trtri = {.routine = ROUTINE_TRTRI};
  check(tuning_leaf(&t, &check_diagonal) == VARIANT_VENDOR && tuning_cut(&t, CUT_HALVES, &check_diagonal) == 0,
        "a routine without a row is one leaf");
  check(tuning_cut(&t, CUT_HALVES, &trtri) == 1, "a composite routine is cut");
}

static void test_shapes(void) {
  tuning t;
  reason why;
  const char text[] =
      "trsm d w16 * step *\ntrsm d w512 600 packed *\ntrsm d w512 * step *\ntrsm d w2048 * packed *\nsyrk d w16 * "
      "step *\nsyrk d w64 * packed *\n"
      "gemm d w16 * step *\ngemm d w512 200 packed *\ngemm d w512 * step *\npotrf sdcz w2048 * packed 7";
  expect(read_text(text, &t, &why) == TRIGON_OK, why.text, "shapes are read");
  expect_leaf(&t, solve(TRIGON_D, 500, 16, TRIGON_LEFT), VARIANT_STEP, false, "16 columns have the shape w16");
  expect_leaf(&t, solve(TRIGON_D, 500, 17, TRIGON_LEFT), VARIANT_VENDOR, false, "17 columns have the shape w64");
  expect_leaf(&t, solve(TRIGON_D, 500, 64, TRIGON_LEFT), VARIANT_VENDOR, false, "64 columns have the shape w64");
  expect_leaf(&t, solve(TRIGON_D, 500, 65, TRIGON_LEFT), VARIANT_PACKED, false, "65 columns have the shape w512");
  expect_leaf(&t, solve(TRIGON_D, 601, 512, TRIGON_LEFT), VARIANT_STEP, false, "512 columns have the shape w512");
  expect_leaf(&t, solve(TRIGON_D, 601, 513, TRIGON_LEFT), VARIANT_PACKED, false, "513 columns have the shape w2048");
  expect_leaf(&t, solve(TRIGON_D, 601, 2049, TRIGON_LEFT), VARIANT_PACKED, false, "the row w2048 serves wider solves");
  expect(read_text("trsm d w* * step 600\ntrsm d w2048 * packed *", &t, &why) == TRIGON_OK, why.text, "w* is read");
  expect_leaf(&t, solve(TRIGON_D, 601, 2048, TRIGON_LEFT), VARIANT_PACKED, false, "2048 columns have the shape w2048");
  expect_leaf(&t, solve(TRIGON_D, 601, 2049, TRIGON_LEFT), VARIANT_STEP, true, "2049 columns have the shape w*");
  expect(read_text("trsm d w1 * packed *\ntrsm d w16 * step *", &t, &why) == TRIGON_OK, why.text, "w1 is read");
  expect_leaf(&t, solve(TRIGON_D, 601, 1, TRIGON_LEFT), VARIANT_PACKED, false, "one column has the shape w1");
  expect_leaf(&t, solve(TRIGON_D, 601, 2, TRIGON_LEFT), VARIANT_STEP, false, "two columns have the shape w16");
  expect(read_text(text, &t, &why) == TRIGON_OK, why.text, "shapes are read again");
  expect_leaf(&t, solve(TRIGON_D, 500, 1, TRIGON_LEFT), VARIANT_STEP, false, "the row w16 serves one column");
  expect_leaf(&t, solve(TRIGON_D, 16, 500, TRIGON_RIGHT), VARIANT_STEP, false, "on the right, rows count");
  expect_leaf(&t, update(500, 16), VARIANT_STEP, false, "an inner size of 16 has the shape w16");
  expect_leaf(&t, update(10, 17), VARIANT_PACKED, false, "an inner size of 17 has the shape w64");
  expect_leaf(&t, multiply(900, 16, 900), VARIANT_STEP, false, "the smallest size of a product counts");
  expect_leaf(&t, multiply(200, 200, 200), VARIANT_PACKED, false, "a cube of 200");
  expect_leaf(&t, multiply(160, 250, 200), VARIANT_PACKED, false, "the same work as a cube of 200");
  expect_leaf(&t, multiply(160, 251, 200), VARIANT_STEP, false, "more work than a cube of 200");
  expect_leaf(&t, factor(7), VARIANT_PACKED, false, "factorizations have the shape w2048");
  expect_leaf(&t, factor(8), VARIANT_PACKED, true, "a product is never cut, a factorization is");
}

static void test_team(void) {
  tuning t;
  reason why;
  expect(read_text("team trsm dz 5000\nteam gemm s *\nteam trsm z 6000\n", &t, &why) == TRIGON_OK, why.text, "teams");
  check(t.team_flops[ROUTINE_TRSM][1] == 5000 && t.team_flops[ROUTINE_TRSM][3] == 6000, "the later line counts");
  check(t.team_flops[ROUTINE_TRSM][0] >= 1e18 && t.team_flops[ROUTINE_GEMM][0] >= 1e18,
        "no team without a line, or with *");
}

static void test_new_row(void) {
  tuning t;
  reason why;
  check(read_text("trsm d * 8 packed *\ntrsm d * 16 packed *\ntrsm d * * packed *", &t, &why) == TRIGON_OK, "a row");
  check(tuning_read("trsm d * * step *", &t, &why) == TRIGON_OK, "the row again, by another text");
  bool left = false;
  for (int s = 0; s < SHAPES; s++)
    for (int i = 0; i < TUNING_RANGES; i++) left |= t.range[ROUTINE_TRSM][1][s][i].leaf != VARIANT_STEP;
  check(!left, "a new row leaves nothing of the old one behind");
}

/* ---------------------------------------------------------------------------------------------- broken tables -- */

static const struct {
  const char *text, *message;
} broken[] = {
    {"trsm d * * vendor", "line 1: \"trsm\" begins no line of the form"},
    {"trsm d * * vendor * *", "line 1: \"trsm\" begins no line of the form"},
    {"\n\nnothing", "line 3: \"nothing\" begins no line of the form"},
    {"team trsm d", "line 1: \"team\" begins no line of the form"},
    {"axpy d * * vendor *", "line 1: \"axpy\" is no routine with leaves"},
    {"trtri d * * vendor *", "line 1: \"trtri\" is no routine with leaves"},
    {"check_diagonal d * * vendor *", "line 1: \"check_diagonal\" is no routine with leaves"},
    {"trsm dq * * vendor *", "line 1: \"dq\" are no types: letters of sdcz expected"},
    {"trsm * * * vendor *", "line 1: \"*\" are no types"},
    {"trsm d tall * vendor *", "line 1: \"tall\" is no shape: w1, w16, w64, w512, w2048, w* or * expected"},
    {"trsm d * 0 vendor *", "line 1: \"0\" is no order"},
    {"trsm d * -1 vendor *", "line 1: \"-1\" is no order"},
    {"trsm d * 1x vendor *", "line 1: \"1x\" is no order"},
    {"trsm d * 1e3 vendor *", "line 1: \"1e3\" is no order"},
    {"trsm d * 9999999999999999999 vendor *", "line 1: \"9999999999999999999\" is no order"},
    {"trsm d * * fast *", "line 1: \"fast\" is no leaf: vendor, step, packed or dataflow expected"},
    {"trsm d * * vendor 0", "line 1: \"0\" is no order"},
    {"trsm d * * vendor x", "line 1: \"x\" is no order"},
    {"trsm d * 8 vendor *\ntrsm d * 8 vendor *", "line 2: the orders of a row must increase, and * is the last (trsm)"},
    {"trsm d * * vendor *\ntrsm sd * 8 vendor *", "line 2: the orders of a row must increase"},
    {"trsm d * * vendor *\ntrsm d w16 * vendor *", "line 2: the orders of a row must increase"},
    {"trsm d * 8 vendor *\n\n", "line 2: end of the table: a row of trsm lacks the range with the order *"},
    {"trsm d w16 8 vendor *\ntrsm d w64 * vendor *", "end of the table: a row of trsm lacks the range"},
    {"gemm z * 1 vendor *\ngemm z * 2 vendor *\ngemm z * 3 vendor *\ngemm z * 4 vendor *\ngemm z * 5 vendor *",
     "line 5: a row of gemm has too many ranges"},
    {"team nothing d 1", "line 1: \"nothing\" is no routine with leaves"},
    {"team trsm x 1", "line 1: \"x\" are no types"},
    {"team trsm d 0", "line 1: \"0\" is no number of flops"},
    {"team trsm d 1.5", "line 1: \"1.5\" is no number of flops"},
    {"trsm d * * vendor * ####################################################################################"
     "##############################################################################################################",
     "line 1: the line is longer than 199 characters"},
};

static void test_broken(void) {
  tuning before, t;
  tuning_clear(&before);
  before.range[ROUTINE_TRSM][1][SHAPE_W64][0].stop = 77;
  for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
    reason why = {0};
    char text[1000];
    snprintf(text, sizeof text, "%s", broken[i].text);
    memcpy(&t, &before, sizeof t);
    expect(tuning_read(text, &t, &why) == TRIGON_BAD_ARGUMENT, text, "a broken table is refused");
    expect(strstr(why.text, broken[i].message) != NULL, why.text, broken[i].message);
    expect(memcmp(&t, &before, sizeof t) == 0, text, "a refused table changes nothing");
  }
  char good[400] =
      "gemm z * 1 vendor *\ngemm z * 2 vendor *\ngemm z * 3 vendor *\ngemm z * 4 vendor *\ngemm z * * vendor *";
  check(read_text(good, &t, &(reason){0}) == TRIGON_OK, "a row may have five ranges");
}

/* Lines of random words and bytes: either a table, in which every row reaches every order, or a message with a line. */
static void test_random(void) {
  static const char *const words[] = {"trsm",  "gemm", "team", "potrf", "d",    "sdcz",   "*",    "w512",
                                      "w2048", "8",    "16",   "4096",  "step", "vendor", "#",    "\t",
                                      "\r",    "x",    "-",    "0",     "\xff", "packed", "host", "columns"};
  unsigned state = 1, tables = 0;
  for (int round = 0; round < 20000; round++) {
    char text[600] = "";
    size_t length = 0;
    const int count = round % 60;
    for (int i = 0; i < count && length < 500; i++) {
      state = state * 1103515245u + 12345u;
      const unsigned drawn = state >> 16;
      if (drawn % 50 == 0)
        text[length++] = (char)(drawn % 255 + 1);
      else
        length += (size_t)sprintf(text + length, "%s%c", words[drawn % (sizeof words / sizeof *words)],
                                  drawn % 7 ? ' ' : '\n');
    }
    tuning t;
    reason why = {0};
    const trigon_status status = read_text(text, &t, &why);
    tables += status == TRIGON_OK;
    if (status != TRIGON_OK && strncmp(why.text, "line ", 5) != 0) expect(false, text, "a message with its line");
    for (int r = 0; r < TUNED_ROUTINES; r++)
      if (t.range[r][1][SHAPE_W2048][TUNING_RANGES - 1].last != INT64_MAX)
        expect(false, text, "a row reaches every order");
  }
  check(tables > 300 && tables < 19000, "some random texts are tables");
}

/* ----------------------------------------------------------------------------------------------------- files -- */

static char folder[] = "/tmp/trigon-test-tuning-XXXXXX", path[200], file[400];

static void write_file(const char *text, size_t length) {
  FILE *to = fopen(file, "wb");
  if (!to || fwrite(text, 1, length, to) != length || fclose(to) != 0) abort();
}
static void write_text(const char *text) { write_file(text, strlen(text)); }

/* Writes a table with the version's line before the text. */
static void write_table(const char *text) {
  char whole[400];
  snprintf(whole, sizeof whole, "version %d\n%s", tuning_version, text);
  write_text(whole);
}

static trigon_context *create(const char *name, trigon_status expected, const char *words) {
  char why[600] = "";
  trigon_context *ctx;
  const trigon_status status = trigon_create(name, &ctx, why, sizeof why);
  expect(status == expected, why, name);
  if (status != TRIGON_OK)
    expect(words && strstr(why, words) && strstr(why, "trigon_create: "), why, words ? words : "");
  return ctx;
}

/* The context must say that this table is in force, and give this advice. */
static void expect_table(const char *name, const char *table, const char *advice) {
  trigon_context *ctx = create(name, TRIGON_OK, NULL);
  expect(ctx && strstr(trigon_describe(ctx), table), trigon_describe(ctx), table);
  expect(ctx && (advice ? strstr(trigon_advice(ctx), advice) != NULL : !strstr(trigon_advice(ctx), "table")),
         trigon_advice(ctx), advice ? advice : "no advice");
  trigon_destroy(ctx);
}

/* Whether a table of the file is in force: POTRF of order 40 is then cut into many leaves. */
static int64_t calls_of(const char *name) {
  static double A[40 * 40];
  trigon_count counts[TRIGON_LAUUM + 1];
  trigon_context *ctx = create(name, TRIGON_OK, NULL);
  for (int i = 0; i < 40; i++) A[41 * i] = 1;
  if (!ctx || trigon_dpotrf(ctx, TRIGON_LOWER, 40, A, 40, NULL) != TRIGON_OK) abort();
  trigon_trace(ctx, counts, TRIGON_LAUUM + 1);
  trigon_destroy(ctx);
  return counts[TRIGON_POTRF].calls;
}

static const char small[] = "potrf sdcz * * vendor 5\n";

static void test_option(void) {
  char name[600], words[700];
  setenv("TRIGON_TUNING", "none", 1);
  snprintf(name, sizeof name, "cpu?trace=1&tuning=%s", file);
  snprintf(words, sizeof words, "%s: No such file", file);
  check(!create(name, TRIGON_NOT_FOUND, words), "a missing file of the option");
  write_table(small);
  snprintf(words, sizeof words, "table: %s", file);
  expect_table(name, words, NULL);
  check(calls_of(name) == 8 && calls_of("cpu?trace=1") == 1, "the file's table decides where the recursion stops");
  write_table("\ntrsm d * * fast *\n");
  snprintf(words, sizeof words, "%s: line 3: \"fast\" is no leaf", file);
  check(!create(name, TRIGON_BAD_ARGUMENT, words), "a broken file of the option");
  snprintf(name, sizeof name, "cpu?tuning=%s", folder);
  check(!create(name, TRIGON_BAD_ARGUMENT, "is not a regular file"), "a folder");
  setenv("TRIGON_TUNING", file, 1);
  expect_table("cpu?tuning=none", "table: built in", NULL);
  check(!create("cpu?tuning=", TRIGON_BAD_ARGUMENT, "option tuning names no file"), "an empty name");
}

static void test_broken_files(void) {
  static char large[65 * 1024];
  char words[700];
  setenv("TRIGON_TUNING", file, 1);
  unlink(file);
  expect_table("cpu", "table: built in", "the tuning table is ignored: ");
  expect_table("cpu", "table: built in", "No such file");
  write_text("trsm d * * vendor *\n");
  expect_table("cpu", "table: built in", "is too old: the line `version 2` is missing");
  write_text("# made by hand\n\nversion 1\ntrsm d * * vendor *\n");
  expect_table("cpu", "table: built in", "line 3: the table has version 1, but this library reads another one");
  write_table("trsm d * 8 vendor *\n");
  snprintf(words, sizeof words, "the tuning table is ignored: %s: line 2: end of the table", file);
  expect_table("cpu", "table: built in", words);
  write_file("trsm d * * vendor *\n\0potrf", 26);
  expect_table("cpu", "table: built in", "line 2: a byte is 0");
  memset(large, '\n', sizeof large);
  memcpy(large, "version 2", 9);
  write_file(large, 64 * 1024);
  snprintf(words, sizeof words, "table: %s", file);
  expect_table("cpu", words, NULL);
  write_file(large, 64 * 1024 + 1);
  expect_table("cpu", "table: built in", "is larger than 64 KiB");
  unlink(file);
  if (mkfifo(file, 0600) != 0) abort();
  expect_table("cpu", "table: built in", "is not a regular file");
  unlink(file);
  memset(large, 'x', 2000);
  large[2000] = '\0';
  setenv("TRIGON_TUNING", large, 1);
  expect_table("cpu", "table: built in", "the path is too long");
}

/* The texts of a context are lines, and are safe for a terminal. A path and the words of a file may hold any byte. */
static void test_escaped(void) {
  char odd[500], words[1000];
  setenv("TRIGON_TUNING", "a\nb\x1b[31m", 1);
  expect_table("cpu", "table: built in", "is ignored: a\\x0ab\\x1b[31m: No such file");
  write_table("trsm d * * fa\x1b[31mst *\n");
  setenv("TRIGON_TUNING", file, 1);
  expect_table("cpu", "table: built in", "line 2: \"fa\\x1b[31mst\" is no leaf");
  write_table("");
  snprintf(odd, sizeof odd, "%s/a\n\x1b.table", folder);
  if (rename(file, odd) != 0) abort();
  setenv("TRIGON_TUNING", odd, 1);
  snprintf(words, sizeof words, "table: %s/a\\x0a\\x1b.table", folder);
  expect_table("cpu", words, NULL);
  unlink(odd);
}

static void test_environment(void) {
  char name[600];
  unsetenv("TRIGON_TUNING");
  setenv("XDG_CONFIG_HOME", folder, 1);
  trigon_context *ctx = create("cpu", TRIGON_OK, NULL);
  const char *found = trigon_tuning_file(ctx);
  snprintf(path, sizeof path, "%s/trigon", folder);
  expect(strncmp(found, path, strlen(path)) == 0 && strlen(found) > 6 &&
             strcmp(found + strlen(found) - 6, ".table") == 0,
         found, "the file is in the folder of the user's settings");
  const char *base = found + strlen(path) + 1;
  expect(strspn(base, "abcdefghijklmnopqrstuvwxyz0123456789._-") == strlen(base), base, "its name has safe characters");
  expect(strchr(base, '-') != NULL, base, "its name has two parts");
  expect(strstr(trigon_describe(ctx), "table: built in") && !strstr(trigon_advice(ctx), "table"), found,
         "a missing file");
  if (mkdir(path, 0700) != 0) abort();
  snprintf(file, sizeof file, "%s", found);
  trigon_destroy(ctx);
  write_table(small);
  expect_table("cpu", file, NULL);
  check(calls_of("cpu?trace=1") == 8, "the user's table is in force");
  setenv("TRIGON_TUNING", "", 1);
  check(calls_of("cpu?trace=1") == 8, "an empty variable does not count");
  setenv("TRIGON_TUNING", "none", 1);
  check(calls_of("cpu?trace=1") == 1, "none: the built-in table");
  unsetenv("TRIGON_TUNING");
  snprintf(name, sizeof name, "%s/.config", folder);
  setenv("HOME", folder, 1);
  setenv("XDG_CONFIG_HOME", "relative", 1);
  ctx = create("cpu", TRIGON_OK, NULL);
  expect(strncmp(trigon_tuning_file(ctx), name, strlen(name)) == 0, trigon_tuning_file(ctx), "else ~/.config");
  trigon_destroy(ctx);
  unsetenv("HOME");
  ctx = create("cpu", TRIGON_OK, NULL);
  expect(!*trigon_tuning_file(ctx) && !*trigon_tuning_file(NULL), trigon_tuning_file(ctx), "or nowhere");
  trigon_destroy(ctx);
  unlink(file);
  rmdir(path);
}

/* No simulated GPU is a Hopper, so only this test reads the table. */
static void test_hopper(void) {
  tuning t;
  reason why = {0};
  const trigon_status status = read_text(gpu_arch_hopper.rows, &t, &why);
  expect(status == TRIGON_OK, why.text, "the built-in table of Hopper is right");
  const operation square = solve(TRIGON_D, 4096, 4096, TRIGON_LEFT), few = solve(TRIGON_D, 4096, 64, TRIGON_LEFT);
  check(tuning_cut(&t, CUT_HALVES, &square) > 0 && tuning_cut(&t, CUT_HALVES, &few) == 0,
        "on Hopper the recursion cuts a square solve, and one leaf computes a solve with few columns");
}

int main(void) {
  test_hopper();
  test_ranges();
  test_shapes();
  test_team();
  test_new_row();
  test_broken();
  test_random();
  if (!mkdtemp(folder)) abort();
  snprintf(file, sizeof file, "%s/a.table", folder);
  test_option();
  test_broken_files();
  test_escaped();
  test_environment();
  rmdir(folder);
  return checked();
}

/* test_picture_svg.c - the benchmark's picture as gnuplot draws it.
 *
 * No two texts overlap, no text leaves the picture, and every measured size has a tic. The argument is a folder for
 * the pictures. */
#include "bench/picture/layout.h"
#include "bench/picture/picture.h"
#include "bench/picture/plot.h"
#include "picture_rows.h"
#include "support/check.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TEXTS = 2000, MOST_ROWS = 300 };

/* A text of the picture, and its space. */
typedef struct box {
  char text[256];
  frame f;
} box;

/* -------------------------------------------------------------------------------------------- the picture -- */

/* Replaces &lt; and similar codes by their characters. */
static void unescape(char *text) {
  static const char *const names[] = {"&lt;", "&gt;", "&amp;", "&#39;", "&quot;"};
  char *to = text;
  for (const char *at = text; *at; to++) {
    int i = 0;
    while (i < 5 && strncmp(at, names[i], strlen(names[i])) != 0) i++;
    *to = i < 5 ? "<>&'\""[i] : *at;
    at += i < 5 ? strlen(names[i]) : 1;
  }
  *to = '\0';
}

/* Returns the space of a text. The baseline begins, ends or has its middle at (x, y). */
static frame space(const char *text, double x, double y, double font, char anchor, bool upright) {
  double width = text_width(text, strlen(text), font), before = anchor == 's' ? 0 : anchor == 'm' ? width / 2 : width;
  double above = 0.75 * font, below = 0.22 * font;
  if (upright) return (frame){x - above, y - width + before, x + below, y + before};
  return (frame){x - before, y - above, x - before + width, y + below};
}

/* Reads all texts of an SVG file by gnuplot. Returns the number of texts. */
static int read_texts(const char *path, box *boxes, double *height) {
  char line[4096], text[256];
  double x = 0, y = 0, font = 0, width;
  char anchor = 's';
  bool upright = false;
  int count = 0;
  FILE *file = fopen(path, "r");
  if (!file) return 0;
  while (fgets(line, sizeof line, file)) {
    sscanf(line, " width=\"%lf\" height=\"%lf\"", &width, height);
    const char *at = strstr(line, "<g transform=\"translate("), *size = strstr(line, "font-size=\"");
    const char *side = strstr(line, "text-anchor=\"");
    if (at && size && side) {
      sscanf(at, "<g transform=\"translate(%lf,%lf)", &x, &y);
      sscanf(size, "font-size=\"%lf", &font);
      anchor = side[strlen("text-anchor=\"")];
      upright = strstr(at, "rotate(") != NULL;
    }
    at = strstr(line, "<text>");
    if (!at || sscanf(at, "<text>%255[^<]", text) != 1 || count == MOST_TEXTS) continue;
    unescape(text);
    snprintf(boxes[count].text, sizeof boxes[count].text, "%s", text);
    boxes[count++].f = space(text, x, y, font, anchor, upright);
  }
  fclose(file);
  return count;
}

static bool overlap(const frame *a, const frame *b) {
  return a->left < b->right && b->left < a->right && a->top < b->bottom && b->top < a->bottom;
}

static bool has_text(const box *boxes, int count, const char *text) {
  for (int i = 0; i < count; i++)
    if (strcmp(boxes[i].text, text) == 0) return true;
  return false;
}

/* -------------------------------------------------------------------------------------------------- checks -- */

static const picture_source short_source = {
    "cpu", "OpenBLAS 0.3.21, 2 threads, 32-bit integers", NULL, "AMD EPYC", "2026-11-21", true};
static const picture_source long_source = {
    "cpu:/opt/vendor/libraries/with/a/very/long/path/that/does/not/end/and/has/no/blank/in/it/anywhere/at/all/"
    "lib/x86_64-linux-gnu/libblis.so.4?stop=64&split=power&native=0",
    "/opt/vendor/libraries/with/a/very/long/path/that/does/not/end/and/has/no/blank/in/it/anywhere/at/all/lib/"
    "x86_64-linux-gnu/libblis.so.4, 64-bit integers, leaf factorizations of our own",
    NULL,
    "Intel(R) Xeon(R) Platinum 8480+ CPU @ 2.00 GHz <with \"it's\" & what else a maker's name may hold>, stepping 11, "
    "in a virtual machine of a data centre",
    "2026-11-21",
    true};

/* Checks the tics of the script. There are as many lists as axes of sizes, and each list has every size of the
 * panel. */
static void check_tics(const bench_row *rows, int count, const picture_source *source) {
  panel_list panels;
  picture_heading heading;
  static char script[1 << 20];
  FILE *file = tmpfile();
  if (!file || !panels_make(rows, count, &panels)) exit(1);
  heading_make(&panels, source, &heading);
  check(picture_script(file, &panels, &heading), "a script");
  rewind(file);
  script[fread(script, 1, sizeof script - 1, file)] = '\0';
  fclose(file);
  const char *at = script;
  for (int i = 0; i < panels.count; i++)
    for (int axis = 0; axis < (panel_has(&panels.panel[i], NATIVE_IMPL) ? 2 : 1); axis++) {
      at = strstr(at, "set xtics (");
      check(at != NULL, "an axis of sizes");
      if (!at) break;
      const char *end = strchr(at, '\n');
      for (int k = 0; k < panels.panel[i].count; k++) {
        char tic[40];
        snprintf(tic, sizeof tic, "' %lld%c", (long long)panel_size(&panels.panel[i], k),
                 k + 1 < panels.panel[i].count ? ',' : ')');
        const char *found = strstr(at, tic);
        check(found && found < end, "every size has a tic");
      }
      at = end;
    }
  check(strstr(script, "unset key") && !strstr(script, " title "), "no legend");
  panels_free(&panels);
}

static void draw(const char *path, const char *what, const bench_row *rows, int count, const picture_source *source) {
  static box boxes[MOST_TEXTS];
  char why[1024], message[2048];
  double height = 0;
  snprintf(message, sizeof message, "%s: drawn", what);
  check(plot_rows(path, rows, count, source, why, sizeof why), message);
  int texts = read_texts(path, boxes, &height);
  snprintf(message, sizeof message, "%s: the lines' names are texts", what);
  check(has_text(boxes, texts, "Trigon") || has_text(boxes, texts, "Trigon 66"), message);
  for (int i = 0; i < texts; i++) {
    const frame *f = &boxes[i].f;
    snprintf(message, sizeof message, "%s: '%.255s' is inside of the picture", what, boxes[i].text);
    check(f->left >= 0 && f->right <= PICTURE_WIDTH && f->top >= 0 && f->bottom <= height, message);
    for (int k = 0; k < i; k++) {
      snprintf(message, sizeof message, "%s: '%.255s' and '%.255s' do not overlap", what, boxes[k].text, boxes[i].text);
      check(!overlap(f, &boxes[k].f), message);
    }
  }
  check_tics(rows, count, source);
}

/* Makes `panels` routines with `sizes` sizes each, from `first` on. The sizes differ by a factor or by a step. */
static int make_rows(bench_row *rows, int panels, int sizes, int64_t first, bool factor) {
  static const char *const names[] = {"potrf", "potri", "trtri", "lauum", "trsm", "trmm", "gemm", "her2k"};
  static const char *const variants[] = {"L", "U", "LN", "L", "LLNN", "RUTU", "NN", "LN"};
  int count = 0;
  for (int p = 0; p < panels; p++) {
    int64_t size = first;
    for (int i = 0; i < sizes; i++, size = factor ? 2 * size : size + first)
      rows[count++] = picture_row(names[p], 'd', variants[p], (int64_t[]){size, size, size}, 100);
  }
  return count;
}

static void pictures_of_all_shapes(const char *path) {
  static bench_row rows[MOST_ROWS];
  static const int sizes[] = {1, 2, 3, 12};
  char what[200];
  for (int panels = 1; panels <= 8; panels++)
    for (int s = 0; s < 4; s++) {
      bool odd = (panels + s) % 2;
      int count = make_rows(rows, panels, sizes[s], odd ? 512 : 64, odd && s > 2);
      snprintf(what, sizeof what, "%d panels of %d sizes", panels, sizes[s]);
      draw(path, what, rows, count, odd ? &long_source : &short_source);
    }
}

/* Draws speeds and ratios that are close, far apart, tiny and huge. */
static void pictures_of_all_speeds(const char *path) {
  static bench_row rows[MOST_ROWS];
  static const double speeds[][3] = {
      {100, 100, 100}, {0.001, 99, 100}, {0, 0, 0.003}, {48000, 51000, 60000}, {99.9, 1, 0.5}};
  static const double ratios[] = {1, 0.001, 700, 0.3, 5};
  char what[200];
  for (int i = 0; i < 5; i++)
    for (int panels = 1; panels <= 3; panels++) {
      int count = make_rows(rows, panels, 4, 512, true);
      for (int k = 0; k < count; k++) {
        for (int impl = 0; impl < IMPLS; impl++) rows[k].impl[impl].gflops = speeds[i][impl] * (1 + 0.1 * (k % 4));
        rows[k].ratio = k % 2 ? 1 : ratios[i];
      }
      snprintf(what, sizeof what, "speeds %d in %d panels", i, panels);
      draw(path, what, rows, count, &short_source);
    }
}

static void pictures_with_long_titles(const char *path) {
  static bench_row rows[MOST_ROWS];
  int count = 0;
  for (int p = 0; p < 3; p++)
    for (int i = 0; i < 3; i++)
      rows[count++] = picture_row("gemm", 'z', "CT", (int64_t[]){100000000 << i, 1000000000 + p, 999999999}, 100);
  draw(path, "long titles of panels, long sizes", rows, count, &long_source);
}

static void pictures_without_some_lines(const char *path) {
  static bench_row rows[MOST_ROWS];
  for (int without = 1; without < 8; without++) {
    int count = make_rows(rows, 3, 3, 512, true);
    for (int k = 0; k < count; k++) {
      if (without & 1 && (!(without & 4) || k < 3)) rows[k].impl[NATIVE_IMPL].measured = false;
      if (without & 2) rows[k].impl[GEMM_IMPL].measured = false;
    }
    draw(path, "without some lines", rows, count, &short_source);
  }
}

int main(int argc, char **argv) {
  char path[4096];
  if (argc != 2) return 2;
  if (!program_found("gnuplot")) {
    puts("SKIPPED: gnuplot is not installed");
    return 0;
  }
  snprintf(path, sizeof path, "%s/picture_test.svg", argv[1]);
  pictures_of_all_shapes(path);
  pictures_of_all_speeds(path);
  pictures_with_long_titles(path);
  pictures_without_some_lines(path);
  return checked();
}

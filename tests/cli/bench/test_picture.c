/* test_picture.c - the layout of the benchmark's picture: panels, axes, tics, labels, headings. */
#include "bench/picture/plan.h"
#include "picture_rows.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool near(double a, double b) { return fabs(a - b) < 1e-9 * fmax(1, fabs(b)); }

/* ---------------------------------------------------------------------------------------------- geometry -- */

static void labels_are_spread_without_need_to_move_far(void) {
  double far[] = {10, 50, 90};
  spread(far, 3, 16, 0, 100);
  check(far[0] == 10 && far[1] == 50 && far[2] == 90, "labels that are far apart stay");
  double close[] = {50, 50, 50, 50};
  spread(close, 4, 16, 0, 200);
  check(near(close[0], 26) && near(close[1], 42) && near(close[2], 58) && near(close[3], 74),
        "labels at one place are spread around it");
  double low[] = {0, 1, 2, 99};
  spread(low, 4, 16, 0, 100);
  check(near(low[0], 0) && near(low[1], 16) && near(low[2], 32) && near(low[3], 99),
        "no label is outside at the low end");
  double high[] = {99, 100, 100};
  spread(high, 3, 16, 0, 100);
  check(near(high[0], 68) && near(high[1], 84) && near(high[2], 100), "no label is outside at the high end");
  double two[] = {20, 30, 70, 72};
  spread(two, 4, 16, 0, 100);
  check(near(two[0], 17) && near(two[1], 33) && near(two[2], 63) && near(two[3], 79), "groups move by themselves");
}

static void text_is_broken_at_blanks(void) {
  const char *rest = "one two three", *line;
  size_t length;
  double width = text_width("one two ", 8, 13);
  check(text_line(&rest, 13, width, &line, &length) && length == 7 && memcmp(line, "one two", 7) == 0,
        "the first line");
  check(text_line(&rest, 13, width, &line, &length) && length == 5 && memcmp(line, "three", 5) == 0, "the second line");
  check(!text_line(&rest, 13, width, &line, &length), "no third line");
  rest = "/a/path/without/blanks";
  size_t sum = 0;
  while (text_line(&rest, 13, 50, &line, &length)) {
    check(text_width(line, length, 13) <= 50, "a word that is too long is broken");
    sum += length;
  }
  check(sum == 22, "a broken word loses nothing");
  rest = "wide";
  check(text_line(&rest, 13, 0.1, &line, &length) && length == 1, "a line has a character at least");
  rest = "";
  check(!text_line(&rest, 13, 100, &line, &length), "an empty text gives no line");
}

/* -------------------------------------------------------------------------------------------------- axes -- */

static void axes_fit_what_they_show(void) {
  axis a = axis_of_sizes(512, 4096);
  check(a.logarithmic && near(a.high, 4096) && a.low < 512, "sizes that span a factor of 8 have a logarithmic axis");
  check(near(axis_share(&a, 2048) - axis_share(&a, 1024), axis_share(&a, 1024) - axis_share(&a, 512)),
        "powers of two are at equal distances");
  check(!axis_of_sizes(512, 1024).logarithmic, "a factor of 2 has a linear axis");
  a = axis_of_sizes(512, 512);
  check(near(axis_share(&a, 512), 0.5), "a single size is in the middle");
  a = axis_of_speeds(73, 200);
  check(a.low == 0 && near(a.high, 80) && a.tics == 5 && near(a.tic[1], 20), "speeds up to 73 have steps of 20");
  a = axis_of_speeds(0.0123, 200);
  check(a.high >= 0.0123 && a.high < 0.025 && a.tics >= 3, "small speeds have small steps");
  a = axis_of_ratios(0.98, 1.01, 100);
  check(!a.logarithmic && a.low <= 0.95 && a.high >= 1.05, "ratios near 1 are not blown up");
  a = axis_of_ratios(0.01, 3, 64);
  bool one = false;
  for (int i = 0; i < a.tics; i++) one |= near(a.tic[i], 1);
  check(a.logarithmic && one && a.low < 0.01 && a.high > 3, "ratios that differ much have a logarithmic axis, with 1");
  for (int i = 1; i < a.tics; i++)
    check((axis_share(&a, a.tic[i]) - axis_share(&a, a.tic[i - 1])) * 64 > FONT, "the labels of the axis have room");
}

static void labels_of_sizes_do_not_overlap(void) {
  enum { COUNT = 40 };
  for (int width = 60; width <= 800; width += 37)
    for (int count = 1; count <= COUNT; count++) {
      size_tic tics[COUNT];
      axis a = axis_of_sizes(512, 512.0 * count);
      int labelled = 0;
      double end = -INFINITY;
      for (int i = 0; i < count; i++)
        tics[i] = (size_tic){512 * (i + 1), axis_share(&a, 512.0 * (i + 1)) * width, false};
      label_sizes(tics, count, FONT);
      for (int i = 0; i < count; i++) {
        if (!tics[i].labelled) continue;
        char text[24];
        double half = text_width(text, (size_t)snprintf(text, sizeof text, "%d", (int)tics[i].size), FONT) / 2;
        check(tics[i].x - half > end, "labels of sizes do not overlap");
        end = tics[i].x + half;
        labelled++;
      }
      check(labelled > 0, "there are labels");
      check(width < 800 || count > 8 || labelled == count || count < 8, "if there is room, all sizes have a label");
    }
}

/* ------------------------------------------------------------------------------------------------- panels -- */

static void rows_become_panels(void) {
  static bench_row rows[24];
  panel_list list;
  char words[MOST_PANEL_WORDS];
  int count = 0;
  for (int m = 0; m < 3; m++)
    for (int n = 0; n < 4; n++) rows[count++] = picture_row("trsm", 'd', "LLNN", (int64_t[]){1024 << m, 8 >> n, 0}, 10);
  check(panels_make(rows, count, &list) && list.count == 3, "three sizes m and four n: three panels");
  check(list.panel[0].axis == 'n' && list.panel[0].count == 4, "a panel's axis is the size with the most values");
  for (int i = 0; i < 4; i++)
    check(panel_size(&list.panel[1], i) == 1 << i, "a panel has its sizes in ascending order");
  panel_words(&list.panel[1], words);
  check(strcmp(words, "dtrsm LLNN, m = 2048") == 0, "the title names the size that is the same");
  panels_free(&list);

  for (int i = 0; i < 5; i++) rows[i] = picture_row("syrk", 'z', "UT", (int64_t[]){64 << i, 64 << i, 64 << i}, 10);
  check(panels_make(rows, 5, &list) && list.count == 1, "equal sizes: one panel");
  panel_axis_words(&list.panel[0], words);
  check(strcmp(words, "n = k") == 0, "the axis of the panel names the equal sizes");
  panel_words(&list.panel[0], words);
  check(strcmp(words, "zsyrk UT") == 0, "the title of the panel does not name the equal sizes");
  panels_free(&list);

  const char *names[] = {"potrf", "potrf", "potri"}, types[] = {'s', 'd', 'd'};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 2; k++) rows[2 * i + k] = picture_row(names[i], types[i], "L", (int64_t[]){0, 100 + k, 0}, 10);
  check(panels_make(rows, 6, &list) && list.count == 3, "types and routines are panels");
  check(!panel_is_single(&list.panel[0]) && panel_has(&list.panel[0], GEMM_IMPL), "a panel knows what was measured");
  panels_free(&list);
}

/* ----------------------------------------------------------------------------------------------- heading -- */

static bool holds(const char *text, const char *words) { return strstr(text, words) != NULL; }

static void the_heading_says_what_where_and_when(void) {
  static const char cpu[] = "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH Zen, 2 threads, 32-bit integers, with LAPACK";
  bench_row rows[2];
  panel_list list;
  picture_heading h;
  for (int i = 0; i < 2; i++) rows[i] = picture_row("potrf", 'd', "L", (int64_t[]){0, 512 << i, 0}, 10);
  check(panels_make(rows, 2, &list), "panels");
  heading_make(&list, &(picture_source){"cpu?stop=64", cpu, NULL, "A CPU", "2026-11-21", true}, &h);
  check(strcmp(h.title, "dpotrf L: Trigon against native OpenBLAS 0.3.21 and GEMM") == 0, "the title");
  check(holds(h.machine, "A CPU, OpenBLAS 0.3.21, 2 threads, backend cpu?stop=64, Trigon ") &&
            holds(h.machine, ", 2026-11-21"),
        "machine, threads, day");
  check(holds(h.note, "ceiling") && holds(h.note, "above 1, Trigon is faster"),
        "the note explains the grey and the ratio");
  heading_make(
      &list, &(picture_source){"cuda:0", "A GPU, 132 multiprocessors, 1 MiB, cuBLAS 13.1.0", NULL, "A CPU", "", false},
      &h);
  check(holds(h.title, "native cuBLAS 13.1.0 and") && holds(h.machine, "A GPU, 132") && !holds(h.machine, "A CPU"),
        "a GPU's heading names the GPU");
  heading_make(&list, &(picture_source){"cpu:b\x1b\xff", "/lib/b\x1b[1m.so, 64-bit integers", NULL, "A CPU", "", true},
               &h);
  check(holds(h.title, "native /lib/b?[1m.so and") && holds(h.machine, "backend cpu:b??,"),
        "bytes of names are made safe");
  static const char own[] = "register kernels of our own (avx2), 2 threads, table: built in for AVX2";
  heading_make(&list, &(picture_source){"cpu", own, cpu, "A CPU", "", true}, &h);
  check(holds(h.title, "native OpenBLAS 0.3.21 and") &&
            holds(h.machine, "A CPU, register kernels of our own (avx2), 2 "),
        "native is another library than the backend's");
  panels_free(&list);

  for (int i = 0; i < 2; i++) rows[i].impl[NATIVE_IMPL].measured = rows[i].impl[GEMM_IMPL].measured = false;
  check(panels_make(rows, 2, &list), "panels");
  heading_make(&list, &(picture_source){"cpu", cpu, NULL, "A CPU", "", true}, &h);
  check(strcmp(h.title, "dpotrf L: Trigon") == 0 && *h.note == '\0', "the heading names only what was measured");
  panels_free(&list);
}

/* The labels of a plan keep a distance from each other and stay beside their frame. */
static void line_labels_keep_apart(void) {
  bench_row rows[2];
  panel_list list;
  picture_heading h = {"title", "machine", "note"};
  for (int trigon = 0; trigon <= 100; trigon += 5)
    for (int native = 0; native <= 100; native += 5) {
      for (int i = 0; i < 2; i++) {
        rows[i] = picture_row("potrf", 'd', "L", (int64_t[]){0, 512 << i, 0}, 100);
        rows[i].impl[TRIGON_IMPL].gflops = trigon;
        rows[i].impl[NATIVE_IMPL].gflops = native;
      }
      check(panels_make(rows, 2, &list), "panels");
      const picture_plan plan = plan_make(&list, &h);
      line_label labels[IMPLS];
      frame f = layout_speed(&plan.layout, 0);
      check(plan_labels(&plan, 0, labels) == 3, "three labels");
      for (int i = 0; i < 3; i++) {
        check(labels[i].middle >= f.top - 1e-9 && labels[i].middle <= f.bottom + 1e-9, "a label is beside its frame");
        check(i == 0 || labels[i].middle - labels[i - 1].middle >= LINE_GAP - 1e-9, "labels keep apart");
        check(i == 0 || labels[i].end >= labels[i - 1].end, "labels have the order of the lines");
      }
      panels_free(&list);
    }
}

/* Two panels; the second is this much faster. The test checks whether each panel has its own axis, and how high the
 * axes are. */
static void slow_panels_have_axes_of_their_own(void) {
  bench_row rows[2];
  panel_list list;
  picture_heading h = {"title", "machine", "note"};
  for (int factor = 2; factor <= 8; factor *= 2) {
    for (int i = 0; i < 2; i++)
      rows[i] = picture_row("trsm", i ? 's' : 'd', "LLNN", (int64_t[]){512, 512, 0}, i ? 10 * factor : 10);
    check(panels_make(rows, 2, &list) && list.count == 2, "two panels");
    const picture_plan plan = plan_make(&list, &h);
    check(near(plan_speeds(&plan, 0).high, factor > 3 ? 10 : 20), "the slow panel's axis");
    check(near(plan_speeds(&plan, 1).high, 10 * factor), "the fast panel's axis");
    check(plan.unit == 1, "in Gflop/s");
    panels_free(&list);
  }
  rows[0] = picture_row("trsm", 'd', "LLNN", (int64_t[]){512, 512, 0}, 40000);
  check(panels_make(rows, 1, &list), "a panel");
  const picture_plan plan = plan_make(&list, &h);
  check(plan.unit == 1000 && near(plan.speeds.high, 40), "large speeds are counted in Tflop/s");
  panels_free(&list);
}

int main(void) {
  slow_panels_have_axes_of_their_own();
  labels_are_spread_without_need_to_move_far();
  text_is_broken_at_blanks();
  axes_fit_what_they_show();
  labels_of_sizes_do_not_overlap();
  rows_become_panels();
  the_heading_says_what_where_and_when();
  line_labels_keep_apart();
  return checked();
}

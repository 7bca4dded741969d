/* picture.c - draws the planned picture on a canvas. */
#include "picture.h"
#include "canvas.h"
#include "plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How the line of each implementation looks. The colours are Okabe's and Ito's: colour-blind people can tell them
 * apart, by the points, too. */
static const struct {
  const char *colour, *words; /* words: the colour of text, dark enough to be legible */
  double width;
  int point; /* gnuplot's number, or -1 for none */
} looks[IMPLS] = {{"#0072b2", "#0072b2", 2.2, 7}, {"#d55e00", "#bf5400", 1.6, 5}, {"#a8a8a8", "#6e6e6e", 1.2, -1}};

static const char grey[] = "#555555", ceiling[] = "#f0000000";
static const text_style title_style = {TITLE_FONT, "#000000", "left"}, small_style = {FONT, "#555555", "left"},
                        panel_style = {FONT, "#000000", "left"}, axis_style = {FONT, "#000000", "center"},
                        upright_style = {FONT, "#000000", "center rotate"};

enum { RATIO_COLUMN = 2 + IMPLS }; /* of the printed data */

/* The picture that is being drawn. */
typedef struct drawing {
  canvas on;
  const picture_plan *plan;
  size_tic *tics; /* room for the tics of one panel */
} drawing;

/* Prints a line of data: the place on the axis, the speeds, the ratio. */
static void print_row(const drawing *d, const bench_row *row, double x) {
  fprintf(d->on.to, "%.9g", x);
  for (int impl = 0; impl < IMPLS; impl++)
    fprintf(d->on.to, " %.6g", row->impl[impl].measured ? row->impl[impl].gflops / d->plan->unit : NAN);
  fprintf(d->on.to, " %.6g\n", row->impl[NATIVE_IMPL].measured ? row->ratio : NAN);
}

/* Prints the measured points, $points, and the points of the lines, $lines: a line for a single size is level, and as
 * long as the axis. */
static void print_data(const drawing *d, int panel_number) {
  const panel *p = &d->plan->panels->panel[panel_number];
  const axis sizes = plan_sizes(d->plan, panel_number);
  bool single = panel_is_single(p);
  fputs("$points << end\n", d->on.to);
  for (int i = 0; i < p->count; i++) print_row(d, p->row[i], (double)panel_size(p, i));
  fputs("end\n$lines << end\n", d->on.to);
  if (single) print_row(d, p->row[0], sizes.low);
  for (int i = 0; i < p->count; i++) print_row(d, p->row[i], (double)panel_size(p, i));
  if (single) print_row(d, p->row[p->count - 1], sizes.high);
  fputs("end\n", d->on.to);
}

static void print_words(const drawing *d, const char *text, double x, double y, const text_style *style) {
  canvas_text(&d->on, text, strlen(text), x, y, style);
}

/* Draws the label of a line, with a stroke to the end of the line if the label is not beside it. */
static void draw_label(const drawing *d, const line_label *label, double right) {
  const double apart = 3;
  const text_style style = {FONT, looks[label->impl].words, "left"};
  print_words(d, label->text, right + LABEL_DISTANCE, label->middle, &style);
  if (fabs(label->middle - label->end) > apart)
    canvas_stroke(&d->on, right + LABEL_DISTANCE / 2, label->end, right + LABEL_DISTANCE - 2, label->middle,
                  looks[label->impl].colour);
}

/* Plots a column of the data as a line, with points at the measured sizes, in the look of an implementation. */
static void plot_line(const drawing *d, int column, int impl, const char *separator) {
  fprintf(d->on.to, "%s$lines using 1:%d with lines linewidth %g linecolor rgb '%s'", separator, column,
          looks[impl].width, looks[impl].colour);
  if (looks[impl].point >= 0)
    fprintf(d->on.to, ", $points using 1:%d with points pointtype %d pointsize 0.6 linecolor rgb '%s'", column,
            looks[impl].point, looks[impl].colour);
}

/* Draws the name of a vertical axis, in the first column of panels only. */
static void name_values(const drawing *d, int i, const frame *f, const char *name) {
  if (i % d->plan->layout.columns != 0) return;
  print_words(d, name, MARGIN + FONT / 2, (f->top + f->bottom) / 2, &upright_style);
}

/* Draws the axis of sizes under a frame, with labels and name under the last frame of the panel. */
static void draw_sizes(const drawing *d, int i, const frame *f, bool last) {
  char words[MOST_PANEL_WORDS];
  const axis sizes = plan_sizes(d->plan, i);
  canvas_sizes(&d->on, &sizes, d->tics, plan_tics(d->plan, i, d->tics), last);
  if (!last) return;
  panel_axis_words(&d->plan->panels->panel[i], words);
  print_words(d, words, (f->left + f->right) / 2, layout_axis_name(f), &axis_style);
}

static void plot_speeds(const drawing *d, const panel *p) {
  const char *separator = "plot ";
  if (panel_has(p, GEMM_IMPL)) { /* first, so that the lines are drawn over it */
    fprintf(d->on.to, "plot $lines using 1:%d with filledcurves y=0 fillcolor rgb '%s'", 2 + GEMM_IMPL, ceiling);
    separator = ", ";
  }
  for (int impl = IMPLS - 1; impl >= 0; impl--) {
    if (!panel_has(p, impl)) continue;
    plot_line(d, 2 + impl, impl, separator);
    separator = ", ";
  }
  fputc('\n', d->on.to);
}

static void draw_speeds(const drawing *d, int i) {
  const panel *p = &d->plan->panels->panel[i];
  const frame f = layout_speed(&d->plan->layout, i);
  const axis speeds = plan_speeds(d->plan, i);
  line_label labels[IMPLS];
  canvas_frame(&d->on, &f);
  draw_sizes(d, i, &f, !panel_has(p, NATIVE_IMPL));
  canvas_values(&d->on, &speeds);
  name_values(d, i, &f, d->plan->unit > 1 ? "Tflop/s" : "Gflop/s");
  for (int k = plan_labels(d->plan, i, labels); k-- > 0;) draw_label(d, &labels[k], f.right);
  plot_speeds(d, p);
  canvas_forget(&d->on);
}

static void draw_ratio(const drawing *d, int i) {
  const frame f = layout_ratio(&d->plan->layout, i);
  const line_label label = plan_ratio_label(d->plan, i);
  const double one = plan_height(&f, &d->plan->ratios, 1);
  canvas_frame(&d->on, &f);
  draw_sizes(d, i, &f, true);
  canvas_values(&d->on, &d->plan->ratios);
  name_values(d, i, &f, "ratio");
  canvas_stroke(&d->on, f.left, one, f.right, one, grey);
  draw_label(d, &label, f.right);
  plot_line(d, RATIO_COLUMN, TRIGON_IMPL, "plot ");
  fputc('\n', d->on.to);
  canvas_forget(&d->on);
}

/* ------------------------------------------------------------------------------------------------ the whole -- */

/* Draws text that begins at line i of the heading. Returns the number of the line after the text. */
static int draw_heading(const drawing *d, const char *text, int i, const text_style *style) {
  const char *line;
  size_t length;
  while (text_line(&text, style->font, PICTURE_WIDTH - 2.0 * MARGIN, &line, &length))
    canvas_text(&d->on, line, length, MARGIN, layout_heading(&d->plan->layout, i++), style);
  return i;
}

static void draw_panel(const drawing *d, int i) {
  const panel_list *panels = d->plan->panels;
  char words[MOST_PANEL_WORDS];
  panel_words(&panels->panel[i], words);
  if (panels->count > 1)
    print_words(d, words, layout_speed(&d->plan->layout, i).left, layout_panel_title(&d->plan->layout, i),
                &panel_style);
  print_data(d, i);
  draw_speeds(d, i);
  if (panel_has(&panels->panel[i], NATIVE_IMPL)) draw_ratio(d, i);
}

bool picture_script(FILE *to, const panel_list *panels, const picture_heading *heading) {
  int most = 0;
  for (int i = 0; i < panels->count; i++) most = panels->panel[i].count > most ? panels->panel[i].count : most;
  const picture_plan plan = plan_make(panels, heading);
  const drawing d = {{to, plan.layout.height}, &plan, calloc((size_t)most, sizeof(size_tic))};
  if (!d.tics) return false;
  canvas_begin(&d.on);
  int lines = draw_heading(&d, heading->title, 0, &title_style);
  lines = draw_heading(&d, heading->machine, lines, &small_style);
  draw_heading(&d, heading->note, lines, &small_style);
  for (int i = 0; i < panels->count; i++) draw_panel(&d, i);
  free(d.tics);
  return true;
}

/* plan.c - decides axes, tics, labels and places of the benchmark's picture. */
#include "plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const line_names[IMPLS] = {"Trigon", "native", "GEMM"};

/* --------------------------------------------------------------------------------------------------- ranges -- */

static double fastest(const panel *p) {
  double most = 0;
  for (int i = 0; i < p->count; i++)
    for (int impl = 0; impl < IMPLS; impl++)
      if (p->row[i]->impl[impl].measured) most = fmax(most, p->row[i]->impl[impl].gflops);
  return most;
}

static double frame_height(frame f) { return f.bottom - f.top; }

/* Sets the ranges of the shared axes. They depend on the heights of the frames, which do not depend on labels. */
static void set_ranges(picture_plan *plan) {
  const double tera = 2000, flat = 3; /* a panel with less than a third of another panel's speeds would look flat */
  double most = 0, least = INFINITY, low = 1, high = 1;
  for (int i = 0; i < plan->panels->count; i++) {
    const panel *p = &plan->panels->panel[i];
    most = fmax(most, fastest(p));
    least = fmin(least, fastest(p));
    for (int k = 0; k < p->count; k++)
      if (p->row[k]->impl[NATIVE_IMPL].measured) low = fmin(low, p->row[k]->ratio), high = fmax(high, p->row[k]->ratio);
  }
  plan->unit = most >= tera ? 1000 : 1;
  plan->own_speeds = most > flat * least;
  plan->speeds = axis_of_speeds(most / plan->unit, frame_height(layout_speed(&plan->layout, 0)));
  plan->ratios = axis_of_ratios(low, high, frame_height(layout_ratio(&plan->layout, 0)));
}

axis plan_speeds(const picture_plan *plan, int i) {
  if (!plan->own_speeds) return plan->speeds;
  return axis_of_speeds(fastest(&plan->panels->panel[i]) / plan->unit, frame_height(layout_speed(&plan->layout, i)));
}

axis plan_sizes(const picture_plan *plan, int i) {
  const panel *p = &plan->panels->panel[i];
  return axis_of_sizes((double)panel_size(p, 0), (double)panel_size(p, p->count - 1));
}

/* --------------------------------------------------------------------------------------------------- labels -- */

/* The text of a line's label: its name and, for a single size, its speed. */
static void name_line(const picture_plan *plan, const panel *p, int impl, char text[MOST_LABEL]) {
  double speed = p->row[p->count - 1]->impl[impl].gflops / plan->unit;
  if (panel_is_single(p))
    snprintf(text, MOST_LABEL, "%s %.3g", line_names[impl], speed);
  else
    snprintf(text, MOST_LABEL, "%s", line_names[impl]);
}

double plan_height(const frame *f, const axis *values, double value) {
  return f->bottom - axis_share(values, value) * (f->bottom - f->top);
}

int plan_labels(const picture_plan *plan, int i, line_label labels[IMPLS]) {
  const panel *p = &plan->panels->panel[i];
  const axis speeds = plan_speeds(plan, i);
  frame f = layout_speed(&plan->layout, i);
  double middle[IMPLS];
  int count = 0;
  for (int impl = 0; impl < IMPLS; impl++) {
    if (!panel_has(p, impl)) continue;
    double end = plan_height(&f, &speeds, p->row[p->count - 1]->impl[impl].gflops / plan->unit);
    int at = count++;
    for (; at > 0 && labels[at - 1].end > end; at--) labels[at] = labels[at - 1];
    labels[at] = (line_label){"", impl, end, end};
    name_line(plan, p, impl, labels[at].text);
  }
  for (int k = 0; k < count; k++) middle[k] = labels[k].end;
  spread(middle, count, LINE_GAP, f.top, f.bottom);
  for (int k = 0; k < count; k++) labels[k].middle = middle[k];
  return count;
}

line_label plan_ratio_label(const picture_plan *plan, int i) {
  const panel *p = &plan->panels->panel[i];
  frame f = layout_ratio(&plan->layout, i);
  double ratio = p->row[p->count - 1]->ratio, at = plan_height(&f, &plan->ratios, ratio);
  line_label label = {"", TRIGON_IMPL, at, at};
  snprintf(label.text, sizeof label.text, "%.2f", ratio);
  return label;
}

int plan_tics(const picture_plan *plan, int i, size_tic *tics) {
  const panel *p = &plan->panels->panel[i];
  const axis sizes = plan_sizes(plan, i);
  frame f = layout_speed(&plan->layout, i);
  int count = 0;
  for (int k = 0; k < p->count; k++) {
    int64_t size = panel_size(p, k);
    if (count == 0 || tics[count - 1].size != size)
      tics[count++] = (size_tic){size, axis_share(&sizes, (double)size) * (f.right - f.left), false};
  }
  label_sizes(tics, count, FONT);
  return count;
}

/* -------------------------------------------------------------------------------------------------- widths -- */

static double widest_tic(const axis *a) {
  double widest = 0;
  for (int i = 0; i < a->tics; i++) {
    char text[32];
    int length = snprintf(text, sizeof text, "%g", a->tic[i]);
    widest = fmax(widest, text_width(text, (size_t)length, FONT));
  }
  return widest;
}

static double widest_tics(const picture_plan *plan) {
  double widest = plan->panels->native ? widest_tic(&plan->ratios) : 0;
  for (int i = 0; i < plan->panels->count; i++) {
    axis speeds = plan_speeds(plan, i);
    widest = fmax(widest, widest_tic(&speeds));
  }
  return widest;
}

static double widest_label(const picture_plan *plan) {
  line_label labels[IMPLS];
  double widest = 0;
  for (int i = 0; i < plan->panels->count; i++)
    for (int k = plan_labels(plan, i, labels); k-- > 0;)
      widest = fmax(widest, text_width(labels[k].text, strlen(labels[k].text), FONT));
  return widest;
}

static double widest_title(const panel_list *panels) {
  double widest = 0;
  for (int i = 0; i < panels->count; i++) {
    char words[MOST_PANEL_WORDS];
    panel_words(&panels->panel[i], words);
    widest = fmax(widest, text_width(words, strlen(words), FONT));
  }
  return widest;
}

static int count_lines(const char *text, double font) {
  const char *line;
  size_t length;
  int lines = 0;
  while (text_line(&text, font, PICTURE_WIDTH - 2.0 * MARGIN, &line, &length)) lines++;
  return lines;
}

picture_plan plan_make(const panel_list *panels, const picture_heading *heading) {
  picture_plan plan = {.panels = panels};
  layout_wish wish = {.panels = panels->count, .ratio = panels->native, .single = true};
  for (int i = 0; i < panels->count; i++) wish.single &= panel_is_single(&panels->panel[i]);
  wish.title_width = widest_title(panels);
  wish.title_lines = count_lines(heading->title, TITLE_FONT);
  wish.text_lines = count_lines(heading->machine, FONT) + count_lines(heading->note, FONT);
  plan.layout = layout_make(&wish); /* the ranges need only the heights of the frames, which are final */
  set_ranges(&plan);
  wish.tic_width = widest_tics(&plan);
  wish.label_width = LABEL_DISTANCE + widest_label(&plan);
  plan.layout = layout_make(&wish);
  return plan;
}

/* axis.c - chooses ranges, scales, tics and labels of axes. */
#include "axis.h"
#include "layout.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static const double wide_span = 4; /* the least ratio of the ends of a logarithmic axis */

double axis_share(const axis *a, double value) {
  if (a->logarithmic) return log(value / a->low) / log(a->high / a->low);
  return (value - a->low) / (a->high - a->low);
}

axis axis_of_sizes(double least, double most) {
  const double room = 0.03; /* before `least`, relative to the length of the axis */
  if (most >= wide_span * least) return (axis){least * pow(least / most, room), most, true, 0, {0}};
  if (most > least) return (axis){least - room * (most - least), most, false, 0, {0}};
  return (axis){least - 1, least + 1, false, 0, {0}};
}

/* The least of 1, 2 or 5 times a power of ten of which at most about `steps` make up `range`. */
static double nice_step(double range, int steps) {
  double power = pow(10, floor(log10(range / steps))), times = range / steps / power;
  return power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
}

/* A linear axis from the last multiple of `step` below `least` to the first above `most`. */
static axis stepped(double least, double most, double step) {
  const double rounding = 1e-9;
  axis a = {.logarithmic = false};
  double first = floor(least / step + rounding), last = ceil(most / step - rounding);
  for (double i = first; i <= last && a.tics < MOST_TICS; i++) a.tic[a.tics++] = i * step;
  a.low = a.tic[0];
  a.high = a.tic[a.tics - 1];
  return a;
}

/* How many steps look good on an axis of this height, and how many labels have room. */
static int good_steps(double height) { return (int)fmax(2, height / 40); }
static double most_steps(double height) { return height / 16; }

axis axis_of_speeds(double most, double height) { return stepped(0, most, nice_step(most, good_steps(height))); }

/* A logarithmic axis with tics at the powers of the first of 2, 4, 10, 100, ... for which all labels have room. */
static axis powers(double least, double most, double height) {
  axis a = {.low = least, .high = most, .logarithmic = true};
  double factor = 2;
  while (log(most / least) / log(factor) > most_steps(height))
    factor = factor == 2 ? 4 : factor == 4 ? 10 : 10 * factor;
  for (double i = ceil(log(least) / log(factor)); pow(factor, i) <= most && a.tics < MOST_TICS; i++)
    a.tic[a.tics++] = pow(factor, i);
  return a;
}

axis axis_of_ratios(double least, double most, double height) {
  const double margin = 0.05; /* the axis shows at least this much around 1, so that noise looks small */
  const double room = 1.1;    /* beyond the ends of a logarithmic axis */
  least = fmin(least, 1 - margin);
  most = fmax(most, 1 + margin);
  if (most >= wide_span * least) return powers(least / room, most * room, height);
  return stepped(least, most, nice_step(most - least, good_steps(height)));
}

/* ------------------------------------------------------------------------------------------- tics of sizes -- */

static double label_width(const size_tic *tic, double font) {
  char text[24];
  int length = snprintf(text, sizeof text, "%" PRId64, tic->size);
  return text_width(text, (size_t)length, font);
}

/* Whether the label of tics[i] would be clear of all labels so far. */
static bool has_room(const size_tic *tics, int count, int i, double font) {
  double gap = 0.5 * font, width = label_width(&tics[i], font);
  for (int k = 0; k < count; k++)
    if (tics[k].labelled && fabs(tics[k].x - tics[i].x) < gap + (width + label_width(&tics[k], font)) / 2) return false;
  return true;
}

void label_sizes(size_tic *tics, int count, double font) {
  int64_t power = 1;
  for (int i = 0; i < count; i++) {
    tics[i].labelled = false;
    while (power <= tics[i].size / 2) power *= 2;
  }
  for (; power > 0; power /= 2)
    for (int i = count; i-- > 0;)
      if (tics[i].size % power == 0 && !tics[i].labelled) tics[i].labelled = has_room(tics, count, i, font);
}

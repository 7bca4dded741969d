/* tuning_text.c - writes a tuning table as the text that tuning_read reads. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tuning.h"

static const char letters[] = "sdcz";

/* A text in the making. What finds no room is counted all the same. */
typedef struct writer {
  char *text;
  size_t size, length;
} writer;

__attribute__((format(printf, 2, 3))) static void append(writer *w, const char *format, ...) {
  va_list values;
  va_start(values, format);
  const bool fits = w->length < w->size;
  w->length += (size_t)vsnprintf(fits ? w->text + w->length : NULL, fits ? w->size - w->length : 0, format, values);
  va_end(values);
}

static void append_order(writer *w, int64_t order) {
  if (order == INT64_MAX)
    append(w, " %6s", "*");
  else
    append(w, " %6" PRId64, order);
}

static bool same_row(const tuning_range *a, const tuning_range *b) {
  int i = 0;
  while (a[i].last == b[i].last && a[i].leaf == b[i].leaf && a[i].stop == b[i].stop && a[i].last < INT64_MAX) i++;
  return a[i].last == b[i].last && a[i].leaf == b[i].leaf && a[i].stop == b[i].stop;
}

static bool same_shapes(const tuning *t, int r, int type) {
  int s = 1;
  while (s < SHAPES && same_row(t->range[r][type][0], t->range[r][type][s])) s++;
  return s == SHAPES;
}

static void write_row(writer *w, int r, const char *types, const char *width, const tuning_range *range) {
  for (const tuning_range *at = range;; at++) {
    append(w, "%-6s %-4s %-5s", routine_table[r].name, types, width);
    append_order(w, at->last);
    append(w, " %-8s", variant_names[at->leaf]);
    append_order(w, at->stop);
    append(w, "\n");
    if (at->last == INT64_MAX) return;
  }
}

/* Types with the same row share its lines, and a type whose rows are all the same has the shape *. */
static void write_shape(writer *w, const tuning *t, int r, int s) {
  bool done[TYPES] = {false};
  for (int first = 0; first < TYPES; first++) {
    const bool all = same_shapes(t, r, first);
    char types[TYPES + 1] = "";
    int count = 0;
    if (done[first] || (all && s > 0)) continue;
    for (int type = first; type < TYPES; type++)
      if (same_row(t->range[r][type][s], t->range[r][first][s]) && same_shapes(t, r, type) == all)
        types[count++] = letters[type], done[type] = true;
    types[count] = '\0';
    write_row(w, r, types, all ? "*" : shape_names[s], t->range[r][first][s]);
  }
}

/* Types with the same number share a line. */
static void write_teams(writer *w, const tuning *t, int r) {
  const double *flops = t->team_flops[r];
  bool done[TYPES] = {false};
  for (int first = 0; first < TYPES; first++) {
    char types[TYPES + 1] = "";
    int count = 0;
    if (done[first] || flops[first] >= (double)INT64_MAX) continue;
    for (int type = first; type < TYPES; type++)
      if (flops[type] == flops[first]) types[count++] = letters[type], done[type] = true;
    types[count] = '\0';
    append(w, "team   %-6s %-4s %.0f\n", routine_table[r].name, types, flops[first]);
  }
}

/* The rules that differ from those of a table without advice. */
static void write_host(writer *w, const tuning *t) {
  for (int i = 0; i < HOST_RULES; i++) {
    const int count = numbers_of_rule(i);
    if (memcmp(&t->host[i], &reasoned_host[i], (size_t)count * sizeof *t->host) == 0) continue;
    append(w, "host   %s", host_rule_names[i]);
    for (int k = 0; k < count; k++) append_order(w, t->host[i + k]);
    append(w, "\n");
  }
}

size_t tuning_write(const tuning *t, char *text, size_t size) {
  writer w = {text, size, 0};
  append(&w, "version %d\n", tuning_version);
  for (int r = 0; r < TUNED_ROUTINES; r++)
    for (int s = 0; s < SHAPES; s++) write_shape(&w, t, r, s);
  for (int r = 0; r < TUNED_ROUTINES; r++) write_teams(&w, t, r);
  write_host(&w, t);
  return w.length;
}

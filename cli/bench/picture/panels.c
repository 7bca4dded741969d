/* panels.c - groups rows into panels, and names the panels. */
#include "panels.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

int64_t panel_size(const panel *p, int i) { return problem_size(&p->row[i]->problem, p->axis); }

bool panel_is_single(const panel *p) { return panel_size(p, 0) == panel_size(p, p->count - 1); }

bool panel_has(const panel *p, int impl) { return p->row[0]->impl[impl].measured; }

/* ------------------------------------------------------------------------------------------------- groups -- */

/* How many different values a size has. */
static int count_values(const bench_row *rows, int count, char size) {
  int values = 0;
  for (int i = 0; i < count; i++) {
    int k = 0;
    while (k < i && problem_size(&rows[k].problem, size) != problem_size(&rows[i].problem, size)) k++;
    values += k == i;
  }
  return values;
}

/* A panel without rows that has the axis of a group's panels, and the sizes that equal the one along the axis. */
static panel group_panel(const bench_row *rows, int count) {
  const char *sizes = rows->problem.routine->sizes;
  panel p = {.axis = *sizes};
  int most = 0;
  for (const char *size = sizes; *size; size++) {
    int values = count_values(rows, count, *size);
    if (values > most) p.axis = *size, most = values;
  }
  for (const char *size = sizes; *size; size++) {
    bool tied = *size != p.axis;
    for (int i = 0; i < count; i++)
      tied &= problem_size(&rows[i].problem, *size) == problem_size(&rows[i].problem, p.axis);
    p.tied[size_index(*size)] = tied;
  }
  return p;
}

/* Whether a row of the same group belongs to the panel, which has at least one row. */
static bool belongs(const panel *p, const bench_row *row) {
  for (const char *size = row->problem.routine->sizes; *size; size++)
    if (*size != p->axis && !p->tied[size_index(*size)] &&
        problem_size(&row->problem, *size) != problem_size(&p->row[0]->problem, *size))
      return false;
  return true;
}

/* ------------------------------------------------------------------------------------------------- panels -- */

/* Adds the row after those with smaller or equal size. */
static void insert(panel *p, const bench_row *row) {
  int at = p->count++;
  for (; at > 0 && panel_size(p, at - 1) > problem_size(&row->problem, p->axis); at--) p->row[at] = p->row[at - 1];
  p->row[at] = row;
}

/* Adds the panels of a group, in the order of their first rows. Stores the rows from `row` on; taken[i] becomes true
 * when row i belongs to a panel. */
static void add_group(panel_list *list, const bench_row *rows, int count, const bench_row **row, bool *taken) {
  const panel empty = group_panel(rows, count);
  for (int first = 0; first < count; first++) {
    if (taken[first]) continue;
    panel *p = &list->panel[list->count++];
    *p = empty;
    p->row = row;
    insert(p, &rows[first]);
    for (int i = first + 1; i < count; i++) {
      if (taken[i] || !belongs(p, &rows[i])) continue;
      taken[i] = true;
      insert(p, &rows[i]);
    }
    row += p->count;
  }
}

bool panels_make(const bench_row *rows, int count, panel_list *list) {
  *list = (panel_list){.panel = calloc((size_t)count, sizeof *list->panel),
                       .row = calloc((size_t)count, sizeof *list->row)};
  bool *taken = calloc((size_t)count, sizeof *taken), done = list->panel && list->row && taken;
  for (int first = 0, end; done && first < count; first = end) {
    for (end = first + 1; end < count && same_group(&rows[first].problem, &rows[end].problem);) end++;
    add_group(list, rows + first, end - first, list->row + first, taken + first);
  }
  for (int i = 0; i < list->count; i++) {
    list->native |= panel_has(&list->panel[i], NATIVE_IMPL);
    list->gemm |= panel_has(&list->panel[i], GEMM_IMPL);
  }
  free(taken);
  return done;
}

void panels_free(panel_list *list) {
  free(list->panel);
  free(list->row);
}

/* -------------------------------------------------------------------------------------------------- words -- */

void panel_words(const panel *p, char text[MOST_PANEL_WORDS]) {
  const problem *c = &p->row[0]->problem;
  int length = snprintf(text, MOST_PANEL_WORDS, "%c%s %s", c->type, c->routine->name, c->variant);
  for (int i = 0; i < SIZES; i++)
    if (routine_has(c->routine, size_letters[i]) && size_letters[i] != p->axis && !p->tied[i])
      length += snprintf(text + length, (size_t)(MOST_PANEL_WORDS - length), ", %c = %" PRId64, size_letters[i],
                         problem_size(c, size_letters[i]));
}

void panel_axis_words(const panel *p, char text[MOST_PANEL_WORDS]) {
  int length = snprintf(text, MOST_PANEL_WORDS, "%c", p->axis);
  for (int i = 0; i < SIZES; i++)
    if (p->tied[i]) length += snprintf(text + length, (size_t)(MOST_PANEL_WORDS - length), " = %c", size_letters[i]);
}

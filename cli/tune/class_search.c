/* class_search.c - finds the classes of a batched routine for a type.
 *
 * Kernels and rows have largest orders (in TRSM, numbers of columns). These limits cut the orders into segments. For
 * each segment the search tries each kernel that can take its orders: first in batches of mixed orders, whose rows
 * share the batch, then in batches without larger orders, of which one row takes all. Neighbours with the same kernel
 * become one row. */
#include "../progress.h"
#include "duel.h"
#include "gpu_rows.h"
#include "gpu_search.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { MOST_SEGMENTS = MOST_KERNELS + MOST_CLASS_ROWS, NONE = -1 };

/* Batches of larger matrices are rare, and take long to make and to check. */
enum { LARGEST_OF_BATCHES = 1024 };

/* The rows of a table. A segment without a row (NONE) is left to other kernels; no segment behind it has a row. */
typedef struct classes {
  int shared[MOST_SEGMENTS], alone[MOST_SEGMENTS]; /* numbers of kernels */
  class_row first[MOST_CLASS_ROWS];                /* rows with most-order, which come before the others */
  int firsts;
} classes;

typedef struct class_search {
  search *s;
  const tuned_table *table;
  char type;
  class_kernel kernel[MOST_KERNELS];
  int kernels;
  int64_t limit[MOST_SEGMENTS]; /* the largest order of each segment */
  int segments;
  classes builtin, now;
} class_search;

/* ------------------------------------------------------------------------------------------------- segments -- */

static void add_limit(class_search *c, int64_t limit) {
  int at = 0;
  while (at < c->segments && c->limit[at] < limit) at++;
  if ((at < c->segments && c->limit[at] == limit) || c->segments == MOST_SEGMENTS) return;
  memmove(&c->limit[at + 1], &c->limit[at], (size_t)(c->segments - at) * sizeof *c->limit);
  c->limit[at] = limit;
  c->segments++;
}

static int kernel_number(const class_search *c, const char *name) {
  int i = 0;
  while (i < c->kernels && strcmp(c->kernel[i].name, name) != 0) i++;
  return i < c->kernels ? i : NONE;
}

/* The kernel of the first row that takes a segment. */
static int kernel_in(const class_search *c, const class_row *row, int rows, int64_t limit, bool alone) {
  for (int i = 0; i < rows; i++)
    if (row[i].alone == alone && row[i].most >= limit && row[i].most_order == 0) return kernel_number(c, row[i].kernel);
  return NONE;
}

static void read_table(class_search *c, const char *text) {
  class_row row[MOST_CLASS_ROWS];
  const int rows = gpu_rows_classes(text, c->table->row, c->type, row);
  c->kernels = gpu_rows_kernels(text, c->table->row, c->type, c->kernel);
  for (int i = 0; i < c->kernels; i++) add_limit(c, c->kernel[i].most);
  for (int i = 0; i < rows; i++) add_limit(c, row[i].most);
  for (int i = 0; i < rows; i++)
    if (row[i].most_order > 0) c->builtin.first[c->builtin.firsts++] = row[i];
  for (int i = 0; i < c->segments; i++) {
    c->builtin.shared[i] = kernel_in(c, row, rows, c->limit[i], false);
    c->builtin.alone[i] = kernel_in(c, row, rows, c->limit[i], true);
  }
  c->now = c->builtin;
}

/* -------------------------------------------------------------------------------------------------- tables -- */

static void add_row(const class_search *c, int64_t most, const char *kernel, const char *limits, table *to) {
  char number[24];
  snprintf(number, sizeof number, "%" PRId64, most);
  table_add(to, "batch %s %c %s %s%s\n", c->table->row, c->type, most == INT64_MAX ? "*" : number, kernel, limits);
}

/* Neighbours with the same kernel become one row. */
static void add_rows(const class_search *c, const int kernel[MOST_SEGMENTS], const char *limits, table *to) {
  for (int i = 0; i < c->segments && kernel[i] != NONE; i++)
    if (i + 1 == c->segments || kernel[i + 1] != kernel[i])
      add_row(c, c->limit[i], c->kernel[kernel[i]].name, limits, to);
}

static void write_rows(const class_search *c, const classes *of, table *to) {
  char limit[40];
  add_rows(c, of->alone, " alone", to);
  for (int i = 0; i < of->firsts; i++) {
    snprintf(limit, sizeof limit, " most-order=%" PRId64, of->first[i].most_order);
    add_row(c, of->first[i].most, of->first[i].kernel, limit, to);
  }
  add_rows(c, of->shared, "", to);
}

static void set_tables(const class_search *c, const classes *candidate, const classes *champion) {
  c->s->candidate = c->s->champion = c->s->found;
  write_rows(c, candidate, &c->s->candidate);
  write_rows(c, champion, &c->s->champion);
}

/* ------------------------------------------------------------------------------------------------- batches -- */

static int64_t largest_of(const class_search *c) {
  return c->s->largest < LARGEST_OF_BATCHES ? c->s->largest : LARGEST_OF_BATCHES;
}

static bool by_width(const class_search *c) { return strcmp(c->table->row, "trsm") == 0; }

static batch_case case_of(const class_search *c, int64_t above, int64_t most, int64_t columns) {
  return (batch_case){c->table->measured, c->type, above, most, columns, c->s->batch, false};
}

/* The batch of a segment. Returns false if the segment is above the largest order. */
static bool segment_case(const class_search *c, int i, bool alone, batch_case *of) {
  const int64_t above = i > 0 ? c->limit[i - 1] : 0, most = c->limit[i], largest = largest_of(c);
  enum { wider = 4, orders_of_widths = 256 };
  if (by_width(c)) {
    const int64_t order = largest < orders_of_widths ? largest : orders_of_widths;
    *of = case_of(c, 0, order, most < INT64_MAX ? most : wider * above);
    return true;
  }
  *of = case_of(c, alone ? 0 : above, most < largest ? most : largest, 1);
  of->told = alone;
  return above < largest;
}

/* ------------------------------------------------------------------------------------------------- candidates -- */

/* Takes the candidate if it is faster. */
static bool try_classes(class_search *c, const classes *candidate, const batch_case *of, bool *won) {
  double ratio;
  set_tables(c, candidate, &c->now);
  if (!gpu_fight(c->s, NULL, of, &ratio)) return false;
  *won = ratio > 1 + duel_noise;
  if (*won) c->now = *candidate;
  return true;
}

/* Whether the kernel, or no row (NONE), can have the segment: rows reach from the lowest orders up to some order. */
static bool is_possible(const class_search *c, const int now[MOST_SEGMENTS], int i, int kernel, bool alone) {
  const class_kernel *k = &c->kernel[kernel == NONE ? 0 : kernel];
  const int64_t below = i > 0 ? c->limit[i - 1] : 0;
  if (kernel == now[i]) return false;
  if (kernel == NONE) return i + 1 == c->segments || now[i + 1] == NONE;
  return (i == 0 || now[i - 1] != NONE) && (alone ? k->alone : k->shares && k->above <= below) &&
         k->most >= c->limit[i];
}

static bool try_segment(class_search *c, int i, bool alone) {
  batch_case of;
  if (!segment_case(c, i, alone, &of)) return true;
  for (int kernel = NONE; kernel < c->kernels; kernel++) {
    classes candidate = c->now;
    bool won;
    int *const row = alone ? candidate.alone : candidate.shared;
    if (!is_possible(c, row, i, kernel, alone)) continue;
    row[i] = kernel;
    if (!try_classes(c, &candidate, &of, &won)) return false;
  }
  return true;
}

/* The largest order of a row that has one: twice as much, as long as that is faster, or else half as much. */
static bool try_most_order(class_search *c, int i) {
  enum { least_order = 16 };
  const int64_t before = c->now.first[i].most_order;
  bool won = true;
  for (int up = 1; up >= 0 && c->now.first[i].most_order == before; up--, won = true)
    while (won) {
      classes candidate = c->now;
      int64_t *const order = &candidate.first[i].most_order, was = *order;
      *order = up ? 2 * was : was / 2;
      if (*order > largest_of(c) || was > largest_of(c) || *order < least_order) break;
      const batch_case of = case_of(c, up ? was : *order, up ? *order : was, candidate.first[i].most);
      if (!try_classes(c, &candidate, &of, &won)) return false;
    }
  return true;
}

static bool try_all(class_search *c) {
  for (int i = 0; i < c->now.firsts; i++)
    if (!try_most_order(c, i)) return false;
  for (int alone = 0; alone <= 1; alone++)
    for (int i = 0; i < c->segments; i++)
      if (!try_segment(c, i, alone)) return false;
  return true;
}

/* -------------------------------------------------------------------------------------------------- accepting -- */

static bool differs(const classes *a, const classes *b) {
  bool other = false;
  for (int i = 0; i < a->firsts; i++) other = other || a->first[i].most_order != b->first[i].most_order;
  return other || memcmp(a->shared, b->shared, sizeof a->shared) != 0 ||
         memcmp(a->alone, b->alone, sizeof a->alone) != 0;
}

/* The batches whose rows have changed, and one of all orders. */
static bool judge_all(class_search *c, gpu_score *score) {
  const classes *now = &c->now, *builtin = &c->builtin;
  batch_case of = case_of(c, 0, largest_of(c), 1);
  set_tables(c, now, builtin);
  if (!gpu_judge(c->s, NULL, &of, score)) return false;
  for (int i = 0; i < c->segments; i++) {
    if (now->shared[i] != builtin->shared[i] && segment_case(c, i, false, &of) && !gpu_judge(c->s, NULL, &of, score))
      return false;
    if (now->alone[i] != builtin->alone[i] && segment_case(c, i, true, &of) && !gpu_judge(c->s, NULL, &of, score))
      return false;
  }
  for (int i = 0; i < now->firsts; i++) {
    const int64_t a = now->first[i].most_order, b = builtin->first[i].most_order;
    of = case_of(c, a < b ? a : b, a < b ? b : a, now->first[i].most);
    if (a != b && !gpu_judge(c->s, NULL, &of, score)) return false;
  }
  return true;
}

/* Time for the last comparison remains. */
static bool accept(class_search *c) {
  search *s = c->s;
  gpu_score score = {.least = INFINITY};
  if (!differs(&c->now, &c->builtin)) {
    table_comment(&s->found, "batch %s %c: %s (duels: %d)", c->table->row, c->type, gpu_no_winner(s), s->duels);
    return true;
  }
  s->deadline = INFINITY;
  if (!judge_all(c, &score)) return false;
  const bool better = gpu_is_better(&score);
  table_comment(&s->found, "batch %s %c: %.2f to %.2f times as fast as the built-in rows%s", c->table->row, c->type,
                score.least, score.most, better ? "" : ", which stay");
  if (better) write_rows(c, &c->now, &s->found);
  s->was_late = s->was_late && !better;
  return true;
}

bool search_has_classes(const search *s, int batch, char type) {
  class_kernel kernel[MOST_KERNELS];
  return s->rows && gpu_rows_kernels(s->rows, tuned_batches[batch].row, type, kernel) > 0;
}

bool search_classes(search *s, int batch, char type) {
  class_search c = {.s = s, .table = &tuned_batches[batch], .type = type};
  gpu_begin(s);
  read_table(&c, s->rows);
  progress *shown = progress_begin(!s->quiet, "batches, %c%s", type, c.table->row);
  const bool done = try_all(&c) && accept(&c);
  progress_end(shown);
  if (done) s->done.batch[batch][type_number(type)] = !s->was_late;
  return done;
}

/* row.c - merges the choices of neighbouring orders into ranges, and writes the ranges as lines. */
#include "row.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static const int64_t every = INT64_MAX; /* the orders of a last range; the stop of leaves that are never cut */

typedef struct range {
  int64_t last, stop;
  const char *leaf;
  int first_choice, last_choice;
} range;

/* The middle of two orders; above 64 a whole number of cache lines. */
static int64_t middle(int64_t a, int64_t b) {
  enum { exact = 64, step = 16 };
  const int64_t mean = (int64_t)sqrt((double)a * (double)b);
  return mean < exact ? mean : mean / step * step;
}

/* The range of one choice. A cut stops at the end of the leaves below. */
static range range_of(const row *r, int i, const range *before) {
  const choice *c = &r->choice[i];
  range made = {i + 1 < r->count ? middle(c->order, c[1].order) : every, every, c->leaf, i, i};
  if (c->leaf) return made;
  made.leaf = before->leaf;
  made.stop = before->stop < every ? before->stop : before->last;
  return made;
}

/* Whether the second range only continues the first. */
static bool continues(const range *first, const range *second) {
  return first->leaf == second->leaf && (first->stop == second->stop || first->last == second->stop);
}

/* Returns how many ranges there are, or -1 if they are too many. */
static int make_ranges(const row *r, range ranges[MOST_RANGES]) {
  int count = 0;
  for (int i = 0; i < r->count; i++) {
    const range next = range_of(r, i, count ? &ranges[count - 1] : NULL);
    if (count > 0 && continues(&ranges[count - 1], &next)) {
      ranges[count - 1].last = next.last;
      ranges[count - 1].stop = next.stop;
      ranges[count - 1].last_choice = i;
    } else if (count == MOST_RANGES) {
      return -1;
    } else {
      ranges[count++] = next;
    }
  }
  return count;
}

static const char *star_or(int64_t number, char text[24]) {
  snprintf(text, 24, number == every ? "*" : "%" PRId64, number);
  return text;
}

static void write_range(const row *r, const subject *s, const range *g, bool comments, table *to) {
  char last[24], stop[24], words[96] = "";
  const choice *from = &r->choice[g->first_choice], *up_to = &r->choice[g->last_choice];
  if (comments)
    snprintf(words, sizeof words, "   # %" PRId64 " to %" PRId64 ": %.2f to %.2f Gflop/s", from->order, up_to->order,
             from->gflops, up_to->gflops);
  table_add(to, "%-6s %c %s %5s %-6s %5s%s\n", s->routine->row, s->type, tuned_shapes[s->shape], star_or(g->last, last),
            g->leaf, star_or(g->stop, stop), words);
}

bool row_write(const row *r, const subject *s, bool complete, bool comments, table *to) {
  range ranges[MOST_RANGES];
  const int count = make_ranges(r, ranges);
  if (count < 0) return false;
  range *last = &ranges[count - 1];
  if (complete && s->routine->is_cut && last->stop == every) last->stop = r->choice[r->count - 1].order;
  for (int i = 0; i < count; i++) write_range(r, s, &ranges[i], comments, to);
  return true;
}

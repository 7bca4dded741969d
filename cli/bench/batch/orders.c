/* orders.c - makes the orders of a batch. */
#include "orders.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "../../matrix/random.h"

enum { MOST_ORDER = 1000000, MOST_LINE = 200 };

/* One of 1 .. most, each as likely as the others. */
static int64_t random_order(uint64_t *state, int64_t most) {
  const int64_t n = 1 + (int64_t)((random_number(state) + 1) / 2 * (double)most);
  return n < most ? n : most;
}

typedef int64_t draw_order(uint64_t *state, int64_t i, int64_t most);

static int64_t draw_fixed(uint64_t *state, int64_t i, int64_t most) { return (void)state, (void)i, most; }
static int64_t draw_uniform(uint64_t *state, int64_t i, int64_t most) { return (void)i, random_order(state, most); }
static int64_t draw_skewed(uint64_t *state, int64_t i, int64_t most) {
  const int64_t n = random_order(state, most >= 10 ? most / 10 : 1);
  return i % 100 == 0 ? most : n;
}

static const struct {
  const char *name;
  draw_order *draw;
} distributions[] = {{"fixed:", draw_fixed}, {"uniform:", draw_uniform}, {"skewed:", draw_skewed}};

static bool refuse(char *why, size_t why_size, const char *format, const char *text) {
  snprintf(why, why_size, format, text);
  return false;
}

static bool append(batch_orders *o, int64_t n, int64_t *room) {
  if (o->count == *room) {
    *room = *room > 0 ? 2 * *room : 1024;
    int64_t *larger = realloc(o->n, (size_t)*room * sizeof *larger);
    if (!larger) return false;
    o->n = larger;
  }
  o->n[o->count++] = n;
  o->largest = n > o->largest ? n : o->largest;
  return true;
}

/* A positive whole number up to MOST_ORDER at the begin of the text, or 0. */
static int64_t parse_order(const char *text, char end) {
  char *behind;
  const long long n = strtoll(text, &behind, 10);
  return behind > text && *behind == end && n >= 1 && n <= MOST_ORDER ? n : 0;
}

static bool draw_orders(const char *most, draw_order *draw, int64_t count, batch_orders *o, char *why,
                        size_t why_size) {
  const int64_t n = parse_order(most, '\0');
  uint64_t state = 1;
  int64_t room = count;
  if (n == 0) return refuse(why, why_size, "an order from 1 to 1000000 is expected, not '%s'", most);
  o->n = malloc((size_t)count * sizeof *o->n);
  if (!o->n) return refuse(why, why_size, "%s", "out of memory");
  for (int64_t i = 0; i < count; i++) append(o, draw(&state, i, n), &room);
  return true;
}

static bool read_lines(gzFile file, const char *name, batch_orders *o, char *why, size_t why_size) {
  char line[MOST_LINE];
  int64_t room = 0;
  if (!gzgets(file, line, sizeof line) || strncmp(line, "columns,rows", 12) != 0)
    return refuse(why, why_size, "%s does not begin with the line columns,rows", name);
  for (int64_t number = 2; gzgets(file, line, sizeof line); number++) {
    const int64_t n = parse_order(line, ',');
    if (n == 0) {
      snprintf(why, why_size, "%s, line %" PRId64 ": no number of columns from 1 to %d", name, number, MOST_ORDER);
      return false;
    }
    if (!append(o, n, &room)) return refuse(why, why_size, "%s", "out of memory");
  }
  return o->count > 0 || refuse(why, why_size, "%s has no matrices", name);
}

static bool read_orders(const char *name, batch_orders *o, char *why, size_t why_size) {
  gzFile file = gzopen(name, "rb");
  if (!file) return refuse(why, why_size, "fixed:N, uniform:N, skewed:N or a file is expected, not '%s'", name);
  const bool done = read_lines(file, name, o, why, why_size);
  gzclose(file);
  return done;
}

bool orders_make(const char *text, int64_t count, batch_orders *orders, char *why, size_t why_size) {
  *orders = (batch_orders){0};
  for (size_t i = 0; i < sizeof distributions / sizeof *distributions; i++) {
    const size_t length = strlen(distributions[i].name);
    if (strncmp(text, distributions[i].name, length) == 0)
      return draw_orders(text + length, distributions[i].draw, count, orders, why, why_size);
  }
  return read_orders(text, orders, why, why_size);
}

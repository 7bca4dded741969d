/* orders.c - makes the orders of a batch. */
#include "orders.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "../../command.h"
#include "../../matrix/random.h"

enum { MOST_ORDER = 1000000, MOST_COUNT = 1 << 30, MOST_LINE = 200 };

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

static int no_room(void) { return failed("bench", "--sizes: out of memory"); }

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

/* Takes a number from 1 to `most` from the begin of *text, and moves *text behind the number. Returns 0 if there is no
 * such number. */
static int64_t take_number(const char **text, int64_t most) {
  char *behind;
  const long long n = strtoll(*text, &behind, 10);
  if (behind == *text || n < 1 || n > most) return 0;
  *text = behind;
  return n;
}

/* N, or NxCOUNT. `count` is for N alone. */
static int draw_orders(const char *text, draw_order *draw, int64_t count, batch_orders *o) {
  const char *at = text;
  const int64_t n = take_number(&at, MOST_ORDER);
  uint64_t state = 1;
  if (n > 0 && *at == 'x') at++, count = take_number(&at, MOST_COUNT);
  if (n == 0 || count == 0 || *at)
    return usage_error("bench", "--sizes: an order from 1 to 1000000 is expected, or ORDERxCOUNT, not '%s'", text);
  int64_t room = count;
  o->n = malloc((size_t)count * sizeof *o->n);
  if (!o->n) return no_room();
  for (int64_t i = 0; i < count; i++) append(o, draw(&state, i, n), &room);
  return EXIT_DONE;
}

static int read_lines(gzFile file, const char *name, batch_orders *o) {
  char line[MOST_LINE];
  int64_t room = 0;
  if (!gzgets(file, line, sizeof line) || strncmp(line, "columns,rows", 12) != 0)
    return usage_error("bench", "--sizes: %s does not begin with the line columns,rows", name);
  for (int64_t number = 2; gzgets(file, line, sizeof line); number++) {
    const char *at = line;
    const int64_t n = take_number(&at, MOST_ORDER);
    if (n == 0 || *at != ',')
      return usage_error("bench", "--sizes: %s, line %" PRId64 ": no number of columns from 1 to %d", name, number,
                         MOST_ORDER);
    if (!append(o, n, &room)) return no_room();
  }
  return o->count > 0 ? EXIT_DONE : usage_error("bench", "--sizes: %s has no matrices", name);
}

static int read_orders(const char *name, batch_orders *o) {
  gzFile file = gzopen(name, "rb");
  if (!file) return usage_error("bench", "--sizes: fixed:N, uniform:N, skewed:N or a file is expected, not '%s'", name);
  const int status = read_lines(file, name, o);
  gzclose(file);
  return status;
}

int orders_make(const char *text, int64_t count, batch_orders *orders) {
  *orders = (batch_orders){0};
  for (size_t i = 0; i < sizeof distributions / sizeof *distributions; i++) {
    const size_t length = strlen(distributions[i].name);
    if (strncmp(text, distributions[i].name, length) == 0)
      return draw_orders(text + length, distributions[i].draw, count, orders);
  }
  return read_orders(text, orders);
}

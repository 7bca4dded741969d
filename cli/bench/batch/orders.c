/* orders.c - makes the orders of a batch. */
#include "orders.h"

#include <errno.h>
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

/* A file of orders, and its present line without the end. */
typedef struct orders_file {
  gzFile file;
  const char *name;
  int64_t number;
  char line[MOST_LINE];
} orders_file;

/* Reports why there is no further line or only a part of it. Returns EXIT_DONE at the end of a sound file. */
static int check_end(const orders_file *f) {
  const int system_error = errno;
  int code;
  gzerror(f->file, &code);
  switch (code) {
  case Z_OK:
  case Z_STREAM_END: return EXIT_DONE;
  case Z_MEM_ERROR: return no_room();
  case Z_ERRNO: return usage_error("bench", "--sizes: cannot read %s: %s", f->name, strerror(system_error));
  case Z_BUF_ERROR:
    return usage_error("bench", "--sizes: %s, line %" PRId64 ": the file is truncated: its compressed data have no end",
                       f->name, f->number);
  default: return usage_error("bench", "--sizes: %s: the compressed data are damaged", f->name);
  }
}

/* Reads the next line. *ended becomes whether there is none. Returns the exit status. */
static int next_line(orders_file *f, bool *ended) {
  f->number++;
  errno = 0;
  *ended = !gzgets(f->file, f->line, sizeof f->line);
  if (*ended) return check_end(f);
  const size_t length = strcspn(f->line, "\r\n");
  const bool whole = f->line[length] != '\0';
  f->line[length] = '\0';
  if (!whole && length == sizeof f->line - 1)
    return usage_error("bench", "--sizes: %s, line %" PRId64 ": the line has more than %d characters", f->name,
                       f->number, MOST_LINE - 2);
  return whole ? EXIT_DONE : check_end(f);
}

/* The number of columns of a line. The number of rows must be there, though orders do not depend on it. */
static int take_line(const orders_file *f, int64_t *columns) {
  const char *at = f->line;
  *columns = take_number(&at, MOST_ORDER);
  if (*columns == 0)
    return usage_error("bench", "--sizes: %s, line %" PRId64 ": no number of columns from 1 to %d: '%s'", f->name,
                       f->number, MOST_ORDER, f->line);
  if (*at++ != ',' || take_number(&at, INT64_MAX) == 0 || (*at && *at != ','))
    return usage_error("bench", "--sizes: %s, line %" PRId64 ": no number of rows behind the number of columns: '%s'",
                       f->name, f->number, f->line);
  return EXIT_DONE;
}

static int read_lines(orders_file *f, batch_orders *o) {
  static const char heading[] = "columns,rows";
  const size_t length = sizeof heading - 1;
  int64_t room = 0, n;
  bool ended;
  int status = next_line(f, &ended);
  if (status == EXIT_DONE &&
      (ended || strncmp(f->line, heading, length) != 0 || (f->line[length] && f->line[length] != ',')))
    return usage_error("bench", "--sizes: %s does not begin with the line columns,rows", f->name);
  while (status == EXIT_DONE && (status = next_line(f, &ended)) == EXIT_DONE && !ended)
    if ((status = take_line(f, &n)) == EXIT_DONE && !append(o, n, &room)) status = no_room();
  if (status != EXIT_DONE || o->count > 0) return status;
  return usage_error("bench", "--sizes: %s has no matrices", f->name);
}

static int read_orders(const char *name, batch_orders *o) {
  errno = 0; /* zlib leaves it so if memory is short */
  orders_file f = {.file = gzopen(name, "rb"), .name = name};
  if (!f.file && errno == 0) return no_room();
  if (!f.file)
    return usage_error("bench", "--sizes: '%s' is neither fixed:N, uniform:N, skewed:N nor a file that can be read: %s",
                       name, strerror(errno));
  const int status = read_lines(&f, o);
  gzclose(f.file);
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

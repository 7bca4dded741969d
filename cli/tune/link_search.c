/* link_search.c - measures the rates of copies from the host to the first GPU of a backend, beside products on it.
 *
 * Two contexts share the GPU, so that copies and products have a stream each. */
#include "link_search.h"
#include "../bench/measure/median.h"
#include "../bench/verdict.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The columns of a row `host link` have 16, 32 and 64 KB. */
enum { LENGTHS = 3, SHORTEST = 2048, LONGEST = 8192 };
static const int64_t lengths[LENGTHS] = {SHORTEST, 4096, LONGEST};

/* The columns are part of a matrix that is longer, as tiles are. */
enum { LD = 2 * LONGEST };

/* A block of this order is copied at most. */
enum { MOST_BLOCK = 2048 };

/* Products have this order at most, and else the first one that takes so long. */
enum { MOST_ORDER = 4096, FIRST_ORDER = 64 };
static const double long_product = 1e-3;

/* The queue of a GPU takes more calls than these without a wait. */
enum { FIRST_PRODUCTS = 2, MOST_PRODUCTS = 256 };

enum { SAMPLES = 5 };

static const char work[] = "measuring the link";

typedef struct link_test {
  trigon_context *copying, *computing;
  double *host;     /* with room for columns of every length */
  bool pinned;      /* whether `host` is */
  void *block;      /* on the GPU */
  int64_t elements; /* of a block */
  void *operands;   /* of a product */
  int64_t order;
  double seconds; /* of a product */
  int products;   /* beside a copy */
  verdict why;
} link_test;

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t greatest(int64_t a, int64_t b) { return a > b ? a : b; }

/* The context of the first GPU with its matrices there, and with the same options. */
static bool open_context(const char *backend, trigon_context **ctx, const verdict *why) {
  const size_t kind = strcspn(backend, ":") + 1, number = strspn(backend + kind, "0123456789");
  char name[2048];
  snprintf(name, sizeof name, "%.*s%s", (int)(kind + number), backend, backend + strcspn(backend, "?"));
  return trigon_create(name, ctx, why->text, why->size) == TRIGON_OK;
}

/* -------------------------------------------------------------------------------------------------- products -- */

/* Hands `count` products over, and does not wait for them. */
static bool multiply(const link_test *t, int count) {
  const int64_t n = t->order;
  const double *const A = t->operands, *const B = A + n * n;
  double *const C = (double *)t->operands + 2 * n * n;
  for (int i = 0; i < count; i++)
    if (!succeeded(&t->why, work, t->computing,
                   trigon_dgemm(t->computing, TRIGON_NOTRANS, TRIGON_NOTRANS, n, n, n, 1, A, n, B, n, 0, C, n)))
      return false;
  return true;
}

static bool finish_products(const link_test *t) {
  return succeeded(&t->why, work, t->computing, trigon_finish(t->computing, NULL));
}

/* Times a product of this order. The first one only warms up. */
static bool time_product(link_test *t, int64_t order) {
  enum { matrices = 3 };
  double begun = 0;
  t->order = order;
  if (!succeeded(&t->why, work, t->computing, trigon_free(t->computing, t->operands))) return false;
  const int64_t bytes = matrices * order * order * (int64_t)sizeof(double);
  if (!succeeded(&t->why, work, t->computing, trigon_alloc(t->computing, bytes, &t->operands))) return false;
  for (int i = 0; i < 2; i++) {
    begun = seconds_now();
    if (!multiply(t, 1) || !finish_products(t)) return false;
  }
  t->seconds = seconds_now() - begun;
  return true;
}

/* Large products use the memory of the GPU as the steps of a call do. On a slow GPU smaller ones last long enough. */
static bool choose_product(link_test *t, int64_t largest) {
  const int64_t most = least(largest, MOST_ORDER);
  int64_t order = least(FIRST_ORDER, most);
  bool done = time_product(t, order);
  while (done && t->seconds < long_product && 2 * order <= most) done = time_product(t, order *= 2);
  t->products = FIRST_PRODUCTS;
  return done;
}

/* ---------------------------------------------------------------------------------------------------- copies -- */

/* Every page of `host` is written, because pages that nobody has written may share one page of zeros. */
static bool make_block(link_test *t, int64_t largest) {
  const int64_t order = least(largest, MOST_BLOCK);
  t->elements = greatest(order * order, LONGEST);
  const size_t bytes = (size_t)(t->elements / SHORTEST * LD) * sizeof(double);
  t->host = malloc(bytes);
  if (!t->host) return no_memory(&t->why);
  memset(t->host, 1, bytes);
  t->pinned = succeeded(&t->why, work, t->copying, trigon_pin(t->copying, t->host, (int64_t)bytes));
  return t->pinned && succeeded(&t->why, work, t->copying,
                                trigon_alloc(t->copying, t->elements * (int64_t)sizeof(double), &t->block));
}

/* Times a copy of columns of `rows` elements beside products. *beside: whether the products lasted longer than the
 * copy, by the time of one, or cannot be more. If they did not, the next copy has twice as many. */
static bool time_copy(link_test *t, int64_t rows, double *seconds, bool *beside) {
  const int64_t cols = t->elements / rows;
  const trigon_matrix from = {t->host, TRIGON_D, rows, cols, LD}, to = {t->block, TRIGON_D, rows, cols, rows};
  if (!multiply(t, t->products)) return false;
  const double begun = seconds_now();
  if (!succeeded(&t->why, work, t->copying, trigon_upload(t->copying, from, to))) return false;
  const double copied = seconds_now();
  if (!finish_products(t)) return false;
  *seconds = copied - begun;
  *beside = seconds_now() - copied >= t->seconds || t->products == MOST_PRODUCTS;
  if (!*beside) t->products *= 2;
  return true;
}

/* The rate of copies, in GB a second, by their median time. */
static bool measure_rate(search *s, link_test *t, int64_t rows, int64_t *rate) {
  double seconds[SAMPLES];
  for (int i = 0; i < SAMPLES;) {
    bool beside;
    s->was_late = seconds_now() > s->deadline;
    if (s->was_late) return true;
    if (!time_copy(t, rows, &seconds[i], &beside)) return false;
    i += beside;
  }
  const double bytes = (double)(t->elements / rows * rows) * sizeof(double);
  *rate = greatest(1, llround(1e-9 * bytes / median(seconds, SAMPLES)));
  return true;
}

/* ---------------------------------------------------------------------------------------------------- the row -- */

static bool measure_link(search *s, link_test *t) {
  int64_t rate[LENGTHS] = {0};
  for (int i = 0; i < LENGTHS && !s->was_late; i++)
    if (!measure_rate(s, t, lengths[i], &rate[i])) return false;
  if (s->was_late)
    table_comment(&s->found, "host link: too little time");
  else
    table_add(&s->found,
              "host link %" PRId64 " %" PRId64 " %" PRId64
              "   # GB/s to the first GPU beside products of order %" PRId64 ", columns of 16, 32 and 64 KB\n",
              rate[0], rate[1], rate[2], t->order);
  return true;
}

/* Frees everything, and keeps the reason of an earlier failure. */
static bool close_test(link_test *t, bool done) {
  const trigon_status unpinned = t->pinned ? trigon_unpin(t->copying, t->host) : TRIGON_OK;
  done = done && succeeded(&t->why, work, t->copying, unpinned);
  const trigon_status freed = t->block ? trigon_free(t->copying, t->block) : TRIGON_OK;
  done = done && succeeded(&t->why, work, t->copying, freed);
  const trigon_status removed = t->operands ? trigon_free(t->computing, t->operands) : TRIGON_OK;
  done = done && succeeded(&t->why, work, t->computing, removed);
  trigon_destroy(t->copying);
  trigon_destroy(t->computing);
  free(t->host);
  return done;
}

bool search_link(search *s, bool *is_measured) {
  link_test t = {.why = {s->why, s->why_size}};
  const bool done = open_context(s->backend, &t.copying, &t.why) && open_context(s->backend, &t.computing, &t.why) &&
                    choose_product(&t, s->largest) && make_block(&t, s->largest) && measure_link(s, &t);
  *is_measured = done && !s->was_late;
  return close_test(&t, done);
}

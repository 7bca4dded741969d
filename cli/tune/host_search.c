/* host_search.c - from which order and from how many right-hand sides on GPUs compute matrices in host memory faster
 * than the CPU does, and into how many tiles they should be divided. The link is measured by link_search.c. */
#include "host_search.h"
#include "duel.h"
#include "gpu_search.h"
#include "link_search.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ORDER, COLUMNS, TILES, LINK = HOST_LINK_ROW }; /* in tuned_hosts */

/* Sets a table to what was found, with a rule. Another rule must not give the calls to the CPU meanwhile. */
static void set_rule(const search *s, int rule, const char *number, table *t) {
  *t = s->found;
  table_add(t, "host %s 1\n", tuned_hosts[rule == ORDER ? COLUMNS : ORDER].row);
  table_add(t, "host %s %s\n", tuned_hosts[rule].row, number);
}

static void make_problem(const search *s, int rule, int64_t size, problem *p) {
  const char *name = tuned_hosts[rule].measured;
  *p = (problem){.routine = routine_find(name, strlen(name)), .type = TRIGON_D};
  problem_set_variant(p, p->routine->default_variant);
  for (int i = 0; i < SIZES; i++) p->size[i] = rule == ORDER ? size : s->largest;
  if (rule == COLUMNS) p->size[N] = size;
}

/* The middle of the last size that the CPU computes faster and the first one that GPUs do. Behind the largest size that
 * was measured GPUs compute. */
static bool search_threshold(search *s, int rule) {
  const int64_t least = rule == ORDER ? 16 : 1, most = rule == ORDER ? s->largest : 1024;
  const char *name = tuned_hosts[rule].row;
  int64_t size = least;
  double ratio = 0;
  set_rule(s, rule, "1", &s->candidate);
  set_rule(s, rule, "*", &s->champion);
  for (; size <= most; size *= 2) {
    problem p;
    make_problem(s, rule, size, &p);
    if (!gpu_fight(s, &p, NULL, &ratio)) return false;
    if (s->was_late || ratio > 1 + duel_noise) break;
  }
  s->done.host[rule] = !s->was_late;
  if (s->was_late)
    table_comment(&s->found, "host %s: too little time", name);
  else if (size > most)
    table_add(&s->found, "host %s %" PRId64 "   # the CPU is faster as far as was measured\n", name, size / 2 + 1);
  else
    table_add(&s->found, "host %s %.0f   # at %" PRId64 " GPUs are %.2f times as fast as the CPU\n", name,
              size == least ? (double)least : (double)size / sqrt(2), size, ratio);
  return true;
}

/* Tiles of POTRF have these orders (src/hosted/hosted_window.c), and above SUFFICIENT_TILE twice the number. */
enum { LEAST_TILE = 512, SUFFICIENT_TILE = 2048, LARGEST_TILE = 4096, USUAL_TILES = 8 };

static int64_t share_of(int64_t tile) { return tile > SUFFICIENT_TILE ? 2 : 1; }

/* The order of the tiles of a matrix of order n that is to have so many tiles. */
static int64_t tile_of(int64_t n, int64_t tiles) {
  int64_t order = LARGEST_TILE;
  while (order > LEAST_TILE && order * tiles * share_of(order) > n) order /= 2;
  return order;
}

/* Each other order of tiles against the best one so far. */
static bool search_tiles_of_host(search *s) {
  int64_t best = USUAL_TILES;
  double gained = 1;
  problem p;
  make_problem(s, TILES, s->largest, &p);
  for (int64_t tile = LARGEST_TILE; tile >= LEAST_TILE && !s->was_late; tile /= 2) {
    const int64_t tiles = s->largest / tile / share_of(tile);
    char candidate[24], champion[24];
    double ratio;
    if (tiles < 2 || tile_of(s->largest, USUAL_TILES) == tile) continue;
    snprintf(candidate, sizeof candidate, "%" PRId64, tiles);
    snprintf(champion, sizeof champion, "%" PRId64, best);
    set_rule(s, TILES, candidate, &s->candidate);
    set_rule(s, TILES, champion, &s->champion);
    if (!gpu_fight(s, &p, NULL, &ratio)) return false;
    if (ratio > 1 + duel_noise) best = tiles, gained *= ratio;
  }
  s->done.host[TILES] = !s->was_late && s->duels > 0;
  if (s->done.host[TILES])
    table_add(&s->found, "host tiles %" PRId64 "   # %.2f times as fast as with %d\n", best, gained, USUAL_TILES);
  else
    table_comment(&s->found, "host tiles: %s",
                  s->was_late ? "too little time" : "matrices of this order have no tiles of other sizes");
  return true;
}

bool search_host(search *s, int rule) {
  gpu_begin(s);
  if (rule == LINK) return search_link(s, &s->done.host[LINK]);
  return rule == TILES ? search_tiles_of_host(s) : search_threshold(s, rule);
}

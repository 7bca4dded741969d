/* search.c - the greedy search: for each order the fastest of all leaves and of the cut, given the smaller orders. */
#include "search.h"
#include "../progress.h"
#include "duel.h"
#include "row.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
  FIRST_ORDER = 8,
  LAST_ORDER = 2048,
  LEAST_TOP = 512, /* a row that was measured up to a smaller order is dropped: nobody knows what larger orders want */
  MOST_LEAVES = 3,
  TEAM_ORDER = 512 /* larger problems are always shared */
};

/* The rate before anything was measured, and how much of the time for a row one duel may take. */
static const double first_rate = 1e9, duel_share = 1.0 / 40, least_seconds = 4e-3, most_seconds = 0.5;

/* ---------------------------------------------------------------------------------------------------- duels -- */

static duel duel_of(const search *s, const problem *p) {
  const double seconds = (s->deadline - seconds_now()) * duel_share;
  return (duel){.backend = s->backend,
                .candidate = &s->candidate,
                .champion = &s->champion,
                .seconds = fmin(fmax(seconds, least_seconds), most_seconds),
                .guess = problem_flops(p) / s->rate};
}

/* Times both tables. A difference counts only if it comes twice. The rate becomes the candidate's. */
static bool fight(search *s, const problem *p, double *ratio) {
  duel_result result;
  const duel d = duel_of(s, p);
  if (!duel_confirm(&d, p, &result, s->why, s->why_size)) return false;
  *ratio = result.ratio;
  s->rate = problem_flops(p) / result.seconds;
  return true;
}

/* Whether there is time for so many duels. */
static bool has_time(const search *s, const problem *p, double duels) {
  const duel d = duel_of(s, p);
  return seconds_now() + duels * duel_cost(&d, p) < s->deadline;
}

void search_show(const search *s, size_t from) {
  if (s->quiet) return;
  fputs(s->found.text + from, s->report);
  fflush(s->report);
}

/* -------------------------------------------------------------------------------------------------- accepting -- */

/* How a candidate compares with the built-in table over several problems. */
typedef struct duel_summary {
  double least, most; /* ratios */
  bool better;
} duel_summary;

/* The ratio of one problem. A problem on which the candidate seems to be slower is measured again and again, because
 * one such problem makes the row useless. */
static bool compare_one(search *s, const problem *p, double *ratio) {
  enum { most_trials = 3 };
  *ratio = 0;
  for (int i = 0; i < most_trials && *ratio < 1 - duel_noise; i++) {
    double again;
    if (!fight(s, p, &again)) return false;
    *ratio = fmax(*ratio, again);
  }
  return true;
}

/* Compares the tables `candidate` and `champion`. The candidate is better if it wins on so many problems, and loses on
 * none. */
static bool compare(search *s, const problem *p, int count, int wins, duel_summary *v) {
  *v = (duel_summary){.least = INFINITY};
  for (int i = 0; i < count; i++) {
    double ratio;
    if (!compare_one(s, &p[i], &ratio)) return false;
    v->least = fmin(v->least, ratio);
    v->most = fmax(v->most, ratio);
    wins -= ratio > 1 + duel_noise;
  }
  v->better = wins <= 0 && v->least >= 1 - duel_noise;
  return true;
}

static void comment(search *s, const subject *what, const char *kind, const duel_summary *v) {
  table_comment(&s->found, "%s %c %s: %.2f to %.2f times as fast as the built-in table%s", what->routine->row,
                what->type, kind, v->least, v->most, v->better ? "" : ", which stays");
}

/* --------------------------------------------------------------------------------------------------- rows -- */

/* Whether devices have dataflow leaves for the routine of this name. */
static bool has_dataflow(const char *name) {
  static const char *const names[] = {"trsm", "trmm", "potrf", "invert", "lauum"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(name, names[i]) == 0) return true;
  return false;
}

/* The variants of a leaf. Those that a context cannot run are replaced by others, which only takes time. */
static int list_leaves(const search *s, const subject *what, const char *leaves[MOST_LEAVES]) {
  int count = 0;
  if (s->has_blas) leaves[count++] = "vendor";
  if (s->on_host) leaves[count++] = "packed";
  if (!s->on_host || !what->routine->has_shapes) leaves[count++] = "step";
  if (!s->on_host && has_dataflow(what->routine->row)) leaves[count++] = "dataflow";
  return count;
}

bool search_has_choice(const search *s, const subject *what) {
  const char *leaves[MOST_LEAVES];
  return what->routine->is_cut || list_leaves(s, what, leaves) > 1;
}

/* Sets a table to what was found, and a row. */
static bool set_table(const search *s, const row *r, const subject *what, bool complete, table *t) {
  *t = s->found;
  return row_write(r, what, complete, false, t);
}

/* Tries another leaf, or the cut, for the last order of the row. */
static bool try_choice(search *s, row *r, const subject *what, const problem *p, const char *leaf) {
  choice *last = &r->choice[r->count - 1];
  const char *before = last->leaf;
  double ratio;
  if (leaf == before || (!leaf && (r->count < 2 || !what->routine->is_cut))) return true;
  set_table(s, r, what, false, &s->champion);
  last->leaf = leaf;
  if (!set_table(s, r, what, false, &s->candidate)) {
    last->leaf = before;
    return true;
  }
  if (!fight(s, p, &ratio)) return false;
  if (ratio <= 1 + duel_noise) {
    last->leaf = before;
    if (ratio > 0) s->rate /= ratio; /* the rate of the champion */
  }
  last->gflops = 1e-9 * s->rate;
  return true;
}

/* Measures the rate of the only choice for the row's last order. */
static bool measure_only(search *s, row *r, const subject *what, const problem *p) {
  double ratio;
  if (!set_table(s, r, what, false, &s->candidate)) return true;
  s->champion = s->candidate;
  if (!fight(s, p, &ratio)) return false;
  r->choice[r->count - 1].gflops = 1e-9 * s->rate;
  return true;
}

/* Chooses for one more order. The first order has no cut. */
static bool choose(search *s, row *r, const subject *what, const problem *p, int64_t order) {
  const char *leaves[MOST_LEAVES];
  const int count = list_leaves(s, what, leaves);
  r->choice[r->count] = (choice){order, r->count > 0 ? r->choice[r->count - 1].leaf : leaves[0], 1e-9 * s->rate};
  r->count++;
  if (count == 1 && r->count == 1) return measure_only(s, r, what, p);
  for (int i = 0; i < count; i++)
    if (!try_choice(s, r, what, p, leaves[i])) return false;
  return try_choice(s, r, what, p, NULL);
}

/* Chooses order by order, as long as there is time. problems[i] becomes the problem of choice i. */
static bool choose_all(search *s, row *r, const subject *what, problem problems[MOST_ORDERS]) {
  enum { duels_of_an_order = 2 * MOST_LEAVES }; /* some differences are measured again */
  s->rate = first_rate;
  for (int64_t order = FIRST_ORDER; order <= LAST_ORDER; order *= 2) {
    problem *p = &problems[r->count];
    if (!subject_problem(what, order, p)) continue;
    if (!has_time(s, p, duels_of_an_order)) break;
    progress *shown = progress_begin(!s->quiet, "%c%s, %s, order %" PRId64, what->type, what->routine->row,
                                     tuned_shapes[what->shape], order);
    const bool chosen = choose(s, r, what, p, order);
    progress_end(shown);
    if (!chosen) return false;
  }
  return true;
}

static bool accept_row(search *s, const row *r, const subject *what, const problem problems[MOST_ORDERS]) {
  enum { least_wins = 2 }; /* one may be luck */
  duel_summary v;
  set_table(s, r, what, true, &s->candidate);
  s->champion = s->found;
  if (!compare(s, problems, r->count, least_wins, &v)) return false;
  comment(s, what, tuned_shapes[what->shape], &v);
  if (v.better) row_write(r, what, true, true, &s->found);
  return true;
}

bool search_row(search *s, const subject *what) {
  row r = {.count = 0};
  problem problems[MOST_ORDERS];
  const size_t from = s->found.length;
  s->searched = true;
  if (!choose_all(s, &r, what, problems)) return false;
  if (r.count > 0 && r.choice[r.count - 1].order >= LEAST_TOP) {
    if (!accept_row(s, &r, what, problems)) return false;
    s->done.row[what->routine - tuned_routines][type_number(what->type)][what->shape] = true;
  } else {
    table_comment(&s->found, "%s %c %s: too little time", what->routine->row, what->type, tuned_shapes[what->shape]);
  }
  search_show(s, from);
  return true;
}

/* ---------------------------------------------------------------------------------------------------- teams -- */

/* Sets a table to what was found, with packed leaves for the routine, and a team from so much work on, or as built in
 * if `flops` is NULL. */
static void set_team(const search *s, const subject *what, const char *flops, table *t) {
  *t = s->found;
  table_add(t, "%s %c * * packed *\n", what->routine->row, what->type);
  if (flops) table_add(t, "team %s %c %s\n", what->routine->row, what->type, flops);
}

/* Stores the work between the last problem that one thread solves faster and the first one that a team does, or 0 if
 * there is no such problem in time. *count becomes the number of problems. */
static bool find_team(search *s, const subject *what, problem problems[MOST_ORDERS], int *count, double *flops) {
  double ratio = 0, before = 0;
  s->rate = first_rate;
  *flops = 0;
  set_team(s, what, "1", &s->candidate);
  set_team(s, what, "*", &s->champion);
  for (int64_t order = FIRST_ORDER; order <= TEAM_ORDER && ratio <= 1 + duel_noise; order *= 2) {
    problem *p = &problems[(*count)++];
    subject_square(what, order, p);
    if (!has_time(s, p, 2)) return true;
    if (!fight(s, p, &ratio)) return false;
    if (ratio > 1 + duel_noise) *flops = before > 0 ? sqrt(before * problem_flops(p)) : 1;
    before = problem_flops(p);
  }
  return true;
}

bool search_team(search *s, const subject *what) {
  problem problems[MOST_ORDERS];
  duel_summary v;
  char words[32];
  double flops;
  int count = 0;
  const size_t from = s->found.length;
  if (!s->on_host || !what->routine->has_team) return true;
  progress *shown = progress_begin(!s->quiet, "%c%s, a team of threads", what->type, what->routine->row);
  bool done = find_team(s, what, problems, &count, &flops);
  if (done && flops > 0) {
    snprintf(words, sizeof words, "%.0f", flops);
    set_team(s, what, words, &s->candidate);
    set_team(s, what, NULL, &s->champion);
    done = compare(s, problems, count, 1, &v);
    if (done) comment(s, what, "team", &v);
    if (done) s->done.team[what->routine - tuned_routines][type_number(what->type)] = true;
    if (done && v.better) table_add(&s->found, "team %s %c %s\n", what->routine->row, what->type, words);
  }
  progress_end(shown);
  if (done) search_show(s, from);
  return done;
}

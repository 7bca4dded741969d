/* gpu_search.c - duels for rows of GPUs, and what they add up to. */
#include "gpu_search.h"
#include "duel.h"

#include <math.h>

/* How long the timed calls of a duel take, about. Making contexts and operands takes longer. */
static const double duel_seconds = 0.1;

/* The time of a call is not known before the first call. */
static const double first_guess = 10e-3;

void gpu_begin(search *s) {
  s->searched = true, s->was_late = false;
  s->duels = 0, s->guess = 0;
}

const char *gpu_no_winner(const search *s) {
  return s->was_late ? "too little time" : "none is faster than the built-in rows";
}

bool gpu_fight(search *s, const problem *p, const batch_case *of, double *ratio) {
  const double begun = seconds_now();
  const duel d = {s->backend, &s->candidate, &s->champion, duel_seconds, s->guess > 0 ? s->guess : first_guess};
  duel_result result;
  *ratio = 1;
  if (s->duels > 0 && begun + s->last_duel > s->deadline) {
    s->was_late = true;
    return true;
  }
  const bool done =
      p ? duel_confirm(&d, p, &result, s->why, s->why_size) : duel_confirm_batch(&d, of, &result, s->why, s->why_size);
  if (!done) return false;
  *ratio = result.ratio;
  if (result.seconds > 0) s->guess = result.seconds;
  s->last_duel = seconds_now() - begun;
  s->duels++;
  return true;
}

bool gpu_judge(search *s, const problem *p, const batch_case *of, gpu_score *score) {
  enum { most_trials = 3 };
  double ratio = 0;
  for (int i = 0; i < most_trials && ratio < 1 - duel_noise; i++) {
    double again;
    if (!gpu_fight(s, p, of, &again)) return false;
    ratio = fmax(ratio, again);
  }
  score->least = fmin(score->least, ratio), score->most = fmax(score->most, ratio);
  score->wins += ratio > 1 + duel_noise;
  return true;
}

bool gpu_is_better(const gpu_score *score) { return score->wins > 0 && score->least >= 1 - duel_noise; }

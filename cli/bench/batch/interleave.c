/* interleave.c - times the contenders for a batch in turns, a call of each, so that whatever else the machine does
 * affects them alike (interleave.h). The order alternates. */
#include "interleave.h"

#include <math.h>
#include <stdlib.h>

#include "../../command.h"
#include "../measure/median.h"

enum { LEAST_REPEATS = 3, DEFAULT_REPEATS = 100 };

/* A contender that takes the batch, and the seconds of its calls. */
typedef struct timed_contender {
  const contender *contender;
  batch_result *result;
  double *seconds;
} timed_contender;

typedef struct turns {
  const batch_timing *timing;
  const contenders *contenders;
  batch_operands *on;
  timed_contender runner[MOST_CONTENDERS];
  int count, repeat;
} turns;

/* A call on fresh operands. On a device the call waits behind a kernel, so that the time of its launches does not
 * count, unless the launches take longer than the kernel. */
static bool time_call(const turns *t, const contender *who, double *seconds, const verdict *to) {
  const double hold = 100e-6;
  const int64_t largest = t->timing->tells_largest ? t->on->orders.largest : 0;
  trigon_context *const ctx = who->ctx;
  const char *const name = t->on->routine->name;
  return succeeded(to, "fresh operands", ctx, batch_operands_restore(t->on, ctx)) &&
         succeeded(to, "the timer", ctx, trigon_timer_start(ctx, hold)) &&
         succeeded(to, name, ctx, contender_call(t->contenders, who, t->on, largest)) &&
         succeeded(to, "the timer", ctx, trigon_timer_stop(ctx, seconds)) &&
         succeeded(to, name, ctx, trigon_finish(ctx, NULL));
}

/* Two calls of each contender: the first one warms up, the second one tells how many there is time for. */
static bool choose_repeat(turns *t, const verdict *to) {
  double total = 0, seconds;
  for (int i = 0; i < t->count; i++) {
    if (!time_call(t, t->runner[i].contender, &seconds, to)) return false;
    const double begun = seconds_now();
    if (!time_call(t, t->runner[i].contender, &seconds, to)) return false;
    total += seconds_now() - begun;
  }
  const double fit = t->timing->seconds / fmax(total, 1e-9);
  t->repeat = t->timing->repeat > 0 ? t->timing->repeat : (int)fmin(fmax(fit, LEAST_REPEATS), DEFAULT_REPEATS);
  return true;
}

/* The last call, whose results are judged: infos that the call does not store must not look like those of success. */
static bool time_last_call(const turns *t, const timed_contender *r, double *seconds, const verdict *to) {
  const int64_t unset = contender_stores_infos(r->contender, t->on) ? -1 : 0;
  return batch_operands_set_infos(t->on, unset, to) && time_call(t, r->contender, seconds, to) &&
         batch_operands_judge(t->on, &r->result->error, &r->result->ok, to);
}

static bool run_turns(const turns *t, const verdict *to) {
  for (int k = 0; k < t->repeat; k++)
    for (int i = 0; i < t->count; i++) {
      const timed_contender *const r = &t->runner[k % 2 ? t->count - 1 - i : i];
      const bool is_last = k == t->repeat - 1;
      if (!(is_last ? time_last_call(t, r, &r->seconds[k], to) : time_call(t, r->contender, &r->seconds[k], to)))
        return false;
    }
  return true;
}

/* The lowest of the medians of the rivals' times over this contender's. */
static double ratio_of(const turns *t, const timed_contender *own) {
  double ratios[MOST_REPEATS], lowest = NAN;
  for (int i = 0; i < t->count; i++) {
    const timed_contender *const rival = &t->runner[i];
    if (rival->contender->kind == LIBRARY_KIND) continue;
    for (int k = 0; k < t->repeat; k++) ratios[k] = rival->seconds[k] / own->seconds[k];
    lowest = fmin(lowest, median(ratios, t->repeat)); /* fmin prefers a number to NaN */
  }
  return lowest;
}

static void summarize(const turns *t) {
  for (int i = 0; i < t->count; i++) {
    const timed_contender *const r = &t->runner[i];
    r->result->ratio = r->contender->kind == LIBRARY_KIND ? ratio_of(t, r) : NAN;
  }
  /* The median sorts the times, so that turns no longer match. */
  for (int i = 0; i < t->count; i++) t->runner[i].result->seconds = median(t->runner[i].seconds, t->repeat);
}

bool batch_measure(const batch_timing *timing, const contenders *w, batch_operands *on,
                   batch_result result[MOST_CONTENDERS], const verdict *to) {
  turns t = {.timing = timing, .contenders = w, .on = on};
  double *const seconds = malloc(sizeof *seconds * MOST_CONTENDERS * MOST_REPEATS);
  if (!seconds) return no_memory(to);
  for (int i = 0; i < w->count; i++) {
    result[i] = (batch_result){.measured = contender_takes(&w->contender[i], on)};
    if (!result[i].measured) continue;
    t.runner[t.count] = (timed_contender){&w->contender[i], &result[i], seconds + (size_t)t.count * MOST_REPEATS};
    t.count++;
  }
  const bool done = choose_repeat(&t, to) && run_turns(&t, to);
  if (done) summarize(&t);
  free(seconds);
  return done;
}

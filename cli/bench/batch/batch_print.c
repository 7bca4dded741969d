/* batch_print.c - prints the rows of batches and their summary (batch_print.h). */
#include "batch_print.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../../command.h"

enum { SCHEDULE_WIDTH = 11 };

static bool has_schedules(const contenders *w) { return *w->contender[0].schedule; }
static bool has_rivals(const contenders *w) { return w->contender[w->count - 1].kind != LIBRARY_KIND; }

void batch_print_heading(const bench_routine *r, const char *variant, const contenders *w) {
  printf("%%\n%% %s_batch %s\n%% %-22s %-*stype  batch  largest      Gflop/s (ms)     floor (ms) ms/floor%s  error  "
         "ok\n",
         r->name, variant, "sizes", has_schedules(w) ? SCHEDULE_WIDTH : 0, has_schedules(w) ? "schedule" : "",
         has_rivals(w) ? "  ratio" : "");
}

/* Flops of all matrices. */
static double flops_of(const batch_operands *on) {
  double flops = 0;
  for (int64_t i = 0; i < on->orders.count; i++) {
    const problem p = batch_problem(on, i);
    flops += problem_flops(&p);
  }
  return flops;
}

static void print_csv(const batch_rows *rows, const contender *who, const batch_result *result, double gflops) {
  const batch_operands *const on = rows->on;
  const problem p = batch_problem_of_order(on, on->orders.largest);
  if (!result->measured) return;
  print_safe(stdout, "%s_batch,%c,%s,%s,%s,", on->routine->name, on->type, who->backend, contender_impl(who),
             rows->variant);
  for (int at = 0; at < SIZES; at++) {
    if (routine_has(on->routine, size_letters[at])) printf("%" PRId64, p.size[at]);
    putchar(',');
  }
  printf("%" PRId64 ",%.6g,%.6g,%.3e,,%.6g,", on->orders.count, 1e3 * result->seconds, gflops, result->error,
         1e3 * rows->floor);
  print_safe(stdout, "sizes=%s;max=%d;floor_ratio=%.4g", rows->sizes, rows->tells_largest,
             result->seconds / rows->floor);
  if (*who->schedule) print_safe(stdout, ";schedule=%s", who->schedule);
  if (!isnan(result->ratio)) printf(";ratio=%.4g", result->ratio);
  putchar('\n');
}

static void print_table(const batch_rows *rows, const contender *who, const batch_result *result, double gflops) {
  const batch_operands *const on = rows->on;
  const bool is_rival = who->kind != LIBRARY_KIND;
  if (!result->measured) return;
  print_safe(stdout, "%-24s %-*s%c %8" PRId64 " %7" PRId64 " %10.2f (%9.4f) %10.4f %8.2f", rows->sizes,
             has_schedules(rows->contenders) ? SCHEDULE_WIDTH : 0, who->schedule, on->type, on->orders.count,
             on->orders.largest, gflops, 1e3 * result->seconds, 1e3 * rows->floor, result->seconds / rows->floor);
  if (!isnan(result->ratio))
    printf(" %6.2f", result->ratio);
  else if (has_rivals(rows->contenders))
    printf(" %6s", "");
  printf("  %9.2e  %s%s%s\n", result->error, result->ok ? "ok" : "WRONG", is_rival ? ", " : "",
         is_rival ? contender_impl(who) : "");
}

void batch_print_rows(const batch_rows *rows, bool csv) {
  const double flops = flops_of(rows->on);
  for (int i = 0; i < rows->contenders->count; i++) {
    const batch_result *const result = &rows->result[i];
    (csv ? print_csv : print_table)(rows, &rows->contenders->contender[i], result, 1e-9 * flops / result->seconds);
  }
  fflush(stdout);
}

/* ------------------------------------------------------------------------------------------------- summary -- */

void batch_summary_add(batch_summary summary[MOST_CONTENDERS], const batch_rows *rows) {
  for (int i = 0; i < rows->contenders->count; i++) {
    const double ratio = rows->result[i].ratio;
    batch_summary *const s = &summary[i];
    if (!rows->result[i].measured || isnan(ratio)) continue;
    if (s->rows == 0 || ratio < s->lowest) {
      s->lowest = ratio;
      snprintf(s->where, sizeof s->where, "%s %c", rows->sizes, rows->on->type);
    }
    s->rows++, s->logarithms += log(ratio);
  }
}

void batch_print_summary(const batch_summary summary[MOST_CONTENDERS], const contenders *w, bool csv) {
  for (int i = 0; i < w->count; i++) {
    const batch_summary *const s = &summary[i];
    const char *const schedule = w->contender[i].schedule;
    char text[256];
    if (s->rows == 0) continue;
    snprintf(text, sizeof text, "native / trigon%s%s: geometric mean %.4g of %d rows, lowest %.4g (%s)",
             *schedule ? ", schedule " : "", schedule, exp(s->logarithms / s->rows), s->rows, s->lowest, s->where);
    if (csv)
      note("bench", "%s", text);
    else
      print_safe(stdout, "%% %s\n", text);
  }
}

/* results.c - prints, judges and writes what solve, factor and invert found out. */
#include "results.h"
#include "../command.h"
#include "../files/path.h"
#include "../flops.h"
#include "../matrix/element_type.h"
#include "../report.h"

#include <inttypes.h>
#include <math.h>

/* A backward stable method gives smaller residuals than this many u (the limit of LAPACK's and MAGMA's testers). */
static const double residual_limit = 30;

/* ------------------------------------------------------------------------------------------ input and times -- */

static void print_jitter(results *r, const solve_options *o) {
  printer *p = &r->printer;
  printer_entry(p, "jitter", number_value(o->jitter), o->jitter_text ? "jitter" : NULL,
                "%s times the mean of the diagonal: %.3g is added to the diagonal", o->jitter_text, r->jitter_added);
  printer_member(p, "jitter_added", number_value(r->jitter_added));
}

void results_input(results *r, const solve_options *o, const spd *A) {
  printer *p = &r->printer;
  const trigon_matrix *M = &A->matrix;
  const char *file = o->operands[0], type[] = {(char)M->type, 0};
  printer_member(p, "command", text_value(o->command));
  printer_member(p, "version", text_value(trigon_version()));
  printer_entry(p, "A", text_value(file), "A", "%s: %" PRId64 " × %" PRId64 ", type %s (%s)", input_name(file), M->rows,
                M->cols, type, type_words(M->type));
  printer_member(p, "order", integer_value(M->rows));
  printer_member(p, "type", text_value(type));
  printer_member(p, "uplo", text_value(A->uplo == TRIGON_LOWER ? "lower" : "upper"));
  print_jitter(r, o);
}

trigon_status results_note_call(results *r, const solve_options *o, const session *s, const char *name) {
  if (!o->fp64.given || r->calls == MOST_CALLS) return TRIGON_OK;
  r->call[r->calls].name = name;
  return trigon_last_fp64(s->ctx, &r->call[r->calls++].fp64);
}

static void print_call(printer *p, const char *name, const trigon_fp64_report *last) {
  printer_open(p, NULL, '{');
  printer_entry(p, "call", text_value(name), name, "%s", fp64_report_words(last).text);
  printer_member(p, "mode", text_value(fp64_mode_word(last->mode)));
  printer_member(p, "moduli", integer_value(last->moduli));
  printer_member(p, "bits", number_value(last->bits));
  printer_member(p, "products", integer_value(last->products));
  printer_member(p, "emulated", integer_value(last->emulated));
  printer_member(p, "tiles", integer_value(last->tiles));
  printer_member(p, "not_finite", integer_value(last->not_finite));
  printer_member(p, "unproved", integer_value(last->unproved));
  printer_member(p, "why", text_value(last->why));
  printer_close(p, '}');
}

static void print_fp64(results *r, const solve_options *o) {
  const fp64_name name = name_fp64_mode(&o->fp64);
  printer_entry(&r->printer, "fp64", text_value(name.text), o->fp64.given ? "products" : NULL, "%s", name.text);
  printer_open(&r->printer, "fp64_calls", '[');
  for (int i = 0; i < r->calls; i++) print_call(&r->printer, r->call[i].name, &r->call[i].fp64);
  printer_close(&r->printer, ']');
}

void results_times(results *r, const solve_options *o, const session *s, trigon_type type, const char *work,
                   double flops) {
  printer *p = &r->printer;
  bool copied = session_copies(s);
  double copying = copied ? r->copy_seconds : 0, computing = r->compute_seconds;
  double gflops = computing > 0 ? 1e-9 * flops_in_type(type, flops) / computing : 0;
  printer_entry(p, "backend", text_value(o->backend), "backend", "%s", o->backend);
  print_fp64(r, o);
  printer_entry(p, "reading_seconds", number_value(r->read_seconds), "reading", "%.3f s", r->read_seconds);
  printer_entry(p, "copying_seconds", number_value(copying), copied ? "copying" : NULL, "%.3f s", copying);
  printer_entry(p, "seconds", number_value(computing), work, "%.3f s, %.1f Gflop/s", computing, gflops);
  printer_member(p, "gflops", number_value(gflops));
  printer_entry(p, "log_determinant", number_value(r->log_determinant), "log-determinant", "%.15g (natural logarithm)",
                r->log_determinant);
}

/* ------------------------------------------------------------------------------------------ errors, output -- */

double relative_residual(int64_t n, double residual, const double *norms, int count) {
  double error = n > 0 ? residual / (double)n : residual;
  for (int i = 0; i < count; i++) {
    if (!isfinite(norms[i])) return NAN;
    error = residual == 0 ? 0 : error / norms[i];
  }
  return error;
}

int judge_error(printer *p, const solve_options *o, trigon_type type, const char *key, const char *label,
                double error) {
  double u = type_roundoff(type), units = error / u, limit = residual_limit * fp64_limit_factor(&o->fp64, type);
  bool ok = units < limit;
  printer_entry(p, key, number_value(error), label, "%.3g = %.3g u: %s (limit %g u)", error, units,
                ok ? "ok" : "NOT ok", limit);
  printer_member(p, "roundoff", number_value(u));
  printer_member(p, "limit", number_value(limit * u));
  printer_member(p, "ok", truth_value(ok));
  if (ok) return EXIT_DONE;
  return failed(o->command, "the %s, %.3g, is not below %g u%s", label, error, limit,
                o->output ? "; nothing is written" : "");
}

int write_output(printer *p, const solve_options *o, const char *label, const trigon_matrix *X, file_structure kind) {
  char why[WHY_SIZE];
  if (!o->output) {
    printer_member(p, "output", text_value(NULL));
    return EXIT_DONE;
  }
  progress *shown = progress_begin(!o->quiet && !is_standard(o->output), "writing %s", o->output);
  bool written = matrix_write(o->output, o->format, X, kind, why, sizeof why);
  progress_end(shown);
  if (!written) return failed(o->command, "%s", why);
  printer_entry(p, "output", text_value(o->output), label, "%s: %" PRId64 " × %" PRId64, output_name(o->output),
                X->rows, X->cols);
  return EXIT_DONE;
}

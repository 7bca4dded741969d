/* outcome.c - what solve, factor and invert tell of their work, how they judge it, and the file that they write. */
#include "outcome.h"
#include "../command.h"
#include "../dense.h"
#include "../files/matrix_file.h"
#include "../files/path.h"
#include "../report.h"

#include <inttypes.h>
#include <math.h>

/* Residuals above this many u are not what a backward stable method gives (LAPACK's and MAGMA's testers' limit). */
static const double residual_limit = 30;

static void tell_jitter(results *r, const session *s) {
  const solve_options *o = s->options;
  results_add(r, "jitter", number_value(o->jitter), o->jitter_text ? "jitter" : NULL,
              "%s times the mean of the diagonal: %.3g is added to the diagonal", o->jitter_text, s->jitter_added);
  results_member(r, "jitter_added", number_value(s->jitter_added));
}

void outcome_input(results *r, const session *s) {
  const trigon_matrix *A = &s->A.matrix;
  const char *name = input_name(s->options->operands[0]), type[] = {(char)A->type, 0};
  results_member(r, "command", text_value(s->options->command));
  results_member(r, "version", text_value(trigon_version()));
  results_add(r, "A", text_value(s->options->operands[0]), "A", "%s: %" PRId64 " × %" PRId64 ", type %s (%s)", name,
              A->rows, A->cols, type, type_words(A->type));
  results_member(r, "order", integer_value(A->rows));
  results_member(r, "type", text_value(type));
  results_member(r, "uplo", text_value(s->A.uplo == TRIGON_LOWER ? "lower" : "upper"));
  tell_jitter(r, s);
}

void outcome_times(results *r, const session *s, const char *what, double flops) {
  flops *= type_is_complex(s->A.matrix.type) ? 4 : 1;
  double gflops = s->compute_seconds > 0 ? 1e-9 * flops / s->compute_seconds : 0;
  results_add(r, "backend", text_value(s->options->backend), "backend", "%s", s->options->backend);
  results_add(r, "reading_seconds", number_value(s->read_seconds), "reading", "%.3f s", s->read_seconds);
  bool copied = s->host != s->ctx;
  results_add(r, "copying_seconds", number_value(copied ? s->copy_seconds : 0), copied ? "copying" : NULL, "%.3f s",
              s->copy_seconds);
  results_add(r, "seconds", number_value(s->compute_seconds), what, "%.3f s, %.1f Gflop/s", s->compute_seconds, gflops);
  results_member(r, "gflops", number_value(gflops));
  results_add(r, "log_determinant", number_value(s->log_determinant), "log-determinant", "%.15g (natural logarithm)",
              s->log_determinant);
}

double factor_flops(int64_t order) {
  double n = (double)order;
  return n * n * n / 3 + n * n / 2 + n / 6;
}

double outcome_relative(const session *s, double residual, const double *norms, int count) {
  int64_t n = s->A.matrix.rows;
  double error = n > 0 ? residual / (double)n : residual;
  for (int i = 0; i < count; i++) {
    if (!isfinite(norms[i])) return NAN;
    error = residual == 0 ? 0 : error / norms[i];
  }
  return error;
}

int outcome_judge(results *r, const session *s, const char *key, const char *label, double error) {
  double units = error / type_roundoff(s->A.matrix.type);
  bool ok = units < residual_limit;
  results_add(r, key, number_value(error), label, "%.3g = %.3g u: %s (limit %g u)", error, units, ok ? "ok" : "NOT ok",
              residual_limit);
  results_member(r, "roundoff", number_value(type_roundoff(s->A.matrix.type)));
  results_member(r, "limit", number_value(residual_limit * type_roundoff(s->A.matrix.type)));
  results_member(r, "ok", truth_value(ok));
  if (ok) return EXIT_DONE;
  return failed(s->options->command, "the %s, %.3g, is not below %g u%s", label, error, residual_limit,
                s->options->output ? "; nothing is written" : "");
}

int outcome_write(results *r, const session *s, const char *label, const trigon_matrix *X, structure kind) {
  char why[WHY_SIZE];
  const char *output = s->options->output;
  if (!output) {
    results_member(r, "output", text_value(NULL));
    return EXIT_DONE;
  }
  progress *shown = progress_begin(!s->options->quiet && !is_standard(output), "writing %s", output);
  bool written = matrix_write(output, s->options->format, X, kind, why, sizeof why);
  progress_end(shown);
  if (!written) return failed(s->options->command, "%s", why);
  results_add(r, "output", text_value(output), label, "%s: %" PRId64 " × %" PRId64, output_name(output), X->rows,
              X->cols);
  return EXIT_DONE;
}

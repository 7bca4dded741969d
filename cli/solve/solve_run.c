/* solve_run.c - what the commands solve, factor and invert do before and after their own work. */
#include "solve_run.h"
#include "../command.h"
#include "../command_line.h"
#include "../files/path.h"

enum { LABEL_WIDTH = 17 }; /* of the longest label, "log-determinant", with room */

static int read_matrix(const solve_options *o, spd *A, double *seconds) {
  trigon_uplo uplo = o->uplo && *o->uplo == 'u' ? TRIGON_UPPER : TRIGON_LOWER;
  double begun = seconds_now();
  progress *shown = progress_begin(!o->quiet, "reading %s", input_name(o->operands[0]));
  int status = spd_read(o->command, o->operands[0], o->uplo ? &uplo : NULL, o->quiet, A);
  progress_end(shown);
  *seconds = seconds_now() - begun;
  return status;
}

int run_with_matrix(const solve_syntax *form, command_work *work, int argc, char **argv) {
  solve_options o;
  int status = solve_options_parse(form, argc, argv, &o);
  if (status != PARSED) return status;
  session s;
  spd A = {0};
  results r = {.printer = {.json = o.json, .quiet = o.quiet, .width = LABEL_WIDTH}};
  r.printer.to = writes_to_stdout(&o) ? stderr : stdout;
  status = session_open(&o, &s);
  if (status == EXIT_DONE) status = read_matrix(&o, &A, &r.read_seconds);
  if (status == EXIT_DONE) status = work(&o, &s, &A, &r);
  printer_end(&r.printer);
  spd_free(&A);
  session_close(&s);
  return status;
}

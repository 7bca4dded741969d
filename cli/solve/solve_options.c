/* solve_options.c - reads and checks the command lines of solve, factor and invert. */
#include "solve_options.h"
#include "../command.h"
#include "../command_line.h"
#include "../files/matrix_file.h"
#include "../files/path.h"
#include "../report.h"
#include "../text.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

bool writes_to_stdout(const solve_options *o) { return o->output && is_standard(o->output); }

/* Reports why the output cannot be written, and how a stream can be written. */
static int refuse_output(const solve_options *o, const char *why, const char *format) {
  if (!output_is_stream(o->output)) return failed(o->command, "%s", why);
  if (o->json) return failed(o->command, "%s; --json takes standard output: give the output a regular file", why);
  return failed(o->command, "%s; '-o - --format %s' writes to standard output, also into a pipe", why, format);
}

/* Checks the names of the files before the long work begins. */
static int check_files(const solve_options *o) {
  char why[WHY_SIZE];
  const char *const *in = o->operands;
  if (in[1] && is_standard(in[0]) && is_standard(in[1]))
    return usage_error(o->command, "A and B cannot both be standard input");
  if (!o->output && (o->format || o->overwrite))
    return usage_error(o->command, "--%s is for the output: -o is missing", o->format ? "format" : "overwrite");
  if (o->json && writes_to_stdout(o))
    return usage_error(o->command, "--json and '-o -' both take standard output: give the output a file");
  if (!o->output) return PARSED;
  const char *format = matrix_format(o->output, o->format, why, sizeof why);
  if (!format) return usage_error(o->command, "%s", why);
  if (!output_check(o->output, why, sizeof why)) return refuse_output(o, why, format);
  for (int i = 0; i < 2 && in[i] && !o->overwrite; i++) {
    if (output_is_input(o->output, in[i]))
      return failed(o->command, "%s: the output is the file of %c, which it would replace (--overwrite allows that)",
                    output_name(o->output), "AB"[i]);
  }
  return PARSED;
}

/* The jitter is a decimal number without blanks, as in a file. */
static int parse_jitter(solve_options *o) {
  const char *given = o->jitter_text;
  if (!given) return PARSED;
  text numeral = {given, given + strlen(given)};
  bool decimal = !isspace((unsigned char)*given) && text_number(numeral, &o->jitter) == NUMBER;
  if (decimal && isfinite(o->jitter) && o->jitter >= 0) return PARSED;
  return usage_error(o->command, "--jitter: a finite number >= 0 is expected, not '%s'", given);
}

int solve_options_parse(const solve_syntax *form, int argc, char **argv, solve_options *o) {
  *o = (solve_options){.command = form->command, .backend = "cpu"};
  const option options[] = {{"output", 'o', &o->output, NULL},     {"format", 0, &o->format, NULL},
                            {"overwrite", 0, NULL, &o->overwrite}, {"uplo", 0, &o->uplo, NULL},
                            {"backend", 0, &o->backend, NULL},     {"jitter", 0, &o->jitter_text, NULL},
                            {"fp64", 0, &o->fp64_text, NULL},      {"json", 0, NULL, &o->json},
                            {"quiet", 'q', NULL, &o->quiet},       {NULL, 0, NULL, NULL}};
  const syntax s = {
      o->command, form->help, options, o->operands, 1, form->most, "which matrix? A file name is missing"};
  int status = parse_arguments(&s, argc, argv);
  if (status != PARSED) return status;
  if (o->uplo && strcmp(o->uplo, "lower") != 0 && strcmp(o->uplo, "upper") != 0)
    return usage_error(o->command, "--uplo is 'lower' or 'upper', not '%s'", o->uplo);
  if ((status = parse_jitter(o)) != PARSED) return status;
  if ((status = parse_fp64(o->command, o->fp64_text, &o->fp64)) != PARSED) return status;
  if (form->needs_output && !o->output) return usage_error(o->command, "-o is missing: which file is to be written?");
  return check_files(o);
}

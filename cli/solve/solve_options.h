/* solve_options.h - the options of solve, factor and invert, and the help that the three have in common. */
#ifndef TRIGON_SOLVE_OPTIONS_H
#define TRIGON_SOLVE_OPTIONS_H

#include "../fp64_mode.h"

#include <trigon.h>

#include <stdbool.h>

/* What differs between the command lines of the three. */
typedef struct solve_syntax {
  const char *command, *help;
  int most; /* operands: A, or A and B */
  bool needs_output;
} solve_syntax;

/* What a command line says. The strings are those of argv. */
typedef struct solve_options {
  const char *command;
  const char *operands[2]; /* the files of A and B, or NULL */
  const char *output;      /* the file to write, or NULL */
  const char *format;      /* of the output, or NULL: as the name of the file says */
  const char *backend;
  const char *uplo;        /* "lower", "upper", or NULL: A is checked for symmetry */
  const char *jitter_text; /* the text of `jitter`, or NULL */
  const char *fp64_text;   /* the text of `fp64`, or NULL */
  fp64_mode fp64;          /* how ctx computes products */
  double jitter;           /* times the mean of the diagonal is added to the diagonal */
  bool quiet, json, overwrite;
} solve_options;

/* The end of the help, which the three commands have in common. */
#define SOLVE_HELP                                                                                                     \
  "  --format FORMAT     write in this format (npy, mtx, mtx.gz) whatever the name's ending; mtx for '-o -'\n"         \
  "  --overwrite         let the output replace a file that this command reads\n"                                      \
  "  --uplo lower|upper  take this triangle of A for the whole; the other is not looked at\n"                          \
  "  --backend NAME      compute with this (default: cpu; see 'trigon info')\n"                                        \
  "  --jitter X          add X times the mean of A's diagonal to the diagonal before factoring; X >= 0\n" FP64_HELP    \
  "  --json              print the results as one JSON object\n"                                                       \
  "  -q, --quiet         print errors only (and what --json prints)\n"                                                 \
  "  -h, --help          this text\n"                                                                                  \
  "\n"                                                                                                                 \
  "Files are Matrix Market (.mtx, .mtx.gz) or NumPy (.npy): when read, the content says which; when written, the "     \
  "name.\n"                                                                                                            \
  "'-' is standard input (A or B, not both) or, behind -o, standard output; the report then goes to standard error\n"  \
  "and cannot be --json's.\n"                                                                                          \
  "Unless its file declares it symmetric or Hermitian, or --uplo is given, A is checked for symmetry.\n"               \
  "Exit status: 0 done; 1 it failed (not positive definite, a broken file, a residual above 30 u); 2 wrong usage.\n"   \
  "\n"

/* Whether the output is standard output: the results are then printed on standard error. */
bool writes_to_stdout(const solve_options *options);

/* Reads the command line. Returns PARSED (command_line.h); or, if help or an error was printed, the exit status. */
int solve_options_parse(const solve_syntax *form, int argc, char **argv, solve_options *options);

#endif

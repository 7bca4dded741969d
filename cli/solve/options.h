/* options.h - the command lines of solve, factor and invert. */
#ifndef TRIGON_CLI_SOLVE_OPTIONS_H
#define TRIGON_CLI_SOLVE_OPTIONS_H

#include <trigon.h>

#include <stdbool.h>

/* How the command line of one command reads. */
typedef struct solve_syntax {
  const char *command, *help;
  int most; /* operands: A, or A and B */
  bool needs_output;
} solve_syntax;

/* What a command line says. Strings belong to it. */
typedef struct solve_options {
  const char *command;
  const char *operands[2]; /* the files of A and B; NULL: not given */
  const char *output;      /* the file to write, or NULL */
  const char *format;      /* of that file, or NULL: as its name says */
  const char *backend;
  const char *uplo;        /* "lower", "upper", or NULL: A is checked for symmetry */
  const char *jitter_text; /* as it was given, or NULL */
  double jitter;           /* times the mean of the diagonal, to be added to the diagonal; 0 if not given */
  bool quiet, json, overwrite;
} solve_options;

/* The part of the help that the three commands have in common. */
#define SOLVE_HELP                                                                                                     \
  "  --format FORMAT     write in this format (npy, mtx, mtx.gz) whatever the name's ending; mtx for '-o -'\n"         \
  "  --overwrite         let the output replace a file that this command reads\n"                                      \
  "  --uplo lower|upper  take this triangle of A for the whole, without a look at the other\n"                         \
  "  --backend NAME      compute with this (default: cpu; see 'trigon info')\n"                                        \
  "  --jitter X          add X times the mean of A's diagonal to the diagonal before factoring; X >= 0\n"              \
  "  --json              print the results as one JSON object\n"                                                       \
  "  -q, --quiet         print errors only (and what --json prints)\n"                                                 \
  "  -h, --help          this text\n"                                                                                  \
  "\n"                                                                                                                 \
  "Files are Matrix Market (.mtx, .mtx.gz) or NumPy (.npy), told apart by content when read, by name when written.\n"  \
  "'-' is standard input (A or B, not both) or, behind -o, standard output; the report then goes to standard error\n"  \
  "and cannot be --json's.\n"                                                                                          \
  "Unless its file declares it symmetric or Hermitian, or --uplo is given, A is checked for symmetry.\n"               \
  "Exit status: 0 done; 1 it failed (not positive definite, a broken file, a residual above 30 u); 2 wrong usage.\n"   \
  "\n"

/* Whether the output is standard output: the results go elsewhere then. */
bool writes_to_stdout(const solve_options *options);

/* Returns PARSED (options.h), or the exit status if there is nothing left to do. */
int solve_options_parse(const solve_syntax *syntax, int argc, char **argv, solve_options *options);

#endif

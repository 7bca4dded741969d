/* command_line.h - parses command lines: --name VALUE, --name=VALUE, -n VALUE, -nVALUE, flags, operands. */
#ifndef TRIGON_CLI_COMMAND_LINE_H
#define TRIGON_CLI_COMMAND_LINE_H

#include <stdbool.h>

/* One option. Its value is stored in *value or, if it is a flag, true is stored in *flag. If it occurs several times,
 * the last occurrence counts. */
typedef struct option {
  const char *name;   /* without the dashes; NULL ends a list */
  char letter;        /* the short form, or 0 */
  const char **value; /* one of value and flag is NULL */
  bool *flag;
} option;

/* What a command accepts. Every command also has --help. */
typedef struct syntax {
  const char *command, *help;
  const option *options;
  const char **operands; /* where the operands are stored, in order: room for `most` */
  int least, most;
  const char *missing; /* the message if there are fewer than `least` operands */
} syntax;

enum { PARSED = -1 };

/* Parses a command line. Returns PARSED; or, if help or a usage error was printed, the exit status. */
int parse_arguments(const syntax *s, int argc, char **argv);

#endif

/* command_line.h - command lines: --name VALUE, --name=VALUE, -n VALUE, -nVALUE, flags, and operands, in any order. */
#ifndef TRIGON_CLI_COMMAND_LINE_H
#define TRIGON_CLI_COMMAND_LINE_H

#include <stdbool.h>

/* One option: where its value goes, or, for a flag, what becomes true. The last occurrence counts. */
typedef struct option {
  const char *name;   /* without the dashes; NULL ends a list */
  char letter;        /* the short form, or 0 */
  const char **value; /* one of these two */
  bool *flag;
} option;

/* What a command accepts. Every command has --help besides its options. */
typedef struct syntax {
  const char *command, *help;
  const option *options;
  const char **operands; /* where they go, in order, room for `most` */
  int least, most;
  const char *missing; /* what to say where fewer than `least` came */
} syntax;

enum { PARSED = -1 };

/* Returns PARSED, or the exit status where there is nothing left to do: help was printed, or the usage error told. */
int parse_arguments(const syntax *s, int argc, char **argv);

#endif

/* tune_options.h - the command line of tune. */
#ifndef TRIGON_TUNE_OPTIONS_H
#define TRIGON_TUNE_OPTIONS_H

#include "../type_list.h"
#include "subject.h"

typedef struct tune_options {
  const char *backend, *output; /* output: NULL if the option is not given */
  double seconds;
  bool quiet;
  int64_t largest, batch; /* the largest order, and the most matrices of a batch, in tables of GPUs */
  bool wanted[TUNED], wanted_tiles[TUNED_TILES], wanted_batches[TUNED_BATCHES], wanted_hosts[TUNED_HOSTS];
  char type[MOST_TYPES]; /* most important first */
  int types;
} tune_options;

/* Reads the command line. Returns PARSED (command_line.h); or, if help or an error was printed, the exit status. */
int tune_parse(int argc, char **argv, tune_options *o);

#endif

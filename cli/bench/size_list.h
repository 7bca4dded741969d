/* size_list.h - lists of sizes on a command line: "512,1024", "512:4096:*2", "512:2048:+512", and mixes. */
#ifndef TRIGON_CLI_BENCH_SIZE_LIST_H
#define TRIGON_CLI_BENCH_SIZE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MOST_SIZES = 1000 };

/* `count` sizes in the order given; or, with count == 0, a letter: "the same as m". */
typedef struct size_list {
  int count;
  char same_as;
  int64_t size[MOST_SIZES];
} size_list;

/* Reads a LIST, whose sizes are from 1 to a thousand million; a single letter of `letters` is taken as same_as.
 * Returns false, with what was expected in `why`, where it is malformed. */
bool size_list_parse(const char *text, const char *letters, size_list *list, char *why, size_t why_size);

#endif

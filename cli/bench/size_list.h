/* size_list.h - parses lists of sizes on a command line: "512,1024", "512:4096:*2", "512:2048:+512", and mixes. */
#ifndef TRIGON_CLI_BENCH_SIZE_LIST_H
#define TRIGON_CLI_BENCH_SIZE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MOST_SIZES = 1000 };

/* `count` sizes in the order given; or, if count is 0, the letter of the size that this size equals. */
typedef struct size_list {
  int count;
  char same_as;
  int64_t size[MOST_SIZES];
} size_list;

/* Parses a list of sizes from 1 to 10^9, or a single letter of `letters`, which becomes same_as. Returns false, with
 * what was expected in `why`, if the text is neither. */
bool size_list_parse(const char *text, const char *letters, size_list *list, char *why, size_t why_size);

#endif

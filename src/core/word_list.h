/* word_list.h - finds a word in a list of names. */
#ifndef TRIGON_WORD_LIST_H
#define TRIGON_WORD_LIST_H

#include <string.h>

/* The index of the word, or -1. */
static inline int index_of_word(const char *word, const char *const *names, int count) {
  int i = 0;
  while (i < count && strcmp(word, names[i]) != 0) i++;
  return i < count ? i : -1;
}

#endif

/* similar.h - finds the name that a mistyped word may have meant. */
#ifndef TRIGON_CLI_SIMILAR_H
#define TRIGON_CLI_SIMILAR_H

#include <stddef.h>

/* A mistyped word, and the most similar name so far, or NULL. `distance` is private. */
typedef struct similar {
  const char *word;
  size_t length;
  const char *name;
  int distance;
} similar;

/* Compares the word with one more name. A name is similar if few letters of the word are missing, added, wrong or
 * exchanged with a neighbour, or if the name begins with the word. */
void similar_compare(similar *s, const char *name);

#endif

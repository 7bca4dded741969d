/* similar.h - which name may have been meant by a mistyped one. */
#ifndef TRIGON_CLI_SIMILAR_H
#define TRIGON_CLI_SIMILAR_H

#include <stddef.h>

/* A word that is no name, and the name most like it so far, or NULL. `distance` belongs to similar.c. */
typedef struct similar {
  const char *word;
  size_t length;
  const char *name;
  int distance;
} similar;

/* Compares the word with one more name. A name counts if few letters are missing, added, wrong or exchanged with a
 * neighbour, or if the word is its beginning. */
void similar_try(similar *s, const char *name);

#endif

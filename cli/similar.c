/* similar.c - the distance between two words, and the choice of the name with the smallest distance.
 *
 * The distance is how many letters must be inserted, deleted, replaced or exchanged with a neighbour (the optimal
 * string alignment distance). */
#include "similar.h"

#include <stdbool.h>
#include <string.h>

enum { LONGEST = 32, LEAST_BEGINNING = 3, LETTERS_A_MISTAKE = 3, MOST_MISTAKES = 2 };

static int least(int a, int b) { return a < b ? a : b; }

/* The words have at most LONGEST letters. d[i][j] is the distance between the first i letters of a and the first j of
 * b. */
static int distance(const char *a, int m, const char *b, int n) {
  int d[LONGEST + 1][LONGEST + 1];
  for (int i = 0; i <= m; i++) d[i][0] = i;
  for (int j = 0; j <= n; j++) d[0][j] = j;
  for (int i = 1; i <= m; i++)
    for (int j = 1; j <= n; j++) {
      int replaced = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      d[i][j] = least(replaced, least(d[i - 1][j], d[i][j - 1]) + 1);
      bool exchanged = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (exchanged) d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[m][n];
}

void similar_compare(similar *s, const char *name) {
  size_t length = strlen(name);
  if (s->length > LONGEST || length > LONGEST) return;
  int mistakes = distance(s->word, (int)s->length, name, (int)length);
  int allowed = least((int)s->length / LETTERS_A_MISTAKE, MOST_MISTAKES);
  bool beginning = s->length >= LEAST_BEGINNING && strncmp(s->word, name, s->length) == 0;
  if (mistakes > allowed && !beginning) return;
  if (s->name && mistakes >= s->distance) return;
  s->name = name;
  s->distance = mistakes;
}

/* gpu_rows.c - reads the lines of trigon_rows that are about tiles and batches. */
#include "gpu_rows.h"

#include <stdlib.h>
#include <string.h>

/* The next line that begins with these words, or NULL. */
static const char *find_line(const char *at, const char *words) {
  while (at && strncmp(at, words, strlen(words)) != 0) {
    at = strchr(at, '\n');
    if (at) at++;
  }
  return at && *at ? at : NULL;
}

static const char *line_behind(const char *line) {
  const char *end = strchr(line, '\n');
  return end ? end + 1 : NULL;
}

/* Copies the next word, which must find room, and returns what is behind it; NULL: the line has no such word. */
static const char *take_word(const char *at, char *word, size_t size) {
  at += strspn(at, " ");
  const size_t length = strcspn(at, " \n");
  if (length == 0 || length >= size) return NULL;
  memcpy(word, at, length);
  word[length] = '\0';
  return at + length;
}

/* The number behind this word in the rest of a line, or `without`. */
static int64_t number_behind(const char *rest, const char *word, int64_t without) {
  const size_t length = strcspn(rest, "\n");
  const char *at = strstr(rest, word);
  return at && at < rest + length ? strtoll(at + strlen(word), NULL, 10) : without;
}

static bool has_word(const char *rest, const char *word) {
  const char *at = strstr(rest, word);
  return at && at < rest + strcspn(rest, "\n");
}

int gpu_rows_kernels(const char *text, const char *routine, char type, class_kernel kernel[MOST_KERNELS]) {
  char words[64];
  int count = 0;
  snprintf(words, sizeof words, "kernel %s %c ", routine, type);
  for (const char *at = find_line(text, words); at && count < MOST_KERNELS; at = find_line(line_behind(at), words)) {
    class_kernel *k = &kernel[count];
    const char *rest = take_word(at + strlen(words), k->name, sizeof k->name);
    if (!rest) continue;
    k->above = number_behind(rest, " above=", 0), k->most = number_behind(rest, " most=", INT64_MAX);
    k->alone = has_word(rest, " alone"), k->shares = has_word(rest, " shares");
    count++;
  }
  return count;
}

int gpu_rows_classes(const char *text, const char *routine, char type, class_row row[MOST_CLASS_ROWS]) {
  char words[64], most[24];
  int count = 0;
  snprintf(words, sizeof words, "batch %s %c ", routine, type);
  for (const char *at = find_line(text, words); at && count < MOST_CLASS_ROWS; at = find_line(line_behind(at), words)) {
    class_row *r = &row[count];
    const char *rest = take_word(at + strlen(words), most, sizeof most);
    if (rest) rest = take_word(rest, r->kernel, sizeof r->kernel);
    if (!rest) continue;
    r->most = *most == '*' ? INT64_MAX : strtoll(most, NULL, 10);
    r->most_order = number_behind(rest, " most-order=", 0), r->alone = has_word(rest, " alone");
    count++;
  }
  return count;
}

int gpu_rows_shapes(const char *text, const char *routine, tile_name shape[MOST_SHAPES]) {
  char words[64];
  int count = 0;
  snprintf(words, sizeof words, "shape %s ", routine);
  for (const char *at = find_line(text, words); at && count < MOST_SHAPES; at = find_line(line_behind(at), words))
    if (take_word(at + strlen(words), shape[count].text, sizeof shape->text)) count++;
  return count;
}

void gpu_rows_copy(const char *text, const char *words, table *to) {
  for (const char *at = find_line(text, words); at; at = find_line(line_behind(at), words))
    table_add(to, "%.*s\n", (int)strcspn(at, "\n"), at);
}
